package runs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/runs/record"
	"github.com/pentode-dev/pentode/workspace"
	"github.com/pentode-dev/pentode/workspace/project"
)

// Rerun repeats a run from its record.
//
// It writes the files of the run, as they were then, to a private folder, each below its old path, so that names from one file to another
// remain valid. Beside them it puts links to the other files that are in their folders today: data and programs. It does not link results of
// the old run, so that none of them is overwritten.
type Rerun struct {
	Now []string // what has changed since, in words

	record *record.Record
	store  record.Store
	root   string // the private folder
	out    string // of the results
	top    string // files outside of it are not linked
}

// NewRerun prepares the repetition of a run. Its results go to the folder out, which NewRerun makes.
func NewRerun(store record.Store, r *record.Record, w *workspace.Workspace, out string) (_ *Rerun, err error) {
	switch {
	case slices.ContainsFunc(r.Command, func(word string) bool { return strings.Contains(word, record.Hidden) }):
		return nil, errors.New("the command of the run contained a secret, which is not recorded: run the command yourself")
	case slices.Contains(r.Command, "-"):
		return nil, errors.New("the run read a file from standard input, which is not recorded: run the command yourself")
	case r.Stage() != record.Ended:
		return nil, fmt.Errorf("run `%s` is %s, and has no results to compare with: run the command yourself", r.ID, r.Stage())
	case r.Kind == record.Plan:
		return nil, errors.New("the programs of a plan that runs without a run folder may write anywhere, so such a run cannot be repeated; put the plan into its own folder, and run the folder")
	}
	if out, err = filepath.Abs(out); err != nil {
		return nil, err
	}
	n := &Rerun{record: r, store: store, out: out}
	if n.root, err = os.MkdirTemp("", "pentode-rerun-"); err != nil {
		return nil, fmt.Errorf("a private folder for the files of the run cannot be made: %w", err)
	}
	defer func() {
		if err != nil {
			n.Close()
		}
	}()
	if err := n.writeTexts(); err != nil {
		return nil, err
	}
	n.link(w)
	n.changed()
	return n, nil
}

// Close deletes the private folder.
func (n *Rerun) Close() { _ = os.RemoveAll(n.root) } // it is among the temporary files

// at returns the place of a path of the old run in the private folder.
func (n *Rerun) at(path string) string {
	return filepath.Join(n.root, strings.TrimPrefix(path, filepath.VolumeName(path)))
}

