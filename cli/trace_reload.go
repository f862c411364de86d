package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/collect"
)

func (a *app) traceReloadVerb() *cobra.Command {
	var ask reloadRequest
	cmd := &cobra.Command{
		Use:   "reload [RUN] [FILE]",
		Short: "Change what a running program traces",
		Long: "Reads a trace configuration over the one in force, shows what changes, and makes it take effect on all threads\n" +
			"of the program, without a pause. RUN is the process id of `pentode trace run`; without it the newest is meant.\n" +
			"Without FILE the run's own file is read again. A file with errors changes nothing.",
		Example: examples("pentode trace reload", "pentode trace reload --dry-run 4711 trace_config.txt"),
		Args:    cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			socket, rest, err := findTraceRun(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				if ask.File, err = filepath.Abs(rest[0]); err != nil {
					return err
				}
			}
			ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
			defer stop()
			var changes []string
			if err := control.Call(ctx, socket, reloadMethod, ask, &changes); err != nil {
				return err
			}
			for _, c := range changes {
				fmt.Fprintln(a.out, c)
			}
			if len(changes) == 0 {
				fmt.Fprintln(a.err, "nothing changes")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&ask.DryRun, "dry-run", false, "only show what would change")
	cmd.Flags().BoolVar(&ask.Replace, "replace", false, "forget what was set before, instead of reading over it")
	return cmd
}

const reloadMethod = "reload"

// reloadRequest asks a `trace run` to read a configuration. Its answer is the
// list of changes.
type reloadRequest struct {
	File    string `json:"file"` // empty: the run's own
	DryRun  bool   `json:"dryRun"`
	Replace bool   `json:"replace"`
}

// traceSockets is the folder with one socket for each `trace run`, named by its
// process id.
func traceSockets() (string, error) {
	dir, err := control.RuntimeDir(os.Getenv)
	return filepath.Join(dir, "trace"), err
}

const socketEnding = ".sock"

// findTraceRun finds the socket of the run that the first argument names, else
// of the newest, and returns the arguments that are left.
func findTraceRun(args []string) (string, []string, error) {
	dir, err := traceSockets()
	if err != nil {
		return "", nil, err
	}
	if len(args) > 0 && strings.Trim(args[0], "0123456789") == "" {
		return filepath.Join(dir, args[0]+socketEnding), args[1:], nil
	}
	if len(args) == 2 {
		return "", nil, fmt.Errorf("a run is the process id of `pentode trace run`, not `%s`", args[0])
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", nil, err
	}
	var newest string
	var at time.Time
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasSuffix(e.Name(), socketEnding) && info.ModTime().After(at) {
			newest, at = filepath.Join(dir, e.Name()), info.ModTime()
		}
	}
	if newest == "" {
		return "", nil, errors.New("no program is being traced; `pentode trace run` starts one")
	}
	return newest, args, nil
}

// liveTrace is the configuration of a program that is being traced.
type liveTrace struct {
	run   *traceRun
	ranks *job // the ranks of this node that are collected here; nil: only the program

	mu     sync.Mutex
	model  *pinsight.Model // with what was read before
	policy *trace.Policy
}

// serve answers `trace reload` until the program has ended.
func (l *liveTrace) serve(s *collect.Session) (ended func()) {
	none := func() {}
	if l.ranks != nil {
		if err := l.ranks.announce(s); err != nil {
			fmt.Fprintf(l.run.app.err, "pentode: the other ranks of this node are not traced: %s\n", err)
		}
	}
	dir, err := traceSockets()
	if err == nil {
		err = control.Private(dir)
	}
	if err != nil {
		fmt.Fprintf(l.run.app.err, "pentode: `trace reload` will not find this run: %s\n", err)
		return none
	}
	server, err := control.Listen(filepath.Join(dir, strconv.Itoa(os.Getpid())+socketEnding), control.Methods{
		reloadMethod: control.Answer(func(_ context.Context, ask reloadRequest) ([]string, error) { return l.reload(s, ask) }),
	})
	if err != nil {
		fmt.Fprintf(l.run.app.err, "pentode: `trace reload` will not find this run: %s\n", err)
		return none
	}
	return server.Close
}

// signalled reads the run's own file again.
func (l *liveTrace) signalled(s *collect.Session) {
	if _, err := l.reload(s, reloadRequest{}); err != nil {
		fmt.Fprintf(l.run.app.err, "pentode: %s\n", err)
	}
}

// reload reads a configuration over the one in force and returns what changes.
// After an error nothing has changed.
func (l *liveTrace) reload(s *collect.Session, ask reloadRequest) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	path := ask.File
	if path == "" {
		path = l.run.config
	}
	if path == "" {
		return nil, errors.New("the run has no configuration file to read again; give one")
	}
	model, err := l.run.reread(path)
	if err != nil {
		return nil, err
	}
	how := trace.Replace
	if !ask.Replace {
		model = model.Over(l.model)
		if l.run.app.files.as != load.Upstream.String() { // which merges while it reads
			how = trace.Merge
		}
	}
	next := trace.NewEngine(l.policy)
	changes, err := next.Reload(model.Layers(), how)
	if err != nil {
		return nil, err
	}
	list := make([]string, len(changes))
	for i, c := range changes {
		list[i] = c.String()
	}
	if ask.DryRun {
		return list, nil
	}
	table, err := l.run.table(next.Policy(), model.Knobs())
	if err != nil {
		return nil, err
	}
	if err := s.Publish(next.Policy(), table); err != nil {
		return nil, err
	}
	l.policy, l.model = next.Policy(), model
	return list, nil
}

// reread reads a configuration for a program that runs. Its error is the first
// thing that is wrong with it.
func (r *traceRun) reread(path string) (*pinsight.Model, error) {
	config, err := r.resolve(path)
	if err != nil {
		return nil, err
	}
	for _, d := range config.Diagnostics() {
		if d.Severity == diag.Error {
			return nil, fmt.Errorf("`%s` has errors, and what was in force stays: %s: %s", path, d.Span, d.Message)
		}
	}
	return modelOf(config)
}
