package suite

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// arrayFor is an array, or a list of numbers, as memory of the type that the tree
// declares. Where elements and shape agree it is the array's own memory.
func arrayFor(t data.Type, v any) (any, error) {
	have, err := tensor.Of(v)
	if err != nil {
		return nil, fmt.Errorf("a list that is no array arrives where the tree declares `%s`: %w", t, err)
	}
	elem, shape := shapeOf(t)
	kind := elementKind(elem)
	if kind == 0 {
		return nil, fmt.Errorf("%v arrives where the tree declares `%s`", have, t)
	}
	if !sameShape(have.Shape, shape) {
		return nil, fmt.Errorf("%v arrives where the tree declares %s", have, declaredShape(have.Shape, shape, t))
	}
	same, err := have.Convert(kind)
	if err != nil {
		return nil, fmt.Errorf("%v arrives where the tree declares `%s`: %w", have, t, err)
	}
	return native(same), nil
}

// shapeOf is the element of an array type and its extents, the slowest first; those of
// what is no array are none.
func shapeOf(t data.Type) (elem data.Type, shape []int64) {
	shape = []int64{}
	for {
		a, ok := t.(*data.Array)
		if !ok {
			return t, shape
		}
		shape = append(shape, a.Length)
		t = a.Elem
	}
}

// elementKind is the kind of an array whose elements are of a type, 0 where there is none.
func elementKind(t data.Type) tensor.Kind {
	s, ok := t.(*data.Scalar)
	if !ok {
		return 0
	}
	return s.Element()
}

// sameShape compares shapes. Extents below 0 are not known.
func sameShape(have []int, want []int64) bool {
	if len(have) != len(want) {
		return false
	}
	for i, n := range have {
		if n >= 0 && want[i] >= 0 && int64(n) != want[i] {
			return false
		}
	}
	return true
}

// declaredShape names the shape of the tree where another one arrives.
func declaredShape(have []int, want []int64, t data.Type) string {
	if len(want) == 0 {
		return fmt.Sprintf("one `%s`", t)
	}
	text := tensor.Extents(want)
	if turned := slices.Clone(have); len(have) == len(want) && len(have) > 1 {
		slices.Reverse(turned)
		if sameShape(turned, want) {
			text += ": its axes are in the other order"
		}
	}
	return text
}

// native is the elements of an array as this machine stores them.
func native(t *tensor.Tensor) []byte {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return t.Data
	}
	out := slices.Clone(t.Data)
	for i := 0; i < len(out); i += t.Kind.Size() {
		slices.Reverse(out[i : i+t.Kind.Size()])
	}
	return out
}
