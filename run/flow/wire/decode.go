package wire

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// A Decoder decodes values. It copies large arrays once, so the values do not refer to Buf or the
// shared memories.
type Decoder struct {
	Buf    []byte
	Theirs []byte // memory of the sender, shared with this side; nil: none
	Ours   []byte // memory of this side, for payloads that the sender returns by reference
}

var (
	errShort = errors.New("it ends too early")
	errDeep  = fmt.Errorf("a value has more than %d levels", MaxDepth)
)

func (d *Decoder) bytes(n uint64) ([]byte, error) {
	if n > uint64(len(d.Buf)) {
		return nil, errShort
	}
	p := d.Buf[:n]
	d.Buf = d.Buf[n:]
	return p, nil
}

// U8 reads a byte.
func (d *Decoder) U8() (byte, error) {
	p, err := d.bytes(1)
	if err != nil {
		return 0, err
	}
	return p[0], nil
}

// U32 reads a 32-bit number.
func (d *Decoder) U32() (uint32, error) {
	p, err := d.bytes(4)
	if err != nil {
		return 0, err
	}
	return order.Uint32(p), nil
}

func (d *Decoder) u64() (uint64, error) {
	p, err := d.bytes(8)
	if err != nil {
		return 0, err
	}
	return order.Uint64(p), nil
}

// Text reads a string.
func (d *Decoder) Text() (string, error) {
	n, err := d.U32()
	if err != nil {
		return "", err
	}
	p, err := d.bytes(uint64(n))
	if err != nil {
		return "", err
	}
	if !utf8.Valid(p) {
		return "", errors.New("a text is not UTF-8")
	}
	return string(p), nil
}

