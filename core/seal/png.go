package seal

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
)

// The seal of a PNG file is a text chunk (tEXt), the last chunk before the end.

var pngEnd = []byte("\x00\x00\x00\x00IEND\xaeB`\x82")

func addPNG(f File, size int64, text []byte) (bool, error) {
	at := size - int64(len(pngEnd))
	if at < 8 || !bytes.Equal(part(f, at, int64(len(pngEnd))), pngEnd) {
		return false, nil
	}
	body := append(append([]byte("tEXt"+Name), 0), text...)
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(body)-4))
	chunk = append(chunk, body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(body))
	return overwrite(f, at, pngEnd, append(chunk, pngEnd...))
}

// findPNG checks all chunks, because a program that rewrites an image may move text
// chunks to any place.
func findPNG(r io.ReaderAt, size int64) (found, error) {
	const frame = 12 // bytes of a chunk besides its data: length, kind and checksum
	var head [8]byte
	for at, n := int64(8), 0; at+frame <= size && n < maxBlocks; n++ {
		if _, err := r.ReadAt(head[:], at); err != nil {
			return found{}, nil
		}
		length := int64(binary.BigEndian.Uint32(head[:4]))
		kind := string(head[4:])
		if (kind == "tEXt" || kind == "iTXt") && length > int64(len(Name)) {
			body := part(r, at+8, min(length, Max+64))
			if text, ok := pngText(kind, body); ok {
				if length > int64(len(body)) {
					return found{}, tooLong(length)
				}
				return found{text, []span{{at: at, end: at + frame + length}}}, nil
			}
		}
		if kind == "IEND" {
			break
		}
		at += frame + length
	}
	return found{}, nil
}

// pngText returns the text after the keyword of a seal.
func pngText(kind string, body []byte) ([]byte, bool) {
	text, ok := bytes.CutPrefix(body, []byte(Name+"\x00"))
	if !ok || kind == "tEXt" {
		return text, ok
	}
	if len(text) < 2 || text[0] != 0 { // compressed, so not written by us
		return nil, false
	}
	text = text[2:]
	for range 2 { // skip the language and the translated keyword
		_, rest, ok := bytes.Cut(text, []byte{0})
		if !ok {
			return nil, false
		}
		text = rest
	}
	return text, true
}
