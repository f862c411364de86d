package visible

import (
	"io"
	"sync"
	"unicode/utf8"
)

// A Writer shows what is written to it on the writer below. It may be used by
// several goroutines.
type Writer struct {
	below io.Writer
	mu    sync.Mutex
	rest  []byte // the beginning of a character whose end was not written yet
	out   []byte
}

// NewWriter returns a Writer above another writer.
func NewWriter(below io.Writer) *Writer { return &Writer{below: below} }

// Below is the writer below a Writer, and any other writer itself. What is
// written there is sent as it is: styles, and texts that were made visible before.
func Below(w io.Writer) io.Writer {
	if v, ok := w.(*Writer); ok {
		return v.below
	}
	return w
}

func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.rest) == 0 && allPlain(p) {
		return w.below.Write(p)
	}
	text := append(w.rest, p...)
	whole := len(text) - unfinished(text)
	w.out = escape(w.out[:0], string(text[:whole]))
	w.rest = append(w.rest[:0], text[whole:]...)
	if _, err := w.below.Write(w.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes the beginning of a character that nothing followed.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.rest) == 0 {
		return nil
	}
	_, err := w.below.Write(escape(nil, string(w.rest)))
	w.rest = w.rest[:0]
	return err
}

func allPlain(p []byte) bool {
	for _, c := range p {
		if !plain(c) {
			return false
		}
	}
	return true
}

// unfinished is how many bytes at the end can only be judged with what follows:
// a piece of a character, or a carriage return.
func unfinished(p []byte) int {
	if n := len(p); n > 0 && p[n-1] == '\r' {
		return 1
	}
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if c := p[len(p)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(p[len(p)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}
