package pipe

import (
	"cmp"

	"github.com/pentode-dev/pentode/core/problem"
)

// Embedding returns the processes of a plan whose work the embedding program does. If no program
// embeds the pipeline, they cannot run.
func Embedding(plan *Plan) (nodes []*PlanNode) {
	for i := range plan.Nodes {
		if n := &plan.Nodes[i]; n.Type != nil && n.Type.Embedding && n.Type.New == nil {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// Unrunnable reports the processes of a plan that can be checked but cannot run here. Either their
// type is only declared, or their settings need something that this program does not have.
func Unrunnable(plan *Plan) (list problem.List) {
	for i := range plan.Nodes {
		n := &plan.Nodes[i]
		switch {
		case n.Type == nil:
		case n.Type.New == nil:
			p := NewProblem(&n.Node, CannotRun, "process `%s` cannot run here", n.Name)
			p.Expected = n.Type.Missing()
			list = append(list, p)
		case n.Type.Lacks != nil:
			err := n.Type.Lacks(Values{n.Config, n.Type})
			if err == nil {
				continue
			}
			p := NewProblem(&n.Node, CannotRun, "process `%s` cannot run here: %v", n.Name, err)
			if at, ok := KeyOf(err); ok {
				p.Subject.Key, p.Span = at.Key, cmp.Or(at.Span, p.Span)
			}
			list = append(list, p)
		}
	}
	return list
}
