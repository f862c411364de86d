package data

import (
	"bytes"
	"fmt"
	"iter"
	"strconv"
)

// Field is one value in a piece of memory, such as a number in an array of records.
type Field struct {
	Path         string // where the value is, such as `pos[2]` or `head.name`; empty if the memory holds a single value
	Type         Type
	Offset, Size int64

	// Value is a number as Machine.Number returns it, a string for an array of char, or the address in
	// a pointer as uint64.
	Value any
}

// ValueText formats the value of a field for people. Texts are quoted; a missing value is shown as a
// dash.
func ValueText(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case nil:
		return "–"
	}
	return fmt.Sprint(v)
}

// Decode reads memory as a value of type t. It yields every number with its path and its bytes, in the
// order of the type. Unused parts of arrays are skipped.
func Decode(t Type, m *Machine, memory []byte) (iter.Seq[Field], error) {
	if int64(len(memory)) < t.Size() {
		return nil, Errorf(StatusType, nil, "the type takes %d bytes, there are %d", t.Size(), len(memory))
	}
	return DecodeAll(t, m, 1, memory[:t.Size()], 0)
}

// DecodeAll decodes a part of count consecutive values of type t. memory is that part; it begins at
// byte from of the whole. DecodeAll yields only the fields that lie in the part at least partly, and its
// cost does not depend on the rest. A number of which bytes are missing has no value, and a text that is
// cut off has its available characters. If count is more than 1, paths begin with the index of the
// value.
func DecodeAll(t Type, m *Machine, count int64, memory []byte, from int64) (iter.Seq[Field], error) {
	if !t.fits() {
		return nil, Errorf(StatusType, nil, "the type reaches outside its own buffer of %d bytes", t.Size())
	}
	return func(yield func(Field) bool) {
		d := decoder{machine: m, memory: memory, from: from, yield: yield}
		if count == 1 {
			d.walk("", t, 0)
			return
		}
		d.elements("", t, 0, count)
	}, nil
}

type decoder struct {
	machine *Machine
	memory  []byte
	from    int64 // the offset of memory in the whole
	yield   func(Field) bool
}

// meets reports whether at least some bytes of the range lie in memory.
func (d *decoder) meets(at, size int64) bool {
	end := d.from + int64(len(d.memory))
	return at < end && at+size > d.from || size == 0 && at >= d.from && at <= end
}

// part returns those bytes of a range that lie in memory.
func (d *decoder) part(at, size int64) []byte {
	first, last := max(at-d.from, 0), min(at+size-d.from, int64(len(d.memory)))
	return d.memory[min(first, last):last]
}

// walk yields the fields of a value of type t at an offset. It returns false if the caller of the
// iterator has stopped.
func (d *decoder) walk(path string, t Type, at int64) bool {
	f := Field{Path: path, Type: t, Offset: at, Size: t.Size()}
	b := d.part(at, f.Size)
	whole := int64(len(b)) == f.Size
	switch t := t.(type) {
	case *Scalar:
		if whole {
			f.Value = d.machine.Number(t, b)
		}
	case *Pointer:
		if whole {
			f.Value = d.machine.bits(b)
		}
	case *Array:
		if t.IsText() {
			f.Value = textOf(d.part(at+t.Start, t.Used))
			break
		}
		return d.elements(path, t.Elem, at+t.Start*t.Elem.Size(), t.Used)
	default:
		for i, m := range membersOf(t) {
			if !d.meets(at+m.Offset, m.Type.Size()) {
				continue
			}
			name := memberName(m.Name, i)
			if path != "" && m.Name != "" {
				name = "." + name
			}
			if !d.walk(path+name, m.Type, at+m.Offset) {
				return false
			}
		}
		return true
	}
	return d.yield(f)
}

// elements walks n elements and skips those outside memory.
func (d *decoder) elements(path string, t Type, at, n int64) bool {
	step := t.Size()
	if step == 0 {
		return true // elements of size 0 have no fields, so do not walk them: there may be very many
	}
	for i := max(0, (d.from-at)/step); i < n && d.meets(at+i*step, step); i++ {
		if !d.walk(path+"["+strconv.FormatInt(i, 10)+"]", t, at+i*step) {
			return false
		}
	}
	return true
}

// IsText reports whether an array holds characters.
func (a *Array) IsText() bool {
	s, ok := a.Elem.(*Scalar)
	return ok && s.size == 1 && (s.Name == "char" || s.Name == "character")
}

// Text returns the characters before the first NUL.
func (a *Array) Text(b []byte) string {
	return textOf(b[a.Start : a.Start+a.Used])
}

func textOf(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}
