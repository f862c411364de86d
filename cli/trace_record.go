package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/forecast"
	"github.com/pentode-dev/pentode/run/trace/recorded"
	"github.com/pentode-dev/pentode/runs/traced"
	"github.com/pentode-dev/pentode/workspace"
)

// recordFlags are the flags of verbs that ask a recorded run about another configuration.
type recordFlags struct {
	dir   string
	flush time.Duration
}

func (r *recordFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.dir, "record", "", "the `DIR` of a run that `pentode trace run` has recorded")
	cmd.Flags().DurationVar(&r.flush, "flush", time.Second, "how long an event may wait for the disk, a `DURATION`, as of `trace run`")
}

// traceRecord is a recorded run and the configuration that is asked about.
type traceRecord struct {
	trace  *recorded.Trace
	was    *trace.Policy // that it was recorded with
	space  *workspace.Workspace
	config *lang.Config
	policy *trace.Policy
	flush  time.Duration
	cost   forecast.Cost
}

// record reads a recorded run and a configuration.
func (a *app) record(r *recordFlags, paths []string) (*traceRecord, error) {
	if r.dir == "" {
		return nil, errors.New("give the recorded run with --record; `pentode trace run --out DIR` records one")
	}
	t, err := recorded.Open(r.dir)
	if err != nil {
		return nil, err
	}
	own, err := ownConfiguration(r.dir)
	if err != nil {
		return nil, err
	}
	asked := a.files.overrides
	a.files.overrides = nil // they are for the other configuration
	_, _, was, err := a.tracePolicy([]string{own})
	a.files.overrides = asked
	if err != nil {
		return nil, err
	}
	w, config, policy, err := a.tracePolicy(paths)
	if err != nil {
		return nil, err
	}
	return &traceRecord{trace: t, was: was, space: w, config: config, policy: policy, flush: r.flush, cost: traced.Calibrated()}, nil
}

// tracePolicy reads a trace configuration that has no errors.
func (a *app) tracePolicy(paths []string) (*workspace.Workspace, *lang.Config, *trace.Policy, error) {
	w, config, err := a.read(paths, "pinsight")
	if err != nil {
		return nil, nil, nil, err
	}
	if w.EnvOf(config.Document).Dialect == load.Upstream {
		return nil, nil, nil, errors.New("a record is asked in the documented meaning of configurations: what an installed PInsight would do is not simulated; leave `upstream` out")
	}
	if err := a.refuse(config.Diagnostics()); err != nil {
		return nil, nil, nil, err
	}
	policy, err := policyOf(config)
	return w, config, policy, err
}

// ownConfiguration is the configuration that a run was recorded with. Where several nodes have one, they are one run's.
func ownConfiguration(dir string) (string, error) {
	found := ""
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Name() == traced.ConfigFile && !e.IsDir() {
			found = path
			return fs.SkipAll
		}
		return err
	})
	if err == nil && found == "" {
		err = fmt.Errorf("`%s` has no `%s`, which says what was recorded: only runs of `pentode trace run` can be asked about another configuration", dir, traced.ConfigFile)
	}
	return found, err
}

// simulate asks the record about a policy.
func (r *traceRecord) simulate(p *trace.Policy) (*forecast.Forecast, error) {
	return forecast.Simulate(r.trace, forecast.Options{Was: r.was, Policy: p, Flush: r.flush, Cost: r.cost})
}
