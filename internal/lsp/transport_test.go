package lsp

import (
	"errors"
	"io"
	"testing"
)

// TestStreamCloses: with the stream its input is closed, so that the editor sees that
// nobody reads any more.
func TestStreamCloses(t *testing.T) {
	in, editor := io.Pipe()
	if err := newStream(in, io.Discard).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(editor, "x"); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the editor writes to nobody: %v", err)
	}
}
