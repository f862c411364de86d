package hdf5

import (
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
)

// Unlimited is a maximum dimension that lets a dataset grow without limit.
const Unlimited = ^uint64(0)

// Space is the shape of a dataset or attribute. The zero Space is a scalar.
type Space struct {
	Dims    []uint64
	MaxDims []uint64 // nil: the same as Dims
	Null    bool     // no elements at all
}

// Len returns the number of elements. It does not overflow for a Space that was read or checked.
func (s Space) Len() uint64 {
	if s.Null {
		return 0
	}
	n, _ := product(s.Dims)
	return n
}

// Slab selects a box of elements: Count elements from Start on, in each dimension. A nil
// Start is the origin, and a nil Count means everything from Start on.
type Slab struct {
	Start, Count []uint64
}

// Memory describes the layout of the caller's bytes. Zero fields mean the type of the
// file, the shape of the selection in the file, and all of that shape.
type Memory struct {
	Type Type
	Dims []uint64
	Slab Slab
}

func (s Space) check() error {
	if s.Null && len(s.Dims) > 0 {
		return fmt.Errorf("a null shape has no dimensions, not %v", s.Dims)
	}
	if len(s.Dims) > maxRank {
		return fmt.Errorf("%d dimensions, expected at most %d", len(s.Dims), maxRank)
	}
	if _, ok := product(s.Dims); !ok {
		return fmt.Errorf("dimensions %v hold too many elements", s.Dims)
	}
	if s.MaxDims == nil {
		return nil
	}
	if len(s.MaxDims) != len(s.Dims) {
		return fmt.Errorf("%d maximum dimensions for %d dimensions", len(s.MaxDims), len(s.Dims))
	}
	for i, m := range s.MaxDims {
		if m < s.Dims[i] {
			return fmt.Errorf("maximum dimension %d is smaller than dimension %d", m, s.Dims[i])
		}
	}
	return nil
}

func (s Space) extendible() bool { return s.MaxDims != nil && !slices.Equal(s.MaxDims, s.Dims) }

// within fills in the defaults of a selection and checks it against the shape that it
// selects from.
func (s Slab) within(dims []uint64) (Slab, error) {
	if s.Start == nil {
		s.Start = make([]uint64, len(dims))
	}
	if len(s.Start) != len(dims) || s.Count != nil && len(s.Count) != len(dims) {
		return s, fmt.Errorf("selection has %d dimensions, expected %d", max(len(s.Start), len(s.Count)), len(dims))
	}
	if s.Count == nil {
		s.Count = make([]uint64, len(dims))
		for i, d := range dims {
			if s.Start[i] <= d {
				s.Count[i] = d - s.Start[i]
			}
		}
	}
	for i, d := range dims {
		if s.Start[i] > d || s.Count[i] > d-s.Start[i] {
			return s, fmt.Errorf("selection of %d from %d on does not fit in dimension %d, which has %d", s.Count[i], s.Start[i], i, d)
		}
	}
	return s, nil
}

// slabRuns calls fn for the pieces of a selection in one block of a dataset that are
// contiguous both in the block and in the selection. at is the index of a piece's first
// element in the block, ordinal its index in the selection.
func slabRuns(origin, shape []uint64, slab Slab, fn func(at, ordinal, n uint64) error) error {
	rank := len(shape)
	if rank == 0 {
		return fn(0, 0, 1)
	}
	var lo, num, blockStep, slabStep [maxRank]uint64
	for i := range shape {
		from := max(origin[i], slab.Start[i])
		to := min(origin[i]+shape[i], slab.Start[i]+slab.Count[i])
		if to <= from {
			return nil
		}
		lo[i], num[i] = from, to-from
	}
	step, ord := uint64(1), uint64(1)
	for i := rank - 1; i >= 0; i-- {
		blockStep[i], slabStep[i] = step, ord
		step *= shape[i]
		ord *= slab.Count[i]
	}
	// Inner dimensions that are covered completely on both sides belong to one run.
	inner := rank - 1
	for inner > 0 && num[inner] == shape[inner] && num[inner] == slab.Count[inner] {
		inner--
	}
	run := num[inner] * blockStep[inner]
	var at, ordinal uint64
	for i := range shape {
		at += (lo[i] - origin[i]) * blockStep[i]
		ordinal += (lo[i] - slab.Start[i]) * slabStep[i]
	}
	var pos [maxRank]uint64
	for {
		if err := fn(at, ordinal, run); err != nil {
			return err
		}
		i := inner - 1
		for ; i >= 0; i-- {
			pos[i]++
			at += blockStep[i]
			ordinal += slabStep[i]
			if pos[i] < num[i] {
				break
			}
			at -= pos[i] * blockStep[i]
			ordinal -= pos[i] * slabStep[i]
			pos[i] = 0
		}
		if i < 0 {
			return nil
		}
	}
}

// ordinals maps positions in a selection of memory to element indexes.
type ordinals struct {
	dims []uint64
	slab Slab
	run  uint64 // elements that are contiguous in memory
	in   int    // the dimension whose count ends a run
}

func newOrdinals(dims []uint64, slab Slab) ordinals {
	o := ordinals{dims: dims, slab: slab, run: 1, in: len(dims)}
	for o.in > 0 {
		o.in--
		o.run *= slab.Count[o.in]
		if slab.Count[o.in] != dims[o.in] {
			break
		}
	}
	return o
}

// each calls fn for the contiguous pieces of n elements from ordinal on.
func (o ordinals) each(ordinal, n uint64, fn func(at, n uint64) error) error {
	for n > 0 {
		rest, at, step := ordinal, uint64(0), uint64(1)
		for i := len(o.dims) - 1; i >= 0; i-- {
			at += (o.slab.Start[i] + rest%o.slab.Count[i]) * step
			rest /= o.slab.Count[i]
			step *= o.dims[i]
		}
		k := min(n, o.run-ordinal%o.run)
		if err := fn(at, k); err != nil {
			return err
		}
		ordinal += k
		n -= k
	}
	return nil
}

func decodeSpace(c *field.Cursor) (Space, error) {
	version, rank, flags := c.U8(), int(c.U8()), c.U8()
	var s Space
	switch version {
	case 1:
		c.Skip(5)
	case 2:
		s.Null = c.U8() == 2
	default:
		return s, fmt.Errorf("dataspace has version %d, expected 1 or 2", version)
	}
	if rank > maxRank {
		return s, fmt.Errorf("dataspace has %d dimensions, expected at most %d", rank, maxRank)
	}
	for range rank {
		s.Dims = append(s.Dims, c.Length())
	}
	if flags&1 != 0 {
		for range rank {
			m := c.Length()
			if n := c.LengthSize; n < 8 && m == 1<<(8*n)-1 {
				m = Unlimited
			}
			s.MaxDims = append(s.MaxDims, m)
		}
	}
	if c.Err != nil {
		return s, fmt.Errorf("dataspace: %w", c.Err)
	}
	if err := s.check(); err != nil {
		return s, fmt.Errorf("dataspace: %w", err)
	}
	return s, nil
}

func (s Space) encode() []byte {
	var b field.Builder
	kind := uint8(1)
	if s.Null {
		kind = 2
	} else if len(s.Dims) == 0 {
		kind = 0
	}
	flags := uint8(0)
	if s.MaxDims != nil {
		flags = 1
	}
	b.U8(2, uint8(len(s.Dims)), flags, kind)
	for _, d := range s.Dims {
		b.U64(d)
	}
	for _, d := range s.MaxDims {
		b.U64(d)
	}
	return b
}
