package visible

import (
	"io"
	"sync"
	"unicode/utf8"
)

// A Writer escapes characters that are not shown and writes the text to another writer. It may be used by several goroutines.
type Writer struct {
	below io.Writer
	mu    sync.Mutex
	rest  []byte // the first bytes of an incomplete character, kept for the next Write
	out   []byte
}

// NewWriter returns a Writer that writes to below.
func NewWriter(below io.Writer) *Writer { return &Writer{below: below} }

// Below returns the writer to which a Writer writes, for text that must not be escaped: styles, and text that is already escaped. It returns any
// other writer unchanged.
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

// Flush writes the bytes that were kept back because their character was incomplete.
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

// unfinished returns how many bytes at the end must wait for what follows: a part of a character, or a carriage return.
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
