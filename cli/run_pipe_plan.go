package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// pipelinePlan prints what a run would do: the processes in the order of the data,
// their ports, the edges with their capacities. The answer is no where a
// process cannot run here. A process that stands for the program which embeds the pipeline is no
// such process: the plan names the ports at which that program sends and receives.
func (a *app) pipelinePlan(plan *pipe.Plan, opt flow.Options) error {
	missing := append(pipe.Unrunnable(plan), flow.Probe(context.Background(), plan, opt)...)
	for _, n := range pipe.Embedding(plan) {
		missing = slices.DeleteFunc(missing, func(q *problem.Problem) bool { return q.Subject.Name == n.Name })
	}
	if err := a.buffered(func() error { a.printPlan(plan, missing, opt); return nil }); err != nil {
		return err
	}
	if missing.HasErrors() {
		return exitCode(exitNo)
	}
	return nil
}

func (a *app) printPlan(plan *pipe.Plan, missing problem.List, opt flow.Options) {
	out := a.out
	fmt.Fprintf(out, "%s under scheduler %s", count(len(plan.Nodes), "process", "processes"), opt.Scheduler)
	if opt.Workers > 0 && opt.Scheduler == flow.PoolScheduler {
		fmt.Fprintf(out, " with %s", count(opt.Workers, "worker", "workers"))
	}
	fmt.Fprintln(out)
	embedding := pipe.Embedding(plan)
	for _, i := range plan.Order {
		n := &plan.Nodes[i]
		fmt.Fprintf(out, "\nprocess %s :: %s%s\n", n.Name, n.Type.Name, at(n.Span))
		for _, q := range missing {
			switch {
			case q.Subject.Name != n.Name:
			case q.Severity == problem.Warning:
				fmt.Fprintln(out, "  warning: "+strings.TrimPrefix(q.Message, "process `"+n.Name+"`: "))
			default:
				fmt.Fprintln(out, "  cannot run here: "+cmp.Or(q.Expected, strings.TrimPrefix(q.Message, "process `"+n.Name+"` cannot run here: ")))
			}
		}
		if slices.Contains(embedding, n) {
			a.embeddingPorts("sends", n.Out)
			a.embeddingPorts("receives", n.In)
		}
		a.edgesAt("in", n.In, func(e int) string { return "from " + plan.Edges[e].From.String() })
		a.edgesAt("out", n.Out, func(e int) string { return "to " + plan.Edges[e].To.String() })
	}
	if len(plan.Edges) > 0 {
		fmt.Fprintln(out)
	}
	rows := make([][]string, 0, len(plan.Edges))
	for i := range plan.Edges {
		e := &plan.Edges[i]
		full := "the producer waits when it is full"
		switch {
		case !e.Blocking:
			full = "data are dropped when it is full"
		case e.Capacity == 0:
			full = ""
		}
		rows = append(rows, []string{"edge " + e.From.String() + " → " + e.To.String(), e.Type, "capacity " + capacity(e.Capacity), full})
	}
	a.columns(rows)
}

// embeddingPorts prints at which connected ports the program that embeds the pipeline sends or receives.
func (a *app) embeddingPorts(does string, ports []pipe.PlanPort) {
	var names []string
	for i := range ports {
		if len(ports[i].Edges) > 0 {
			names = append(names, "`"+ports[i].Name+"`")
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(a.out, "  the program that embeds the pipeline %s %s\n", does, strings.Join(names, ", "))
	}
}

// edgesAt prints the connected ports of one side.
func (a *app) edgesAt(side string, ports []pipe.PlanPort, end func(int) string) {
	for i := range ports {
		port := &ports[i]
		for _, e := range port.Edges {
			fmt.Fprintf(a.out, "  %-3s %s : %s  %s\n", side, port.Name, port.Type, end(e))
		}
	}
}

func capacity(n int) string {
	if n == 0 {
		return "unlimited"
	}
	return strconv.Itoa(n)
}

func at(span source.Span) string {
	if span.IsZero() {
		return ""
	}
	return "  at " + span.String()
}
