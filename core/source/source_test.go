package source_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/need"
	"pgregory.net/rapid"
)

func TestPositions(t *testing.T) {
	f := source.NewFile("a", "aé\n𝄞b\r\n\nend")
	for _, c := range []struct{ offset, line, column, line16, char16 int }{
		{0, 1, 1, 0, 0},
		{1, 1, 2, 0, 1},
		{3, 1, 3, 0, 2},
		{4, 2, 1, 1, 0},
		{8, 2, 2, 1, 2},
		{9, 2, 3, 1, 3},
		{11, 3, 1, 2, 0},
		{12, 4, 1, 3, 0},
		{15, 4, 4, 3, 3},
		{99, 4, 4, 3, 3},
	} {
		p := f.Position(c.offset)
		if p.Line != c.line || p.Column != c.column {
			t.Errorf("Position(%d) = %d:%d, want %d:%d", c.offset, p.Line, p.Column, c.line, c.column)
		}
		line, char := f.UTF16(c.offset)
		if line != c.line16 || char != c.char16 {
			t.Errorf("UTF16(%d) = %d:%d, want %d:%d", c.offset, line, char, c.line16, c.char16)
		}
		if c.offset < f.Len() {
			if back := f.Offset(line, char); back != c.offset {
				t.Errorf("Offset(%d, %d) = %d, want %d", line, char, back, c.offset)
			}
		}
	}
	if got := f.Line(2); got != "𝄞b" {
		t.Errorf("Line(2) = %q: the carriage return is not part of the line", got)
	}
}

// TestLongTexts: line and column are right for any place between two marks of the line
// table.
func TestLongTexts(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("\n", 5000),
		strings.Repeat("some words\r\n", 900),
		strings.Repeat("x", 3000) + "\n\n" + strings.Repeat("é", 3000) + "\nlast",
	} {
		f := source.NewFile("a", text)
		lines := strings.Split(text, "\n")
		if f.Lines() != len(lines) {
			t.Fatalf("%d lines, want %d", f.Lines(), len(lines))
		}
		at := 0
		for i, line := range lines {
			if got := f.LineStart(i + 1); got != at {
				t.Fatalf("line %d begins at %d, want %d", i+1, got, at)
			}
			if got := f.Line(i + 1); got != strings.TrimSuffix(line, "\r") {
				t.Fatalf("line %d is %q, want %v", i+1, got, strings.TrimSuffix(line, "\r"))
			}
			for _, column := range []int{0, len(line)} {
				want := source.Position{Line: i + 1, Column: utf8.RuneCountInString(line[:column]) + 1, Offset: at + column}
				if got := f.Position(at + column); got != want {
					t.Fatalf("offset %d is at %v, want %v", at+column, got, want)
				}
			}
			at += len(line) + 1
		}
	}
}

// simplePlace computes a place in the simplest way, by counting lines and columns from
// the beginning of the text.
func simplePlace(text string, offset int) (line, runes, units int) {
	before := text[:offset]
	line = strings.Count(before, "\n")
	before = before[strings.LastIndexByte(before, '\n')+1:]
	return line, utf8.RuneCountInString(before), len(utf16.Encode([]rune(before)))
}

// TestColumns checks that places in short and long lines, with arbitrary bytes, equal
// the results of simplePlace.
func TestColumns(t *testing.T) {
	need.Slow(t)
	piece := rapid.SampledFrom([]string{"word ", "é", "𝄞", "\r\n", "\n", "\xff", "\xe2\x82", strings.Repeat("x", 700), strings.Repeat("é𝄞", 400)})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "pieces"), "")
		f := source.NewFile("a", text)
		for range 10 {
			offset := rapid.IntRange(0, len(text)).Draw(t, "offset")
			line, runes, units := simplePlace(text, offset)
			if p := f.Position(offset); p.Line != line+1 || p.Column != runes+1 {
				t.Fatalf("Position(%d) = %d:%d, want %d:%d", offset, p.Line, p.Column, line+1, runes+1)
			}
			if l, u := f.UTF16(offset); l != line || u != units {
				t.Fatalf("UTF16(%d) = %d:%d, want %d:%d", offset, l, u, line, units)
			}
			if got, want := f.Offset(line, units), simpleOffset(f, line, units); got != want {
				t.Fatalf("Offset(%d, %d) = %d, want %d", line, units, got, want)
			}
		}
	})
}

func simpleOffset(f *source.File, line, units int) int {
	at, text := f.LineStart(line+1), f.Line(line+1)
	for i := range text {
		if len(utf16.Encode([]rune(text[:i]))) >= units {
			return at + i
		}
	}
	return at + len(text)
}

