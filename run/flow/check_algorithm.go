package flow

import (
	"maps"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// An Algorithm is what a name in `KEY:type` stands for.
type Algorithm struct {
	Name string
	Keys []Key // below `KEY:NAME`, by their short names
	Open bool  // it has other keys too
}

// algorithms checks what the settings of a process say of algorithms that this program knows: a name
// that is near to a known one, the keys of the chosen one in any depth, and blocks of one that is not
// chosen. A name that is near to none may be that of an algorithm which is elsewhere.
func (c *checker) algorithms(n *PlanNode) {
	own := n.Type.Runs()
	if own == nil {
		own = n.Type
	}
	var names []string
	for i := range own.Keys {
		k := &own.Keys[i]
		if k.Known == nil {
			continue
		}
		if names == nil {
			names = slices.Sorted(maps.Keys(n.Config))
		}
		c.algorithm(n, k.Name, k.Known(), names)
	}
}

// algorithm checks one choice: slot is the key whose `type` names the algorithm, names are the keys that are set.
func (c *checker) algorithm(n *PlanNode, slot string, known []Algorithm, names []string) {
	chosen := strings.TrimSpace(n.Config[slot+":type"].Value)
	if chosen == "" || leftOpen(chosen) {
		return
	}
	i := slices.IndexFunc(known, func(a Algorithm) bool { return a.Name == chosen })
	if i < 0 {
		all := make([]string, len(known))
		for i := range known {
			all[i] = known[i].Name
		}
		if near, slip := problem.Nearest(chosen, all); slip {
			p := c.atKey(&n.Node, slot+":type", BadValue, "process `%s`: no algorithm of this program for `%s` is called `%s`", n.Name, slot, chosen)
			p.Severity, p.Suggestion = problem.Warning, near
		}
		return
	}
	a := &known[i]
	block := slot + ":" + a.Name + ":"
	for _, name := range names {
		short, in := strings.CutPrefix(name, block)
		if !in {
			continue
		}
		j := slices.IndexFunc(a.Keys, func(k Key) bool { return k.covers(short) })
		switch {
		case j < 0 && a.Open:
		case j < 0:
			p := c.atKey(&n.Node, name, UnknownKey, "algorithm `%s` has no key `%s`", a.Name, short)
			p.Severity = problem.Warning
			c.suggest(p, short, func() []string { return keyNames(&Type{Keys: a.Keys}) }, "it has")
		case a.Keys[j].Kind != Algo && !n.Type.declares(name) && !leftOpen(n.Config[name].Value):
			if expected := a.Keys[j].reject(short, n.Config[name].Value); expected != "" {
				p := c.atKey(&n.Node, name, BadValue, "`%s` does not fit key `%s` of process `%s`", n.Config[name].Value, name, n.Name)
				p.Expected = "expected " + expected
			}
		}
	}
	c.unchosen(n, slot, a.Name, known, names)
	for j := range a.Keys {
		if k := &a.Keys[j]; k.Known != nil {
			c.algorithm(n, block+k.Name, k.Known(), names)
		}
	}
}

// unchosen tells of the blocks of known algorithms that are not chosen, each at its first key.
func (c *checker) unchosen(n *PlanNode, slot, chosen string, known []Algorithm, names []string) {
	for i := range known {
		block := slot + ":" + known[i].Name + ":"
		j, _ := slices.BinarySearch(names, block)
		if known[i].Name == chosen || j == len(names) || !strings.HasPrefix(names[j], block) {
			continue
		}
		p := c.atKey(&n.Node, names[j], NoEffect, "nothing reads the block `%s` of process `%s`: `%s:type` is `%s`", strings.TrimSuffix(block, ":"), n.Name, slot, chosen)
		p.Severity = problem.Info
	}
}

// leftOpen reports whether a value is still that of a template, as `[-NAME-]`.
func leftOpen(value string) bool {
	return strings.Contains(value, "[-") && strings.Contains(value, "-]")
}

// declares reports whether the type itself lists a key by its whole name, so that its value is checked there.
func (t *Type) declares(name string) bool {
	return slices.ContainsFunc(t.Keys, func(k Key) bool { return k.Name == name })
}
