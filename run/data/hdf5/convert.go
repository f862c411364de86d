package hdf5

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/pentode-dev/pentode/internal/leaf/float16"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/index"
)

// converter converts elements of one type to another.
type converter struct {
	from, to int  // the size of an element of each type in bytes
	same     bool // no conversion is needed: the bytes are the same in both types
	partial  bool // some bytes of the destination are not written
	run      func(dst, src []byte, n int)
}

// compile returns the converter from one type to another. Numbers keep their value if the other type can
// hold it, and become the nearest one otherwise. Members of compounds are matched by name.
func compile(from, to Type) (converter, error) {
	c := converter{from: from.Size, to: to.Size}
	if from.Class == VarLen || to.Class == VarLen {
		return c, fmt.Errorf("%s has no bytes in memory", VarLen)
	}
	if from.Class != Compound && from.Class != Array && from.Equal(to) {
		return copyOf(from.Size), nil
	}
	switch {
	case from.numeric() && to.numeric():
		return compileNumber(from.number(), to.number())
	case from.character() && to.character() && from.Class != to.Class:
		return copyOf(1), nil
	case from.Class != to.Class:
	case from.Class == String:
		c.run = func(dst, src []byte, n int) {
			for range n {
				copyText(dst[:to.Size], src[:from.Size], from.Pad, to.Pad)
				dst, src = dst[to.Size:], src[from.Size:]
			}
		}
		return c, nil
	case from.Class == Compound:
		return compileCompound(from, to)
	case from.Class == Array:
		return compileArray(from, to)
	case from.Size == to.Size: // opaque, time, reference
		return copyOf(from.Size), nil
	}
	return c, fmt.Errorf("%s cannot become %s", from, to)
}

// character reports whether elements are single bytes, which some programs write as text and others as numbers.
func (t Type) character() bool { return t.Size == 1 && (t.Class == String || t.Class == Integer) }

func copyOf(size int) converter {
	return converter{from: size, to: size, same: true, run: func(dst, src []byte, n int) {
		copy(dst[:n*size], src[:n*size])
	}}
}

// copyText copies a fixed-length string with the padding of the destination.
func copyText(dst, src []byte, from, to Padding) {
	text := trimText(src, from)
	room := len(dst)
	if to == NullTerm {
		room--
	}
	n := copy(dst[:room], text)
	fill := byte(0)
	if to == SpacePad {
		fill = ' '
	}
	for i := n; i < len(dst); i++ {
		dst[i] = fill
	}
}

// trimText removes the padding of a fixed-length string.
func trimText(p []byte, pad Padding) []byte {
	if pad == SpacePad {
		return bytes.TrimRight(p, " ")
	}
	if pad == NullPad {
		return bytes.TrimRight(p, "\x00")
	}
	if i := bytes.IndexByte(p, 0); i >= 0 {
		return p[:i]
	}
	return p
}

// textsOf returns n stored texts, of fixed or variable length.
func textsOf(values *index.Values, t Type, raw []byte, n int) ([]string, error) {
	out := make([]string, n)
	switch {
	case t.Class == String:
		for i := range out {
			out[i] = string(trimText(raw[i*t.Size:(i+1)*t.Size], t.Pad))
		}
	case t.VarText():
		parts, err := values.Sequences(raw, n, t.Base.Size)
		if err != nil {
			return nil, err
		}
		// Elements may share one heap object: convert each object only once.
		seen := map[*byte]string{}
		for i, p := range parts {
			if len(p) == 0 {
				continue
			}
			s, ok := seen[&p[0]]
			if !ok {
				s = string(trimText(p[:cap(p)], NullTerm))
				seen[&p[0]] = s
			}
			out[i] = s[:min(len(p), len(s))]
		}
	default:
		return nil, fmt.Errorf("%s is not a string", t)
	}
	return out, nil
}

type memberMove struct {
	from, to int
	conv     converter
}

func compileCompound(from, to Type) (converter, error) {
	c := converter{from: from.Size, to: to.Size}
	byName := make(map[string]Member, len(from.Members))
	for _, m := range from.Members {
		byName[m.Name] = m
	}
	var moves []memberMove
	covered, same := 0, from.Size == to.Size
	for _, m := range to.Members {
		src, ok := byName[m.Name]
		if !ok {
			continue
		}
		conv, err := compile(src.Type, m.Type)
		if err != nil {
			return c, fmt.Errorf("member `%s`: %w", m.Name, err)
		}
		same = same && conv.same && src.Offset == m.Offset
		if !conv.partial {
			covered += m.Type.Size
		}
		if last := len(moves) - 1; last >= 0 && conv.same && moves[last].conv.same &&
			moves[last].from+moves[last].conv.from == src.Offset && moves[last].to+moves[last].conv.to == m.Offset {
			moves[last].conv = copyOf(moves[last].conv.from + conv.from)
			continue
		}
		moves = append(moves, memberMove{src.Offset, m.Offset, conv})
	}
	if len(moves) == 0 {
		return c, fmt.Errorf("%s and %s have no member in common", from, to)
	}
	if same && len(from.Members) == len(to.Members) && covered == sumOfMembers(to) {
		return copyOf(from.Size), nil
	}
	c.partial = covered < to.Size
	c.run = func(dst, src []byte, n int) {
		for i := range n {
			d, s := dst[i*to.Size:], src[i*from.Size:]
			for _, m := range moves {
				m.conv.run(d[m.to:], s[m.from:], 1)
			}
		}
	}
	return c, nil
}

