package fastpng

import (
	"bytes"
	"io"
	"sync/atomic"

	"github.com/klauspost/compress/zlib"
)

// maxRatio is the maximum number of bytes to which one byte of a stream can expand.
const maxRatio = 1032

// idle keeps an inflater with its 50 KB of tables for the next image. A sync.Pool would be emptied
// between two images, because the memory of one image is enough to start the garbage collector.
var idle atomic.Pointer[inflater]

type inflater struct {
	stream bytes.Reader
	bytes  io.Reader // nil before the first stream
	excess [1]byte
}

// inflate decompresses a zlib stream. It reports whether the stream is complete and fills out.
func inflate(out, stream []byte) bool {
	z := idle.Swap(nil)
	if z == nil {
		z = new(inflater)
	}
	defer idle.Store(z)
	defer z.stream.Reset(nil)
	z.stream.Reset(stream)
	var err error
	if again, ok := z.bytes.(zlib.Resetter); ok {
		err = again.Reset(&z.stream, nil)
	} else {
		z.bytes, err = zlib.NewReader(&z.stream)
	}
	if err != nil {
		return false
	}
	if _, err := io.ReadFull(z.bytes, out); err != nil {
		return false
	}
	n, err := z.bytes.Read(z.excess[:])
	return n == 0 && err == io.EOF && z.stream.Len() == 0
}
