package pipe

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// edges sets the capacity and the blocking of every edge from the rules. It reports rules that
// apply to no edge.
func (c *checker) edges() {
	rules := &c.graph.Edges
	usedType := map[string]bool{}
	usedUp, usedDown := map[PortRef]bool{}, map[PortRef]bool{}
	for i := range c.plan.Edges {
		e := &c.plan.Edges[i]
		to := &c.plan.Nodes[e.ToNode]
		typ, least := "", int64(1)
		if e.ToPort >= 0 {
			typ = to.In[e.ToPort].Type
			f := to.In[e.ToPort].Freq.Norm()
			least = max(1, (f.Num+f.Den-1)/f.Den)
		}
		opt := rules.Default
		if len(rules.ByType) > 0 {
			usedType[typ], usedType[e.Type] = true, true
			rule, ok := rules.ByType[typ]
			if !ok {
				rule = rules.ByType[e.Type]
			}
			opt = rule.over(opt)
		}
		opt = byEnd(rules.Up, usedUp, e, true).over(opt)
		opt = byEnd(rules.Down, usedDown, e, false).over(opt)
		if e.Connection >= 0 {
			opt = c.graph.Connections[e.Connection].Edge.over(opt)
		}
		if s, ok := to.Config[NonBlockingKey]; ok {
			if n, err := strconv.Atoi(strings.TrimSpace(s.Value)); err == nil && n >= 0 {
				no := false
				opt.Capacity, opt.Blocking = &n, &no
			}
		}
		e.Capacity, e.Blocking = DefaultCapacity, true
		if opt.Capacity != nil {
			e.Capacity = *opt.Capacity
		}
		if opt.Blocking != nil {
			e.Blocking = *opt.Blocking
		}
		e.Compress = opt.Compress != nil && *opt.Compress
		if e.Capacity > 0 {
			e.Capacity = int(min(max(int64(e.Capacity), least), MaxCapacity))
		}
	}
	unknownType := slices.ContainsFunc(c.plan.Nodes, func(n PlanNode) bool { return n.Type == nil })
	for _, typ := range slices.Sorted(maps.Keys(rules.ByType)) {
		if !usedType[typ] && !unknownType {
			c.noEdge("no edge carries the type `"+typ+"`", rules.ByType[typ].Span)
		}
	}
	c.unusedEnds(rules.Up, usedUp, "from")
	c.unusedEnds(rules.Down, usedDown, "to")
}

// byEnd returns the options that the rules give for one end of an edge. Rules may also name
// ports of clusters through which the edge passes; the rule for the innermost port wins.
func byEnd(rules map[PortRef]EdgeRule, used map[PortRef]bool, e *PlanEdge, output bool) (opt EdgeOptions) {
	if len(rules) == 0 {
		return opt
	}
	inner := end{e.To, false}
	if output {
		inner = end{e.From, true}
	}
	for _, at := range append(slices.Clip(e.named), inner) {
		if at.output == output {
			used[at.PortRef] = true
			opt = rules[at.PortRef].over(opt)
		}
	}
	return opt
}

func (c *checker) unusedEnds(rules map[PortRef]EdgeRule, used map[PortRef]bool, word string) {
	byName := func(a, b PortRef) int { return cmp.Compare(a.String(), b.String()) }
	for _, ref := range slices.SortedFunc(maps.Keys(rules), byName) {
		if !used[ref] {
			c.noEdge("no connection goes "+word+" `"+ref.String()+"`", rules[ref].Span)
		}
	}
}

func (c *checker) noEdge(message string, at source.Span) {
	c.list = append(c.list, &problem.Problem{Kind: NoSuchEdge, Severity: problem.Warning, Message: message + ": this configuration of an edge has no effect", Span: at})
}
