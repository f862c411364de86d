package pipe

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/disjoint"
)

// A checker has the state that the checks of one Resolve share.
type checker struct {
	graph *Graph
	reg   *Registry
	plan  *Plan
	list  problem.List

	index map[string]int // maps the name of a process to its node
	links []link         // the connections, after clusters were replaced by their processes
	class classes

	tooFast bool             // a too large frequency was reported
	clashed map[PortRef]bool // inputs for which a frequency mismatch was reported
	endless map[string]bool  // names of cluster types that contain themselves
}

// A link is a connection after clusters were replaced: both ends are processes.
type link struct {
	Connection
	source int   // index into Graph.Connections, or -1 for a connection inside a cluster
	named  []end // ports of clusters through which the connection passes, outermost first
}

// An end is a port at one side of a connection, as the pipeline file names it.
type end struct {
	PortRef
	output bool
}

// maxSuggestions is the number of problems after which misspelt names get no suggestions any more,
// because finding one takes time.
const maxSuggestions = 100

// suggest adds the name that was probably intended to a problem. listed introduces the list of all
// names, if none is similar.
func (c *checker) suggest(p *problem.Problem, name string, names func() []string, listed string) {
	if len(c.list) <= maxSuggestions+1 {
		Suggest(p, name, names(), listed)
	}
}

// atNode adds a problem about a process to the list.
func (c *checker) atNode(n *Node, kind problem.Kind, format string, args ...any) *problem.Problem {
	p := NewProblem(n, kind, format, args...)
	c.list = append(c.list, p)
	return p
}

// atKey adds a problem about a key of a process to the list. Its place is the setting of the key
// or, if the key is not set, the process.
func (c *checker) atKey(n *Node, key string, kind problem.Kind, format string, args ...any) *problem.Problem {
	p := c.atNode(n, kind, format, args...)
	p.Subject.Key, p.Span = key, cmp.Or(n.Config[key].Span, n.Span)
	return p
}

// atLink adds a problem about one end of a connection to the list.
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

// point changes a message that suggests to import declarations: if a catalogue of this program
// fits, it names the catalogue instead.
func (c *checker) point(p *problem.Problem, typ string, has func(*Type) bool) {
	if head, softened := strings.CutSuffix(p.Message, ImportHint); softened {
		if k := c.reg.fitting(typ, has); k != nil {
			p.Message = head + k.KnownHint()
		}
	}
}

// classes groups ports whose types depend on other ports. Ports of a process that have the same
// tag are in the same class, and so are connected ports. All ports of a class have the same type.
type classes struct {
	disjoint.Sets
	pinned []pin // the type of each class, by the class's root
}

// A pin is the type of a class, and the port from which the class got it.
type pin struct {
	typ  string
	port PortRef
	span source.Span
	open bool // a port of type `_any`, which accepts every type, is connected to the class
}

func (k *classes) add() int {
	k.pinned = append(k.pinned, pin{})
	return k.Add()
}
