package flow

import (
	"bufio"
	"io"
	"sync"
	"time"
)

// A Buffer is a writer for the files of processes. Data reach the file after at most a second, so a killed
// program loses no more than that. The Buffer keeps its first write error.
type Buffer struct {
	mu      sync.Mutex
	w       *bufio.Writer
	waiting *time.Timer // writes the buffer when it fires; nil: nothing was written since the last Flush
}

// maxDelay is how long data may stay in a buffer.
const maxDelay = time.Second

// NewBuffer returns a buffer for w. Flush it before you close the file.
func NewBuffer(w io.Writer) *Buffer { return &Buffer{w: bufio.NewWriter(w)} }

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		b.waiting = time.AfterFunc(maxDelay, func() { _ = b.Flush() }) // a failure is returned by the next write
	}
	return b.w.Write(p)
}

// WriteString writes a string.
func (b *Buffer) WriteString(s string) (int, error) { return b.Write([]byte(s)) }

// Flush writes the buffered data.
func (b *Buffer) Flush() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting != nil {
		b.waiting.Stop()
		b.waiting = nil
	}
	return b.w.Flush()
}
