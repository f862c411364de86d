package lsp

import (
	"io"
	"strings"
	"testing"
)

// input simulates an editor's output, and records when the server closes it.
type input struct {
	io.Reader
	closed bool
}

func (i *input) Close() error {
	i.closed = true
	return nil
}

// TestStreamCloses: closing the stream also closes its input.
func TestStreamCloses(t *testing.T) {
	in := &input{Reader: strings.NewReader("")}
	if err := newStream(in, io.Discard, nil).Close(); err != nil || !in.closed {
		t.Errorf("%v, closed: %v", err, in.closed)
	}
}
