package pipe

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// keys checks the configuration of every process against its type.
func (c *checker) keys() {
	for i := range c.plan.Nodes {
		n := &c.plan.Nodes[i]
		if n.Type != nil {
			before, names := len(c.list), n.Config.names()
			c.checkKeys(&n.Node, n.Type, names)
			reported := c.algorithms(n, names)
			if !c.list[before:].HasErrors() {
				c.judge(n, reported)
			}
			c.staticPorts(n)
			c.nonBlocking(n)
		}
	}
	c.sameFiles()
}

// sameFiles reports processes on the same site that write to the same file: one would overwrite
// the other's results.
func (c *checker) sameFiles() {
	first := map[[2]string]string{}
	for i := range c.plan.Nodes {
		n := &c.plan.Nodes[i]
		if n.Type == nil || n.Type.Runs() == nil {
			continue
		}
		own := n.Type.Runs()
		values := Values{n.Config, own}
		for j := range own.Keys {
			k := &own.Keys[j]
			name := strings.TrimSpace(values.Value(k.Name))
			if !k.Writes || n.Connected(k.Instead) || name == "" || name == "-" || placeholder(name) || strings.HasPrefix(name, "/dev/") || values.Bool("append") {
				continue
			}
			at := [2]string{n.Site(), filepath.Clean(name)}
			if other, ok := first[at]; ok {
				p := c.atKey(&n.Node, k.Name, SameFile, "processes `%s` and `%s` both write the file `%s`", other, n.Name, name)
				p.Expected = "give each process a different file name"
				if n.Type.Version != "" && k.Instead != "" { // in an installation, the type may have a port that gives another name
					p.Severity = problem.Warning
				}
				continue
			}
			first[at] = n.Name
		}
	}
}

// placeholder reports whether a value is a placeholder that the user should replace, such as
// `[INSERT_ME]`.
func placeholder(value string) bool {
	return strings.HasPrefix(value, "[") && strings.IndexByte(value, ']') == len(value)-1
}

// Connected reports whether an input is connected.
func (n *PlanNode) Connected(input string) bool {
	return slices.ContainsFunc(n.In, func(p PlanPort) bool { return p.Name == input && len(p.Edges) > 0 })
}

