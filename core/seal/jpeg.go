package seal

import (
	"encoding/binary"
	"io"
)

// The seal of a JPEG file is a comment before its other segments, since readers stop when they
// reach the pixels.

const (
	jpegStart   = 2
	jpegComment = 0xfe
	jpegScan    = 0xda
)

func addJPEG(f File, size int64, text []byte) (bool, error) {
	segment := binary.BigEndian.AppendUint16([]byte{0xff, jpegComment}, uint16(len(text)+2))
	segment = append(segment, text...)
	at := int64(jpegStart)
	if head := part(f, at, 4); len(head) == 4 && head[0] == 0xff && head[1] == 0xe0 { // the JFIF segment must come first
		at += 2 + int64(binary.BigEndian.Uint16(head[2:]))
	}
	if at > size {
		return false, nil
	}
	return insert(f, size, at, segment)
}

func findJPEG(r io.ReaderAt, size int64) (found, error) {
	for at, n := int64(jpegStart), 0; at+4 <= size && n < maxBlocks; n++ {
		head := part(r, at, 4)
		if len(head) < 4 || head[0] != 0xff || head[1] == jpegScan {
			break
		}
		length := int64(binary.BigEndian.Uint16(head[2:]))
		if head[1] == jpegComment && length > 2 {
			if body := part(r, at+4, min(length-2, size-at-4)); isSeal(body) {
				return found{body, []span{{at: at, end: at + 2 + length}}}, nil
			}
		}
		at += 2 + length
	}
	return found{}, nil
}
