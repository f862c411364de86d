package netcdf

import (
	"encoding/binary"
	"math"

	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// chunkBytes is the approximate size of a chunk by default. It is large enough for a variable to have few
// chunks, and small enough that a step along an unlimited dimension does not write much more than its own
// elements.
const (
	chunkBytes  = 4 << 20
	recordBytes = 64 << 10 // for the records of an unlimited dimension
)

// storage returns how a new variable is stored.
func (v *definition) storage() (hdf5.Space, hdf5.Options) {
	var space hdf5.Space
	opts := hdf5.Options{Chunk: v.Chunk, Fill: v.Fill}
	grows, elements := false, uint64(1)
	for _, d := range v.Dimensions {
		size, limit := d.Size, d.Size
		if d.Unlimited {
			size, limit, grows = 0, hdf5.Unlimited, true
		}
		space.Dims, space.MaxDims = append(space.Dims, size), append(space.MaxDims, limit)
		elements *= max(size, 1)
	}
	if opts.Fill == nil {
		opts.Fill = DefaultFill(v.Type)
	}
	if !grows {
		space.MaxDims = nil
	}
	if len(v.Dimensions) == 0 || !grows && space.Len() == 0 {
		opts.Chunk = nil // nothing to store in chunks
		return space, opts
	}
	if v.Deflate > 0 {
		opts.Deflate, opts.Shuffle = v.Deflate, true
	}
	if opts.Chunk == nil && (grows || v.Deflate > 0) {
		opts.Chunk = chooseChunk(space, uint64(v.Type.Size))
	}
	return space, opts
}

// chooseChunk halves the longest axis of the elements until they are small enough, and combines records
// until they are large enough.
func chooseChunk(space hdf5.Space, size uint64) []uint64 {
	chunk := make([]uint64, len(space.Dims))
	bytes := size
	for i, n := range space.Dims {
		chunk[i] = max(n, 1)
		bytes *= chunk[i]
	}
	for bytes > chunkBytes {
		longest := 0
		for i, n := range chunk {
			if n > chunk[longest] {
				longest = i
			}
		}
		if chunk[longest] == 1 {
			break
		}
		half := (chunk[longest] + 1) / 2
		bytes = bytes / chunk[longest] * half
		chunk[longest] = half
	}
	for i := range chunk {
		if unlimited(space, i) {
			chunk[i] = max(1, recordBytes/bytes)
			break
		}
	}
	return chunk
}

// DefaultFill returns netCDF's value for elements of a type that were never written.
func DefaultFill(t hdf5.Type) []byte {
	var n uint64
	switch {
	case t.Class == hdf5.Integer && t.Signed:
		n = map[int]uint64{1: 0x81, 2: 0x8001, 4: 0x80000001, 8: 0x8000000000000002}[t.Size]
	case t.Class == hdf5.Integer:
		n = map[int]uint64{1: 0xff, 2: 0xffff, 4: 0xffffffff, 8: 0xfffffffffffffffe}[t.Size]
	case t.Class == hdf5.Float && t.Size == 4:
		n = uint64(math.Float32bits(9.9692099683868690e+36))
	case t.Class == hdf5.Float && t.Size == 8:
		n = math.Float64bits(9.9692099683868690e+36)
	default:
		return nil // zero bytes
	}
	b := binary.LittleEndian.AppendUint64(nil, n)[:t.Size]
	if t.Order == hdf5.BigEndian {
		for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
	}
	return b
}
