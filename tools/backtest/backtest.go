package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// finding holds the fields by which findings before and after a commit are compared.
type finding struct {
	Severity, Code, Path, Message string
}

func (f finding) String() string {
	return fmt.Sprintf("%s[%s] %s: %s", f.Severity, f.Code, f.Path, f.Message)
}

// backtest checks commits.
type backtest struct {
	options
	clone *checkout
	types *types
	check func(dir string, files, catalogues []string) ([]finding, error)
	out   io.Writer
	known map[string]state // by commit and files
}

// state is the result of the checks at a commit.
type state struct {
	found  []finding
	raised []finding // warnings of a check that are errors of a run, without messages
	notes  []string  // which types are from another commit
}

// change is the effect of a commit on the findings.
type change struct {
	lost, fresh         []finding
	runLost, runBrought []finding // findings that only a run refuses
	notes               []string
}

// all checks commits and prints a line for each commit that changes the findings, and the sums.
func (b *backtest) all(commits []commit) {
	var errorsLost, runsLost, anyLost, errorsFresh, failed int
	for _, c := range commits {
		x, err := b.one(c)
		if err != nil {
			failed++
			fmt.Fprintf(b.out, "%.9s  not checked: %v\n", c.hash, err)
			continue
		}
		lost, fresh := count(x.lost, "error"), count(x.fresh, "error")
		if lost > 0 {
			errorsLost++
		}
		if lost+len(x.runLost) > 0 {
			runsLost++
		}
		if len(x.lost) > 0 {
			anyLost++
		}
		errorsFresh += fresh
		if len(x.lost)+len(x.fresh)+len(x.runLost)+len(x.runBrought) == 0 && !b.verbose {
			continue
		}
		run := ""
		if len(b.raise) > 0 {
			run = fmt.Sprintf("; of a run %d more, %d", len(x.runLost), len(x.runBrought))
		}
		fmt.Fprintf(b.out, "%.9s  loses %d errors of %d findings, brings %d of %d%s  %s\n", c.hash, lost, len(x.lost), fresh, len(x.fresh), run, c.subject)
		for _, note := range x.notes {
			fmt.Fprintln(b.out, "    ~", note)
		}
		if b.verbose {
			for _, f := range x.lost {
				fmt.Fprintln(b.out, "    -", f)
			}
			for _, f := range x.fresh {
				fmt.Fprintln(b.out, "    +", f)
			}
			for _, f := range x.runLost {
				fmt.Fprintf(b.out, "    - of a run [%s] %s\n", f.Code, f.Path)
			}
			for _, f := range x.runBrought {
				fmt.Fprintf(b.out, "    + of a run [%s] %s\n", f.Code, f.Path)
			}
		}
	}
	run := ""
	if len(b.raise) > 0 {
		run = fmt.Sprintf(" (%d one of a run)", runsLost)
	}
	fmt.Fprintf(b.out, "%d commits: %d lose an error%s, %d any finding; %d new errors; %d not checked\n", len(commits), errorsLost, run, anyLost, errorsFresh, failed)
}

// one compares the findings before and after a commit. Findings of a moved file move with the file, and findings of a
// deleted file do not count as lost.
func (b *backtest) one(c commit) (change, error) {
	e, files := edits{}, []string(nil)
	if len(b.paths) > 0 {
		var err error
		if e, err = b.clone.edits(c, b.paths); err != nil {
			return change{}, err
		}
		for _, hash := range []string{c.parent, c.hash} {
			list, err := b.clone.affected(hash, e.touched, b.paths)
			if err != nil {
				return change{}, err
			}
			files = append(files, list...)
		}
		slices.Sort(files)
		files = slices.Compact(files)
	}
	before, err := b.at(c.parent, files)
	if err != nil {
		return change{}, err
	}
	after, err := b.at(c.hash, files)
	if err != nil {
		return change{}, err
	}
	stay, raised := e.follow(before.found), e.follow(before.raised)
	notes := append(before.notes[:len(before.notes):len(before.notes)], after.notes...)
	slices.Sort(notes)
	return change{
		without(stay, after.found), without(after.found, stay),
		unpaired(raised, after.raised), unpaired(after.raised, raised), slices.Compact(notes),
	}, nil
}

// unpaired returns the findings of list that other does not have. A finding counts as present if other has one with the same code in another
// file, since a commit may copy a mistake from an included file into the including file.
func unpaired(list, other []finding) []finding {
	moved := without(other, list)
	return slices.DeleteFunc(without(list, other), func(f finding) bool {
		i := slices.IndexFunc(moved, func(m finding) bool { return m.Code == f.Code })
		if i >= 0 {
			moved = slices.Delete(moved, i, i+1)
		}
		return i >= 0
	})
}

