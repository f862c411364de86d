package data

import (
	"bytes"
	"iter"
	"strconv"
)

// Field is one value found in a piece of memory.
type Field struct {
	Path         string // `pos[2]`, `head.name`; empty when the whole is one value
	Type         Type
	Offset, Size int64

	// Value is what Machine.Number returns, a string for an array of
	// char, or an address as uint64.
	Value any
}

// Decode reads memory as a value of type t and yields what it finds in the
// order of the type: every number with its path and its bytes. Only the parts of
// arrays that are in use are read.
func Decode(t Type, m *Machine, memory []byte) (iter.Seq[Field], error) {
	if !t.fits() {
		return nil, Errorf(StatusType, nil, "the type reaches outside its own buffer of %d bytes", t.Size())
	}
	if int64(len(memory)) < t.Size() {
		return nil, Errorf(StatusType, nil, "the type takes %d bytes, there are %d", t.Size(), len(memory))
	}
	return func(yield func(Field) bool) {
		d := decoder{machine: m, memory: memory, yield: yield}
		d.walk("", t, 0)
	}, nil
}

type decoder struct {
	machine *Machine
	memory  []byte
	yield   func(Field) bool
}

// walk reports whether to go on.
func (d *decoder) walk(path string, t Type, at int64) bool {
	f := Field{Path: path, Type: t, Offset: at, Size: t.Size()}
	b := d.memory[at : at+f.Size]
	switch t := t.(type) {
	case *Scalar:
		f.Value = d.machine.Number(t, b)
	case *Pointer:
		f.Value = d.machine.bits(b)
	case *Array:
		if t.IsText() {
			f.Value = t.Text(b)
			break
		}
		step := t.Elem.Size()
		if step == 0 {
			return true // there is nothing in it, however long it is
		}
		for i := range t.Used {
			if !d.walk(path+"["+strconv.FormatInt(i, 10)+"]", t.Elem, at+(t.Start+i)*step) {
				return false
			}
		}
		return true
	default:
		for i, m := range membersOf(t) {
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

// IsText reports whether an array holds characters.
func (a *Array) IsText() bool {
	s, ok := a.Elem.(*Scalar)
	return ok && s.size == 1 && (s.Name == "char" || s.Name == "character")
}

// Text is the part of a character array before its first NUL.
func (a *Array) Text(b []byte) string {
	b = b[a.Start : a.Start+a.Used]
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}