// writeTexts writes the files as the run has read them.
func (n *Rerun) writeTexts() error {
	for _, f := range n.record.Files {
		text, err := n.store.Text(f.Hash)
		if err != nil {
			return fmt.Errorf("`%s` cannot be restored: %w", f.Path, err)
		}
		if err := os.MkdirAll(filepath.Dir(n.at(f.Path)), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(n.at(f.Path), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return os.MkdirAll(n.at(n.record.Folder), 0o700)
}

// maxLinks limits the files of one folder that are linked: a folder with more files is not the folder of a run.
const maxLinks = 4096

// link links the other files in the folders of the run.
func (n *Rerun) link(w *workspace.Workspace) {
	n.top = n.record.Folder
	for _, path := range n.record.Paths {
		n.top = common(n.top, filepath.Dir(path))
	}
	folders := map[string]bool{}
	note := func(dir string) {
		for ; below(n.top, dir); dir = filepath.Dir(dir) {
			folders[dir] = true
			if dir == n.top {
				break
			}
		}
	}
	note(n.record.Folder)
	note(filepath.Dir(n.record.Out))
	for _, path := range n.record.Paths {
		note(path)
	}
	for _, f := range n.record.Files {
		note(filepath.Dir(f.Path))
	}
	results := map[string]bool{n.record.Out: n.record.Out != n.record.Folder, n.out: true}
	for _, r := range n.record.Results {
		results[filepath.Join(n.record.Out, filepath.FromSlash(r.Path))] = true
	}
	for dir := range folders {
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) > maxLinks {
			continue // the file has been removed; the command itself will report what is missing
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if folders[path] || results[path] || e.Name() == project.FileName || !e.IsDir() && w.Claims(path) {
				continue // the record has its old text, or it did not exist
			}
			if os.MkdirAll(n.at(dir), 0o700) == nil {
				_ = os.Symlink(path, n.at(path)) // fails if a text is already there
			}
		}
	}
}

// below reports whether path is dir or is in it.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// common returns the deepest folder that contains both paths.
func common(a, b string) string {
	for !below(a, b) && a != filepath.Dir(a) {
		a = filepath.Dir(a)
	}
	return a
}

// changed notes what has changed since the run was recorded.
func (n *Rerun) changed() {
	add := func(format string, args ...any) { n.Now = append(n.Now, fmt.Sprintf(format, args...)) }
	r := n.record
	if name, _ := os.Hostname(); name != r.Host.Name || runtime.GOOS+"/"+runtime.GOARCH != r.Host.System {
		add("the machine was `%s` (%s) and is now `%s` (%s/%s)", r.Host.Name, r.Host.System, name, runtime.GOOS, runtime.GOARCH)
	}
	for i, p := range r.Programs {
		path := p.Path
		if self, err := os.Executable(); i == 0 && err == nil {
			path = self
		}
		switch _, err := os.Stat(path); {
		case err != nil:
			add("the program `%s` no longer exists", path)
		case p.BuildID != "" && newProgram(path).BuildID != p.BuildID:
			add("the program `%s` is another build", path)
		}
	}
	for _, f := range r.Inputs {
		switch f.Now() {
		case record.Gone:
			add("the input `%s` no longer exists", f.Path)
		case record.Changed:
			add("the input `%s` has other data", f.Path)
		}
	}
	for _, f := range r.Files {
		switch f.Now() {
		case record.Gone:
			add("`%s` no longer exists; the run uses the recorded text", f.Path)
		case record.Changed:
			add("`%s` has changed; the run uses the recorded text", f.Path)
		}
	}
}

// Run runs the command in the private folder, and returns the record of the new run. The error says why there is none. The end of the context
// interrupts the command, which then ends in order.
func (n *Rerun) Run(ctx context.Context, p Program, o Options) (*record.Record, error) {
	o = o.filled()
	cmd, err := p.command(n.command()...)
	if err != nil {
		return nil, err
	}
	cmd.Dir = n.at(n.record.Folder)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = o.In, o.Out, o.Log
	cmd.Env = append(os.Environ(), "PWD="+cmd.Dir)
	for name, value := range n.record.Env {
		if name != "PWD" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("the run cannot be started: %w", problem.Reason(err))
	}
	unbind := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(os.Interrupt) }) // it may already have ended
	failed := cmd.Wait()
	unbind()
	list, err := n.store.List()
	if err != nil {
		return nil, err
	}
	for _, r := range slices.Backward(list) {
		if r.Folder == cmd.Dir && r.Stage() == record.Ended {
			r.Parents = append(r.Parents, n.record.ID)
			return r, n.store.Write(r, nil)
		}
	}
	if failed != nil {
		return nil, fmt.Errorf("the run did not begin: it ended with code %d", exitOfWait(failed))
	}
	return nil, errors.New("the run has left no record to compare")
}

// command returns the command of the old run, with another folder for results and with absolute paths in the private folder.
func (n *Rerun) command() []string {
	var words []string
	skip := false
	for i, word := range n.record.Command {
		name, value, joined := strings.Cut(word, "=")
		switch {
		case skip:
			skip = false
			continue
		case name == "--":
			return n.withOut(append(words, n.moved(n.record.Command[i:])...))
		case name == "-o", name == "--output":
			skip = !joined
			continue
		case strings.HasPrefix(word, "-o"): // the folder follows directly
			continue
		case name == "--detach" || name == "--watch":
			continue
		case joined:
			word = name + "=" + n.moved([]string{value})[0]
		default:
			word = n.moved([]string{word})[0]
		}
		words = append(words, word)
	}
	return n.withOut(words)
}

// withOut adds the folder of the results to the command.
func (n *Rerun) withOut(words []string) []string {
	at := slices.Index(words, "run") + 1
	return slices.Insert(words, at, "-o", n.out)
}

// moved replaces absolute paths of the old run in words by paths in the private folder.
func (n *Rerun) moved(words []string) []string {
	list := slices.Clone(words)
	for i, word := range list {
		if _, err := os.Lstat(n.at(word)); filepath.IsAbs(word) && err == nil {
			list[i] = n.at(word)
		}
	}
	return list
}
