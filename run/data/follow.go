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
