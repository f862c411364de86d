package tensor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Of is a value as an array: an array itself, or a list of numbers or of lists of
// equal lengths, which programs without arrays send.
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
	return nil, errors.New("it is no list of numbers")
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
			err = errors.New("something in it is no number")
		}
		if err != nil {
			return err
		}
	}
	return b.Close(depth)
}

// A Builder makes an array of numbers as a text has them, list in list. It is of
// whole numbers of 64 bits until the first number with a fraction.
type Builder struct {
	shape  []int // of an axis whose first list has not ended: -1
	counts []int // of the lists that are open
	data   []byte
	float  bool
	bottom int // the depth of numbers; 0: none has come
}

// Open begins a list within so many others.
func (b *Builder) Open(depth int) error {
	switch {
	case depth >= MaxAxes:
		return fmt.Errorf("it has more than %d axes", MaxAxes)
	case b.bottom > 0 && depth >= b.bottom:
		return errors.New("it has numbers and lists side by side")
	case depth == len(b.shape):
		b.shape, b.counts = append(b.shape, -1), append(b.counts, 0)
	}
	if depth > 0 {
		b.counts[depth-1]++
	}
	b.counts[depth] = 0
	return nil
}

// Close ends it.
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

// Int appends a whole number within so many lists.
func (b *Builder) Int(v int64, depth int) error {
	if b.float {
		return b.Float(float64(v), depth)
	}
	return b.number(uint64(v), depth)
}

// Float appends a number within so many lists.
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
		return errors.New("it has numbers and lists side by side")
	}
	if len(b.data) >= MaxBytes {
		return fmt.Errorf("it takes more than %d bytes", MaxBytes)
	}
	b.bottom = depth
	b.counts[depth-1]++
	b.data = binary.LittleEndian.AppendUint64(b.data, bits)
	return nil
}

// Done is the array. Without numbers it is one of Float64.
func (b *Builder) Done() *Tensor {
	kind := Int64
	if b.float || len(b.data) == 0 {
		kind = Float64
	}
	return &Tensor{Kind: kind, Shape: b.shape, Data: b.data}
}

// NotFinite is the error of a number that a text of lists has no form for.
type NotFinite struct{ Value float64 }

func (e *NotFinite) Error() string {
	return fmt.Sprintf("it holds %v, for which JSON has no form", e.Value)
}

// MarshalJSON writes lists within lists.
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

// appendJSON writes the part of an array from the i-th element on that has the axes
// from one on, and gives the element behind it.
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
