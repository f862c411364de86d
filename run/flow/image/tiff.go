package image

import (
	"encoding/binary"
	"errors"
	"io"
)

// maxPages limits the number of pages that are read from a TIFF file.
const maxPages = 1 << 16

// errDamaged means that the content of a file does not match its header.
var errDamaged = errors.New("it is damaged")

// tiffPages returns the offsets of the pages of a TIFF file. Each page has a directory, which has
// the offset of the next one. Pages that are smaller copies of others are skipped.
func tiffPages(f io.ReaderAt) ([]uint32, error) {
	var head [8]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return nil, errDamaged
	}
	order := tiffOrder(head[:])
	seen := map[uint32]bool{}
	var pages []uint32
	for at := order.Uint32(head[4:]); at != 0 && len(seen) < maxPages; {
		if seen[at] {
			return nil, errDamaged
		}
		seen[at] = true
		next, reduced, err := tiffDirectory(f, order, int64(at))
		if err != nil {
			return nil, err
		}
		if !reduced {
			pages = append(pages, at)
		}
		at = next
	}
	if len(pages) == 0 {
		return nil, errDamaged
	}
	return pages, nil
}

func tiffOrder(head []byte) binary.ByteOrder {
	if head[0] == 'M' {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// tiffDirectory reads the directory at an offset. It returns the offset of the next directory;
// reduced is true if the page is a smaller copy of another.
func tiffDirectory(f io.ReaderAt, order binary.ByteOrder, at int64) (next uint32, reduced bool, err error) {
	const entrySize, subfileType = 12, 254
	var count [2]byte
	if _, err := f.ReadAt(count[:], at); err != nil {
		return 0, false, errDamaged
	}
	text := make([]byte, int(order.Uint16(count[:]))*entrySize+4)
	if _, err := f.ReadAt(text, at+2); err != nil {
		return 0, false, errDamaged
	}
	for ; len(text) > 4; text = text[entrySize:] {
		if order.Uint16(text) == subfileType {
			reduced = order.Uint32(text[8:])&1 != 0
		}
	}
	return order.Uint32(text), reduced, nil
}

// tiffPage reads a TIFF file in which the page at offset first is the first page. A decoder that
// knows only the first page thus decodes any page.
type tiffPage struct {
	io.ReaderAt
	first uint32
}

func (p *tiffPage) ReadAt(b []byte, at int64) (int, error) {
	n, err := p.ReaderAt.ReadAt(b, at)
	if at >= 8 {
		return n, err
	}
	var head [8]byte
	if _, err := p.ReaderAt.ReadAt(head[:], 0); err != nil {
		return 0, err
	}
	tiffOrder(head[:]).PutUint32(head[4:], p.first)
	copy(b[:n], head[at:])
	return n, err
}
