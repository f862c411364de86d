package report

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"

	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// Size holds the calls of an MPI function whose messages have similar sizes: at least From bytes, and less than twice as many.
type Size struct {
	Call  string `json:"call"`
	From  uint64 `json:"from_bytes"`
	Count uint64 `json:"count"`
	Bytes uint64 `json:"bytes"`
	Total int64  `json:"total_ns"`
}

type sizeKey struct {
	call string
	size int // the position of the highest bit
}

// size counts a call that has ended. The number of bytes received is known at the end of the call;
// the size of the buffer is known at its begin.
func (m *maker) size(f *recorded.Frame, e *recorded.Event, bytes uint64, took int64) {
	if n, ok := e.Bytes(); ok {
		bytes = n
	} else if !f.Kind.Sized() {
		return
	}
	k := sizeKey{f.Name, bits.Len64(bytes)}
	s := m.sizes[k]
	if s == nil {
		s = &Size{Call: k.call}
		if k.size > 0 {
			s.From = 1 << (k.size - 1)
		}
		m.sizes[k] = s
	}
	s.Count++
	s.Bytes += bytes
	s.Total += took
}

// sizesOf returns all sizes, sorted by call and size.
func sizesOf(m map[sizeKey]*Size) []Size {
	var list []Size
	for s := range maps.Values(m) {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b Size) int { return cmp.Or(cmp.Compare(a.Call, b.Call), cmp.Compare(a.From, b.From)) })
	return list
}
