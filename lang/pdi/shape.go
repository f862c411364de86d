package pdi

import (
	"math"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/expr"
)

// shape is the type of a declared name as far as the tree tells: what expressions can
// be checked against before any value exists. Nil is unknown.
func (c *checker) shape(name string) *expr.Type {
	if name == rankName && c.plugins["mpi"] != nil {
		return expr.Scalar(expr.Int32)
	}
	d, ok := c.names[name]
	if !ok {
		return nil
	}
	return c.declared("."+name, d.value)
}

// declared is the shape of a declaration, made once. It is entered before it is complete,
// so a pointer may lead back to it.
func (c *checker) declared(key string, v value) *expr.Type {
	if t, ok := c.shapes[key]; ok {
		return t
	}
	t := &expr.Type{}
	c.shapes[key] = t
	made := c.shapeOf(v, 0)
	if made == nil {
		c.shapes[key] = nil
		return nil
	}
	*t = *made
	return t
}

// maxShape bounds types inside each other; the engine refuses deeper ones.
const maxShape = 500

func (c *checker) shapeOf(v value, depth int) *expr.Type {
	name := v
	if v.is(data.MappingNode) {
		name = v.get("type")
	}
	if !name.is(data.ScalarNode) || depth > maxShape {
		return nil
	}
	switch name.Text {
	case "array":
		return c.arrayShape(v, depth)
	case "struct":
		t := &expr.Type{Kind: expr.Record}
		for _, item := range v.get("members").items() {
			c.addMembers(t, item, depth)
		}
		return t
	case "record":
		t := &expr.Type{Kind: expr.Record}
		c.addMembers(t, v.get("members"), depth)
		return t
	case "tuple":
		t := &expr.Type{Kind: expr.Tuple}
		for _, item := range v.get("elements").items() {
			if _, _, named := namedElement(item); named {
				c.addMembers(t, item, depth)
			} else {
				t.Members = append(t.Members, expr.Member{Type: c.known(item, depth)})
			}
		}
		return t
	case "pointer":
		return &expr.Type{Kind: expr.Pointer, To: c.known(v.get("subtype"), depth)}
	}
	if user, ok := c.types[name.Text]; ok {
		return c.declared(user.Name, user.value)
	}
	return scalarShape(v, name.Text)
}

func (c *checker) addMembers(t *expr.Type, v value, depth int) {
	for key, val := range v.pairs() {
		t.Members = append(t.Members, expr.Member{Name: key.Text, Type: c.known(val, depth)})
	}
}

// known is a part of a shape; a part that is not known is opaque.
func (c *checker) known(v value, depth int) *expr.Type {
	if t := c.shapeOf(v, depth+1); t != nil {
		return t
	}
	return &expr.Type{Kind: expr.Opaque}
}

func (c *checker) arrayShape(v value, depth int) *expr.Type {
	t := c.shapeOf(v.get("subtype"), depth+1)
	if t == nil {
		return nil
	}
	sizes := []value{v.get("size")}
	if sizes[0].is(data.SequenceNode) {
		list := sizes[0]
		sizes = nil
		for _, s := range list.items() {
			sizes = append(sizes, s)
		}
	}
	if len(sizes) > maxShape {
		return nil
	}
	sliced := !v.get("subsize").absent()
	for i := len(sizes) - 1; i >= 0; i-- {
		n := -1
		if s := sizes[i]; s.is(data.ScalarNode) && decimal(s.Text) && !sliced {
			if x, err := strconv.ParseInt(s.Text, 10, 64); err == nil && x < math.MaxInt32 {
				n = int(x)
			}
		}
		t = &expr.Type{Kind: expr.Array, Elem: t, Len: n, Count: n}
	}
	return t
}

// scalarShape is the shape of a type that the language has. The size of one with a kind is
// known only where the kind is written out.
func scalarShape(v value, name string) *expr.Type {
	n := data.Text(name)
	if kind := v.get("kind"); v.is(data.MappingNode) && kind.is(data.ScalarNode) {
		if !decimal(strings.TrimSpace(kind.Text)) {
			return nil
		}
		n = &data.Node{Kind: data.MappingNode, Pairs: []data.Pair{{Key: data.Text("type"), Value: n}, {Key: data.Text("kind"), Value: kind.Node}}}
	}
	t, err := data.ParseType(n, &data.Env{})
	if err != nil {
		return nil
	}
	typ, ok := t.Constant()
	s, scalar := typ.(*data.Scalar)
	if !ok || !scalar {
		return nil
	}
	return &expr.Type{Kind: scalarKind(s), Size: int(s.Size()), Align: int(s.Align())}
}

func scalarKind(s *data.Scalar) expr.Kind {
	step, ok := map[int64]expr.Kind{1: 0, 2: 1, 4: 2, 8: 3}[s.Size()]
	switch {
	case ok && s.Kind == data.Signed:
		return expr.Int8 + step
	case ok && s.Kind == data.Unsigned:
		return expr.Uint8 + step
	case ok && s.Kind == data.Float && step >= 2:
		return expr.Float32 + step - 2
	}
	return expr.Opaque
}
