package pipe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/leaf/disjoint"
)

// required reports ports that must be connected but are not.
func (c *checker) required() {
	for i := range c.plan.Nodes {
		n := &c.plan.Nodes[i]
		if n.Type == nil {
			continue
		}
		c.requiredPorts(n, n.In, false)
		c.requiredPorts(n, n.Out, true)
		c.groups(n)
	}
}

func (c *checker) requiredPorts(n *PlanNode, ports []PlanPort, output bool) {
	side := "input"
	if output {
		side = "output"
	}
	for i := range ports {
		p := &ports[i]
		if p.Flags&Required == 0 || p.attempts > 0 || len(p.Edges) > 0 || p.declared != p.Name {
			continue
		}
		q := c.atNode(&n.Node, MissingConnection, "%s port `%s` of process `%s` must be connected", side, p.Name, n.Name)
		n.Type.Soften(q, "requires that its "+side+" `"+p.Name+"` is connected")
		c.point(q, n.Type.Name, func(t *Type) bool {
			port, _ := t.FindIn(p.Name)
			if output {
				port, _ = t.FindOut(p.Name)
			}
			return port != nil && port.Flags&Required == 0
		})
		q.Subject.Port, q.Subject.Output = p.Name, output
		if output {
			q.Expected = fmt.Sprintf("connect it, or throw its data away: connect from %s.%s to a process of type `sink`", n.Name, p.Name)
		}
	}
}

// groups checks the ports whose names are chosen by the pipeline. If one port of a group is
// connected, the other required ports of this group must be connected too.
func (c *checker) groups(n *PlanNode) {
	chosen := func(p Port) bool { return p.Pattern() }
	if !slices.ContainsFunc(n.Type.In, chosen) && !slices.ContainsFunc(n.Type.Out, chosen) {
		return
	}
	type key struct{ declared, group string }
	count := map[key]int{}
	seen := map[string][]string{} // groups in use, by variable, in the order of first use
	known := map[string]bool{}
	note := func(ports []PlanPort) {
		for i := range ports {
			p := &ports[i]
			if p.declared == p.Name || p.attempts == 0 && len(p.Edges) == 0 {
				continue
			}
			count[key{p.declared, p.Group}]++
			v := (&Port{Name: p.declared}).groupVar()
			if !known[v+p.Group] {
				known[v+p.Group] = true
				seen[v] = append(seen[v], p.Group)
			}
		}
	}
	note(n.In)
	note(n.Out)
	check := func(decls []Port, output bool) {
		for i := range decls {
			d := &decls[i]
			if !d.Pattern() || d.Flags&Required == 0 {
				continue
			}
			v := d.groupVar()
			if v == "<any>" {
				total := len(seen[v])
				if total < d.Least {
					c.tooFew(n, d, d.Name, total, output)
				}
				continue
			}
			if len(seen[v]) == 0 && d.Least > 0 {
				c.tooFew(n, d, d.Name, 0, output)
			}
			for _, g := range seen[v] {
				name := strings.Replace(d.Name, v, g, 1)
				if have := count[key{d.Name, g}]; have < max(1, d.Least) {
					c.tooFew(n, d, name, have, output)
				}
			}
		}
	}
	check(n.Type.In, false)
	check(n.Type.Out, true)
}

func (c *checker) tooFew(n *PlanNode, d *Port, name string, have int, output bool) {
	side := "input"
	if output {
		side = "output"
	}
	var p *problem.Problem
	if need := max(1, d.Least); need == 1 {
		p = c.atNode(&n.Node, MissingConnection, "%s port `%s` of process `%s` must be connected", side, name, n.Name)
	} else {
		p = c.atNode(&n.Node, TooFewPorts, "process `%s` needs at least %d %s ports `%s`, but has %d", n.Name, need, side, name, have)
	}
	n.Type.Soften(p, fmt.Sprintf("requires more %ss `%s` than %d", side, name, have))
	p.Subject.Port, p.Subject.Output = name, output
}

// sort orders the processes so that producers come before their consumers. It reports a loop if
// there is no such order.
func (c *checker) sort() {
	n := len(c.plan.Nodes)
	wait := make([]int, n)
	next := make([][]int, n)
	for i := range c.plan.Edges {
		e := &c.plan.Edges[i]
		if e.ToPort >= 0 && c.plan.Nodes[e.ToNode].In[e.ToPort].Flags&NoDep != 0 {
			continue
		}
		wait[e.ToNode]++
		next[e.FromNode] = append(next[e.FromNode], i)
	}
	order := make([]int, 0, n)
	for i := range n {
		if wait[i] == 0 {
			order = append(order, i)
		}
	}
	for at := 0; at < len(order); at++ {
		for _, e := range next[order[at]] {
			to := c.plan.Edges[e].ToNode
			if wait[to]--; wait[to] == 0 {
				order = append(order, to)
			}
		}
	}
	c.plan.Order = order
	if len(order) == n {
		return
	}
	c.loop(wait, next)
}