// Column reads n data, which belong to one port.
func (d *Decoder) Column(n int) ([]flow.Datum, error) {
	form, err := d.U8()
	if err != nil {
		return nil, err
	}
	if form != mixed && form != ints && form != floats {
		return nil, fmt.Errorf("unknown form %d of a column", form)
	}
	if n > len(d.Buf) {
		return nil, errShort
	}
	list := make([]flow.Datum, n)
	for i := range list {
		if form == mixed {
			list[i], err = d.Datum()
		} else {
			list[i], err = d.number(form == floats)
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (d *Decoder) number(float bool) (flow.Datum, error) {
	bits, err := d.u64()
	if float {
		return flow.OfFloat(math.Float64frombits(bits)), err
	}
	return flow.OfInt(int64(bits)), err
}

// Datum reads a datum.
func (d *Decoder) Datum() (flow.Datum, error) {
	kind, err := d.U8()
	if err != nil {
		return flow.Datum{}, err
	}
	switch kind {
	case kindEmpty:
		return flow.OfEmpty(), nil
	case kindError:
		why, err := d.Text()
		return flow.OfError(why), err
	case kindFlush:
		return flow.OfFlush(), nil
	case kindInt, kindFloat:
		return d.number(kind == kindFloat)
	}
	v, err := d.value(kind, 0)
	return flow.Of(v), err
}

func (d *Decoder) any(depth int) (any, error) {
	kind, err := d.U8()
	if err != nil {
		return nil, err
	}
	return d.value(kind, depth)
}

func (d *Decoder) value(kind byte, depth int) (any, error) {
	if depth > MaxDepth {
		return nil, errDeep
	}
	switch kind {
	case kindEmpty:
		return nil, nil
	case kindInt, kindFloat:
		n, err := d.number(kind == kindFloat)
		return n.Value(), err
	case kindText:
		return d.Text()
	case kindBytes:
		p, err := d.payload()
		return append([]byte{}, p...), err
	case kindBool:
		b, err := d.U8()
		return b != 0, err
	case kindTensor:
		return d.tensor()
	case kindImage:
		return d.image()
	case kindList:
		return d.list(depth)
	case kindRecord:
		return d.record(depth)
	}
	return nil, fmt.Errorf("unknown kind %d of a value", kind)
}

func (d *Decoder) list(depth int) (any, error) {
	n, err := d.U32()
	if err != nil {
		return nil, err
	}
	if uint64(n) > uint64(len(d.Buf)) {
		return nil, errShort
	}
	list := make([]any, n)
	for i := range list {
		if list[i], err = d.any(depth + 1); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (d *Decoder) record(depth int) (any, error) {
	name, err := d.Text()
	if err != nil {
		return nil, err
	}
	n, err := d.U32()
	if err != nil {
		return nil, err
	}
	if uint64(n) > uint64(len(d.Buf)) {
		return nil, errShort
	}
	members := make(map[string]any, n)
	for range n {
		key, err := d.Text()
		if err != nil {
			return nil, err
		}
		if members[key], err = d.any(depth + 1); err != nil {
			return nil, err
		}
	}
	return fromRecord(name, members)
}

// payload returns the bytes of a value. They are not copied, so the caller must copy them.
func (d *Decoder) payload() ([]byte, error) {
	where, err := d.U8()
	if err != nil {
		return nil, err
	}
	memory := d.Theirs
	switch where {
	case inline:
		n, err := d.U32()
		if err != nil {
			return nil, err
		}
		return d.bytes(uint64(n))
	case shared:
		if _, err := d.U32(); err != nil { // skip the block's number, which only the sender needs
			return nil, err
		}
	case returned:
		memory = d.Ours
	default:
		return nil, fmt.Errorf("unknown place %d of a payload", where)
	}
	offset, err := d.u64()
	if err != nil {
		return nil, err
	}
	n, err := d.u64()
	if err != nil {
		return nil, err
	}
	if size := uint64(len(memory)); offset > size || n > size-offset {
		return nil, fmt.Errorf("a payload of %d bytes at %d lies outside the shared memory of %d bytes", n, offset, size)
	}
	return memory[offset : offset+n], nil
}

func (d *Decoder) tensor() (*tensor.Tensor, error) {
	head, err := d.bytes(2)
	if err != nil {
		return nil, err
	}
	t := &tensor.Tensor{Kind: tensor.Kind(head[0])}
	dims := int(head[1])
	if t.Kind.Size() == 0 {
		return nil, fmt.Errorf("unknown kind %d of an array's elements", head[0])
	}
	if dims > tensor.MaxAxes {
		return nil, fmt.Errorf("an array has %d dimensions, more than %d", dims, tensor.MaxAxes)
	}
	size := uint64(t.Kind.Size())
	t.Shape = make([]int, dims)
	for i := range t.Shape {
		n, err := d.u64()
		if err != nil {
			return nil, err
		}
		if n > tensor.MaxBytes || size*n > tensor.MaxBytes {
			return nil, fmt.Errorf("an array is larger than %d bytes", tensor.MaxBytes)
		}
		size *= n
		t.Shape[i] = int(n)
	}
	strides := make([]int64, dims)
	for i := range strides {
		s, err := d.u64()
		if err != nil {
			return nil, err
		}
		strides[i] = int64(s)
	}
	data, err := d.payload()
	if err != nil {
		return nil, err
	}
	t.Data, err = gather(t, strides, data, int(size))
	return t, err
}

// gather copies the elements of an array, which need not be adjacent, into one block.
func gather(t *tensor.Tensor, strides []int64, data []byte, size int) ([]byte, error) {
	if size == 0 {
		return []byte{}, nil
	}
	want, packed := int64(size), true
	reach := int64(t.Kind.Size())
	for i, n := range t.Shape {
		if reach > int64(len(data)) {
			break
		}
		want /= int64(n)
		packed = packed && (n == 1 || strides[i] == want)
		if n > 1 && strides[i] <= 0 || strides[i] > tensor.MaxBytes {
			return nil, errors.New("an array's steps in memory must be positive")
		}
		reach += strides[i] * int64(n-1)
	}
	if reach > int64(len(data)) {
		return nil, fmt.Errorf("%v needs more than the %d bytes that were sent with it", t, len(data))
	}
	if packed {
		return bytes.Clone(data[:size]), nil // faster than make, which clears the memory first
	}
	g := gathering{data: data, shape: t.Shape, strides: strides, elem: t.Kind.Size(), out: make([]byte, 0, size)}
	g.axis(0, 0)
	return g.out, nil
}

// gathering is the state of gather while it copies.
type gathering struct {
	data    []byte
	shape   []int
	strides []int64
	elem    int
	out     []byte
}

func (g *gathering) axis(i int, at int64) {
	n, step := g.shape[i], g.strides[i]
	switch {
	case i < len(g.shape)-1:
		for range n {
			g.axis(i+1, at)
			at += step
		}
	case g.elem == 8:
		for range n {
			g.out = order.AppendUint64(g.out, order.Uint64(g.data[at:]))
			at += step
		}
	case g.elem == 4:
		for range n {
			g.out = order.AppendUint32(g.out, order.Uint32(g.data[at:]))
			at += step
		}
	default:
		for range n {
			g.out = append(g.out, g.data[at:at+int64(g.elem)]...)
			at += step
		}
	}
}

func (d *Decoder) image() (*tensor.Tensor, error) {
	t, err := d.tensor()
	if err != nil {
		return nil, err
	}
	if len(t.Shape) == 2 {
		t.Shape = append(t.Shape, 1)
	}
	if len(t.Shape) != 3 || t.Shape[2] < 1 || t.Shape[2] > 4 {
		return nil, fmt.Errorf("%v is not an image: expected height, width and 1 to 4 channels", t)
	}
	return t, nil
}
