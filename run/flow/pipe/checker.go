package pipe

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/disjoint"
)

// A checker carries one Resolve from step to step.
type checker struct {
	graph *Graph
	reg   *Registry
	plan  *Plan
	list  problem.List

	index map[string]int // process name to node
	links []link         // connections with clusters opened
	class classes

	tooFast bool             // a frequency too large was reported
	clashed map[PortRef]bool // inputs whose frequencies were reported
	endless map[string]bool  // clusters that contain themselves
}

// A link is a connection between processes that are no clusters.
type link struct {
	Connection
	source int   // index into Graph.Connections, or -1 for one inside a cluster
	named  []end // ports of clusters that it went through, the outer ones first
}

// An end is one side of a connection as a pipeline names it.
type end struct {
	PortRef
	output bool
}

// maxSuggestions is the number of problems after which misspelt names get no
// suggestion: each one looks at every name.
const maxSuggestions = 100

// suggest completes a problem with the name that was probably intended.
func (c *checker) suggest(p *problem.Problem, name string, names func() []string, listed string) {
	if len(c.list) <= maxSuggestions+1 {
		Suggest(p, name, names(), listed)
	}
}

// atNode reports a problem of a process.
func (c *checker) atNode(n *Node, kind problem.Kind, format string, args ...any) *problem.Problem {
	p := NewProblem(n, kind, format, args...)
	c.list = append(c.list, p)
	return p
}

// atKey reports a problem of a key of a process: at its setting, where it has one.
func (c *checker) atKey(n *Node, key string, kind problem.Kind, format string, args ...any) *problem.Problem {
	p := c.atNode(n, kind, format, args...)
	p.Subject.Key, p.Span = key, cmp.Or(n.Config[key].Span, n.Span)
	return p
}

// atLink reports a problem of one end of a connection.
func (c *checker) atLink(l *link, output bool, kind problem.Kind, format string, args ...any) *problem.Problem {
	ref := l.To
	if output {
		ref = l.From
	}
	p := &problem.Problem{
		Kind: kind, Span: l.Span, Message: fmt.Sprintf(format, args...),
		Subject: problem.Subject{Name: ref.Process, Port: ref.Port, Output: output},
	}
	c.list = append(c.list, p)
	return p
}

func (c *checker) names() []string {
	names := make([]string, 0, len(c.index))
	for i := range c.plan.Nodes {
		names = append(names, c.plan.Nodes[i].Name)
	}
	return names
}

// point names the catalogue that fits, in the place of the hint to import one.
func (c *checker) point(p *problem.Problem, typ string, has func(*Type) bool) {
	if head, softened := strings.CutSuffix(p.Message, ImportHint); softened {
		if k := c.reg.fitting(typ, has); k != nil {
			p.Message = head + k.KnownHint()
		}
	}
}

// Ports whose type depends on the flow form classes: the ports of one process
// with one tag, joined by connections to each other. A class has one type.
type classes struct {
	disjoint.Sets
	pinned []pin // by root
}

// A pin is where a class got its type.
type pin struct {
	typ  string
	port PortRef
	span source.Span
	open bool // touched by `_any`, which accepts everything
}

func (k *classes) add() int {
	k.pinned = append(k.pinned, pin{})
	return k.Add()
}
