package scan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/internal/leaf/lexer"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A maker makes a process type from a class and its bases.
type maker struct {
	scanner *Scanner
	lineage []*class // the class itself first
	typ     *pipe.Type
}

// make returns the process type of a class.
func (s *Scanner) make(r *registration, c *class) *pipe.Type {
	m := &maker{s, s.lineage(c), &pipe.Type{Name: r.typ, Doc: oneLine(r.doc), Version: r.version, Origin: r.file, OpenKeys: !s.isOwn(c), Span: c.span}}
	if len(c.declarations) > 0 {
		m.typ.Origin = c.declarations[0].unit.name
	}
	// Ports that every process has are not ports of this type.
	own := slices.DeleteFunc(slices.Clone(m.lineage), func(c *class) bool { return slices.Contains(processBases, c.name) })
	for _, c := range slices.Backward(own) {
		for i := range c.declarations {
			if d := &c.declarations[i]; d.side == input || d.side == output {
				m.addPorts(d)
			} else {
				m.addKeys(d)
			}
		}
	}
	for _, c := range own {
		for side, ports := range []*[]pipe.Port{&m.typ.In, &m.typ.Out} {
			if c.named[side] && !slices.ContainsFunc(*ports, func(p pipe.Port) bool { return p.Pattern() }) {
				*ports = append(*ports, pipe.Port{Name: unknown, Type: pipe.AnyType})
			}
		}
	}
	return m.typ
}

// either merges two types of the same name: it is not known which of them an installation uses, so a port is required
// only if both require it.
func either(t, other *pipe.Type) {
	t.In, t.Out = eitherPort(t.In, other.In), eitherPort(t.Out, other.Out)
	for _, k := range other.Keys {
		if !slices.ContainsFunc(t.Keys, func(o pipe.Key) bool { return o.Name == k.Name }) {
			t.Keys = append(t.Keys, k)
		}
	}
}

func eitherPort(ports, others []pipe.Port) []pipe.Port {
	for i := range ports {
		p := &ports[i]
		j := slices.IndexFunc(others, func(o pipe.Port) bool { return o.Name == p.Name })
		if j < 0 || others[j].Flags&pipe.Required == 0 {
			p.Flags &^= pipe.Required
		}
		if j >= 0 && others[j].Type != p.Type {
			p.Type = pipe.AnyType
		}
	}
	for _, o := range others {
		if !slices.ContainsFunc(ports, func(p pipe.Port) bool { return p.Name == o.Name }) {
			o.Flags &^= pipe.Required
			ports = append(ports, o)
		}
	}
	return ports
}

// The flags that ports on each side may have.
const (
	inputFlags  = pipe.Required | pipe.Static | pipe.Mutable | pipe.NoDep
	outputFlags = pipe.Required | pipe.Const | pipe.Shared
)

// consistent removes flags that a registry refuses: flags of the other side, and the second of two contradictory flags.
func consistent(f, side pipe.Flags) pipe.Flags {
	f &= side
	if f&pipe.Static != 0 {
		f &^= pipe.Required
	}
	if f&pipe.Const != 0 {
		f &^= pipe.Shared
	}
	return f
}

func (m *maker) addPorts(d *declaration) {
	ports, side := &m.typ.In, inputFlags
	if d.side == output {
		ports, side = &m.typ.Out, outputFlags
	}
	names, typ, doc := d.names, d.typ, d.doc
	if d.trait != "" {
		names = []string{d.trait}
		if p, ok := m.portTrait(d, d.trait); ok {
			typ, doc = p.typ, cmp.Or(doc, p.doc)
		}
	}
	for _, name := range names {
		p := pipe.Port{Name: pattern(name), Type: m.typeName(typ, d), Flags: consistent(d.flags, side), Doc: oneLine(doc), Span: d.span}
		if p.Pattern() {
			p.Flags &^= pipe.Required // it is not known how many there are
			if strings.HasPrefix(p.Type, pipe.FlowDependent) {
				p.Type = pipe.AnyType // nor which of them belong together
			}
		}
		i := slices.IndexFunc(*ports, func(o pipe.Port) bool { return o.Name == p.Name })
		switch {
		case i < 0:
			*ports = append(*ports, p)
		case (*ports)[i].Type != p.Type && p.Pattern():
			(*ports)[i].Type = pipe.AnyType // the name decides the type in an unknown way
		}
	}
}

func (m *maker) addKeys(d *declaration) {
	var keys []pipe.Key
	if d.trait != "" {
		k, ok := find(m, d, d.trait, func(t *traits) map[string]pipe.Key { return t.keys })
		if !ok {
			k = pipe.Key{Name: d.trait, Kind: pipe.String}
		}
		keys = append(keys, k)
	}
	for _, name := range d.names {
		k := d.key
		k.Name = name
		keys = append(keys, k)
	}
	for _, k := range keys {
		if k.Name == "" || strings.Contains(k.Name, "<") {
			continue // a computed key: the keys of the type are open
		}
		i := slices.IndexFunc(m.typ.Keys, func(o pipe.Key) bool { return o.Name == k.Name })
		if d.side == nested {
			k.Kind, k.Default = pipe.Any, ""
			if d.role != "" {
				k.Kind, k.Role = pipe.Algo, d.role
			}
		}
		switch {
		case i < 0:
			k.Doc = oneLine(k.Doc)
			m.typ.Keys = append(m.typ.Keys, k)
		case d.side == nested:
			m.typ.Keys[i].Kind, m.typ.Keys[i].Default, m.typ.Keys[i].Role = k.Kind, k.Default, k.Role
		}
	}
}

// typeName returns the type of a port; an unknown type fits all.
func (m *maker) typeName(t typeName, d *declaration) string {
	if t.portTrait != "" {
		p, _ := m.portTrait(d, t.portTrait)
		t = p.typ
	}
	if t.typeTrait != "" {
		t.name, _ = find(m, d, t.typeTrait, func(t *traits) map[string]string { return t.types })
	}
	return cmp.Or(t.name, pipe.AnyType)
}

func (m *maker) portTrait(d *declaration, name string) (portTrait, bool) {
	return find(m, d, name, func(t *traits) map[string]portTrait { return t.ports })
}

// find looks up a trait in the classes (Python), in the file, in the headers, and among the traits of KWIVER's base class
// if its source was not read.
func find[T any](m *maker, d *declaration, name string, of func(*traits) map[string]T) (v T, ok bool) {
	for _, c := range m.lineage {
		if v, ok = of(&c.traits)[name]; ok {
			return v, ok
		}
	}
	if v, ok = of(&d.unit.traits)[name]; ok {
		return v, ok
	}
	if v, ok = of(&m.scanner.headers)[name]; !ok && m.standard() {
		v, ok = of(&standard)[name]
	}
	return v, ok
}

// standard reports whether the class derives from the base class that has the standard traits.
func (m *maker) standard() bool {
	return slices.ContainsFunc(m.lineage, func(c *class) bool { return slices.Contains(c.bases, "KwiverProcess") })
}

// pattern returns a port's name in the form of a catalogue. The engine allows one variable in each part of a name; a name
// with more variables fits all names.
func pattern(name string) string {
	for part := range strings.SplitSeq(name, "/") {
		if strings.Count(part, "<") > 1 || part != "" && part[0] == '<' && !strings.Contains(name, "/") && strings.HasSuffix(part, ">") {
			return "<any>"
		}
	}
	return name
}

// isName reports whether a text can be the name of a process type: template files have `@name@` instead.
func isName(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 || r != '-' && !lexer.WordByte(byte(r)) }) < 0
}

// oneLine returns a documentation text with blanks for its line breaks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
