package hdf5

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Numbers of the filters.
const (
	filterDeflate  = 1
	filterShuffle  = 2
	filterFletcher = 3
)

var filterNames = map[uint16]string{4: "szip", 5: "nbit", 6: "scaleoffset", 32000: "lzf", 32001: "blosc", 32004: "lz4", 32008: "bitshuffle", 32015: "zstd"}

// filter is one step that a chunk goes through on its way to the file.
type filter struct {
	id       uint16
	optional bool
	params   []uint32
}

// pipeline is the filters of a dataset in the order of writing.
type pipeline []filter

func (f *File) decodeFilters(p []byte) (pipeline, error) {
	c := &cursor{b: p, sb: &f.sb}
	version, n := c.u8(), int(c.u8())
	if version == 1 {
		c.skip(6)
	} else if version != 2 && c.err == nil {
		return nil, fmt.Errorf("filter message has version %d, expected 1 or 2", version)
	}
	if n > 32 {
		return nil, fmt.Errorf("dataset has %d filters, expected at most 32", n)
	}
	var out pipeline
	for range n {
		x := filter{id: c.u16()}
		nameLen := 0
		if version == 1 || x.id >= 256 {
			nameLen = int(c.u16())
		}
		x.optional = c.u16()&1 != 0
		params := int(c.u16())
		c.skip(nameLen)
		for range params {
			if c.err != nil {
				break
			}
			x.params = append(x.params, c.u32())
		}
		if version == 1 && params%2 == 1 {
			c.skip(4)
		}
		out = append(out, x)
	}
	if c.err != nil {
		return nil, fmt.Errorf("filters: %w", c.err)
	}
	return out, nil
}

func (l pipeline) encode() []byte {
	var b builder
	b.u8(2, uint8(len(l)))
	for _, x := range l {
		b.u16(x.id)
		b.u16(0)
		if x.optional {
			b[len(b)-2] = 1
		}
		b.u16(uint16(len(x.params)))
		for _, v := range x.params {
			b.u32(v)
		}
	}
	return b
}

// undo turns a stored chunk into its want bytes. A bit of mask that is set
// says that the filter was left out for this chunk.
func (l pipeline) undo(p []byte, mask uint32, want int) ([]byte, error) {
	for i := len(l) - 1; i >= 0; i-- {
		if mask&(1<<i) != 0 {
			continue
		}
		var err error
		switch x := l[i]; x.id {
		case filterDeflate:
			// What came before deflate can have added little to the chunk.
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

// packer compresses chunks, which takes a megabyte of tables: they are used again for the next.
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

// apply turns a chunk into what is stored.
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
	// A damaged file must not make us take memory for data that is not there.
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
	stored := le32(p[n:])
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
