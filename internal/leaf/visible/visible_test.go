package visible

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"plain, ü, 日本, 😀\n\tx\r\n": "plain, ü, 日本, 😀\n\tx\r\n",
		"a\x1b[2Kb":                `a\u001b[2Kb`,
		"a\rb":                     `a\u000db`,
		"a\r":                      `a\u000d`,
		"\x00\x07\x7f":             `\u0000\u0007\u007f`,
		"\u009b1m":                 `\u009b1m`,
		"\x9b1m":                   `\x9b1m`,
		"\u202ea\u2066b\u200f":     `\u202ea\u2066b\u200f`,
		"a\u2028b\u2029":           `a\u2028b\u2029`,
		"\U000e0041":               `\udb40\udc41`,
		"\ufeffa\u200bb":           `\ufeffa\u200bb`,
		"\ufffd":                   "\ufffd",
		"\U000e0001\U000e007f":     `\udb40\udc01\udb40\udc7f`,
	} {
		if got := Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
	if got := Line("a\nb\tc\r\nd"); got != `a\u000ab\u0009c\u000d\u000ad` {
		t.Errorf("Line = %q, want %q", got, `a\u000ab\u0009c\u000d\u000ad`)
	}
}

func TestFirst(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "a\tb\n日": "", "a\u202eb\x1b": `\u202e`, "a\xff": `\xff`, "\r\n": `\u000d`, "\ufffd": "",
	} {
		if got := First(in); got != want {
			t.Errorf("First(%q) = %q, want %q", in, got, want)
		}
	}
}

// No control character passes, however the text is split into writes, and the split makes no difference.
func FuzzWriter(f *testing.F) {
	f.Add("a\x1b]0;x\x07\r\nü\u202e\x9b😀\r", 3)
	f.Add("\xf0\x9f\x98", 1)
	f.Fuzz(func(t *testing.T, text string, step int) {
		if step < 1 || step > 64 {
			return
		}
		var b strings.Builder
		w := NewWriter(&b)
		for rest := []byte(text); len(rest) > 0; {
			n := min(step, len(rest))
			if written, err := w.Write(rest[:n]); err != nil || written != n {
				t.Fatalf("Write = %d, %v", written, err)
			}
			rest = rest[n:]
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if b.String() != Text(text) {
			t.Fatalf("in steps of %d: %q, at once: %q; want the same", step, b.String(), Text(text))
		}
		for i, r := range b.String() {
			crlf := r == '\r' && strings.HasPrefix(b.String()[i:], "\r\n")
			if !Shows(r) && r != '\n' && r != '\t' && !crlf || r == utf8.RuneError && !strings.ContainsRune(text, r) {
				t.Fatalf("%q passes in %q", r, b.String())
			}
		}
	})
}

// JSON has the same meaning after escaping.
func TestJSON(t *testing.T) {
	in := "\x1b\x7f\u0085\u202e\U000e0041 ü\""
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out string
	if err := json.Unmarshal([]byte(Text(string(text))), &out); err != nil || out != in {
		t.Errorf("%q became %q: %v", in, out, err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestWriteErrors(t *testing.T) {
	w := NewWriter(broken{})
	if _, err := w.Write([]byte("\x1b")); err == nil {
		t.Error("a failed write of an escaped text is no error")
	}
	_, _ = w.Write([]byte("\xf0"))
	if w.Flush() == nil {
		t.Error("a failed flush is no error")
	}
}

// TestBelow: the writer below gets texts unchanged.
func TestBelow(t *testing.T) {
	var b strings.Builder
	w := NewWriter(&b)
	for _, to := range []io.Writer{w, Below(w), Below(&b)} {
		if _, err := io.WriteString(to, "\x1b"); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.String(); got != `\u001b`+"\x1b\x1b" {
		t.Errorf("%q, want %v", got, `\u001b`+"\x1b\x1b")
	}
}
