package data

import "github.com/pentode-dev/pentode/run/data/expr"

// Deref finds the memory that a pointer leads to: a part of something that was
// shared or made known with Reveal. Any other address is refused.
func (s *Store) Deref(ptr expr.Datum) (expr.Datum, error) {
	at := s.options.Machine.bits(ptr.Bytes[:ptr.Type.Size])
	b, err := s.follow(at, int64(ptr.Type.To.Size))
	if err != nil {
		return expr.Datum{}, err
	}
	return expr.Datum{Type: ptr.Type.To, Bytes: b, Big: ptr.Big}, nil
}

// Follow returns the memory that a pointer in b leads to.
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
	return nil, Errorf(StatusPermission, nil, "the pointer leads to %#x, which is no memory that the store was shown", at)
}

// Reveal shows the store memory that pointers in shared data lead into; without
// that, only shared memory itself is followed.
func (s *Store) Reveal(value any) error {
	b, err := memoryOf(value, Out)
	if err == nil && b != nil {
		s.known = append(s.known, b)
	}
	return err
}

// Flat is a dense form of a value in memory of its own, with what pointers lead
// to in their place. It stays connected to the value: bytes go both ways.
type Flat struct {
	Type  Type
	Bytes []byte
	runs  [][2][]byte // in Bytes, in the value's memory
}

// Flatten makes the flat form of a value without copying it yet.
func (s *Store) Flatten(t Type, memory []byte) (*Flat, error) {
	return s.flatten(t, memory, &Memory{})
}

// FlattenToShare is Flatten for a form that is going to be shared.
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

// Pack copies the value into its flat form, Unpack copies it back.
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

// flatten densifies a type and puts the targets of pointers where those stand. Attributes stay, as the
// original program keeps them: a record has its name in netCDF files from one.
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

// maxAllocation bounds the memory that the store makes for one value.
const maxAllocation = 1 << 32

// Allocate makes zeroed memory for a value.
func Allocate(t Type) ([]byte, error) { return allocate(&Memory{}, t) }

// Allocate makes zeroed memory for a value that is going to be shared.
func (s *Store) Allocate(t Type) ([]byte, error) { return allocate(&s.options.Host.Memory, t) }

func allocate(m *Memory, t Type) ([]byte, error) {
	if !t.fits() || t.Size() > maxAllocation {
		return nil, Errorf(StatusSystem, nil, "a value of %d bytes is more than the store makes (at most %d)", uint64(t.Size()), int64(maxAllocation))
	}
	return m.alloc(t.Size())
}
