package expr_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/pentode-dev/pentode/run/data/expr"
)

// A scope is the test's own small data store: types read from YAML with C's
// layout on x86-64, values written through expressions themselves.
type scope struct {
	cells    map[string]*expr.Cell
	pointees map[*byte]expr.Datum // by the first byte of the pointer
}

func newScope() *scope {
	return &scope{cells: map[string]*expr.Cell{}, pointees: map[*byte]expr.Datum{}}
}

func (s *scope) Cell(name string) *expr.Cell {
	c := s.cells[name]
	if c == nil {
		c = &expr.Cell{}
		s.cells[name] = c
	}
	return c
}

func (s *scope) Deref(p expr.Datum) (expr.Datum, error) {
	if d, ok := s.pointees[&p.Bytes[0]]; ok {
		return d, nil
	}
	return expr.Datum{}, errors.New("it points nowhere")
}

// set gives name a value of type t, computed from the YAML text value.
func (s *scope) set(t testing.TB, name string, typ *expr.Type, value string) {
	t.Helper()
	d := expr.Datum{Type: typ, Bytes: make([]byte, typ.Size)}
	if err := compileNode(t, yamlNode(t, value), expr.Upstream).Bind(s).Copy(d); err != nil {
		t.Fatalf("context: %s = %s: %v", name, value, err)
	}
	c := s.Cell(name)
	c.State, c.Datum = expr.Ready, d
}

func yamlNode(t testing.TB, text string) *yaml.Node {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return doc.Content[0]
}

func compileNode(t testing.TB, n *yaml.Node, d expr.Dialect) *expr.Program {
	t.Helper()
	switch n.Kind {
	case yaml.AliasNode:
		return compileNode(t, n.Alias, d)
	case yaml.SequenceNode:
		var items []*expr.Program
		for _, c := range n.Content {
			items = append(items, compileNode(t, c, d))
		}
		return expr.NewSequence(d, items...)
	case yaml.MappingNode:
		var keys []string
		var items []*expr.Program
		for i := 0; i < len(n.Content); i += 2 {
			keys = append(keys, n.Content[i].Value)
			items = append(items, compileNode(t, n.Content[i+1], d))
		}
		return expr.NewMapping(d, keys, items)
	}
	p, err := expr.Compile(n.Value, d)
	if err != nil {
		t.Fatalf("%q: %v", n.Value, err)
	}
	return p
}