func sumOfMembers(t Type) int {
	n := 0
	for _, m := range t.Members {
		n += m.Type.Size
	}
	return n
}

func compileArray(from, to Type) (converter, error) {
	count := 1
	for _, d := range from.Dims {
		count *= d
	}
	if len(from.Dims) != len(to.Dims) {
		return converter{}, fmt.Errorf("%s cannot become %s", from, to)
	}
	for i := range from.Dims {
		if from.Dims[i] != to.Dims[i] {
			return converter{}, fmt.Errorf("%s cannot become %s", from, to)
		}
	}
	c, err := compile(*from.Base, *to.Base)
	if err != nil {
		return c, err
	}
	if c.same {
		return copyOf(from.Size), nil
	}
	base := c.run
	c.from, c.to = from.Size, to.Size
	c.run = func(dst, src []byte, n int) { base(dst, src, n*count) }
	return c, nil
}

func (t Type) numeric() bool {
	switch t.Class {
	case Integer, Bitfield, Float, Enum:
		return true
	}
	return false
}

// number returns the type of an enum's values, or t itself.
func (t Type) number() Type {
	if t.Class == Enum {
		return *t.Base
	}
	return t
}

func (t Type) plain() bool { return t.precision() == 8*t.Size }

// value is a number during a conversion. kind says which of the other three fields contains it.
type value struct {
	kind uint8
	i    int64
	u    uint64
	f    float64
}

const (
	signed = iota
	unsigned
	floating
)

func compileNumber(from, to Type) (converter, error) {
	c := converter{from: from.Size, to: to.Size}
	alike := from.Size == to.Size && from.Signed == to.Signed && (from.Class == Float) == (to.Class == Float) &&
		from.plain() && to.plain() && (from.Class != Float || from.format() == to.format())
	if alike && from.Order == to.Order {
		return copyOf(from.Size), nil
	}
	if alike {
		c.run = swapper(from.Size)
		return c, nil
	}
	if from.Size > 16 || to.Size > 8 || to.Format != nil {
		return c, fmt.Errorf("%s cannot become %s", from, to)
	}
	load, store := loader(from), storer(to)
	if load == nil {
		return c, fmt.Errorf("%s cannot become %s", from, to)
	}
	c.run = func(dst, src []byte, n int) {
		for range n {
			store(dst, load(src))
			dst, src = dst[to.Size:], src[from.Size:]
		}
	}
	return c, nil
}

// swapper reverses the byte order of elements.
func swapper(size int) func(dst, src []byte, n int) {
	switch size {
	case 2:
		return func(dst, src []byte, n int) {
			for i := 0; i < 2*n; i += 2 {
				binary.LittleEndian.PutUint16(dst[i:], binary.BigEndian.Uint16(src[i:]))
			}
		}
	case 4:
		return func(dst, src []byte, n int) {
			for i := 0; i < 4*n; i += 4 {
				binary.LittleEndian.PutUint32(dst[i:], binary.BigEndian.Uint32(src[i:]))
			}
		}
	case 8:
		return func(dst, src []byte, n int) {
			for i := 0; i < 8*n; i += 8 {
				binary.LittleEndian.PutUint64(dst[i:], binary.BigEndian.Uint64(src[i:]))
			}
		}
	}
	return func(dst, src []byte, n int) {
		for range n {
			for i := range size {
				dst[i] = src[size-1-i]
			}
			dst, src = dst[size:], src[size:]
		}
	}
}

func loadBits(p []byte, size int, order Order) uint64 {
	var v uint64
	for i := range size {
		if order == BigEndian {
			v = v<<8 | uint64(p[i])
		} else {
			v |= uint64(p[i]) << (8 * i)
		}
	}
	return v
}

func storeBits(p []byte, size int, order Order, v uint64) {
	for i := range size {
		if order == BigEndian {
			p[size-1-i] = byte(v)
		} else {
			p[i] = byte(v)
		}
		v >>= 8
	}
}

