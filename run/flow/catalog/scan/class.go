package scan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
)

// A unit is one source file.
type unit struct {
	scanner   *Scanner
	name, dir string
	version   string
	traits    traits
	constants map[string][]string // names of ports and keys that have a name in the source
}

// A class is what the sources say about one class; its methods may be in
// another file.
type class struct {
	name, dir    string
	bases        []string
	declarations []declaration
	traits       traits  // Python declares them in the class
	named        [2]bool // whether the pipeline names further inputs, outputs
}

// traits are names that stand for a port type, a port or a key. C++ and Python
// have them alike.
type traits struct {
	types map[string]string
	ports map[string]portTrait
	keys  map[string]flow.Key
}

type portTrait struct {
	typ typeName
	doc string
}

// A typeName is the type of a port: its name, or that of a trait.
type typeName struct {
	name      string
	typeTrait string
	portTrait string
}

// A declaration is a port or a key of a class, with the file whose traits it
// uses.
type declaration struct {
	unit  *unit
	side  side
	trait string // or what follows
	names []string
	typ   typeName
	flags flow.Flags
	doc   string
	key   flow.Key
}

// Sources can be hostile, so what is compared with everything else is bounded.
const (
	maxDeclarations = 1000 // of a class
	maxLineage      = 50   // classes that one derives from
)

type side uint8

const (
	input side = iota
	output
	key
	nested // a key under which an algorithm is configured
)

func (t *traits) addType(name, typ string) {
	if t.types == nil {
		t.types = map[string]string{}
	}
	t.types[name] = typ
}

func (t *traits) addPort(name string, p portTrait) {
	if t.ports == nil {
		t.ports = map[string]portTrait{}
	}
	t.ports[name] = p
}

func (t *traits) addKey(name string, k flow.Key) {
	if t.keys == nil {
		t.keys = map[string]flow.Key{}
	}
	t.keys[name] = k
}