// field returns the value of key in a mapping, nil without.
func field(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

var scalarNames = map[string]expr.Kind{
	"char": expr.Uint8, "int8": expr.Int8, "int16": expr.Int16, "int": expr.Int32, "int32": expr.Int32, "int64": expr.Int64,
	"uint8": expr.Uint8, "uint16": expr.Uint16, "uint32": expr.Uint32, "uint64": expr.Uint64, "logical": expr.Uint32,
	"integer": expr.Int32, "float": expr.Float32, "double": expr.Float64, "real": expr.Float32, "character": expr.Uint8,
	"short": expr.Int16, "long": expr.Int64, "size_t": expr.Uint64,
}

func number(t testing.TB, n *yaml.Node) int {
	t.Helper()
	var v int
	if _, err := fmt.Sscan(n.Value, &v); err != nil {
		t.Fatalf("number %q: %v", n.Value, err)
	}
	return v
}

// typeOf reads a type.
func typeOf(t testing.TB, n *yaml.Node) *expr.Type {
	t.Helper()
	name, kind := n.Value, 0
	if n.Kind == yaml.MappingNode {
		name = field(n, "type").Value
		if k := field(n, "kind"); k != nil {
			kind = number(t, k)
		}
	}
	switch name {
	case "byte":
		return &expr.Type{Kind: expr.Opaque, Size: 1, Align: 1}
	case "pointer":
		return &expr.Type{Kind: expr.Pointer, Size: 8, Align: 8, To: typeOf(t, field(n, "subtype"))}
	case "array":
		return arrayType(t, n)
	case "struct", "tuple", "record":
		return recordType(t, n, name)
	}
	k, ok := scalarNames[name]
	if !ok {
		t.Fatalf("the test does not know the type %q", name)
	}
	if kind > 8 {
		return &expr.Type{Kind: expr.Opaque, Size: kind, Align: kind}
	}
	return expr.Scalar(k)
}

func arrayType(t testing.TB, n *yaml.Node) *expr.Type {
	t.Helper()
	list := func(key string) (ns []int) {
		f := field(n, key)
		if f == nil {
			return nil
		}
		if f.Kind != yaml.SequenceNode {
			return []int{number(t, f)}
		}
		for _, c := range f.Content {
			ns = append(ns, number(t, c))
		}
		return ns
	}
	size, start, count := list("size"), list("start"), list("subsize")
	at := typeOf(t, field(n, "subtype"))
	for i := len(size) - 1; i >= 0; i-- {
		e := at
		at = &expr.Type{Kind: expr.Array, Size: size[i] * e.Size, Align: e.Align, Elem: e, Len: size[i], Count: size[i]}
		if count != nil {
			at.Count = count[i]
		}
		if start != nil {
			at.Start = start[i]
		}
	}
	return at
}

func recordType(t testing.TB, n *yaml.Node, class string) *expr.Type {
	t.Helper()
	r := &expr.Type{Kind: expr.Record, Align: 1}
	add := func(name string, m *yaml.Node) {
		e := typeOf(t, m)
		off := (r.Size + e.Align - 1) / e.Align * e.Align
		if d := field(m, "disp"); d != nil {
			off = number(t, d)
		}
		r.Members = append(r.Members, expr.Member{Name: name, Offset: off, Type: e})
		r.Align = max(r.Align, e.Align)
		r.Size = off + e.Size
	}
	switch class {
	case "tuple":
		r.Kind = expr.Tuple
		for _, m := range field(n, "elements").Content {
			add("", m)
		}
	case "struct":
		for _, m := range field(n, "members").Content {
			add(m.Content[0].Value, m.Content[1])
		}
	case "record":
		m := field(n, "members")
		for i := 0; i < len(m.Content); i += 2 {
			add(m.Content[i].Value, m.Content[i+1])
		}
	}
	r.Size = (r.Size + r.Align - 1) / r.Align * r.Align
	if b := field(n, "buffersize"); b != nil {
		r.Size = number(t, b)
	}
	return r
}

// declare reads the data and metadata of a tree, set the values, where `@…`
// stands for what YAML cannot say.
func (s *scope) declare(t testing.TB, tree string, set [][2]string) {
	t.Helper()
	root := yamlNode(t, tree)
	types := map[string]*expr.Type{}
	for section, state := range map[string]expr.State{"metadata": expr.Unset, "data": expr.Absent} {
		m := field(root, section)
		for i := 0; m != nil && i < len(m.Content); i += 2 {
			name := m.Content[i].Value
			types[name] = typeOf(t, m.Content[i+1])
			s.Cell(name).State = state
		}
	}
	for _, nv := range set {
		name, value := nv[0], nv[1]
		typ := types[name]
		if value == "@wo" {
			s.Cell(name).State = expr.Unreadable
		} else if strings.HasPrefix(value, "@ptr") {
			s.pointTo(t, name, typ)
		} else {
			s.set(t, name, typ, value)
		}
	}
}

// pointTo makes name a pointer to 7, or to the array 7, 8, 9….
func (s *scope) pointTo(t testing.TB, name string, typ *expr.Type) {
	t.Helper()
	p := expr.Datum{Type: typ, Bytes: make([]byte, typ.Size)}
	value := "7"
	if typ.To.Kind == expr.Array {
		value = "["
		for i := range typ.To.Len {
			value += fmt.Sprint(7+i, ",")
		}
		value += "]"
	}
	target := newScope()
	target.set(t, name, typ.To, value)
	s.pointees[&p.Bytes[0]] = target.Cell(name).Datum
	c := s.Cell(name)
	c.State, c.Datum = expr.Ready, p
}
