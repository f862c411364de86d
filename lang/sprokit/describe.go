package sprokit

import (
	"fmt"
	"iter"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// describe returns the description of the symbol at an occurrence.
func (m *Model) describe(o lang.Occurrence) string {
	_, name, _ := strings.Cut(o.Symbol, " ")
	switch o.Kind {
	case lang.Process:
		return m.describeProcess(name)
	case lang.Type, lang.Cluster:
		if t, ok := m.Registry.Lookup(name); ok {
			return describeType(t)
		}
		if m.Cluster != nil && m.Cluster.Name == name {
			return describeType(m.clusterType())
		}
	case lang.Port:
		return m.describePort(o)
	case lang.Macro:
		return m.describeMacro(o)
	case lang.Block:
		return m.describeBlock(o)
	case lang.Key, lang.Text, lang.Number, lang.Section:
		return m.describeKey(o.Key)
	}
	return ""
}

func (m *Model) describeProcess(name string) string {
	p := m.process(name)
	if p == nil {
		return ""
	}
	text := fmt.Sprintf("process `%s` of type `%s`", p.Name, p.Type)
	if t, ok := m.Registry.Lookup(p.Type); ok {
		text += "\n\n" + describeType(t)
	}
	return text
}

func describeType(t *pipe.Type) string {
	var b strings.Builder
	what := "process type"
	if t.Cluster != nil {
		what = "cluster"
	}
	fmt.Fprintf(&b, "%s `%s`\n\n%s\n", what, t.Name, t.Doc)
	list := func(title string, ports []pipe.Port) {
		if len(ports) > 0 {
			fmt.Fprintf(&b, "\n%s:\n", title)
		}
		for i := range ports {
			fmt.Fprintf(&b, "- %s\n", portLine(&ports[i]))
		}
	}
	list("Inputs", t.In)
	list("Outputs", t.Out)
	if len(t.Keys) > 0 {
		b.WriteString("\nKeys:\n")
	}
	for i := range t.Keys {
		fmt.Fprintf(&b, "- `%s`: %s\n", t.Keys[i].Name, t.Keys[i].Doc)
	}
	if t.Needs != "" {
		fmt.Fprintf(&b, "\nIt cannot run here: it needs %s.\n", t.Needs)
	}
	return b.String()
}

func portLine(p *pipe.Port) string {
	s := fmt.Sprintf("`%s`: `%s`", p.Name, p.Type)
	if p.Flags != 0 {
		s += " (" + p.Flags.String() + ")"
	}
	if p.Doc != "" {
		s += ", " + p.Doc
	}
	return s
}

// describePort describes a port. The symbol of the occurrence says to which process or cluster the port belongs.
func (m *Model) describePort(o lang.Occurrence) string {
	side, name, _ := strings.Cut(o.Symbol, " ")
	owner, port, _ := strings.Cut(name, ".")
	kind := owner
	if p := m.process(owner); p != nil {
		kind = p.Type
	}
	t, ok := m.Registry.Lookup(kind)
	if !ok {
		return ""
	}
	find := t.FindIn
	if side == "output" {
		find = t.FindOut
	}
	p, _ := find(port)
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%s of `%s`\n\n%s", side, owner, portLine(p))
}

// describeMacro shows the text of a macro and its value.
func (m *Model) describeMacro(o lang.Occurrence) string {
	for i := range m.reads {
		r := &m.reads[i]
		s := &m.settings[r.by]
		at := s.macroSpan(r)
		if s.unit == nil || at.File != o.Span.File || !at.Contains(o.Span) {
			continue
		}
		if r.missing {
			return fmt.Sprintf("`%s` has no value: %s", at.Text(), m.why(r))
		}
		return fmt.Sprintf("`%s` becomes `%s`\n\n%s", at.Text(), r.value, m.why(r))
	}
	return ""
}

// describeBlock describes the algorithm whose keys a block contains.
func (m *Model) describeBlock(o lang.Occurrence) string {
	process, key, _ := strings.Cut(strings.TrimPrefix(o.Owner, KeySymbol("")), ":")
	p := m.process(process)
	if p == nil {
		return ""
	}
	if n := m.choice(p, key); n != nil {
		for i := range n.Choices {
			if n.Choices[i].Name == o.Span.Text() {
				return describeAlgorithm(&n.Choices[i])
			}
		}
	}
	return ""
}

// describeKey returns the declaration of a key.
func (m *Model) describeKey(path string) string {
	process, rest, ok := strings.Cut(path, ":")
	if !ok {
		return ""
	}
	if p := m.process(process); p != nil {
		if t, known := m.Registry.Lookup(p.Type); known {
			if n := m.Registry.NestedKey(t, rest); n != nil {
				return m.describeNested(t, n, path, rest)
			}
			if k, found := t.KeyFor(rest); found {
				key := schemaKey(k)
				return key.Describe() + "\n\nA key of process type `" + t.Name + "`."
			}
		}
		return ""
	}
	if k := specialKey(path); k != nil {
		key := schemaKey(k)
		key.Name = path
		return key.Describe()
	}
	return ""
}

// describeNested returns the declaration of a key of an algorithm. For a key that chooses an algorithm, it returns the
// description of that algorithm.
func (m *Model) describeNested(t *pipe.Type, n *pipe.Nested, path, rest string) string {
	if n.Choices == nil {
		key := schemaKey(&n.Key)
		key.Name = rest
		return key.Describe() + "\n\nA key of algorithm `" + n.Of.Name + "`."
	}
	value := strings.TrimSpace(m.valueOf(path))
	for i := range n.Choices {
		if n.Choices[i].Name == value {
			return describeAlgorithm(&n.Choices[i])
		}
	}
	return fmt.Sprintf("`%s` chooses an algorithm: %s.\n\nA key of process type `%s`.", rest, strings.Join(algorithmNames(n.Choices), ", "), t.Name)
}

func describeAlgorithm(a *pipe.Algorithm) string {
	var b strings.Builder
	fmt.Fprintf(&b, "algorithm `%s`", a.Name)
	if a.Role != "" {
		fmt.Fprintf(&b, " for `%s`", a.Role)
	}
	if a.Doc != "" {
		fmt.Fprintf(&b, "\n\n%s", a.Doc)
	}
	b.WriteString("\n")
	if len(a.Keys) > 0 {
		b.WriteString("\nKeys:\n")
	}
	for i := range a.Keys {
		k := &a.Keys[i]
		fmt.Fprintf(&b, "- `%s`", k.Name)
		if k.Doc != "" {
			fmt.Fprintf(&b, ": %s", k.Doc)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// hints returns the capacities of the edges that a file declares.
func (m *Model) hints(f *source.File) iter.Seq[lang.Hint] {
	return func(yield func(lang.Hint) bool) {
		if m.unbounded {
			return
		}
		plan, _ := m.Plan()
		for i := range plan.Edges {
			e := &plan.Edges[i]
			if e.Connection < 0 {
				continue
			}
			c := &m.Connections[e.Connection]
			at := c.unit.tree.StmtSpan(c.stmt)
			if at.File == f && !yield(lang.Hint{At: at, Text: "holds " + holds(e), Kind: lang.CapacityHint}) {
				return
			}
		}
	}
}
