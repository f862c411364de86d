package data

import "github.com/pentode-dev/pentode/run/data/expr"

// Deref returns the memory that a pointer points to. The memory must be part of shared data, or have
// been added by Reveal; any other address is an error.
func (s *Store) Deref(ptr expr.Datum) (expr.Datum, error) {
	at := s.options.Machine.bits(ptr.Bytes[:ptr.Type.Size])
	b, err := s.follow(at, int64(ptr.Type.To.Size))
	if err != nil {
		return expr.Datum{}, err
	}
	return expr.Datum{Type: ptr.Type.To, Bytes: b, Big: ptr.Big}, nil
}

// Follow returns the memory to which the pointer stored in b points.
func (s *Store) Follow(p *Pointer, b []byte) ([]byte, error) {
	return s.follow(s.options.Machine.bits(b[:p.size]), p.Elem.Size())
}

func (s *Store) follow(at uint64, size int64) ([]byte, error) {
	if at == 0 {
		return nil, Errorf(StatusPermission, nil, "the pointer is null")
	}
	inside := func(b []byte) []byte {
		base := address(b)
		if len(b) == 0 || at < base || at-base > uint64(len(b)) || uint64(len(b))-(at-base) < uint64(size) {
			return nil
		}
		return b[at-base:][:size]
	}
	if f := s.options.Host.Memory.Follow; f != nil {
		return f(at, size), nil
	}
	for _, b := range s.known {
		if found := inside(b); found != nil {
			return found, nil
		}
	}
	for _, d := range s.order {
		for _, r := range d.stack {
			if !r.null && r.readable {
				if found := inside(r.bytes); found != nil {
					return found, nil
				}
			}
		}
	}
	return nil, Errorf(StatusPermission, nil, "the pointer leads to %#x, which is not in memory known to the store", at)
}

// Reveal adds memory to which pointers in shared data may point. By default, they may point only to
// other shared data.
func (s *Store) Reveal(value any) error {
	b, err := memoryOf(value, Out)
	if err == nil && b != nil {
		s.known = append(s.known, b)
	}
	return err
}

// Flat is a copy of a value in separate memory, without gaps, and with the target of each pointer in
// place of the pointer. Pack copies from the value to the flat form, and Unpack back.
type Flat struct {
	Type  Type
	Bytes []byte
	runs  [][2][]byte // pairs of byte ranges that correspond: the first in Bytes, the second in the memory of the value
}

// Flatten prepares the flat form of a value. It allocates the memory but does not copy the value; Pack
// does.
func (s *Store) Flatten(t Type, memory []byte) (*Flat, error) {
	return s.flatten(t, memory, &Memory{})
}

// FlattenToShare is Flatten, but allocates memory that can be shared with the program.
func (s *Store) FlattenToShare(t Type, memory []byte) (*Flat, error) {
	return s.flatten(t, memory, &s.options.Host.Memory)
}

func (s *Store) flatten(t Type, memory []byte, in *Memory) (*Flat, error) {
	if err := checkMemory(t, memory); err != nil {
		return nil, err
	}
	flat, err := flatten(t)
	if err != nil {
		return nil, err
	}
	f := &Flat{Type: flat}
	if f.Bytes, err = allocate(in, flat); err != nil {
		return nil, err
	}
	p := pairing{follow: s.Follow, run: func(d, m []byte) { f.runs = append(f.runs, [2][]byte{d, m}) }}
	return f, p.walk(f.Bytes, flat, memory, t)
}

// Pack copies the value into its flat form, and Unpack copies it back.
func (f *Flat) Pack() {
	for _, r := range f.runs {
		copy(r[0], r[1])
	}
}

func (f *Flat) Unpack() {
	for _, r := range f.runs {
		copy(r[1], r[0])
	}
}

// flatten returns a type without gaps in which pointers are replaced by what they point to. It keeps
// attributes, as the original program does: records take their names in netCDF files from them.
func flatten(t Type) (Type, error) {
	var failed error
	var change func(Type) Type
	change = func(t Type) Type {
		p, ok := t.(*Pointer)
		switch {
		case !ok:
			return rebuild(t, change).with(t.Attributes())
		case p.Back != "":
			failed = Errorf(StatusType, nil, "a `%s` leads back to itself and has no flat form", p.Back)
			return t
		}
		return change(p.Elem)
	}
	flat := change(t)
	if failed == nil {
		failed = bounded(nil, flat)
	}
	return flat, failed
}

// maxAllocation is the largest amount of memory in bytes that the store allocates for one value.
const maxAllocation = 1 << 32

// Allocate allocates zeroed memory for a value of type t.
func Allocate(t Type) ([]byte, error) { return allocate(&Memory{}, t) }

// Allocate allocates zeroed memory for a value that will be shared with the program.
func (s *Store) Allocate(t Type) ([]byte, error) { return allocate(&s.options.Host.Memory, t) }

func allocate(m *Memory, t Type) ([]byte, error) {
	if !t.fits() || t.Size() > maxAllocation {
		return nil, Errorf(StatusSystem, nil, "a value of %d bytes is larger than the limit of %d bytes", uint64(t.Size()), int64(maxAllocation))
	}
	return m.alloc(t.Size())
}
