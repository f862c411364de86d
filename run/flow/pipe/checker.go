package pipe

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/disjoint"
)

// A checker carries the state of one Resolve through its checks.
type checker struct {
	graph *Graph
	reg   *Registry
	plan  *Plan
	list  problem.List

	index map[string]int // process name to node
	links []link         // connections, with clusters expanded
	class classes

	tooFast bool             // a frequency that is too large was reported
	clashed map[PortRef]bool // inputs whose frequencies were reported
	endless map[string]bool  // clusters that contain themselves
}

// A link is a connection between processes, none of which is a cluster.
type link struct {
	Connection
	source int   // index into Graph.Connections, or -1 for a connection inside a cluster
	named  []end // ports of clusters that it passes through, outermost first
}

// An end is one side of a connection, as the pipeline names it.
type end struct {
	PortRef
	output bool
}

// maxSuggestions is the number of problems after which misspelt names get no suggestions, because
// each suggestion compares all names.
const maxSuggestions = 100

// suggest adds the name that was probably intended to a problem.
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

// atKey reports a problem of a key of a process: at its setting, if it is set.
func (c *checker) atKey(n *Node, key string, kind problem.Kind, format string, args ...any) *problem.Problem {
	p := c.atNode(n, kind, format, args...)
	p.Subject.Key, p.Span = key, cmp.Or(n.Config[key].Span, n.Span)
	return p
}

// atLink reports a problem at one end of a connection.
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

// point names the catalogue that fits, instead of the hint to import one.
func (c *checker) point(p *problem.Problem, typ string, has func(*Type) bool) {
	if head, softened := strings.CutSuffix(p.Message, ImportHint); softened {
		if k := c.reg.fitting(typ, has); k != nil {
			p.Message = head + k.KnownHint()
		}
	}
}

// classes groups the ports whose type depends on the flow: ports of one process with the same tag,
// and ports connected to each other. A class has one type.
type classes struct {
	disjoint.Sets
	pinned []pin // by root
}

// A pin records where a class got its type.
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
