package handoff

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"syscall"
)

// A frame consists of the length of its payload as a 32-bit number, one byte for its
// kind, and the payload.

// WriteFrame writes a frame.
func WriteFrame(w io.Writer, kind byte, payload []byte) error {
	head := binary.LittleEndian.AppendUint32(make([]byte, 0, 5), uint32(len(payload)))
	if _, err := w.Write(append(head, kind)); err != nil {
		return err
	}
	_, err := w.Write(payload)
	return err
}

// BeginFrame returns a buffer that begins with an unfinished frame header. The caller
// appends the payload; EndFrame completes the header and writes the frame.
func BeginFrame(buf []byte, kind byte) []byte { return append(buf[:0], 0, 0, 0, 0, kind) }

// EndFrame completes the header of a frame from BeginFrame and writes the frame.
func EndFrame(w io.Writer, buf []byte) error {
	binary.LittleEndian.PutUint32(buf, uint32(len(buf)-5))
	_, err := w.Write(buf)
	return err
}

// A SizeError is the error for a frame whose header gives a size above the limit.
type SizeError struct{ Size uint32 }

func (e *SizeError) Error() string {
	return fmt.Sprintf("a frame declares %d bytes, more than allowed", e.Size)
}

// ReadFrame reads a frame with a payload of at most limit bytes. Memory is allocated as
// data arrives, not for the size that the header claims. If the stream ends, even inside
// a frame, the error is io.EOF.
func ReadFrame(r io.Reader, limit uint32) (kind byte, payload []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, Torn(err)
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n > limit {
		return 0, nil, &SizeError{n}
	}
	const step = 1 << 20
	payload = make([]byte, 0, min(n, step))
	for have := uint32(0); have < n; have = uint32(len(payload)) {
		more := min(n-have, max(step, have))
		payload = append(payload, make([]byte, more)...)
		if _, err := io.ReadFull(r, payload[have:]); err != nil {
			return 0, nil, Torn(err)
		}
	}
	return head[4], payload, nil
}

// Torn returns io.EOF if the error means that the stream has ended, between two frames or
// inside one. It returns other errors unchanged.
func Torn(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) {
		return io.EOF
	}
	return err
}