// loader returns a function that reads a number, or nil if the type is too wide.
func loader(t Type) func([]byte) value {
	if t.Class == Float {
		return floatLoader(t)
	}
	if t.Size > 8 {
		return nil
	}
	size, order, shift := t.Size, t.Order, t.BitOffset
	spare := 64 - t.precision()
	if t.Signed {
		return func(p []byte) value {
			return value{kind: signed, i: int64(loadBits(p, size, order)>>shift<<spare) >> spare}
		}
	}
	return func(p []byte) value {
		return value{kind: unsigned, u: loadBits(p, size, order) >> shift << spare >> spare}
	}
}

func floatLoader(t Type) func([]byte) value {
	order := t.Order
	switch f := t.format(); {
	case f == ieeeDouble && t.Size == 8:
		return func(p []byte) value {
			return value{kind: floating, f: math.Float64frombits(loadBits(p, 8, order))}
		}
	case f == ieeeSingle && t.Size == 4:
		return func(p []byte) value {
			return value{kind: floating, f: float64(math.Float32frombits(uint32(loadBits(p, 4, order))))}
		}
	case f.ManSize > 64 || f.ExpSize > 16 || t.Size > 16:
		return nil
	default:
		return func(p []byte) value { return value{kind: floating, f: f.decode(p[:t.Size], order)} }
	}
}

// decode reads a float of any format with at most 64 bits of mantissa.
func (f FloatFormat) decode(p []byte, order Order) float64 {
	var wide [16]byte
	for i := range p {
		if order == BigEndian {
			wide[i] = p[len(p)-1-i]
		} else {
			wide[i] = p[i]
		}
	}
	lo, hi := binary.LittleEndian.Uint64(wide[:]), binary.LittleEndian.Uint64(wide[8:])
	field := func(pos, size uint8) uint64 {
		v := lo>>pos | hi<<(64-uint(pos))
		if pos >= 64 {
			v = hi >> (pos - 64)
		}
		if size < 64 {
			v &= 1<<size - 1
		}
		return v
	}
	man, exp := field(f.ManPos, f.ManSize), field(f.ExpPos, f.ExpSize)
	var x float64
	switch top := uint64(1)<<f.ExpSize - 1; {
	case exp == top && (man == 0 || !f.Implied && man<<(65-f.ManSize) == 0):
		x = math.Inf(1)
	case exp == top:
		return math.NaN()
	default:
		scale := int(exp) - int(f.Bias) - int(f.ManSize)
		if !f.Implied {
			scale++
		} else if exp == 0 {
			scale++
		}
		x = math.Ldexp(float64(man), scale)
		if f.Implied && exp != 0 {
			x += math.Ldexp(1, int(exp)-int(f.Bias))
		}
	}
	if field(f.Sign, 1) == 1 {
		return -x
	}
	return x
}

// storer returns a function that writes a number, rounded to the nearest value of the type.
func storer(t Type) func([]byte, value) {
	size, order := t.Size, t.Order
	if t.Class == Float {
		return func(p []byte, v value) {
			x := v.float()
			switch size {
			case 2:
				storeBits(p, 2, order, uint64(float16.Bits(x)))
			case 4:
				storeBits(p, 4, order, uint64(math.Float32bits(float32(x))))
			default:
				storeBits(p, 8, order, math.Float64bits(x))
			}
		}
	}
	shift, width := t.BitOffset, t.precision()
	mask := ^uint64(0) >> (64 - width) << shift
	if t.Signed {
		limit := int64(1)<<(width-1) - 1
		return func(p []byte, v value) { storeBits(p, size, order, uint64(v.int(limit))<<shift&mask) }
	}
	limit := ^uint64(0) >> (64 - width)
	return func(p []byte, v value) { storeBits(p, size, order, v.uint(limit)<<shift&mask) }
}

func (v value) float() float64 {
	switch v.kind {
	case signed:
		return float64(v.i)
	case unsigned:
		return float64(v.u)
	}
	return v.f
}

func (v value) int(limit int64) int64 {
	switch v.kind {
	case signed:
		return max(-limit-1, min(limit, v.i))
	case unsigned:
		return int64(min(uint64(limit), v.u))
	}
	switch {
	case v.f != v.f:
		return 0
	case v.f >= float64(limit):
		return limit
	case v.f <= float64(-limit-1):
		return -limit - 1
	}
	return int64(v.f)
}

func (v value) uint(limit uint64) uint64 {
	switch v.kind {
	case signed:
		return min(limit, uint64(max(0, v.i)))
	case unsigned:
		return min(limit, v.u)
	}
	switch {
	case !(v.f > 0):
		return 0
	case v.f >= float64(limit):
		return limit
	}
	return uint64(v.f)
}
