package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// A Memory provides room for large payloads in memory shared with the receiver.
type Memory interface {
	// Take returns a block of n bytes, its number and its offset, or false if there is no room.
	Take(n int) (buf []byte, block uint32, offset uint64, ok bool)
}

// An Encoder appends values to Buf.
type Encoder struct {
	Buf    []byte
	Memory Memory // shared memory for large payloads; nil: everything goes to Buf
	Images bool   // send arrays that may be images as images, because Python represents grey images by two axes
}

var order = binary.LittleEndian

func (e *Encoder) u8(v byte) { e.Buf = append(e.Buf, v) }

// U32 appends a 32-bit number.
func (e *Encoder) U32(v int) { e.Buf = order.AppendUint32(e.Buf, uint32(v)) }

func (e *Encoder) u64(v uint64)  { e.Buf = order.AppendUint64(e.Buf, v) }
func (e *Encoder) text(s string) { e.U32(len(s)); e.Buf = append(e.Buf, s...) }

// Column appends data of one port for several steps.
func (e *Encoder) Column(list []flow.Datum) error {
	form := byte(mixed)
	for i, d := range list {
		f := byte(mixed)
		switch d.Value().(type) {
		case int64:
			f = ints
		case float64:
			f = floats
		}
		if i > 0 && f != form {
			f = mixed
		}
		if form = f; form == mixed {
			break
		}
	}
	e.u8(form)
	for _, d := range list {
		switch form {
		case ints:
			e.u64(uint64(d.Int()))
		case floats:
			e.u64(math.Float64bits(d.Float()))
		default:
			if err := e.Datum(d); err != nil {
				return err
			}
		}
	}
	return nil
}

// Datum appends a datum.
func (e *Encoder) Datum(d flow.Datum) error {
	switch d.Kind() {
	case flow.ErrorKind:
		e.u8(kindError)
		e.text(d.Why())
		return nil
	case flow.FlushKind:
		e.u8(kindFlush)
		return nil
	case flow.DataKind:
		return e.value(d.Value(), 0)
	}
	e.u8(kindEmpty)
	return nil
}

func (e *Encoder) value(v any, depth int) error {
	if depth > MaxDepth {
		return fmt.Errorf("a value has more than %d levels", MaxDepth)
	}
	switch v := v.(type) {
	case nil:
		e.u8(kindEmpty)
	case bool:
		e.u8(kindBool)
		e.u8(0)
		if v {
			e.Buf[len(e.Buf)-1] = 1
		}
	case int:
		return e.value(int64(v), depth)
	case int64:
		e.u8(kindInt)
		e.u64(uint64(v))
	case uint64:
		if v > math.MaxInt64 {
			return fmt.Errorf("the number %d is larger than the largest whole number", v)
		}
		return e.value(int64(v), depth)
	case float64:
		e.u8(kindFloat)
		e.u64(math.Float64bits(v))
	case string:
		e.u8(kindText)
		e.text(v)
	case []byte:
		e.u8(kindBytes)
		copy(e.payload(len(v)), v)
	case *tensor.Tensor:
		e.u8(e.kindOf(v))
		copy(e.array(v.Kind, v.Shape...), v.Data)
	case []any:
		return list(e, v, depth)
	case []string:
		return list(e, v, depth)
	case []float64:
		return list(e, v, depth)
	case map[string]any:
		return e.record("", v, depth)
	default:
		if name, members, ok := Record(v); ok {
			return e.record(name, members, depth)
		}
		return errors.New("a value of this type has no binary form")
	}
	return nil
}

func list[T any](e *Encoder, list []T, depth int) error {
	e.u8(kindList)
	e.U32(len(list))
	for _, x := range list {
		if err := e.value(x, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (e *Encoder) record(name string, members map[string]any, depth int) error {
	e.u8(kindRecord)
	e.text(name)
	e.U32(len(members))
	for _, key := range slices.Sorted(maps.Keys(members)) {
		e.text(key)
		if err := e.value(members[key], depth+1); err != nil {
			return err
		}
	}
	return nil
}

// kindOf returns the kind with which an array is sent: image or array.
func (e *Encoder) kindOf(t *tensor.Tensor) byte {
	if n := len(t.Shape); e.Images && (n == 2 || n == 3 && 1 <= t.Shape[2] && t.Shape[2] <= 4) {
		return kindImage
	}
	return kindTensor
}

// array appends the header of a packed array and returns the space for its elements.
func (e *Encoder) array(kind tensor.Kind, shape ...int) []byte {
	e.u8(byte(kind))
	e.u8(byte(len(shape)))
	size := kind.Size()
	for _, n := range shape {
		e.u64(uint64(n))
		size *= n
	}
	stride := size
	for _, n := range shape {
		if n > 0 {
			stride /= n
		}
		e.u64(uint64(stride))
	}
	return e.payload(size)
}

// payload appends n bytes, or a reference to n bytes of shared memory, and returns the space
// for them.
func (e *Encoder) payload(n int) []byte {
	if e.Memory != nil && n >= Large {
		if buf, block, offset, ok := e.Memory.Take(n); ok {
			e.u8(shared)
			e.U32(int(block))
			e.u64(offset)
			e.u64(uint64(n))
			return buf
		}
	}
	e.u8(inline)
	e.U32(n)
	at := len(e.Buf)
	e.Buf = slices.Grow(e.Buf, n)[:at+n]
	return e.Buf[at:]
}
