package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/plugin"
	"github.com/pentode-dev/pentode/run/data/plugin/usercode"
	"github.com/pentode-dev/pentode/run/data/replay"
)

func (a *app) dataReplayVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay SPEC SCRIPT",
		Short: "Run a script of calls on the data store of a tree",
		Long: "Opens the data store of a tree with its plugins and makes the calls of a script on it, as a program would. A script has\n" +
			"one call on each line, or is a YAML or JSON list of calls:\n\n" + replayCalls() +
			"\nA value `@FILE` is the content of a file. Functions that the tree calls through user_code do not exist here: the log\n" +
			"shows when they would be called. The plugin mpi has one process.",
		Example: examples("echo 'expose rows OUT 3' | pentode data replay examples/heat/heat.yml -", "echo 'expr 6 * 7' | pentode data replay examples/heat/heat.yml -"),
		Args:    cobra.ExactArgs(2),
		RunE:    func(_ *cobra.Command, args []string) error { return a.dataReplay(args[0], args[1]) },
	}
	return a.reads(cmd, "pdi")
}

// replayCalls lists the calls for the help, two on a line. docs/for-pdi-users.md explains each of them.
func replayCalls() string {
	s, ops := "", replay.Operations()
	for half, i := (len(ops)+1)/2, 0; i < half; i++ {
		line := fmt.Sprintf("  %-40s", ops[i].Name+" "+ops[i].Args)
		if other := i + half; other < len(ops) {
			line += ops[other].Name + " " + ops[other].Args
		}
		s += strings.TrimRight(line, " ") + "\n"
	}
	return s
}

func (a *app) dataReplay(path, script string) error {
	spec, err := a.dataSpec(path)
	if err != nil {
		return err
	}
	w, err := a.workspace()
	if err != nil {
		return err
	}
	f, err := source.OpenNamed(w.Env.Opener, script)
	if err != nil {
		return errors.New(source.Explain(script, err))
	}
	calls, err := pdi.Script(f)
	if err != nil {
		return a.no(err)
	}
	a.unknownNames(spec.model, calls)
	var written writtenFiles
	defer func() { written.report(a.err) }()
	skipped := w.Project(path).SkipPlugins
	for _, name := range skipped {
		if spec.model.FindPlugin(name) == nil {
			return fmt.Errorf("`skip-plugins` of `[pdi]` in pentode.toml names `%s`, which is not a plugin", name)
		}
	}
	plugins := plugin.List(plugin.Program{Functions: a.function, Own: spec.model.OwnPlugins()})
	player, err := replay.NewPlayer(func() (*data.Store, error) {
		return data.New(spec.model.Spec(), data.Options{
			Dialect: spec.model.Dialect(),
			Plugins: plugin.Skip(plugins, skipped, "`skip-plugins` in `[pdi]` of pentode.toml names it"),
			Place:   data.Replays,
			Host:    data.Host{Console: a.exact(), Open: written.open, Wrote: written.add},
		})
	})
	written.endCall(err)
	if err != nil {
		return a.no(spec.model.Complaint(err))
	}
	if !a.play(player, calls, &written) {
		return exitCode(exitNo)
	}
	return nil
}

// play makes the calls, prints the result of each, and reports whether all succeeded. It closes
// a store that the script leaves open.
func (a *app) play(player *replay.Player, calls replay.Script, written *writtenFiles) bool {
	ok, open := true, true
	for _, c := range calls {
		r := player.Play(c)
		written.endCall(r.Err)
		switch {
		case r.Err != nil || r.Failed != nil:
			ok = false
			fmt.Fprintf(a.err, "%s: %s\n", c.Node.Span, r)
		case r.Value != nil || r.First != nil:
			fmt.Fprintln(a.out, r)
		}
		open = c.Op != "finalize" && (open || c.Op == "init")
	}
	if open {
		r := player.Play(replay.Call{Op: "finalize"})
		if written.endCall(r.Err); r.Err != nil {
			ok = false
			fmt.Fprintf(a.err, "%s\n", r)
		}
	}
	return ok
}

// unknownNames warns about data that the tree does not declare. The store accepts them
// without any effect.
func (a *app) unknownNames(m *pdi.Model, calls replay.Script) {
	for _, c := range calls {
		for _, n := range c.Names() {
			if names := m.Names(); !slices.Contains(names, n.Text) {
				fmt.Fprintf(a.err, "%s: warning: the tree declares no `%s`%s\n", c.Node.Span, n.Text, near(n.Text, names))
			}
		}
	}
}

// writtenFiles are the files that plugins opened to write, call by call.
type writtenFiles struct {
	names  []string
	call   []string // files of the current call
	failed []string // files of failed calls
}

func (w *writtenFiles) open(name string, flag int, perm fs.FileMode) (data.File, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	if flag&(os.O_WRONLY|os.O_RDWR) != 0 {
		w.add(name)
	}
	return f, nil
}

func (w *writtenFiles) add(name string) {
	if !slices.Contains(w.names, name) {
		w.names = append(w.names, name)
	}
	w.call = append(w.call, name)
}

// endCall ends a call. If the call failed, all of its files may be incomplete.
func (w *writtenFiles) endCall(err error) {
	if err != nil {
		w.failed = append(w.failed, w.call...)
	}
	w.call = nil
}

func (w *writtenFiles) report(to io.Writer) {
	for _, name := range w.names {
		outfile.SyncFolder(filepath.Dir(name))
		if slices.Contains(w.failed, name) {
			fmt.Fprintf(to, "incomplete: %s, because the call that writes it failed\n", name)
		} else {
			fmt.Fprintf(to, "wrote %s\n", name)
		}
	}
}

// function returns a replacement for a function of the program. It prints a line when it is called.
func (a *app) function(name string) (usercode.Function, error) {
	return func(*data.Store) error {
		fmt.Fprintf(a.out, "function `%s` is called here\n", name)
		return nil
	}, nil
}
