package hdf5

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
)

// Extend grows a chunked dataset to a shape within its maximum. New elements have the fill value. If the
// file is open for reading only, the dataset grows only in memory.
func (d *Dataset) Extend(dims []uint64) error {
	s := d.data
	if d.disk.W != nil {
		if err := d.change(); err != nil {
			return d.wrap(err)
		}
	}
	if s.class != layoutChunked || len(dims) != len(s.space.Dims) {
		return fmt.Errorf("`%s` has the shape %v and cannot be extended to %v", d.path, s.space.Dims, dims)
	}
	for i, n := range dims {
		most := s.space.Dims[i]
		if s.space.MaxDims != nil {
			most = s.space.MaxDims[i]
		}
		if n < s.space.Dims[i] || n > most {
			return fmt.Errorf("`%s` has the shape %v, maximum %v, and cannot be extended to %v", d.path, s.space.Dims, s.space.MaxDims, dims)
		}
	}
	grown := Space{Dims: slices.Clone(dims), MaxDims: s.space.MaxDims}
	if _, ok := s.typ.bytes(dims); !ok {
		return fmt.Errorf("`%s` would be too large with the shape %v", d.path, dims)
	}
	if err := d.f.closeChunk(); err != nil {
		return err
	}
	if err := s.loadChunks(); err != nil {
		return d.wrap(err)
	}
	d.f.open = openChunk{}
	s.changed = s.changed || s.plainEdges // the chunks at the edge change, and with them whether they are filtered
	old, oldGrid := s.chunks, s.grid
	s.space = grown
	s.regrid()
	if len(old) > 0 && !slices.Equal(oldGrid[1:], s.grid[1:]) { // the numbers of chunks change only if an inner dimension grows
		s.chunks = make(map[uint64]chunkRef, len(old))
		for n, ref := range old {
			s.chunks[s.number(s.place(n, oldGrid))] = ref
		}
	}
	if d.disk.W != nil {
		d.set(msgDataspace, 0, grown.encode())
	}
	return nil
}

// Redefine gives a dataset that has no elements in the file another type, shape and storage. It stays the
// same object and keeps its name, its attributes and the references to it.
func (d *Dataset) Redefine(t Type, space Space, opts Options) error {
	if err := d.change(); err != nil {
		return d.wrap(err)
	}
	if d.data.class == layoutChunked {
		if err := d.data.loadChunks(); err != nil {
			return d.wrap(err)
		}
	}
	if old := d.data; old.class == layoutCompact || old.class == layoutContiguous && old.addr != field.Undefined || len(old.chunks) > 0 || d.f.open.s == old {
		return d.wrap(errors.New("it has elements: its type stays"))
	}
	s, err := newStorage(t, space, opts)
	if err != nil {
		return d.wrap(err)
	}
	messages := s.describe()
	if err := fitting(messages); err != nil {
		return d.wrap(err)
	}
	d.data.releaseIndex()
	d.remove(msgDataspace, msgDatatype, msgFill, msgFillOld, msgLayout, msgFilters)
	d.object.messages = append(messages, d.object.messages...)
	d.object.data, s.o = s, d.object
	return nil
}
