package data

import (
	"bytes"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
)

// JSON writes values as JSON: numbers, arrays, and objects whose keys are in the order of
// the members. A number that JSON cannot represent becomes null.
type JSON struct {
	Machine *Machine

	// Indent is the indentation of nested values, which then begin on new lines. A list
	// of numbers stays on one line. If Indent is empty, everything is on one line.
	Indent string

	// Deref returns the memory that a pointer points to. If Deref is nil or returns nil,
	// the pointer is written as null.
	Deref func(p *Pointer, b []byte) []byte

	// TextList writes characters as the original program's plugin does: an array of char
	// becomes a list with one string, and a single char becomes a string.
	TextList bool

	// Spread writes every number on its own line and sorts members by name, as the
	// original program's plugin does.
	Spread bool
}

// Append appends the JSON of a value of type t to dst. memory must be large enough for t.
func (j *JSON) Append(dst []byte, t Type, memory []byte) []byte {
	return j.append(dst, t, memory, "\n", 0)
}

// AppendObject appends an object with one member.
func (j *JSON) AppendObject(dst []byte, name string, t Type, memory []byte) []byte {
	return j.appendList(dst, 1, '{', '}', "\n", false, func(dst []byte, _ int, line string) []byte {
		dst = append(appendString(dst, name), ':', ' ')
		return j.append(dst, t, memory, line, 0)
	})
}

func (j *JSON) append(dst []byte, t Type, b []byte, line string, depth int) []byte {
	switch t := t.(type) {
	case *Scalar:
		if j.TextList && t.Kind == Unsigned && t.size == 1 {
			return appendString(dst, string(rune(b[0])))
		}
		return appendNumber(dst, j.Machine.Number(t, b))
	case *Array:
		return j.appendArray(dst, t, b, line, depth)
	case *Record:
		return j.appendMembers(dst, t.Members, b, line, depth, true)
	case *Tuple:
		return j.appendMembers(dst, t.Elements, b, line, depth, false)
	case *Pointer:
		if j.Deref != nil && depth < maxDepth {
			if target := j.Deref(t, b); target != nil {
				return j.append(dst, t.Elem, target, line, depth+1)
			}
		}
	}
	return append(dst, "null"...)
}

func (j *JSON) appendArray(dst []byte, t *Array, b []byte, line string, depth int) []byte {
	if t.IsText() {
		if j.TextList {
			return j.appendList(dst, 1, '[', ']', line, true, func(dst []byte, _ int, _ string) []byte {
				return appendString(dst, t.Text(b))
			})
		}
		return appendString(dst, t.Text(b))
	}
	_, flat := t.Elem.(*Scalar)
	step, n := t.Elem.Size(), int(t.Used)
	if step == 0 {
		n = 0 // elements of size 0 are left out
	}
	return j.appendList(dst, n, '[', ']', line, flat, func(dst []byte, i int, line string) []byte {
		at := (t.Start + int64(i)) * step
		return j.append(dst, t.Elem, b[at:at+step], line, depth+1)
	})
}

func (j *JSON) appendMembers(dst []byte, members []Member, b []byte, line string, depth int, named bool) []byte {
	open, end := byte('['), byte(']')
	if named {
		open, end = '{', '}'
	}
	if named && j.Spread {
		members = slices.SortedStableFunc(slices.Values(members), func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	}
	return j.appendList(dst, len(members), open, end, line, false, func(dst []byte, i int, line string) []byte {
		m := members[i]
		if named {
			dst = append(appendString(dst, m.Name), ':')
			if j.Indent != "" {
				dst = append(dst, ' ')
			}
		}
		return j.append(dst, m.Type, b[m.Offset:m.Offset+m.Type.Size()], line, depth+1)
	})
}

// appendList appends n items between the brackets open and end. If flat is set, all items
// are on one line.
func (j *JSON) appendList(dst []byte, n int, open, end byte, line string, flat bool, item func([]byte, int, string) []byte) []byte {
	dst = append(dst, open)
	flat = flat && !j.Spread
	inner := line
	if j.Indent != "" {
		inner += j.Indent
	}
	lines := j.Indent != "" && !flat && n > 0
	for i := range n {
		switch {
		case i > 0 && j.Indent != "" && flat:
			dst = append(dst, ", "...)
		case i > 0:
			dst = append(dst, ',')
		}
		if lines {
			dst = append(dst, inner...)
		}
		dst = item(dst, i, inner)
	}
	if lines {
		dst = append(dst, line...)
	}
	return append(dst, end)
}

func appendNumber(dst []byte, v any) []byte {
	switch v := v.(type) {
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case uint64:
		return strconv.AppendUint(dst, v, 10)
	case *big.Int:
		return v.Append(dst, 10)
	case float32:
		return appendFloat(dst, float64(v), 32)
	case float64:
		return appendFloat(dst, v, 64)
	}
	return append(dst, "null"...)
}

func appendFloat(dst []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'g', -1, bits)
	if !bytes.ContainsAny(dst[start:], ".e") {
		dst = append(dst, ".0"...) // so that readers recognise a float
	}
	return dst
}

func appendString(dst []byte, s string) []byte {
	return jsontext.Append(dst, s)
}
