package seal

import (
	"encoding/binary"
	"io"
)

// The seal of a TIFF file is the description of its first image: readers know that tag, and warn about unknown ones. A new image
// directory with the seal is written at the end of the file and replaces the old directory. The offset of the old directory and
// the old length of the file follow the text, so that the original file can be restored.

const (
	tiffDescription = 270
	tiffText        = 2
	tiffEntry       = 12
	tiffBefore      = 8 // bytes after the text: the old offset and the old length
)

func isTIFF(head []byte) bool { return begins("II*\x00")(head) || begins("MM\x00*")(head) }

// tiffDirectory reads the first directory. It returns its entries and the offset of the next directory.
func tiffDirectory(r io.ReaderAt) (order binary.ByteOrder, entries []byte, next []byte) {
	head := part(r, 0, 8)
	if len(head) < 8 {
		return nil, nil, nil
	}
	order = binary.LittleEndian
	if head[0] == 'M' {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(head[4:]))
	count := part(r, at, 2)
	if len(count) < 2 {
		return nil, nil, nil
	}
	n := int64(order.Uint16(count)) * tiffEntry
	entries = part(r, at+2, n+4)
	if int64(len(entries)) < n+4 {
		return nil, nil, nil
	}
	return order, entries[:n], entries[n:]
}

func addTIFF(f File, size int64, text []byte) (bool, error) {
	order, entries, next := tiffDirectory(f)
	if order == nil || size+int64(len(entries)+len(text)+64) > 1<<32-1 {
		return false, nil
	}
	n := len(entries) / tiffEntry
	before := 0 // the number of entries before the new one; entries are sorted by tag
	for before < n && order.Uint16(entries[before*tiffEntry:]) < tiffDescription {
		before++
	}
	if before < n && order.Uint16(entries[before*tiffEntry:]) == tiffDescription {
		return false, nil // the image has its own description
	}
	old := part(f, 4, 4)
	start := size + size&1 // the offset of the new directory
	own := order.(binary.AppendByteOrder)
	end := own.AppendUint16(make([]byte, size&1), uint16(n+1))
	end = append(end, entries[:before*tiffEntry]...)
	end = own.AppendUint16(own.AppendUint16(end, tiffDescription), tiffText)
	end = own.AppendUint32(own.AppendUint32(end, uint32(len(text)+1)), uint32(start+2+int64(n+1)*tiffEntry+4))
	end = append(append(end, entries[before*tiffEntry:]...), next...)
	end = append(append(end, text...), 0)
	end = own.AppendUint32(append(end, old...), uint32(size))
	if done, err := overwrite(f, size, nil, end); !done {
		return false, err
	}
	return overwrite(f, 4, old, own.AppendUint32(nil, uint32(start)))
}

func findTIFF(r io.ReaderAt, size int64) (found, error) {
	order, entries, _ := tiffDirectory(r)
	n := int64(len(entries))
	for ; len(entries) >= tiffEntry; entries = entries[tiffEntry:] {
		if order.Uint16(entries) != tiffDescription || order.Uint16(entries[2:]) != tiffText {
			continue
		}
		length := int64(order.Uint32(entries[4:]))
		at := int64(order.Uint32(entries[8:]))
		text := part(r, at, min(length, Max+2))
		switch {
		case !isSeal(text):
			return found{}, nil
		case length > Max+1:
			return found{}, tooLong(length)
		}
		s := found{text: text}
		if before := part(r, at+length, tiffBefore); len(before) == tiffBefore && at+length+tiffBefore == size { // as Add wrote it
			was, directory := int64(order.Uint32(before[4:])), at-4-n-2
			if was >= 8 && (was == directory || was == directory-1) {
				s.own = []span{{at: 4, end: 8, was: before[:4]}, {at: was, end: size}}
			}
		}
		return s, nil
	}
	return found{}, nil
}
