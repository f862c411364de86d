package flow

import (
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
			c.checkKeys(&n.Node, n.Type)
			c.staticPorts(n)
		}
	}
}

func (c *checker) checkKeys(n *Node, t *Type) {
	names := make([]string, 0, 8)
	for name := range n.Config {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		s := n.Config[name]
		k, ok := t.KeyFor(name)
		if !ok {
			// An algorithm reads the keys of its block; a process's sources do not list them.
			nested := t.OpenKeys && strings.Contains(name, ":")
			if !s.Tunable && !nested && !t.innerKey(name) {
				p := c.atKey(n, name, UnknownKey, "process type `%s` has no key `%s`", t.Name, name)
				p.Severity = problem.Warning
				c.suggest(p, name, func() []string { return keyNames(t) }, "it has")
				t.Soften(p, "has no key `"+name+"`")
				if t.OpenKeys {
					p.Severity = problem.Info
				}
			}
			continue
		}
		if expected := k.reject(s.Value); expected != "" {
			p := c.atKey(n, name, BadValue, "`%s` does not fit key `%s` of process `%s`", s.Value, name, n.Name)
			p.Expected = "expected " + expected
		}
	}
	for i := range t.Keys {
		k := &t.Keys[i]
		if _, ok := n.Config[k.Name]; k.Required && !ok {
			p := c.atKey(n, k.Name, MissingKey, "process `%s` needs a value for its key `%s`", n.Name, k.Name)
			if k.Doc != "" {
				p.Expected = strings.ToLower(k.Doc[:1]) + strings.TrimSuffix(k.Doc[1:], ".")
			}
		}
	}
}

// innerKey reports whether a cluster's key belongs to a process inside it.
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
	return names
}

// reject returns what was expected where a value does not fit, else "".
func (k *Key) reject(value string) string {
	value = strings.TrimSpace(value)
	var err error
	switch k.Kind {
	case Int:
		if _, err = strconv.ParseInt(value, 10, 64); err != nil {
			return "a whole number"
		}
	case Unsigned:
		if _, err = strconv.ParseUint(value, 10, 63); err != nil {
			return "a whole number from 0 on"
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
	if len(k.Choices) > 0 && !slices.Contains(k.Choices, value) {
		return strings.Join(k.Choices, ", ")
	}
	return ""
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
