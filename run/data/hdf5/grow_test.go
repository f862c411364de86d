package hdf5

import (
	"fmt"
	"slices"
)

// Datasets that grow, which files of other programs have.

// Extend grows a chunked dataset to a shape within its maximum.
func (d *Dataset) Extend(dims []uint64) error {
	s := d.data
	if err := d.change(); err != nil {
		return fmt.Errorf("`%s`: %w", d.path, err)
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
	if _, ok := product(append([]uint64{uint64(s.typ.Size)}, dims...)); !ok {
		return fmt.Errorf("`%s` would be too large with the shape %v", d.path, dims)
	}
	if err := d.f.closeChunk(); err != nil {
		return err
	}
	if err := s.loadChunks(); err != nil {
		return fmt.Errorf("`%s`: %w", d.path, err)
	}
	d.f.open = openChunk{}
	s.changed = s.changed || s.plainEdges // who is at the edge changes
	old, oldGrid := s.chunks, s.grid
	s.space = grown
	s.regrid()
	s.chunks = make(map[uint64]chunkRef, len(old))
	for n, ref := range old {
		s.chunks[s.number(s.place(n, oldGrid))] = ref
	}
	d.set(msgDataspace, 0, grown.encode())
	return nil
}
