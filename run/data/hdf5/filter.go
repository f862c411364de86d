package hdf5

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
)

// Numbers of the filters.
const (
	filterDeflate  = 1
	filterShuffle  = 2
	filterFletcher = 3
)

var filterNames = map[uint16]string{4: "szip", 5: "nbit", 6: "scaleoffset", 32000: "lzf", 32001: "blosc", 32004: "lz4", 32008: "bitshuffle", 32015: "zstd"}

// filter is one step of encoding a chunk before it is written.
type filter struct {
	id       uint16
	optional bool
	params   []uint32
}

// pipeline is the filters of a dataset in the order in which they are applied for writing.
type pipeline []filter

func decodeFilters(c *field.Cursor) (pipeline, error) {
	version, n := c.U8(), int(c.U8())
	if version == 1 {
		c.Skip(6)
	} else if version != 2 && c.Err == nil {
		return nil, fmt.Errorf("filter message has version %d, expected 1 or 2", version)
	}
	if n > 32 {
		return nil, fmt.Errorf("dataset has %d filters, expected at most 32", n)
	}
	var out pipeline
	for range n {
		x := filter{id: c.U16()}
		nameLen := 0
		if version == 1 || x.id >= 256 {
			nameLen = int(c.U16())
		}
		x.optional = c.U16()&1 != 0
		params := int(c.U16())
		c.Skip(nameLen)
		for range params {
			if c.Err != nil {
				break
			}
			x.params = append(x.params, c.U32())
		}
		if version == 1 && params%2 == 1 {
			c.Skip(4)
		}
		out = append(out, x)
	}
	if c.Err != nil {
		return nil, fmt.Errorf("filters: %w", c.Err)
	}
	return out, nil
}

func (l pipeline) encode() []byte {
	var b field.Builder
	b.U8(2, uint8(len(l)))
	for _, x := range l {
		b.U16(x.id)
		b.U16(0)
		if x.optional {
			b[len(b)-2] = 1
		}
		b.U16(uint16(len(x.params)))
		for _, v := range x.params {
			b.U32(v)
		}
	}
	return b
}

// undo decodes a stored chunk, which must become want bytes long. A set bit of mask means that
// the filter was skipped for this chunk.
func (l pipeline) undo(p []byte, mask uint32, want int) ([]byte, error) {
	for i := len(l) - 1; i >= 0; i-- {
		if mask&(1<<i) != 0 {
			continue
		}
		var err error
		switch x := l[i]; x.id {
		case filterDeflate:
			// The filters before deflate can have added only a few bytes to the chunk.
			p, err = inflate(p, want+4*len(l))
		case filterShuffle:
			p = unshuffle(p, x.elementSize())
		case filterFletcher:
			p, err = checkFletcher(p)
		default:
			err = fmt.Errorf("filter %d%s is not supported", x.id, filterName(x.id))
		}
		if err != nil {
			return nil, err
		}
	}
	if len(p) != want {
		return nil, fmt.Errorf("chunk has %d bytes, expected %d", len(p), want)
	}
	return p, nil
}

func filterName(id uint16) string {
	if s := filterNames[id]; s != "" {
		return " (" + s + ")"
	}
	return ""
}

func (x filter) elementSize() int {
	if len(x.params) == 0 {
		return 1
	}
	return int(x.params[0])
}

// packer compresses chunks. It reuses its tables, which take a megabyte, for the next chunk.
type packer struct {
	w     *zlib.Writer
	level int
}

func (k *packer) deflate(p []byte, level int) ([]byte, error) {
	var out bytes.Buffer
	if k.w != nil && k.level == level {
		k.w.Reset(&out)
	} else {
		w, err := zlib.NewWriterLevel(&out, level)
		if err != nil {
			return nil, err
		}
		k.w, k.level = w, level
	}
	if _, err := k.w.Write(p); err != nil {
		return nil, err
	}
	if err := k.w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// apply encodes a chunk for storage.
func (l pipeline) apply(p []byte, k *packer) ([]byte, error) {
	for _, x := range l {
		switch x.id {
		case filterDeflate:
			level := zlib.DefaultCompression
			if len(x.params) > 0 && x.params[0] <= 9 {
				level = int(x.params[0])
			}
			var err error
			if p, err = k.deflate(p, level); err != nil {
				return nil, err
			}
		case filterShuffle:
			p = shuffle(p, x.elementSize())
		case filterFletcher:
			p = binary.LittleEndian.AppendUint32(p[:len(p):len(p)], fletcher32(p))
		default:
			return nil, fmt.Errorf("filter %d%s is not supported", x.id, filterName(x.id))
		}
	}
	return p, nil
}

func inflate(p []byte, limit int) ([]byte, error) {
	r, err := zlib.NewReader(bytes.NewReader(p))
	if err != nil {
		return nil, errors.New("deflated chunk is damaged")
	}
	var out bytes.Buffer
	// A damaged file must not cause an allocation for data that does not exist.
	out.Grow(min(limit, 64*len(p)) + bytes.MinRead)
	n, err := io.Copy(&out, io.LimitReader(r, int64(limit)+1))
	if err != nil {
		return nil, errors.New("deflated chunk is damaged")
	}
	if n > int64(limit) {
		return nil, errors.New("deflated chunk is larger than its chunk size")
	}
	return out.Bytes(), nil
}

func checkFletcher(p []byte) ([]byte, error) {
	n := len(p) - 4
	if n < 0 {
		return nil, errors.New("chunk is too short for its checksum")
	}
	sum := fletcher32(p[:n])
	stored := binary.LittleEndian.Uint32(p[n:])
	// Releases before 1.6.3 swapped the bytes of each half on little-endian machines.
	if old := sum>>8&0x00ff00ff | sum<<8&0xff00ff00; stored != sum && stored != old {
		return nil, errors.New("chunk has a wrong checksum")
	}
	return p[:n], nil
}

// shuffle puts the first bytes of all elements first, then all second bytes, and so on.
func shuffle(p []byte, size int) []byte {
	n := 0
	if size > 1 {
		n = len(p) / size
	}
	if n < 2 {
		return p
	}
	out := make([]byte, len(p))
	for b := range size {
		row := out[b*n : b*n+n]
		at := b
		for i := range row {
			row[i] = p[at]
			at += size
		}
	}
	copy(out[n*size:], p[n*size:])
	return out
}

func unshuffle(p []byte, size int) []byte {
	n := 0
	if size > 1 {
		n = len(p) / size
	}
	if n < 2 {
		return p
	}
	out := make([]byte, len(p))
	for b := range size {
		row := p[b*n : b*n+n]
		at := b
		for _, v := range row {
			out[at] = v
			at += size
		}
	}
	copy(out[n*size:], p[n*size:])
	return out
}

// fletcher32 is the checksum of the Fletcher32 filter, over 16-bit words with the high byte first.
func fletcher32(p []byte) uint32 {
	var s1, s2 uint32
	for len(p) >= 2 {
		n := min(len(p)/2, 360) // the largest number of words that cannot overflow the sums
		for i := range n {
			s1 += uint32(p[2*i])<<8 | uint32(p[2*i+1])
			s2 += s1
		}
		p = p[2*n:]
		s1 = s1&0xffff + s1>>16
		s2 = s2&0xffff + s2>>16
	}
	if len(p) == 1 {
		s1 += uint32(p[0]) << 8
		s2 += s1
		s1 = s1&0xffff + s1>>16
		s2 = s2&0xffff + s2>>16
	}
	s1 = s1&0xffff + s1>>16
	s2 = s2&0xffff + s2>>16
	return s2<<16 | s1
}
