package flow

import (
	"bufio"
	"io"
	"sync"
	"time"
)

// A Buffer collects what a process writes into a file, for a second at most: a program
// that is killed loses no more. It keeps its first error.
type Buffer struct {
	mu      sync.Mutex
	w       *bufio.Writer
	waiting *time.Timer // until the buffer is written, or nil
}

// maxDelay is how long something may stay in a buffer.
const maxDelay = time.Second

// NewBuffer makes a buffer before a file. Flush it before the file is closed.
func NewBuffer(w io.Writer) *Buffer { return &Buffer{w: bufio.NewWriter(w)} }

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		b.waiting = time.AfterFunc(maxDelay, func() { _ = b.Flush() }) // the next write has the error
	}
	return b.w.Write(p)
}

// WriteString writes a text.
func (b *Buffer) WriteString(s string) (int, error) { return b.Write([]byte(s)) }

// Flush writes what is in the buffer.
func (b *Buffer) Flush() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting != nil {
		b.waiting.Stop()
		b.waiting = nil
	}
	return b.w.Flush()
}
