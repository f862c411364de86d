package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// filter decides what of the traces is written: by the configuration that a
// process names, else by that of --policy, else everything.
func (p *pipeRun) filter(w *workspace.Workspace, pipeline *flow.Pipeline) (flow.Filter, error) {
	plan, _ := flow.Resolve(&pipeline.Graph, pipeline.Registry.Running())
	f := policies{}
	traced := p.trace != ""
	for i := range plan.Nodes {
		config := plan.Nodes[i].Config
		traced = traced || config[flow.InstrumentKey].Value == "trace"
		if path := config[suite.PolicyKey].Value; path != "" && f[path] == nil {
			full := path
			if !filepath.IsAbs(path) {
				full = filepath.Join(p.dir, path)
			}
			var err error
			if f[path], err = p.policyFilter(w, full); err != nil {
				return nil, err
			}
		}
	}
	if p.policy != "" {
		if !traced {
			return nil, errors.New("--policy says what of a trace is written, but nothing is traced; give the trace's file with --trace")
		}
		var err error
		if f[""], err = p.policyFilter(w, p.policy); err != nil {
			return nil, err
		}
	}
	if len(f) == 0 {
		return nil, nil
	}
	return f, nil
}

// policies are filters by the file that a process names; "" is for the
// processes that name none.
type policies map[string]flow.Filter

func (f policies) Region(r flow.Region) flow.RegionFilter {
	for _, name := range []string{r.Policy, ""} {
		if filter := f[name]; filter != nil {
			return filter.Region(r)
		}
	}
	return nil
}

// policyFilter reads a trace configuration.
func (p *pipeRun) policyFilter(w *workspace.Workspace, path string) (flow.Filter, error) {
	own, err := other(w, "pinsight")
	if err != nil {
		return nil, err
	}
	d, err := p.app.open(own, path)
	if err != nil {
		return nil, err
	}
	config := own.Resolve(d)
	if found := config.Diagnostics(); found.HasErrors() {
		p.app.say(found)
		return nil, exitCode(exitNo)
	}
	policy, err := policyOf(config)
	if err != nil {
		return nil, fmt.Errorf("`%s` cannot be used: %w", path, err)
	}
	filter, err := suite.Filter(policy, map[string]uint32{"MPI.rank": rank()})
	if err != nil {
		return nil, fmt.Errorf("`%s` cannot filter a pipeline: %w", path, err)
	}
	return filter, nil
}
