package launch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// Until is the state that a node must reach before the nodes that come after it start.
type Until string

const (
	// UntilDefault is used by edges from declarations: a daemon must be ready, any other program must have been started, or never start.
	UntilDefault   Until = ""
	UntilStarted   Until = "started"
	UntilReady     Until = "ready"
	UntilFinished  Until = "finished"  // it has ended
	UntilSucceeded Until = "succeeded" // it has ended with code 0
)

// untils are the values that a setting can name.
var untils = []string{string(UntilStarted), string(UntilReady), string(UntilFinished), string(UntilSucceeded)}

// Edge names a node that another node comes after.
type Edge struct {
	ID    string
	Until Until
}

// String returns `ID` or `ID:UNTIL`.
func (e Edge) String() string {
	if e.Until == UntilDefault {
		return e.ID
	}
	return e.ID + ":" + string(e.Until)
}

func edgeTexts(edges []Edge) []string {
	list := make([]string, len(edges))
	for i, e := range edges {
		list[i] = e.String()
	}
	return list
}

// parseEdge reads `NAME` or `NAME:UNTIL`. The name itself may contain a colon.
func parseEdge(text string) (Edge, error) {
	e := Edge{ID: text}
	if at := strings.LastIndexByte(text, ':'); at >= 0 {
		if until := text[at+1:]; slices.Contains(untils, until) {
			e = Edge{text[:at], Until(until)}
		} else if near, ok := problem.Nearest(until, untils); ok {
			return e, fmt.Errorf("`%s` is not a state to wait for: did you mean `%s:%s`?", until, text[:at], near)
		}
	}
	if e.ID == "" {
		return e, fmt.Errorf("`%s` names no program", text)
	}
	return e, nil
}

// afterKey returns the setting that lists what a program waits for.
func afterKey() Key {
	return Key{
		Name: "after", Takes: "a list of `NAME` or `NAME:started`, `:ready`, `:finished`, `:succeeded`",
		Doc: "what it waits for before it starts, in addition to its declaration; a plain name waits until a daemon is ready or a process has started",
		set: func(s *Settings, _ string, v Value) error {
			list := v.List
			if !v.IsList {
				list = []string{v.Text}
			}
			for _, text := range list {
				e, err := parseEdge(text)
				if err != nil {
					return err
				}
				s.After = append(s.After, e)
			}
			return nil
		},
	}
}

// maxEdges limits the edges of a plan: two programs with many copies need an edge for each pair of copies.
const maxEdges = 4 << 20

// wait adds the edges from settings to the nodes.
func (b *planner) wait(all []Settings, called map[string][]*Node) {
	edges := 0
	for i := range all {
		s := &all[i]
		for _, e := range s.After {
			before := called[e.ID]
			if edges += len(before) * len(called[s.Program]); edges > maxEdges {
				b.report(problem.Error, TooManyEdges, s.span("after"), s.Program, "`%s` and `%s` have so many copies that a plan would have more than %d pairs that wait for each other", s.Program, e.ID, maxEdges)
				return
			}
			if len(before) == 0 {
				b.unknownBefore(s, e, called)
			}
			for _, n := range called[s.Program] {
				known := make(map[string]int, len(n.After)) // there may be many copies on both sides
				for i, old := range n.After {
					known[old.ID] = i
				}
				for _, x := range before {
					b.addEdge(n, x, e.Until, known, s.span("after"))
				}
			}
		}
	}
}

func (b *planner) unknownBefore(s *Settings, e Edge, called map[string][]*Node) {
	if len(called[s.Program]) == 0 {
		return // no edges
	}
	var ids []string
	for _, n := range b.plan.Nodes {
		ids = append(ids, n.ID)
	}
	p := b.report(problem.Error, AfterUnknown, s.span("after"), s.Program, "`%s` is after `%s`, which the plan does not have", s.Program, problem.Clip(e.ID, problem.Short))
	p.Expected = "`pentode run --dry-run` lists its programs"
	p.Suggestion, _ = problem.Nearest(e.ID, ids)
}

// addEdge lets n wait for x. known maps the IDs of the nodes that n already comes after to their index. A node that is only declared never starts, so
// waiting for it is reported as an error.
func (b *planner) addEdge(n, x *Node, until Until, known map[string]int, at source.Span) {
	if x.OnRequest && !n.OnRequest {
		b.report(problem.Error, AfterUnknown, at, n.ID, "`%s` is after `%s`, which is started on request only", n.ID, x.ID).Expected = "ask for it with --visi"
		return
	}
	if until == UntilDefault {
		if until = UntilStarted; x.Kind == KindDaemon {
			until = UntilReady
		}
	}
	if i, ok := known[x.ID]; ok {
		n.After[i].Until = until
		return
	}
	n.After = append(n.After, Edge{x.ID, until})
}

// order sorts the nodes so that each follows the nodes it comes after, and otherwise keeps the order of the declarations. It reports cycles with all
// nodes in them.
func (b *planner) order() {
	byID := map[string]*Node{}
	for _, n := range b.plan.Nodes {
		byID[n.ID] = n
	}
	var sorted, path []*Node
	state := map[*Node]int{} // 1: on the path, 2: sorted
	var visit func(n *Node) bool
	visit = func(n *Node) bool {
		switch state[n] {
		case 1:
			b.circle(path[slices.Index(path, n):])
			return false
		case 2:
			return true
		}
		state[n] = 1
		path = append(path, n)
		for _, e := range n.After {
			if !visit(byID[e.ID]) {
				return false
			}
		}
		path = path[:len(path)-1]
		state[n] = 2
		sorted = append(sorted, n)
		return true
	}
	for _, n := range b.plan.Nodes {
		if !visit(n) {
			return
		}
	}
	b.plan.Nodes = sorted
}

// circle reports a cycle: each node comes after the next one, and the last after the first.
func (b *planner) circle(nodes []*Node) {
	const shown = 8
	at := source.Span{}
	var names []string
	for _, n := range nodes {
		if len(names) < shown {
			names = append(names, "`"+n.ID+"`")
		}
		for _, s := range n.Settings {
			if s.Key == "after" && at.IsZero() {
				at = s.Span
			}
		}
	}
	if len(nodes) > shown {
		names = append(names, fmt.Sprintf("%d more", len(nodes)-shown))
	}
	names = append(names, "`"+nodes[0].ID+"`")
	b.report(problem.Error, Circle, at, nodes[0].ID, "these programs wait for each other, so none can start: %s", strings.Join(names, " after ")).
		Expected = "leave one of them out of `after`; the edges of the declarations count too"
}