// maxLoopNames limits the number of processes of a loop that a message names.
const maxLoopNames = 12

// loop reports one of the loops that keep sort from ordering all processes. If a loop includes an
// unknown input, it is only a warning, because such an input may be one for which the process does
// not wait.
func (c *checker) loop(wait []int, next [][]int) {
	known := func(edge int) bool { return c.plan.Edges[edge].ToPort >= 0 }
	severity := problem.Error
	loop := c.findLoop(wait, next, known)
	if loop == nil {
		severity = problem.Warning
		loop = c.findLoop(wait, next, func(int) bool { return true })
	}
	var names []string
	for i, e := range loop {
		if i == maxLoopNames && len(loop) > i+1 {
			names = append(names, fmt.Sprintf("… %d more", len(loop)-i))
			break
		}
		names = append(names, c.plan.Edges[e].From.Process)
	}
	last := c.plan.Edges[loop[len(loop)-1]]
	names = append(names, last.To.Process)
	l := last.link()
	p := c.atLink(&l, false, NotADAG, "the processes wait for each other in a circle: %s", strings.Join(names, " → "))
	p.Expected = "a loop needs an input that does not wait, such as the input of `feedback`"
	if p.Severity = severity; severity == problem.Warning {
		i := slices.IndexFunc(loop, func(e int) bool { return !known(e) })
		p.Expected = fmt.Sprintf("%s; it is not known whether `%s` is such an input", p.Expected, c.plan.Edges[loop[i]].To)
	}
}

// findLoop finds a loop that consists only of edges for which counts returns true, and returns its
// edges. It returns nil if there is none.
func (c *checker) findLoop(wait []int, next [][]int, counts func(edge int) bool) []int {
	const unseen, open, done = 0, 1, 2
	state := make([]uint8, len(wait))
	type frame struct{ node, edge int } // edge is the number of the node's edges that were followed
	for start := range wait {
		if wait[start] == 0 || state[start] != unseen {
			continue
		}
		stack := []frame{{start, 0}}
		state[start] = open
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if f.edge == len(next[f.node]) {
				state[f.node] = done
				stack = stack[:len(stack)-1]
				continue
			}
			edge := next[f.node][f.edge]
			to := c.plan.Edges[edge].ToNode
			f.edge++
			switch {
			case wait[to] == 0 || !counts(edge):
			case state[to] == unseen:
				state[to] = open
				stack = append(stack, frame{to, 0})
			case state[to] == open:
				first := slices.IndexFunc(stack, func(f frame) bool { return f.node == to })
				var loop []int
				for _, f := range stack[first:] {
					loop = append(loop, next[f.node][f.edge-1])
				}
				return loop
			}
		}
	}
	return nil
}

// parts finds the parts of the pipeline: groups of processes that are connected with each other.
// It warns if there are several.
func (c *checker) parts() {
	u := disjoint.New(len(c.plan.Nodes))
	for i := range c.plan.Edges {
		u.Join(c.plan.Edges[i].FromNode, c.plan.Edges[i].ToNode)
	}
	// Even an invalid connection shows which processes belong together.
	for i := range c.links {
		a, ok1 := c.index[c.links[i].From.Process]
		b, ok2 := c.index[c.links[i].To.Process]
		if ok1 && ok2 {
			u.Join(a, b)
		}
	}
	part := map[int]int{}
	for i := range c.plan.Nodes {
		r := u.Root(i)
		if _, ok := part[r]; !ok {
			part[r] = len(c.plan.Parts)
			c.plan.Parts = append(c.plan.Parts, nil)
		}
		c.plan.Parts[part[r]] = append(c.plan.Parts[part[r]], c.plan.Nodes[i].Name)
	}
	if len(c.plan.Parts) < 2 {
		return
	}
	var b strings.Builder
	for i, names := range c.plan.Parts {
		if i == 10 {
			fmt.Fprintf(&b, "; and %d more", len(c.plan.Parts)-i)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		if len(names) > 8 {
			names = append(names[:8:8], "…")
		}
		b.WriteString(strings.Join(names, ", "))
	}
	second := c.plan.Parts[1][0]
	p := c.atNode(&c.plan.Nodes[c.index[second]].Node, SeparateParts, "the pipeline has %d parts that are not connected: %s", len(c.plan.Parts), b.String())
	p.Severity = problem.Warning
}
