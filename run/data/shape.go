package data

import (
	"math"

	"github.com/pentode-dev/pentode/run/data/expr"
)

// Shape returns what is known of the type without any values. Expressions are checked against it. A part
// whose type is unknown has the kind Null, and an array of unknown length has a negative Count.
func (t *Template) Shape() *expr.Type { return t.root.shape(map[*namedPart]*expr.Type{}) }

// Element returns the element type of an array; for nested arrays, the innermost array's. A type that
// is not an array is returned itself. The result is false if the element type depends on a value.
func (t *Template) Element() (Type, bool) {
	p := t.root
	for range 2 * maxDepth { // the limit ends the loop for a type that contains itself, which is reported elsewhere
		if named, ok := p.(*namedPart); ok && named.body != nil {
			p = named.body
		} else if array, ok := p.(*arrayPart); ok {
			p = array.elem
		} else {
			break
		}
	}
	if p == nil || !p.constant() {
		return nil, false
	}
	var e evaluation
	typ, err := p.eval(&e)
	if err != nil {
		return nil, false
	}
	for a, ok := typ.(*Array); ok; a, ok = typ.(*Array) {
		typ = a.Elem
	}
	return typ, true
}

// Extents returns the size of an array in each dimension, with the one that varies slowest first. For
// nested arrays, it has the dimensions of all levels. Sizes are computed from the current values of the
// data; an unknown size is -1. For other types, the result is empty.
func (t *Template) Extents() []int64 {
	list := []int64{}
	p := t.root
	for range 2 * maxDepth { // the limit ends the loop for a type that contains itself, which is reported elsewhere
		switch q := p.(type) {
		case *namedPart:
			p = q.body
		case *arrayPart:
			for i := range q.length {
				n, err := q.length[i].eval()
				if err != nil || n < 0 {
					n = -1
				}
				list = append(list, n)
			}
			p = q.elem
		case knownPart:
			for typ := q.typ; ; {
				a, ok := typ.(*Array)
				if !ok {
					return list
				}
				list, typ = append(list, a.Length), a.Elem
			}
		default:
			return list
		}
	}
	return list
}

func (p knownPart) shape(map[*namedPart]*expr.Type) *expr.Type { return mirror(p.typ) }

func (badPart) shape(map[*namedPart]*expr.Type) *expr.Type { return &expr.Type{} }

func (p *fortranPart) shape(map[*namedPart]*expr.Type) *expr.Type {
	if p.kind.constant() {
		if t, err := p.eval(nil); err == nil {
			return mirror(t)
		}
	}
	return &expr.Type{}
}

func (p *arrayPart) shape(seen map[*namedPart]*expr.Type) *expr.Type {
	t := p.elem.shape(seen)
	if t.Kind == expr.Null || len(p.length) > maxDepth {
		return &expr.Type{}
	}
	for i := len(p.length) - 1; i >= 0; i-- {
		n := -1
		if l := &p.length[i]; l.constant() && l.value < math.MaxInt32 && p.used == nil {
			n = int(l.value)
		}
		t = &expr.Type{Kind: expr.Array, Elem: t, Len: n, Count: n}
	}
	return t
}

func (p *membersPart) shape(seen map[*namedPart]*expr.Type) *expr.Type {
	t := &expr.Type{Kind: expr.Record, Members: make([]expr.Member, len(p.members))}
	if p.form == tupleForm {
		t.Kind = expr.Tuple
	}
	for i := range p.members {
		t.Members[i] = expr.Member{Name: p.members[i].name, Type: p.members[i].typ.shape(seen)}
	}
	return t
}

func (p *pointerPart) shape(seen map[*namedPart]*expr.Type) *expr.Type {
	return &expr.Type{Kind: expr.Pointer, To: p.elem.shape(seen)}
}

// shape records the type before its parts are complete, because a pointer in it may point to the same type.
func (p *namedPart) shape(seen map[*namedPart]*expr.Type) *expr.Type {
	t, ok := seen[p]
	if !ok {
		t = &expr.Type{}
		seen[p] = t
		*t = *p.body.shape(seen)
	}
	return t
}