// BenchmarkOneLine looks up a place in a text of one long line.
func BenchmarkOneLine(b *testing.B) {
	for _, size := range []int{1 << 10, 1 << 20} {
		f := source.NewFile("a", strings.Repeat("a: é, ", size/7))
		for name, ask := range map[string]func(int){
			"Position": func(i int) { f.Position(i) },
			"UTF16":    func(i int) { f.UTF16(i) },
			"Offset":   func(i int) { f.Offset(0, i/7*6) },
		} {
			b.Run(fmt.Sprintf("%s/%dK", name, size>>10), func(b *testing.B) {
				for i := 0; b.Loop(); i += 7919 {
					ask(i % f.Len())
				}
			})
		}
	}
}

func TestUTF16RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := source.NewFile("a", rapid.StringMatching(`[a-z\né𝄞]{0,40}`).Draw(t, "text"))
		for i := range f.Text() {
			line, char := f.UTF16(i)
			if got := f.Offset(line, char); got != i {
				t.Fatalf("offset %d became %d, want %v", i, got, i)
			}
		}
	})
}

func TestApply(t *testing.T) {
	f := source.NewFile("a", "one two three")
	got, err := source.Apply(f, []source.Edit{
		{Span: f.Span(8, 13), Text: "3"},
		{Span: f.Span(0, 3), Text: "1"},
		{Span: f.Span(4, 4), Text: "and "},
		{Span: source.NewFile("b", "x").Span(0, 1), Text: "ignored: another file"},
	})
	if err != nil || got != "1 and two 3" {
		t.Fatalf("Apply = %q, %v", got, err)
	}
	if _, err := source.Apply(f, []source.Edit{{Span: f.Span(0, 5)}, {Span: f.Span(3, 6)}}); err == nil {
		t.Error("overlapping edits were accepted")
	}
}

func TestApplyKeepsLineEnds(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a\r\nb\r\n", "a\r\nb\r\nx\r\ny\r\n"},
		{"a\nb\n", "a\nb\nx\ny\n"},
		{"a\r\nb\n", "a\r\nb\nx\ny\n"}, // mixed line ends: as written in the edit
		{"", "x\ny\n"},
	} {
		f := source.NewFile("a", c.text)
		if got, err := source.Apply(f, []source.Edit{{Span: f.Span(f.Len(), f.Len()), Text: "x\ny\n"}}); err != nil || got != c.want {
			t.Errorf("%q became %q, %v", c.text, got, err)
		}
	}
}

