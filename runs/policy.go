package runs

import (
	"errors"
	"fmt"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/recording"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// filter returns a filter that decides what is written to traces: by the configuration that a process names, else by the configuration of the
// options, else everything.
func (p *pipeRun) filter() (recording.Filter, error) {
	f := policies{}
	traced := p.Pipeline.Trace != ""
	for i := range p.plan.Nodes {
		config := p.plan.Nodes[i].Config
		traced = traced || config[pipe.InstrumentKey].Value == "trace"
		if path := config[suite.PolicyKey].Value; path != "" && f[path] == nil {
			var err error
			if f[path], err = p.policyFilter(beneath(p.Pipeline.Dir, path)); err != nil {
				return nil, err
			}
		}
	}
	if policy := p.Pipeline.Policy; policy != "" {
		if !traced {
			return nil, &Misfit{"the policy says what of a trace is written, but nothing is traced", "Pipeline.Trace"}
		}
		var err error
		if f[""], err = p.policyFilter(policy); err != nil {
			return nil, err
		}
	}
	if len(f) == 0 {
		return nil, nil
	}
	return f, nil
}

// policies maps the file that a process names to its filter; "" is for the processes that name none.
type policies map[string]recording.Filter

func (f policies) Region(r recording.Region) recording.RegionFilter {
	for _, name := range []string{r.Policy, ""} {
		if filter := f[name]; filter != nil {
			return filter.Region(r)
		}
	}
	return nil
}

func openPolicy(w *workspace.Workspace, path string) (*lang.Config, error) {
	d, err := w.OpenNamed(path)
	if found := w.Problems(); found.HasErrors() {
		return nil, &Refusal{found}
	}
	if refused := workspace.Refused(path, err); refused != nil {
		return nil, &Refusal{diag.List{refused}}
	}
	if err != nil {
		return nil, errors.New(workspace.Explain(path, err))
	}
	return w.Resolve(d), nil
}

// policyFilter reads a trace configuration.
func (o *Options) policyFilter(path string) (recording.Filter, error) {
	config, err := o.file(path, "pinsight", openPolicy)
	if err != nil {
		return nil, err
	}
	if found := config.Diagnostics(); found.HasErrors() {
		return nil, &Refusal{found}
	}
	m, ok := lang.Model[*pinsight.Model](config)
	if !ok {
		return nil, fmt.Errorf("`%s` cannot be used: it is not a trace configuration", path)
	}
	policy, err := m.Policy()
	if err != nil {
		return nil, fmt.Errorf("`%s` cannot be used: %w", path, err)
	}
	filter, err := suite.Filter(policy, map[string]uint32{"MPI.rank": rank()})
	if err != nil {
		return nil, fmt.Errorf("`%s` cannot filter a pipeline: %w", path, err)
	}
	return filter, nil
}
