package flow

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"github.com/pentode-dev/pentode/core/problem"
)

// Probe reports what the processes of a plan need and this machine does not have, each once: at
// the first process that needs it. It may run programs to find out, and sets no process up.
func Probe(ctx context.Context, plan *Plan, opt Options) (list problem.List) {
	asking := &Run{plan: plan, opt: opt, log: slog.New(slog.DiscardHandler)} // it is never started
	site := MainSite
	if opt.Part != nil {
		site = opt.Part.Site
	}
	said := map[string]bool{}
	for i := range plan.Nodes {
		n := &plan.Nodes[i]
		if n.Type == nil || n.Type.Probe == nil || n.Site() != site { // another site may be another machine
			continue
		}
		err := n.Type.Probe((&proc{node: n, run: asking, log: asking.log, runCtx: ctx}).setup())
		if err == nil || said[err.Error()] {
			continue
		}
		said[err.Error()] = true
		p := newProblem(&n.Node, CannotRun, "process `%s` cannot run here: %v", n.Name, err)
		var k *keyError
		if errors.As(err, &k) {
			p.Subject.Key, p.Span, p.Severity = k.key, cmp.Or(k.span, p.Span), k.severity
		}
		if p.Severity == problem.Warning {
			p.Message = "process `" + n.Name + "`: " + err.Error()
		}
		list = append(list, p)
	}
	return list
}

// CarriesArrays reports whether an edge of the process carries arrays.
func (s *Setup) CarriesArrays() bool {
	for _, ports := range [][]PlanPort{s.p.node.In, s.p.node.Out} {
		for _, port := range ports {
			for _, e := range port.Edges {
				if IsArray(s.p.run.plan.Edges[e].Type) {
					return true
				}
			}
		}
	}
	return false
}
