package seal

import (
	"bytes"
	"fmt"
)

// Limits on what is read from a file, which may be malicious.
const (
	maxBlocks = 1 << 20   // blocks of an image
	maxGIF    = 256 << 20 // bytes of a GIF, which is read block by block
	maxTail   = 64 << 10  // bytes at the beginning or the end of a trace or a video
)

// isSeal reports whether a text begins like a seal.
func isSeal(text []byte) bool { return bytes.HasPrefix(text, []byte(`{"`+Name+`":`)) }

func tooLong(n int64) error {
	return &Bad{fmt.Sprintf("it has %d bytes, and a seal has at most %d", n, Max)}
}
