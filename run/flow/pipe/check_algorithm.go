package pipe

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// algorithms checks what the settings of a process say of algorithms: their names, the keys of the chosen ones in
// any depth, and blocks of those that are not chosen. Names are the keys that are set, sorted. It returns the keys that it reported.
func (c *checker) algorithms(n *PlanNode, names []string) map[string]bool {
	whole, _ := c.reg.Lookup(n.Node.Type) // n.Type may be narrowed to one algorithm
	if whole == nil {
		return nil
	}
	slots := whole.Slots()
	if len(slots) == 0 {
		return nil
	}
	before := len(c.list)
	for i := range slots {
		c.algorithm(n, slots[i].Name, &slots[i], names)
	}
	var reported map[string]bool
	for _, p := range c.list[before:] {
		if reported == nil {
			reported = map[string]bool{}
		}
		reported[p.Subject.Key] = true
	}
	return reported
}

// algorithm checks one choice: slot is the whole name of the key whose `type` names the algorithm, names are the
// keys that are set.
func (c *checker) algorithm(n *PlanNode, slot string, k *Key, names []string) {
	known := c.reg.Algorithms(k)
	if len(known) == 0 {
		return
	}
	chosen := strings.TrimSpace(n.Config[slot+":type"].Value)
	if chosen == "" || leftOpen(chosen) {
		c.untyped(n, slot, names)
		return
	}
	i := named(known, chosen)
	if i < 0 {
		c.unknownAlgorithm(n, slot, k, chosen, known)
		return
	}
	a := &known[i]
	block := slot + ":" + a.Name + ":"
	for _, name := range below(names, block) {
		c.algorithmKey(n, a, name, name[len(block):])
	}
	c.unchosen(n, slot, a.Name, known, names)
	slots := a.Slots()
	for j := range slots {
		c.algorithm(n, block+slots[j].Name, &slots[j], names)
	}
}

// below are the names that begin with a block; names are sorted.
func below(names []string, block string) []string {
	start, _ := slices.BinarySearch(names, block)
	end := start
	for end < len(names) && strings.HasPrefix(names[end], block) {
		end++
	}
	return names[start:end]
}

// unknownAlgorithm reports a name that no known algorithm has. One that is near to another is misspelt; else an
// installation may have it, which the message says where a catalogue lists the role.
func (c *checker) unknownAlgorithm(n *PlanNode, slot string, k *Key, chosen string, known []Algorithm) {
	all := make([]string, len(known))
	var from *Algorithm // the catalogue
	for i := range known {
		all[i] = known[i].Name
		if known[i].Role != "" {
			from = &known[i]
		}
	}
	near, slip := "", false
	if len(c.list) <= maxSuggestions {
		near, slip = nearestAlgorithm(chosen, all)
	}
	switch {
	case from == nil && slip:
		p := c.atKey(&n.Node, slot+":type", UnknownAlgorithm, "process `%s`: no algorithm of this program for `%s` is called `%s`", n.Name, slot, chosen)
		p.Severity, p.Suggestion = problem.Warning, near
	case from == nil || chosen == "python" || chosen == "command": // classes and programs of the user
	case slip:
		p := c.atKey(&n.Node, slot+":type", UnknownAlgorithm, "process `%s`: no algorithm for `%s` is called `%s`", n.Name, slot, chosen)
		p.Suggestion, p.Misspelt = near, problem.Misspelt(chosen, all)
		if (from.Origin == "" || c.reg.unread(k.Role) != nil) && !p.Misspelt { // of another version, or another one
			p.Severity = problem.Warning
		}
	case c.reg.Complete && c.reg.unread(k.Role) != nil:
		u := c.reg.unread(k.Role)
		p := c.atKey(&n.Node, slot+":type", UnknownAlgorithm, "process `%s`: no algorithm for `%s` is called `%s`, unless that is the name of class `%s`, which `%s` registers and the import did not find", n.Name, slot, chosen, u.Class, u.Origin)
		p.Severity, p.Expected = problem.Warning, "there are "+strings.Join(all, ", ")
	case c.reg.Complete:
		p := c.atKey(&n.Node, slot+":type", UnknownAlgorithm, "process `%s`: no algorithm for `%s` is called `%s`", n.Name, slot, chosen)
		p.Expected = "there are " + strings.Join(all, ", ")
	default:
		p := c.atKey(&n.Node, slot+":type", UnknownAlgorithm, "`%s` is none of the %d algorithms for `%s` that the declarations of %s have; an installation may have more, and "+ImportHint,
			chosen, len(known), slot, cmp.Or(from.Version, from.Origin))
		p.Severity = problem.Warning
	}
}