func TestApplyBetweenTheTwoOfALineEnd(t *testing.T) {
	f := source.NewFile("a", "a\r\nb\r\n")
	if got, err := source.Apply(f, []source.Edit{{Span: f.Span(2, 2), Text: "\nx"}}); err != nil || got != "a\r\nx\r\nb\r\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestDiskLimits(t *testing.T) {
	need.Slow(t)
	path := filepath.Join(t.TempDir(), "big")
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	var large *source.TooLarge
	if _, err := (source.Disk{MaxSize: 99}).Open(path); !errors.As(err, &large) {
		t.Errorf("a file over the limit: %v", err)
	}
	if f, err := (source.Disk{MaxSize: 100}).Open(path); err != nil || f.Len() != 100 {
		t.Errorf("a file at the limit: %v", err)
	}
	if _, err := source.Read("-", strings.NewReader(strings.Repeat("x", 100)), 99); !errors.As(err, &large) {
		t.Errorf("a stream over the limit: %v", err)
	}
	flood := strings.Repeat("[\n", source.DefaultMaxSize/16+1)
	if _, err := source.Read("-", strings.NewReader(flood), 0); !errors.As(err, &large) || !large.Words {
		t.Errorf("a flood of signs: %v", err)
	}
	if _, err := source.Read("-", strings.NewReader(flood), 2*source.DefaultMaxSize); err != nil {
		t.Errorf("a flood of signs under a larger limit: %v", err)
	}
	if _, err := source.Read("-", strings.NewReader(strings.Repeat("abcdefg\n", source.DefaultMaxSize/16)), 0); err != nil {
		t.Errorf("long words: %v", err)
	}
	if _, err := (source.Disk{}).Open(path + "no"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestOverlay(t *testing.T) {
	o := &source.Overlay{Under: source.Map{"d/a": "disk"}}
	o.Set("d/./a", "editor")
	if f, _ := o.Open("d/a"); f.Text() != "editor" {
		t.Errorf("overlay shows %q, want %q", f.Text(), "editor")
	}
	o.Remove("d/a")
	if f, _ := o.Open("d/a"); f.Text() != "disk" {
		t.Errorf("after Remove: %q", f.Text())
	}
}

// TestSpans: To joins two spans in either order. A span contains another that does not
// reach beyond it. The zero span is no place.
func TestSpans(t *testing.T) {
	f, other := source.NewFile("a.txt", "one\ntwo\nthree"), source.NewFile("b.txt", "one\ntwo\nthree")
	two, three := f.Span(4, 7), f.Span(8, 13)
	for _, s := range []source.Span{two.To(three), three.To(two)} {
		if s.Text() != "two\nthree" || s.Len() != 9 || s.String() != "a.txt:2:1" {
			t.Errorf("joined: %q, %d bytes, %s; want s.Text() = %q, s.Len() = 9 and s.String() = %q", s.Text(), s.Len(), s, "two\nthree", "a.txt:2:1")
		}
	}
	for _, c := range []struct {
		of   source.Span
		want bool
	}{
		{two, true}, {f.Span(5, 6), true}, {f.Span(4, 4), true}, {f.Span(7, 7), true},
		{f.Span(3, 7), false}, {f.Span(4, 8), false}, {three, false}, {other.Span(4, 7), false},
	} {
		if got := two.Contains(c.of); got != c.want {
			t.Errorf("%s to %d is within: %v, want %v", c.of, c.of.End, got, c.want)
		}
	}
	var none source.Span
	if !none.IsZero() || none.Text() != "" || none.String() != "" || none.Position() != (source.Position{}) || two.IsZero() {
		t.Error("the zero span is a place")
	}
}

// TestLineNumbers: lines are counted from 1, and lines outside of the text are empty.
func TestLineNumbers(t *testing.T) {
	f := source.NewFile("a.txt", "one\ntwo\nthree")
	for n, want := range map[int]string{-1: "", 0: "", 1: "one", 3: "three", 4: ""} {
		if got := f.Line(n); got != want {
			t.Errorf("line %d is %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int]int{-1: 0, 0: 0, 1: 0, 2: 4, 3: 8, 4: 13} {
		if got := f.LineStart(n); got != want {
			t.Errorf("line %d begins at %d, want %d", n, got, want)
		}
	}
	if f.Offset(-1, 5) != 0 {
		t.Error("a line before the first does not begin at the start of the text")
	}
}

// TestChanges: edits of several files return each changed file once.
func TestChanges(t *testing.T) {
	a, b, c := source.NewFile("a", "one"), source.NewFile("b", "two"), source.NewFile("c", "three")
	got, err := source.Changes([]source.Edit{
		{Span: b.Span(0, 0), Text: "<"}, {Span: a.Span(3, 3), Text: "!"}, {Span: b.Span(3, 3), Text: ">"}, {Span: c.Span(0, 1), Text: "t"},
	})
	if err != nil || len(got) != 2 || got[0] != (source.Change{File: b, Text: "<two>"}) || got[1] != (source.Change{File: a, Text: "one!"}) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := source.Changes([]source.Edit{{Span: a.Span(0, 2)}, {Span: a.Span(1, 3)}}); err == nil || got != nil {
		t.Errorf("edits that overlap: %v, %v", got, err)
	}
}

// TestExplain checks the sentences for files that cannot be opened.
func TestExplain(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&source.TooLarge{Path: "a", Limit: 3 << 20}, "`a` is larger than 3 MB"},
		{&source.TooLarge{Path: "a", Limit: 1000}, "`a` is larger than 1000 bytes"},
		{&source.TooLarge{Path: "a", Limit: 1 << 20, Words: true}, "`a` has more than 1048576 words and signs"},
		{&fs.PathError{Op: "open", Path: "a", Err: fs.ErrNotExist}, "`a` does not exist"},
		{&fs.PathError{Op: "open", Path: "a", Err: fs.ErrPermission}, "`a` may not be read by this user"},
		{&fs.PathError{Op: "read", Path: "a", Err: errors.New("Is a stone")}, "`a` cannot be read: is a stone"},
		{errors.New("No idea"), "`a` cannot be read: no idea"},
	} {
		if got := source.Explain("a", c.err); got != c.want {
			t.Errorf("%v: %s, want %s", c.err, got, c.want)
		}
	}
}

// TestOverlayNamed: a text in an editor also replaces a file that the user names.
func TestOverlayNamed(t *testing.T) {
	o := &source.Overlay{Under: source.Map{"a": "on disk", "b": "on disk"}}
	o.Set("./a", "in the editor")
	for path, want := range map[string]string{"a": "in the editor", "b": "on disk"} {
		if f, err := source.OpenNamed(o, path); err != nil || f.Text() != want {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	o.Remove("a")
	if f, err := source.OpenNamed(o, "a"); err != nil || f.Text() != "on disk" {
		t.Errorf("after the editor closed it: %v", err)
	}
	if _, err := source.OpenNamed(o, "c"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}
