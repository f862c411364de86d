package flow

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Probe reports what the processes of a plan need and this machine does not have, each once: at
// the first process that needs it. It may run programs to find out, and sets no process up.
func Probe(ctx context.Context, plan *pipe.Plan, opt Options) (list problem.List) {
	var host pipe.Host
	opt.host(&host)
	log := slog.New(slog.DiscardHandler)
	site := pipe.MainSite
	if opt.Part != nil {
		site = opt.Part.Site
	}
	said := map[string]bool{}
	for i := range plan.Nodes {
		n := &plan.Nodes[i]
		if n.Type == nil || n.Type.Probe == nil || n.Site() != site { // another site may be another machine
			continue
		}
		env := pipe.NewEnv(ctx, plan, n, &host, log)
		err := n.Type.Probe(&env)
		if err == nil || said[err.Error()] {
			continue
		}
		said[err.Error()] = true
		p := pipe.NewProblem(&n.Node, pipe.CannotRun, "process `%s` cannot run here: %v", n.Name, err)
		if at, ok := pipe.KeyOf(err); ok {
			p.Subject.Key, p.Span, p.Severity = at.Key, cmp.Or(at.Span, p.Span), at.Severity
		}
		if p.Severity == problem.Warning {
			p.Message = "process `" + n.Name + "`: " + err.Error()
		}
		list = append(list, p)
	}
	return list
}