// class finds a class by name: that of the same folder, else the first one.
func (s *Scanner) class(name, dir string) *class {
	list := s.classes[name]
	for _, c := range list {
		if c.dir == dir {
			return c
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// define finds or makes a class of the unit's folder.
func (u *unit) define(name string) *class {
	s := u.scanner
	for _, c := range s.classes[name] {
		if c.dir == u.dir {
			return c
		}
	}
	c := &class{name: name, dir: u.dir}
	if s.classes == nil {
		s.classes = map[string][]*class{}
	}
	s.classes[name] = append(s.classes[name], c)
	return c
}

// lineage is a class with those that it derives from, the class itself first.
func (s *Scanner) lineage(c *class) []*class {
	list := []*class{c}
	for i := 0; i < len(list) && i < maxLineage; i++ {
		for _, base := range list[i].bases {
			if b := s.class(base, list[i].dir); b != nil && !slices.Contains(list, b) {
				list = append(list, b)
			}
		}
	}
	return list
}

// isProcess reports whether a class derives from sprokit's process: algorithms
// are registered in the same way.
func (s *Scanner) isProcess(c *class) bool {
	return slices.ContainsFunc(s.lineage(c), func(c *class) bool {
		return slices.ContainsFunc(c.bases, func(base string) bool { return slices.Contains(processBases, base) })
	})
}

var processBases = []string{"process", "process_cluster", "KwiverProcess", "PythonProcess"}

// make is the process type of a class.
func (s *Scanner) make(r *registration, c *class) *flow.Type {
	t := &flow.Type{Name: r.typ, Doc: oneLine(r.doc), Version: r.version, Origin: r.file, OpenKeys: true}
	if len(c.declarations) > 0 {
		t.Origin = c.declarations[0].unit.name
	}
	lineage := s.lineage(c)
	for _, c := range slices.Backward(lineage) {
		if slices.Contains(processBases, c.name) {
			continue // what every process has is no port of this one
		}
		for i := range c.declarations {
			d := &c.declarations[i]
			switch d.side {
			case input, output:
				s.addPorts(t, d, lineage)
			default:
				s.addKeys(t, d, lineage)
			}
		}
	}
	for _, c := range lineage {
		if slices.Contains(processBases, c.name) {
			continue
		}
		for side, ports := range []*[]flow.Port{&t.In, &t.Out} {
			if c.named[side] && !slices.ContainsFunc(*ports, func(p flow.Port) bool { return p.Pattern() }) {
				*ports = append(*ports, flow.Port{Name: unknown, Type: flow.AnyType})
			}
		}
	}
	return t
}

func (s *Scanner) addPorts(t *flow.Type, d *declaration, lineage []*class) {
	ports, allowed := &t.In, flow.Required|flow.Static|flow.Mutable|flow.NoDep
	if d.side == output {
		ports, allowed = &t.Out, flow.Required|flow.Const|flow.Shared
	}
	names, typ, doc := d.names, d.typ, d.doc
	if d.trait != "" {
		names = []string{d.trait}
		if p, ok := s.portTrait(d, lineage); ok {
			typ, doc = p.typ, cmp.Or(doc, p.doc)
		}
	}
	for _, name := range names {
		p := flow.Port{Name: pattern(name), Type: s.typeName(typ, d, lineage), Flags: d.flags & allowed, Doc: oneLine(doc)}
		if p.Pattern() {
			p.Flags &^= flow.Required // how many there are is not known
			if strings.HasPrefix(p.Type, flow.FlowDependent) {
				p.Type = flow.AnyType // nor which of them belong together
			}
		}
		if p.Flags&flow.Static != 0 {
			p.Flags &^= flow.Required
		}
		if p.Flags&flow.Const != 0 {
			p.Flags &^= flow.Shared
		}
		i := slices.IndexFunc(*ports, func(o flow.Port) bool { return o.Name == p.Name })
		switch {
		case i < 0:
			*ports = append(*ports, p)
		case (*ports)[i].Type != p.Type && p.Pattern():
			(*ports)[i].Type = flow.AnyType // the name decides in a way that is not known
		}
	}
}

func (s *Scanner) addKeys(t *flow.Type, d *declaration, lineage []*class) {
	keys := []flow.Key{}
	if d.trait != "" {
		k, ok := s.keyTrait(d, lineage)
		if !ok {
			k = flow.Key{Name: d.trait, Kind: flow.String}
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
			continue // a key that is computed: the type's keys are open
		}
		i := slices.IndexFunc(t.Keys, func(o flow.Key) bool { return o.Name == k.Name })
		switch {
		case i >= 0 && d.side == nested:
			t.Keys[i].Kind, t.Keys[i].Default = flow.Any, ""
		case i >= 0:
		default:
			if d.side == nested {
				k.Kind = flow.Any
			}
			k.Doc = oneLine(k.Doc)
			t.Keys = append(t.Keys, k)
		}
	}
}

// portTrait finds a trait in the classes (Python), in the file, in the headers.
func (s *Scanner) portTrait(d *declaration, lineage []*class) (portTrait, bool) {
	return find(d, lineage, s, d.trait, func(t *traits) map[string]portTrait { return t.ports })
}

func (s *Scanner) keyTrait(d *declaration, lineage []*class) (flow.Key, bool) {
	return find(d, lineage, s, d.trait, func(t *traits) map[string]flow.Key { return t.keys })
}

// typeName is the type of a port; one that cannot be found out fits all.
func (s *Scanner) typeName(t typeName, d *declaration, lineage []*class) string {
	if t.portTrait != "" {
		p, ok := find(d, lineage, s, t.portTrait, func(t *traits) map[string]portTrait { return t.ports })
		if !ok || p.typ.portTrait != "" {
			return flow.AnyType
		}
		t = p.typ
	}
	if t.typeTrait != "" {
		t.name, _ = find(d, lineage, s, t.typeTrait, func(t *traits) map[string]string { return t.types })
	}
	return cmp.Or(t.name, flow.AnyType)
}

func find[T any](d *declaration, lineage []*class, s *Scanner, name string, of func(*traits) map[string]T) (v T, ok bool) {
	for _, c := range lineage {
		if v, ok = of(&c.traits)[name]; ok {
			return v, ok
		}
	}
	if v, ok = of(&d.unit.traits)[name]; ok {
		return v, ok
	}
	v, ok = of(&s.headers)[name]
	return v, ok
}

// pattern is a port's name as a catalogue has it. The engine knows one open
// piece in each part of a name; one with more fits all names.
func pattern(name string) string {
	for part := range strings.SplitSeq(name, "/") {
		if strings.Count(part, "<") > 1 || part != "" && part[0] == '<' && !strings.Contains(name, "/") && strings.HasSuffix(part, ">") {
			return "<any>"
		}
	}
	return name
}

// isName reports whether a text can be the name of a process type: templates
// of sources have `@name@` there.
func isName(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 || r != '-' && !wordByte(byte(r)) }) < 0
}

// oneLine is a documentation with blanks for its line breaks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
