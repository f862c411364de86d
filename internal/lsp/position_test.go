package lsp

import (
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

// TestPositions: the place of an offset does not depend on those that were asked for
// before, and is the number of UTF-16 units before it in its line.
func TestPositions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("aé€😀\n\r\ufffd"))).Draw(t, "text")
		l := newLines(text)
		for _, at := range rapid.SliceOf(rapid.IntRange(-1, len(text)+1)).Draw(t, "offsets") {
			have := l.position(at, false)
			if fresh := newLines(text).position(at, false); have != fresh {
				t.Fatalf("%q at %d: %v, asked for alone %v", text, at, have, fresh)
			}
		}
		for i := range text {
			have := l.position(i, false)
			before := utf16.Encode([]rune(text[l.starts[have.Line]:i]))
			if next := append(l.starts, len(text)+1)[have.Line+1]; i >= next || have.Character != len(before) {
				t.Fatalf("%q at %d: %v", text, i, have)
			}
		}
	})
}
