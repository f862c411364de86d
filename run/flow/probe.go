package flow

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/pentode-dev/pentode/core/problem"
)

// Probe reports what the processes of a plan need and this machine does not have, each once: at
// the first process that needs it. It may run programs to find out, and sets no process up.
func Probe(ctx context.Context, plan *Plan, opt Options) (list problem.List) {
	var host Host
	opt.host(&host)
	log := slog.New(slog.DiscardHandler)
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
		env := NewEnv(ctx, plan, n, &host, log)
		err := n.Type.Probe(&env)
		if err == nil || said[err.Error()] {
			continue
		}
		said[err.Error()] = true
		p := newProblem(&n.Node, CannotRun, "process `%s` cannot run here: %v", n.Name, err)
		if at, ok := KeyOf(err); ok {
			p.Subject.Key, p.Span, p.Severity = at.Key, cmp.Or(at.Span, p.Span), at.Severity
		}
		if p.Severity == problem.Warning {
			p.Message = "process `" + n.Name + "`: " + err.Error()
		}
		list = append(list, p)
	}
	return list
}
