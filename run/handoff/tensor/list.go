package tensor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Of returns a value as an array. The value is an array already, or a list of numbers, or
// nested lists of equal lengths, as programs without arrays send them.
func Of(v any) (*Tensor, error) {
	switch v := v.(type) {
	case *Tensor:
		return v, nil
	case []float64:
		t := New(Float64, len(v))
		t.SetFloats(0, v)
		return t, nil
	case []any:
		return ofList(v)
	}
	return nil, errors.New("it is not a list of numbers")
}

func ofList(list []any) (*Tensor, error) {
	var b Builder
	if err := b.list(list, 0); err != nil {
		return nil, err
	}
	return b.Done(), nil
}

func (b *Builder) list(list []any, depth int) error {
	if err := b.Open(depth); err != nil {
		return err
	}
	for _, v := range list {
		var err error
		switch v := v.(type) {
		case []any:
			err = b.list(v, depth+1)
		case int64:
			err = b.Int(v, depth+1)
		case float64:
			err = b.Float(v, depth+1)
		default:
			err = errors.New("it contains a value that is not a number")
		}
		if err != nil {
			return err
		}
	}
	return b.Close(depth)
}

// A Builder makes an array from nested lists of numbers, as in a text. The array has
// 64-bit integers until the first number with a fraction.
type Builder struct {
	shape  []int // the length of each axis; -1 until the first list of that axis has ended
	counts []int // numbers of items so far in the lists that are still open
	data   []byte
	float  bool
	bottom int // the depth at which numbers occur; 0 until the first number
}

// Open begins a list that is nested inside depth other lists.
func (b *Builder) Open(depth int) error {
	switch {
	case depth >= MaxAxes:
		return fmt.Errorf("it has more than %d axes", MaxAxes)
	case b.bottom > 0 && depth >= b.bottom:
		return errors.New("it mixes numbers and lists")
	case depth == len(b.shape):
		b.shape, b.counts = append(b.shape, -1), append(b.counts, 0)
	}
	if depth > 0 {
		b.counts[depth-1]++
	}
	b.counts[depth] = 0
	return nil
}

// Close ends the list at the given depth.
func (b *Builder) Close(depth int) error {
	have := b.counts[depth]
	if b.shape[depth] < 0 {
		b.shape[depth] = have
	}
	if b.shape[depth] != have {
		return fmt.Errorf("its lists have different lengths, %d and %d", b.shape[depth], have)
	}
	return nil
}

// Int appends an integer inside depth lists.
func (b *Builder) Int(v int64, depth int) error {
	if b.float {
		return b.Float(float64(v), depth)
	}
	return b.number(uint64(v), depth)
}

// Float appends a number inside depth lists.
func (b *Builder) Float(v float64, depth int) error {
	if !b.float {
		b.float = true
		for i := 0; i < len(b.data); i += 8 {
			whole := int64(binary.LittleEndian.Uint64(b.data[i:]))
			binary.LittleEndian.PutUint64(b.data[i:], math.Float64bits(float64(whole)))
		}
	}
	return b.number(math.Float64bits(v), depth)
}

func (b *Builder) number(bits uint64, depth int) error {
	if depth != len(b.shape) || b.bottom > 0 && b.bottom != depth {
		return errors.New("it mixes numbers and lists")
	}
	if len(b.data) >= MaxBytes {
		return fmt.Errorf("it has more than %d bytes", MaxBytes)
	}
	b.bottom = depth
	b.counts[depth-1]++
	b.data = binary.LittleEndian.AppendUint64(b.data, bits)
	return nil
}

// Done returns the array. If it has no numbers, its kind is Float64.
func (b *Builder) Done() *Tensor {
	kind := Int64
	if b.float || len(b.data) == 0 {
		kind = Float64
	}
	return &Tensor{Kind: kind, Shape: b.shape, Data: b.data}
}

// NotFinite is the error of a number that JSON cannot represent.
type NotFinite struct{ Value float64 }

func (e *NotFinite) Error() string {
	return fmt.Sprintf("it contains %v, which JSON cannot represent", e.Value)
}

// MarshalJSON writes the array as nested lists.
func (t *Tensor) MarshalJSON() ([]byte, error) {
	if t.Kind.IsFloat() {
		for i := range t.Count() {
			if v := t.At(i); math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, &NotFinite{v}
			}
		}
	}
	text, _ := t.appendJSON(nil, 0, 0)
	return text, nil
}

// appendJSON writes a part of the array as nested lists: the part begins at the i-th
// element and has the axes from axis on. It returns the index of the element after the
// part.
func (t *Tensor) appendJSON(dst []byte, axis, i int) ([]byte, int) {
	if axis == len(t.Shape) {
		if t.Kind == Bool {
			return append(dst, [2]string{"false", "true"}[min(t.Int(i), 1)]...), i + 1
		}
		return t.AppendText(dst, i), i + 1
	}
	dst = append(dst, '[')
	for k := range t.Shape[axis] {
		if k > 0 {
			dst = append(dst, ',')
		}
		dst, i = t.appendJSON(dst, axis+1, i)
	}
	return append(dst, ']'), i
}
