package lsp

import (
	"io"
	"strings"
	"testing"
)

// input is the output of an editor; it records when the server stops reading.
type input struct {
	io.Reader
	closed bool
}

func (i *input) Close() error {
	i.closed = true
	return nil
}

// TestStreamCloses: with the stream its input is closed.
func TestStreamCloses(t *testing.T) {
	in := &input{Reader: strings.NewReader("")}
	if err := newStream(in, io.Discard, nil).Close(); err != nil || !in.closed {
		t.Errorf("%v, closed: %v", err, in.closed)
	}
}