// nearestAlgorithm is the name that was probably intended: one that is few letters away, or that has the same words
// in another order.
func nearestAlgorithm(name string, all []string) (string, bool) {
	if strings.Contains(name, "_") {
		words := sortedWords(name)
		for _, other := range all {
			if len(other) == len(name) && slices.Equal(words, sortedWords(other)) {
				return other, true
			}
		}
	}
	return problem.Nearest(name, all)
}

func sortedWords(name string) []string {
	words := strings.Split(strings.ToLower(name), "_")
	slices.Sort(words)
	return words
}

// algorithmKey checks a key in the block of an algorithm; short is its name there.
func (c *checker) algorithmKey(n *PlanNode, a *Algorithm, name, short string) {
	j := slices.IndexFunc(a.Keys, func(k Key) bool { return k.covers(short) })
	switch {
	case c.meantType(n, a, name, short):
		p := c.atKey(&n.Node, name, UnknownKey, "process `%s`: `%s` does not choose the algorithm `%s`, so that there is none", n.Name, name, strings.TrimSpace(n.Config[name].Value))
		p.Suggestion = name + ":type"
	case j >= 0 && a.Keys[j].Kind != Algo && !n.Type.declares(name) && !leftOpen(n.Config[name].Value):
		expected := a.Keys[j].reject(short, n.Config[name].Value)
		if a.Role != "" { // the original reads as far as a number goes
			expected = a.Keys[j].unreadable(n.Config[name].Value)
		}
		if expected != "" {
			p := c.atKey(&n.Node, name, BadValue, "`%s` does not fit key `%s` of process `%s`", n.Config[name].Value, name, n.Name)
			p.Expected = "expected " + expected
		}
	case j >= 0:
	case a.Open && (strings.Contains(short, ":") || len(a.Keys) == 0):
	default:
		p := c.atKey(&n.Node, name, UnknownKey, "algorithm `%s` has no key `%s`", a.Name, short)
		p.Severity = problem.Warning
		c.suggest(p, short, func() []string { return keyNames(&Type{Keys: a.Keys}) }, "it has")
		if a.Open && p.Suggestion == "" {
			p.Severity, p.Expected = problem.Info, ""
			p.Message = "algorithm `" + a.Name + "` has no key `" + short + "` that its sources name; they may compute it"
		}
	}
}

// meantType reports whether a key gives the name of an algorithm to a slot, which takes it at its `type` alone.
func (c *checker) meantType(n *PlanNode, a *Algorithm, name, short string) bool {
	i := slices.IndexFunc(a.Keys, func(k Key) bool { return k.Name == short && k.chooses() })
	if _, set := n.Config[name+":type"]; i < 0 || set {
		return false
	}
	value := strings.TrimSpace(n.Config[name].Value)
	return c.reg.algorithm(&a.Keys[i], value) != nil
}

// unreadable is what was expected where a value is not what the original takes for one of the kind, else "".
func (k *Key) unreadable(value string) string {
	value = strings.TrimSpace(value)
	switch k.Kind {
	case Bool:
		return k.reject(k.Name, value)
	case Int, Unsigned, Double, Float:
		if LeadingNumber(value, true) == "" {
			return "a number"
		}
	}
	return ""
}

// untyped reports a key right below a slot that is not `type`, where that one is missing.
func (c *checker) untyped(n *PlanNode, slot string, names []string) {
	if _, set := n.Config[slot+":type"]; set {
		return
	}
	for _, name := range below(names, slot+":") {
		short := name[len(slot)+1:]
		if near, slip := problem.Nearest(short, []string{"type"}); slip && !strings.Contains(short, ":") && !n.Type.declares(name) {
			p := c.atKey(&n.Node, name, UnknownKey, "process `%s` has no key `%s`: `%s:type` chooses the algorithm", n.Name, name, slot)
			p.Severity, p.Suggestion = problem.Warning, slot+":"+near
		}
	}
}

// unchosen tells of the blocks of known algorithms that are not chosen, each at its first key.
func (c *checker) unchosen(n *PlanNode, slot, chosen string, known []Algorithm, names []string) {
	for i := range known {
		if known[i].Name == chosen {
			continue
		}
		if block := below(names, slot+":"+known[i].Name+":"); len(block) > 0 {
			p := c.atKey(&n.Node, block[0], NoEffect, "nothing reads the block `%s:%s` of process `%s`: `%s:type` is `%s`", slot, known[i].Name, n.Name, slot, chosen)
			p.Severity = problem.Info
		}
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
