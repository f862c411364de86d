package tsdl

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// MaxBytes is the maximum size of a file `metadata`.
const MaxBytes = 64 << 20

// The packet header that LTTng writes before pieces of the text.
const (
	packetMagic  = 0x75d11d57
	packetHeader = 4 + 16 + 4 + 4 + 4 + 5
	contentAt    = 24
	sizeAt       = 28
	schemesAt    = 32 // compression, encryption, checksum
	versionAt    = 35
)

// Text returns the text in a file `metadata`, which may be divided into packets.
func Text(file []byte) (string, error) {
	if len(file) > MaxBytes {
		return "", fmt.Errorf("it has %d bytes; the limit is %d", len(file), MaxBytes)
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case len(file) < 4:
		return string(file), nil
	case order.Uint32(file) == packetMagic:
	case binary.BigEndian.Uint32(file) == packetMagic:
		order = binary.BigEndian
	default:
		return string(file), nil
	}
	var text []byte
	for at := 0; at < len(file); {
		p := file[at:]
		if len(p) < packetHeader {
			return "", fmt.Errorf("it is cut off: its packet at byte %d has no complete header", at)
		}
		content, size := uint64(order.Uint32(p[contentAt:]))/8, uint64(order.Uint32(p[sizeAt:]))/8
		switch {
		case order.Uint32(p) != packetMagic:
			return "", fmt.Errorf("it is damaged: at byte %d no packet begins", at)
		case p[schemesAt] != 0 || p[schemesAt+1] != 0:
			return "", errors.New("it is compressed or encrypted, which cannot be read")
		case p[versionAt] != 1:
			return "", fmt.Errorf("it has version %d.%d of the format; only 1.8 can be read", p[versionAt], p[versionAt+1])
		case content < packetHeader || content > size || size > uint64(len(p)):
			return "", fmt.Errorf("it is cut off in its packet at byte %d", at)
		}
		text = append(text, p[packetHeader:content]...)
		at += int(size)
	}
	return string(text), nil
}
