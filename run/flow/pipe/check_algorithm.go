package pipe

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// algorithms checks all settings of a process that concern algorithms: the names of algorithms, the keys of chosen algorithms at
// any depth, and blocks of algorithms that are not chosen. names are the keys that are set, sorted. It returns the keys for which
// it reported a problem.
func (c *checker) algorithms(n *PlanNode, names []string) map[string]bool {
	whole, _ := c.reg.Lookup(n.Node.Type) // the full type: n.Type may be narrowed to the chosen algorithm
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

// algorithm checks the choice in one slot, and the block of the chosen algorithm. slot is the full name of the slot, k its
// declaration, and names are the keys that are set.
func (c *checker) algorithm(n *PlanNode, slot string, k *Key, names []string) {
	known := c.reg.Algorithms(k)
	if len(known) == 0 {
		return
	}
	chosen := strings.TrimSpace(n.Config[slot+":type"].Value)
	if chosen == "" || hasPlaceholder(chosen) {
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

// below returns those of the sorted names that begin with block.
func below(names []string, block string) []string {
	start, _ := slices.BinarySearch(names, block)
	end := start
	for end < len(names) && strings.HasPrefix(names[end], block) {
		end++
	}
	return names[start:end]
}

// unknownAlgorithm reports a chosen name that no known algorithm has. If the name resembles a known one, it is reported as
// misspelt. Otherwise an installation may have the algorithm, and the message says so if a catalogue lists algorithms of this role.
func (c *checker) unknownAlgorithm(n *PlanNode, slot string, k *Key, chosen string, known []Algorithm) {
	all := make([]string, len(known))
	var from *Algorithm // an algorithm from the catalogue, for messages
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
	case from == nil || chosen == "python" || chosen == "command": // these stand for a class or program of the user
	case slip:
		p := c.atKey(&n.Node, slot+":type", UnknownAlgorithm, "process `%s`: no algorithm for `%s` is called `%s`", n.Name, slot, chosen)
		p.Suggestion, p.Misspelt = near, problem.Misspelt(chosen, all)
		if (from.Origin == "" || c.reg.unread(k.Role) != nil) && !p.Misspelt { // an algorithm of another version, or an unread one, may have this name
			p.Severity = problem.Warning
		}
	case c.reg.Complete && c.reg.unread(k.Role) != nil:
		u := c.reg.unread(k.Role)
		p := c.atKey(&n.Node, slot+":type", UnknownAlgorithm, "process `%s`: no algorithm for `%s` is called `%s`, unless class `%s`, which `%s` registers under a name that the import could not read, has that name", n.Name, slot, chosen, u.Class, u.Origin)
		p.Severity, p.Expected = problem.Warning, "there are "+strings.Join(all, ", ")
	case c.reg.Complete:
		p := c.atKey(&n.Node, slot+":type", UnknownAlgorithm, "process `%s`: no algorithm for `%s` is called `%s`", n.Name, slot, chosen)
		p.Expected = "there are " + strings.Join(all, ", ")
	default:
		p := c.atKey(&n.Node, slot+":type", UnknownAlgorithm, "`%s` is not among the %d algorithms for `%s` that the declarations of %s have; an installation may have more, and "+ImportHint,
			chosen, len(known), slot, cmp.Or(from.Version, from.Origin))
		p.Severity = problem.Warning
	}
}

// nearestAlgorithm returns the known name that was probably intended: it differs by a few letters, or has the same words in a
// different order.
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

// algorithmKey checks the key `name` in the block of an algorithm. short is its name within the block.
func (c *checker) algorithmKey(n *PlanNode, a *Algorithm, name, short string) {
	j := slices.IndexFunc(a.Keys, func(k Key) bool { return k.covers(short) })
	switch {
	case c.intendedType(n, a, name, short):
		p := c.atKey(&n.Node, name, UnknownKey, "process `%s`: `%s` does not choose the algorithm `%s`, so no algorithm is chosen", n.Name, name, strings.TrimSpace(n.Config[name].Value))
		p.Suggestion = name + ":type"
	case j >= 0 && a.Keys[j].Kind != Algo && !n.Type.declares(name) && !hasPlaceholder(n.Config[name].Value):
		expected := a.Keys[j].reject(short, n.Config[name].Value)
		if a.Role != "" { // upstream reads the leading number and ignores the rest of the value
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
			p.Message = "algorithm `" + a.Name + "` has no key `" + short + "` in its sources, but they may compute the name"
		}
	}
}

// intendedType reports whether a slot itself was given the name of an algorithm, which only `SLOT:type` takes.
func (c *checker) intendedType(n *PlanNode, a *Algorithm, name, short string) bool {
	i := slices.IndexFunc(a.Keys, func(k Key) bool { return k.Name == short && k.chooses() })
	if _, set := n.Config[name+":type"]; i < 0 || set {
		return false
	}
	value := strings.TrimSpace(n.Config[name].Value)
	return c.reg.algorithm(&a.Keys[i], value) != nil
}

// unreadable returns what was expected if upstream cannot read the value as this kind. It returns "" if it can.
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

// untyped reports a key below a slot that is probably a misspelt `type`, if `type` is not set.
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

// unchosen reports blocks that belong to algorithms other than the chosen one. Each block is reported once, at its first key.
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

// hasPlaceholder reports whether a value contains a placeholder of a template, such as `[-NAME-]`.
func hasPlaceholder(value string) bool {
	return strings.Contains(value, "[-") && strings.Contains(value, "-]")
}

// declares reports whether the type lists a key by its full name. Then the key's value is checked as an ordinary key.
func (t *Type) declares(name string) bool {
	return slices.ContainsFunc(t.Keys, func(k Key) bool { return k.Name == name })
}
