package lsp

import (
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
)

// TestPositions: the position of an offset counts the UTF-16 units before it in its line, and
// converts back to the same offset, even in long lines.
func TestPositions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("aé€😀\n\r\ufffd\uffff\U00010000"))).Draw(t, "text")
		long := strings.Repeat("a€😀", rapid.IntRange(0, markEvery).Draw(t, "long"))
		text = long + text + long
		l := newLines(text)
		for _, at := range rapid.SliceOf(rapid.IntRange(-1, len(text)+1)).Draw(t, "offsets") {
			have := l.position(at, false) // the offset may be inside a character
			at = min(max(at, 0), len(text))
			if want := len(utf16.Encode([]rune(text[l.starts[have.Line]:at]))); have.Character != want {
				t.Fatalf("%q at %d: %v, want %d", text, at, have, want)
			}
		}
		for line, start := range l.starts {
			end := l.end(line)
			if strings.ContainsAny(text[start:end], "\r\n") {
				t.Fatalf("%q: line %d has its line break, want it to end before", text, line)
			}
			if have := l.offset(protocol.Position{Line: line, Character: 1 << 20}, false); have != end {
				t.Fatalf("%q: behind the end of line %d is %d, want %d", text, line, have, end)
			}
		}
		for i := range text {
			have := l.position(i, false)
			before := utf16.Encode([]rune(text[l.starts[have.Line]:i]))
			if next := append(l.starts, len(text)+1)[have.Line+1]; i >= next || have.Character != len(before) {
				t.Fatalf("%q at %d: %v, want character %d, before the next line at %d", text, i, have, len(before), next)
			}
			if i > 0 && text[i-1:i+1] == "\r\n" {
				continue // no position is between the two
			}
			for _, isUTF8 := range []bool{false, true} {
				if back := l.offset(l.position(i, isUTF8), isUTF8); back != i {
					t.Fatalf("%q at %d, and back at %d; want %v", text, i, back, i)
				}
			}
		}
	})
}
