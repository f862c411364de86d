package expr_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/pentode-dev/pentode/run/data/expr"
)

// A scope is a small data store for tests: types are read from YAML with C's layout on
// x86-64, and values are written through expressions.
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
	if len(doc.Content) == 0 {
		return &yaml.Node{Kind: yaml.ScalarNode}
	}
	return doc.Content[0]
}

// compileNode compiles a valid expression.
func compileNode(t testing.TB, n *yaml.Node, d expr.Dialect) *expr.Program {
	t.Helper()
	p, err := readProgram(n, d)
	if err != nil {
		t.Fatalf("%q: %v", n.Value, err)
	}
	return p
}

func readProgram(n *yaml.Node, d expr.Dialect) (*expr.Program, error) {
	switch n.Kind {
	case yaml.AliasNode:
		return readProgram(n.Alias, d)
	case yaml.SequenceNode:
		items, err := readPrograms(n.Content, d)
		return expr.NewSequence(d, items...), err
	case yaml.MappingNode:
		var keys []string
		var values []*yaml.Node
		for i := 0; i < len(n.Content); i += 2 {
			keys = append(keys, n.Content[i].Value)
			values = append(values, n.Content[i+1])
		}
		items, err := readPrograms(values, d)
		if err != nil {
			return nil, err
		}
		return expr.NewMapping(d, keys, items), nil
	}
	return expr.Compile(n.Value, d)
}

func readPrograms(list []*yaml.Node, d expr.Dialect) ([]*expr.Program, error) {
	var items []*expr.Program
	for _, n := range list {
		p, err := readProgram(n, d)
		if err != nil {
			return nil, err
		}
		items = append(items, p)
	}
	return items, nil
}

// field returns the value of key in a mapping, or nil.
func field(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
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

func number(n *yaml.Node) (v int, err error) {
	if _, err := fmt.Sscan(n.Value, &v); err != nil {
		return 0, fmt.Errorf("number %q: %w", n.Value, err)
	}
	return v, nil
}

// typeOf reads a valid type.
func typeOf(t testing.TB, n *yaml.Node) *expr.Type {
	t.Helper()
	typ, err := readType(n)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// readType reads a type; an unknown type is an error.
func readType(n *yaml.Node) (*expr.Type, error) {
	word := n
	if n != nil && n.Kind == yaml.MappingNode {
		word = field(n, "type")
	}
	if word == nil || word.Kind != yaml.ScalarNode {
		return nil, errors.New("the test does not know a type without a name")
	}
	switch word.Value {
	case "byte":
		return &expr.Type{Kind: expr.Opaque, Size: 1, Align: 1}, nil
	case "pointer":
		to, err := readType(field(n, "subtype"))
		return &expr.Type{Kind: expr.Pointer, Size: 8, Align: 8, To: to}, err
	case "array":
		return arrayType(n)
	case "struct", "tuple", "record":
		return recordType(n, word.Value)
	}
	return scalarType(word.Value, field(n, "kind"))
}

func scalarType(name string, kind *yaml.Node) (*expr.Type, error) {
	k, ok := scalarNames[name]
	if !ok {
		return nil, fmt.Errorf("the test does not know the type %q", name)
	}
	if kind == nil {
		return expr.Scalar(k), nil
	}
	size, err := number(kind)
	if err != nil {
		return nil, err
	}
	sized := map[string]map[int]expr.Kind{
		"integer": {1: expr.Int8, 2: expr.Int16, 4: expr.Int32, 8: expr.Int64}, "real": {4: expr.Float32, 8: expr.Float64},
		"logical": {1: expr.Uint8, 2: expr.Uint16, 4: expr.Uint32, 8: expr.Uint64}, "character": {1: expr.Uint8},
	}
	if k, ok := sized[name][size]; ok {
		return expr.Scalar(k), nil
	}
	return &expr.Type{Kind: expr.Opaque, Size: size, Align: size}, nil
}

func arrayType(n *yaml.Node) (*expr.Type, error) {
	var dims [3][]int
	for i, key := range []string{"size", "start", "subsize"} {
		f := field(n, key)
		if f == nil {
			continue
		}
		list := []*yaml.Node{f}
		if f.Kind == yaml.SequenceNode {
			list = f.Content
		}
		for _, c := range list {
			v, err := number(c)
			if err != nil {
				return nil, err
			}
			dims[i] = append(dims[i], v)
		}
	}
	size, start, count := dims[0], dims[1], dims[2]
	at, err := readType(field(n, "subtype"))
	if err != nil {
		return nil, err
	}
	for i := len(size) - 1; i >= 0; i-- {
		e := at
		at = &expr.Type{Kind: expr.Array, Size: size[i] * e.Size, Align: e.Align, Elem: e, Len: size[i], Count: size[i]}
		if i < len(count) {
			at.Count = count[i]
		}
		if i < len(start) {
			at.Start = start[i]
		}
	}
	return at, nil
}

func recordType(n *yaml.Node, class string) (*expr.Type, error) {
	r := &expr.Type{Kind: expr.Record, Align: 1}
	list := field(n, "members")
	if class == "tuple" {
		r.Kind, list = expr.Tuple, field(n, "elements")
	}
	if list == nil || list.Kind == yaml.ScalarNode {
		return nil, fmt.Errorf("the test does not know a %s without members", class)
	}
	add := func(name string, m *yaml.Node) error {
		e, err := readType(m)
		if err != nil {
			return err
		}
		off := (r.Size + e.Align - 1) / e.Align * e.Align
		if d := field(m, "disp"); d != nil {
			if off, err = number(d); err != nil {
				return err
			}
		}
		r.Members = append(r.Members, expr.Member{Name: name, Offset: off, Type: e})
		r.Align = max(r.Align, e.Align)
		r.Size = off + e.Size
		return nil
	}
	named := list.Content // the pairs of a record
	switch class {
	case "tuple":
		named = nil
		for _, m := range list.Content {
			named = append(named, &yaml.Node{}, m)
		}
	case "struct": // a list of mappings with one pair each
		named = nil
		for _, m := range list.Content {
			named = append(named, m.Content...)
		}
	}
	for i := 0; i+1 < len(named); i += 2 {
		if err := add(named[i].Value, named[i+1]); err != nil {
			return nil, err
		}
	}
	r.Size = (r.Size + r.Align - 1) / r.Align * r.Align
	if b := field(n, "buffersize"); b != nil {
		size, err := number(b)
		r.Size = size
		return r, err
	}
	return r, nil
}

// declare reads the data and metadata of a tree and sets the values; `@…` describes
// values that YAML cannot express.
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