// follow returns findings under the names that files have after the commit, without findings of deleted files.
func (e *edits) follow(list []finding) (stay []finding) {
	for _, f := range list {
		if e.deleted[f.Path] {
			continue
		}
		if name, moved := e.renamed[f.Path]; moved {
			f.Path = name
		}
		stay = append(stay, f)
	}
	return stay
}

// at returns the findings of a commit in some files, or in all if files is empty.
func (b *backtest) at(hash string, files []string) (state, error) {
	key := hash + "\x00" + strings.Join(files, "\x00")
	if have, ok := b.known[key]; ok {
		return have, nil
	}
	var s state
	if err := b.clone.show(hash); err != nil {
		return s, err
	}
	if b.prepare != "" {
		cmd := exec.Command("sh", "-c", b.prepare)
		cmd.Dir, cmd.Env = b.clone.dir, append(os.Environ(), "PENTODE="+b.program)
		if out, err := cmd.CombinedOutput(); err != nil {
			return s, fmt.Errorf("%s: %v: %.200s", b.prepare, err, out)
		}
	}
	if err := b.clone.project(); err != nil {
		return s, err
	}
	there := slices.DeleteFunc(slices.Clone(files), func(name string) bool {
		_, err := os.Lstat(filepath.Join(b.clone.dir, filepath.FromSlash(name)))
		return err != nil
	})
	if len(there) > 0 || len(files) == 0 {
		catalogues, notes, err := b.types.of(b.clone, hash)
		if err != nil {
			return s, err
		}
		s.notes = notes
		if s.found, err = b.check(b.clone.dir, there, catalogues); err != nil {
			return s, err
		}
		if s.raised, err = b.raised(there, catalogues); err != nil {
			return s, err
		}
	}
	b.known[key] = s
	return s, nil
}

// raised returns the warnings that are errors of a run. The check starts in the folder of the pipeline, like a run. The messages are
// dropped, so that a name in them does not make another finding: a commit that replaces one missing file by another
// missing file fixes nothing.
func (b *backtest) raised(files, catalogues []string) (list []finding, err error) {
	if len(b.raise) == 0 {
		return nil, nil
	}
	folders := map[string][]string{}
	for _, name := range files {
		folders[path.Dir(name)] = append(folders[path.Dir(name)], path.Base(name))
	}
	if len(files) == 0 {
		folders["."] = nil
	}
	seen := map[finding]bool{} // a file may be included from two folders
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		found, err := b.check(filepath.Join(b.clone.dir, filepath.FromSlash(folder)), folders[folder], catalogues)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			f.Path = path.Join(folder, f.Path)
			if f.Severity == "warning" && slices.Contains(b.raise, f.Code) && !seen[f] {
				seen[f] = true
				list = append(list, finding{Code: f.Code, Path: f.Path})
			}
		}
	}
	return list, nil
}

// pentode checks the files of a folder, or the whole folder, with the program.
func (b *backtest) pentode(dir string, files, catalogues []string) ([]finding, error) {
	args := []string{"check", "--format", "json"}
	if len(catalogues) > 0 {
		quoted := make([]string, len(catalogues))
		for i, name := range catalogues {
			quoted[i] = strconv.Quote(name)
		}
		args = append(args, "--config", "sprokit.types=["+strings.Join(quoted, ",")+"]")
	}
	for _, s := range b.settings {
		args = append(args, "--config", s)
	}
	if len(files) == 0 {
		files = []string{"."}
	}
	cmd := exec.Command(b.program, append(append(args, "--"), files...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var answer struct{ Diagnostics []finding }
	if broken := json.Unmarshal(out, &answer); broken != nil {
		if failed, ok := err.(*exec.ExitError); ok {
			return nil, fmt.Errorf("the check failed: %.200s", failed.Stderr)
		}
		return nil, errors.Join(err, broken)
	}
	for i := range answer.Diagnostics {
		f := &answer.Diagnostics[i]
		f.Path = filepath.ToSlash(f.Path)
		f.Message = strings.ReplaceAll(f.Message, b.clone.dir+string(filepath.Separator), "") // the folder differs at the next run
	}
	return answer.Diagnostics, nil
}

// without returns the findings of list that other does not have, counting duplicates.
func without(list, other []finding) (rest []finding) {
	left := map[finding]int{}
	for _, f := range other {
		left[f]++
	}
	for _, f := range list {
		if left[f]--; left[f] < 0 {
			rest = append(rest, f)
		}
	}
	return rest
}

func count(list []finding, severity string) (n int) {
	for _, f := range list {
		if f.Severity == severity {
			n++
		}
	}
	return n
}

// build makes the program from the checkout. Tools are started in the folder below its root.
func build(path string) error {
	out, err := exec.Command("go", "build", "-C", "..", "-trimpath", "-o", path, "./cmd/pentode").CombinedOutput()
	if err != nil {
		return fmt.Errorf("the program cannot be built: %s", out)
	}
	return nil
}
