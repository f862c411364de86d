package hdf5

import (
	"bytes"
	"fmt"
)

// converter turns elements of one type into another.
type converter struct {
	from, to int  // bytes of an element on either side
	same     bool // both sides have the same bytes
	partial  bool // some bytes of the destination keep what they were
	run      func(dst, src []byte, n int)
}

// compile finds how elements of one type become another. Numbers keep their
// value as far as the other type can hold it, the nearest one otherwise;
// members of compounds are matched by name.
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

// character reports whether elements are single bytes, which one program calls a text and another a number.
func (t Type) character() bool { return t.Size == 1 && (t.Class == String || t.Class == Integer) }

func copyOf(size int) converter {
	return converter{from: size, to: size, same: true, run: func(dst, src []byte, n int) {
		copy(dst[:n*size], src[:n*size])
	}}
}

// copyText copies a fixed-length string with the other side's padding.
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

// trimText takes the padding from a fixed-length string.
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