// names returns the names of the keys that are set, sorted.
func (c Config) names() []string {
	names := make([]string, 0, len(c))
	for name := range c {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (c *checker) checkKeys(n *Node, t *Type, names []string) {
	for _, name := range names {
		s := n.Config[name]
		if name == InstrumentKey {
			c.provider(n)
			continue
		}
		k, ok := t.KeyFor(name)
		if !ok {
			var owned bool
			if k, owned = c.providerKey(n, name); owned && k == nil {
				continue // the key belongs to a provider that is not known here, so it cannot be checked
			}
			ok = owned
		}
		if !ok && strings.HasPrefix(name, InstrumentPrefix) {
			c.unknownProviderKey(n, name)
			continue
		}
		if !ok {
			// A key in a block is read by an algorithm. The type's list of keys, which was read
			// from the process's source code, does not include it.
			nested := t.OpenKeys && strings.Contains(name, ":")
			if !nested && !t.innerKey(name) {
				p := c.atKey(n, name, UnknownKey, "process type `%s` has no key `%s`", t.Name, name)
				p.Severity = problem.Warning
				c.suggest(p, name, func() []string { return keyNames(t) }, "it has")
				t.Soften(p, "has no key `"+name+"`")
				c.point(p, t.Name, func(t *Type) bool { _, ok := t.KeyFor(name); return ok })
				if t.OpenKeys && p.Suggestion == "" {
					p.Severity = problem.Info
				}
			}
			continue
		}
		if s.Tunable && !k.Tunable && t.Version == "" && !t.OpenKeys {
			p := c.atKey(n, name, NoEffect, "`[tunable]` has no effect at key `%s` of process `%s`: type `%s` reads it only at its start", name, n.Name, t.Name)
			p.Severity = problem.Warning
		}
		if expected := k.reject(name, s.Value); expected != "" {
			p := c.atKey(n, name, BadValue, "`%s` does not fit key `%s` of process `%s`", s.Value, name, n.Name)
			p.Expected = "expected " + expected
			if k.Kind == Algo {
				c.suggest(p, s.Value, func() []string { return k.Choices }, "expected")
				t.Soften(p, "does not know the value `"+s.Value+"` for its key `"+name+"`")
			}
		}
	}
	for i := range t.Keys {
		k := &t.Keys[i]
		name := k.valueName()
		if _, ok := n.Config[name]; k.Required && !ok {
			p := c.atKey(n, name, MissingKey, "process `%s` needs a value for its key `%s`", n.Name, name)
			if k.Doc != "" {
				p.Expected = strings.ToLower(k.Doc[:1]) + strings.TrimSuffix(k.Doc[1:], ".")
			}
			if len(k.Choices) > 0 {
				p.Expected = "expected " + strings.Join(k.Choices, ", ")
			}
		}
	}
}

// valueName returns the name of the key under which the value is set. For an algorithm this is
// `NAME:type`.
func (k *Key) valueName() string {
	if k.Kind == Algo {
		return k.Name + ":type"
	}
	return k.Name
}

// innerKey reports whether a key of a cluster, `process:key`, names a process inside the cluster.
func (t *Type) innerKey(name string) bool {
	process, _, ok := strings.Cut(name, ":")
	return ok && t.Cluster != nil && slices.ContainsFunc(t.Cluster.Processes, func(n Node) bool { return n.Name == process })
}

func keyNames(t *Type) []string {
	var names []string
	for _, k := range t.Keys {
		if k.Name != "" {
			names = append(names, k.Name)
		}
	}
	for _, p := range t.In {
		if p.Flags&Static != 0 {
			names = append(names, StaticPrefix+p.Name)
		}
	}
	return names
}

// reject returns a description of what was expected if a value is not valid for the key. It
// returns "" for a valid value.
func (k *Key) reject(name, value string) string {
	value = strings.TrimSpace(value)
	if k.Required && value == "" && name == k.valueName() {
		return "a value"
	}
	var err error
	switch k.Kind {
	case Int:
		if _, err = strconv.ParseInt(value, 10, 64); err != nil {
			return "a whole number"
		}
	case Unsigned:
		if _, err = strconv.ParseUint(value, 10, 63); err != nil {
			return "a whole number that is at least 0"
		}
	case Double, Float:
		if _, err = strconv.ParseFloat(value, 64); err != nil {
			return "a number"
		}
	case Bool:
		if _, ok := parseBool(value); !ok {
			return "true, false, yes, no, 1 or 0"
		}
	}
	if len(k.Choices) > 0 && (k.Kind != Algo || name == k.valueName()) && !slices.Contains(k.Choices, value) {
		return strings.Join(k.Choices, ", ")
	}
	return ""
}

// nonBlocking reports the key `_non_blocking` at a process without incoming edges, where it has
// no effect.
func (c *checker) nonBlocking(n *PlanNode) {
	if _, ok := n.Config[NonBlockingKey]; !ok || slices.ContainsFunc(n.In, func(p PlanPort) bool { return len(p.Edges) > 0 || p.attempts > 0 }) {
		return
	}
	p := c.atKey(&n.Node, NonBlockingKey, NoEffect, "`%s` has no effect at process `%s`: it applies to edges into the process, and there are none", NonBlockingKey, n.Name)
	p.Severity = problem.Warning
}

func (c *checker) staticPorts(n *PlanNode) {
	for i := range n.In {
		p := &n.In[i]
		if p.Flags&Static == 0 || len(p.Edges) == 0 {
			continue
		}
		key := StaticPrefix + p.Name
		if _, ok := n.Config[key]; !ok {
			continue
		}
		q := c.atKey(&n.Node, key, StaticIgnored, "input port `%s` of process `%s` is connected, so its value from the configuration is not used", p.Name, n.Name)
		q.Severity, q.Subject.Port = problem.Warning, p.Name
	}
}

// judge calls Type.Judge, which checks whether the settings of a process fit together, and
// reports its error.
func (c *checker) judge(n *PlanNode, reported map[string]bool) {
	own := n.Type.Runs()
	if own == nil || own.Judge == nil {
		return
	}
	err := own.Judge(Values{n.Config, own})
	at, isKey := KeyOf(err)
	switch {
	case isKey && (reported[at.Key] || at.Severity != problem.Error && n.replaced(at.Key)):
	case isKey:
		p := c.atKey(&n.Node, at.Key, BadValue, "process `%s`: %v", n.Name, err)
		p.Severity = at.Severity
		if n.Type.Version != "" { // in an installation, the type may accept these settings
			p.Severity = problem.Warning
		}
	case err != nil:
		c.atNode(&n.Node, BadValue, "process `%s`: %v", n.Name, err)
	}
}

// replaced reports whether an input is connected whose data replace the value of a key.
func (n *PlanNode) replaced(key string) bool {
	k, ok := n.Type.Runs().KeyFor(key)
	return ok && k.Name == key && n.Connected(k.Instead)
}
