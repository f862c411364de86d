package lang_test

import (
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// TestSilences reads the comments that silence findings: their codes and their
// lines.
func TestSilences(t *testing.T) {
	type silence struct {
		Codes       string
		First, Last int
	}
	s := spec()
	anywhere := lang.Define(s)
	s.WholeLine = true
	wholeLine := lang.Define(s)
	for _, c := range []struct {
		text  string
		want  []silence
		whole []silence // if the language has comments on lines of their own
	}{
		{"a 1 # pentode: ignore x/one,  x/two -- a, b\n", []silence{{"x/one x/two", 1, 1}}, nil},
		{"  # pentode: ignore x/*\n# more\na 1\n", []silence{{"x/*", 1, 3}}, []silence{{"x/*", 1, 3}}},
		{"#pentode: ignore\tx/one\na 1 # more\nb 2\n", []silence{{"x/one", 1, 2}}, []silence{{"x/one", 1, 2}}},
		{"# pentode: ignored x/one\na 1\n", nil, nil},
		{"# pentode: ignore\n# pentode: ignore -- why\n# pentode: ignore ,\n", nil, nil},
		{"# not pentode: ignore x/one\n# more\n", nil, nil},
		{"# a comment\na 1 # pentode: ignore x/one\n", []silence{{"x/one", 2, 2}}, nil},
		{"# pentode: ignore x/one\x00", nil, nil},
	} {
		for l, want := range map[*lang.Language][]silence{anywhere: c.want, wholeLine: c.whole} {
			var got []silence
			for _, s := range l.Parse(source.NewFile("a.note", c.text)).Silences() {
				var codes []string
				for _, code := range s.Codes {
					codes = append(codes, code.Text())
				}
				got = append(got, silence{strings.Join(codes, " "), s.First, s.Last})
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q, only whole lines %v (-want +got):\n%s", c.text, l == wholeLine, diff)
			}
		}
	}
}

// TestCompleteFiles: an include is completed to the files that fit and to folders,
// each once. Hidden files and the file itself are left out.
func TestCompleteFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"own.note", "first/a.note", "first/.b.note", "first/c.txt", "first/sub/d.note", "second/a.note", "second/e.note"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := source.NewFile(filepath.Join(dir, "own.note"), "include sub/x")
	complete := func(typed string, dirs ...string) string {
		for i := range dirs {
			dirs[i] = filepath.Join(dir, dirs[i])
		}
		var labels []string
		for _, c := range lang.CompleteFiles(f, f.Len(), typed, dirs, func(name string) bool { return filepath.Ext(name) == ".note" }) {
			if c.Later != strings.HasSuffix(c.Label, "/") {
				t.Errorf("%s: files are listed before folders", c.Label)
			}
			labels = append(labels, c.Label+" for "+c.Replace.Text())
		}
		return strings.Join(labels, ", ")
	}
	for _, c := range []struct{ typed, got, want string }{
		{"x", complete("x", "first", "nosuch", "second"), "a.note for x, sub/ for x, e.note for x"},
		{"sub/x", complete("sub/x", "first", "second"), "d.note for x"},
		{"", complete("", "."), "first/ for , second/ for "},
	} {
		if c.got != c.want {
			t.Errorf("%q is completed to %q, want %q", c.typed, c.got, c.want)
		}
	}
}

// TestLineAround checks the text of a line before and after a cursor, even if the
// cursor is outside the text.
func TestLineAround(t *testing.T) {
	f := source.NewFile("a.note", "one two\nthree_3ü four\n")
	for offset, want := range map[int][2]string{-1: {"", " two"}, 2: {"on", " two"}, 8: {"", " four"}, 10: {"th", " four"}, 99: {"", ""}} {
		if got := [2]string{lang.LineBefore(f, offset), lang.LineAfter(f, offset)}; got != want {
			t.Errorf("at %d it is %q, want %q", offset, got, want)
		}
	}
}

// TestDetect: the name of a file decides, then its content if only one language
// claims it. A file that the user named is also recognised by its name alone.
func TestDetect(t *testing.T) {
	note := lang.Define(spec())
	s := spec()
	s.Name, s.Globs = "memo", []lang.Glob{{Pattern: "["}, {Pattern: "*.memo"}}
	s.Sniff = func(text string) bool { return strings.Contains(text, "both") || strings.HasPrefix(text, "memo") }
	memo := lang.Define(s)
	s.Name, s.Globs, s.Sniff = "mute", []lang.Glob{{Pattern: "*.mute", Sniff: true}}, nil
	mute := lang.Define(s)
	for _, c := range []struct{ path, text, detected, named string }{
		{"x/a.note", "memo", "note", "note"},
		{"a.memo", "colour red", "memo", "memo"},
		{"a.txt", "colour red", "note", "note"},
		{"a.txt", "memo", "memo", "memo"},
		{"a.txt", "nothing", "", "note"},
		{"other", "colour red", "note", "note"},
		{"other", "colour both", "", ""},
		{"other", "nothing", "", ""},
		{"a.mute", "nothing", "", "mute"},
		{"note", "", "", ""},
	} {
		languages := []*lang.Language{memo, note, mute}
		name := func(l *lang.Language) string {
			if l == nil {
				return ""
			}
			return l.Name
		}
		f := source.NewFile(c.path, c.text)
		if got := name(lang.Detect(languages, f)); got != c.detected {
			t.Errorf("%s with %q is detected as %q, want %q", c.path, c.text, got, c.detected)
		}
		if got := name(lang.Named(languages, f)); got != c.named {
			t.Errorf("%s with %q, named by the user, is %q, want %q", c.path, c.text, got, c.named)
		}
	}
}

// TestRefusedLayers checks that a binary layer has one finding, and that the rules
// are applied to the other layers.
func TestRefusedLayers(t *testing.T) {
	l := lang.Define(spec())
	for _, c := range []struct {
		layers []string
		want   string
	}{
		{[]string{"size 1\n"}, "a.note note/not-colour"},
		{[]string{"size 1\n", "\x00"}, "a.note note/not-colour, b.note file/nul-byte"},
		{[]string{"\x00", "size 1\n"}, "a.note file/nul-byte, b.note note/not-colour"},
		{[]string{"\x00", "size 1\n", "colour \x00 red\n"}, "a.note file/nul-byte, b.note note/not-colour, c.note file/nul-byte"},
		{[]string{"\x00"}, "a.note file/nul-byte"},
		{[]string{"\x01 1\n"}, "a.note note/not-colour"},
	} {
		var got []string
		for _, d := range config(l, c.layers...).Diagnostics() {
			got = append(got, d.Span.File.Path()+" "+d.Code.ID)
		}
		slices.Sort(got)
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.layers, got, c.want)
		}
	}
}

// TestNothingRefusedIsRead checks that if all layers are binary, no rule is applied
// and nothing is edited or formatted.
func TestNothingRefusedIsRead(t *testing.T) {
	s := spec()
	s.Check = func(*notes) diag.List {
		t.Error("the rules were applied")
		return nil
	}
	s.Print = func(*tree) string { return "formatted" }
	l := lang.Define(s)
	if text, ok := l.Parse(source.NewFile("a.note", "size 1")).Format(); !ok || text != "formatted" {
		t.Errorf("a text is formatted to %q, want %q", text, "formatted")
	}
	c := config(l, "\x00", "size \x00")
	c.Diagnostics()
	if _, err := c.Edit(lang.Assignment{Key: "size", Value: "1"}); err == nil || !strings.Contains(err.Error(), "NUL byte") {
		t.Errorf("got the error %v from the edit", err)
	}
	if text, ok := c.Document.Format(); ok || text != "size \x00" {
		t.Errorf("it was formatted to %q, want it refused and the text unchanged", text)
	}
}

// TestKnownNamesStay: no safe fix replaces one name of the language by another.
// Other fixes at such a name, and fixes of unknown names, stay safe.
func TestKnownNamesStay(t *testing.T) {
	found := config(lang.Define(spec()), "size 1\nsise 2\n").Diagnostics()
	var got []bool
	for _, d := range found {
		for _, f := range d.Fixes {
			got = append(got, f.Safe)
		}
	}
	if want := []bool{false, true, true, true}; !slices.Equal(got, want) {
		t.Errorf("fixes of a known name, then of another: safe are %v, want %v", got, want)
	}
}

// TestEdit: assignments are refused if a key does not exist, if they add an error,
// or if the file would not have the value afterwards.
func TestEdit(t *testing.T) {
	l := lang.Define(spec())
	const text = "colour red\nsize 1\nlog a\n"
	for _, c := range []struct {
		assign []lang.Assignment
		want   string // the text or the error
	}{
		{[]lang.Assignment{{Key: "size", Value: "2"}}, "colour red\nsize 2\nlog a\n"},
		{[]lang.Assignment{{Key: "size", Value: "2"}, {Key: "colour", Value: "blue"}}, "colour blue\nsize 2\nlog a\n"},
		{[]lang.Assignment{{Key: "size", Value: "2"}, {Key: "size", Value: "33"}}, "colour red\nsize 33\nlog a\n"},
		{[]lang.Assignment{{Key: "size", Value: "1"}}, text},
		{[]lang.Assignment{{Key: "form", Value: "1"}}, "there is no `form`"},
		{[]lang.Assignment{{Key: "size", Value: "unknown"}}, "nobody knows `size`; write a word"},
		{[]lang.Assignment{{Key: "size", Value: "2"}, {Key: "size", Value: "3"}, {Key: "log", Value: "b"}}, "`log` cannot be set to `b`: reading the file again would give another value"},
		{[]lang.Assignment{{Key: "log", Value: "b"}}, "`log` cannot be set to `b`: reading the file again would give another value"},
		{[]lang.Assignment{{Key: "colour", Value: "#"}}, "`colour` cannot be set to `#`: reading the file again would give another value"},
	} {
		got := text
		edited, err := config(l, text).Edit(c.assign...)
		if err != nil {
			got = err.Error()
		} else if len(edited.Changes) > 0 {
			got = edited.Changes[0].Text
		}
		if got != c.want {
			t.Errorf("%v\n got %q\nwant %q", c.assign, got, c.want)
		}
	}
}

// TestAdded: an edit returns the errors and warnings that it adds, without the old
// ones and without infos.
func TestAdded(t *testing.T) {
	c := config(lang.Define(spec()), "size loud\ncolour red\nform 1\n")
	for value, want := range map[string]string{"blue": "", "quiet": "", "loud": "`colour` is loud"} {
		edited, err := c.Edit(lang.Assignment{Key: "colour", Value: value})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range edited.Added {
			got = append(got, d.Message)
		}
		if got := strings.Join(got, "\n"); got != want {
			t.Errorf("colour=%s adds %q, want %q", value, got, want)
		}
	}
}

// TestAlsoChanged: the settings that changed besides the assigned ones.
func TestAlsoChanged(t *testing.T) {
	l := lang.Define(spec())
	before, after := config(l, "size 1\ncolour red\nform a\n"), config(l, "size 2\ncolour blue\nform a\nnew 1\n")
	got := lang.AlsoChanged(before, after, []lang.Assignment{{Key: "size", Value: "2"}})
	if diff := cmp.Diff([]lang.Changed{{Key: "colour", Value: "blue", Was: "red"}}, got); diff != "" {
		t.Errorf("%v; want nothing", diff)
	}
}

// TestByteOrderMark: a language that does not allow the mark refuses the file with a
// safe fix; the other languages read it.
func TestByteOrderMark(t *testing.T) {
	s := spec()
	const text = "\ufeffcolour red\n"
	s.Check = nil
	if found := config(lang.Define(s), text).Diagnostics(); len(found) > 0 {
		t.Errorf("%s; want at most 0", found[0].Message)
	}
	s.NoMark = true
	found := config(lang.Define(s), text).Diagnostics()
	if len(found) != 1 || found[0].Code != lang.ByteOrderMark || found[0].Span.Text() != "\ufeff" || len(found[0].Fixes) != 1 || !found[0].Fixes[0].Safe {
		t.Fatalf("%+v, want only the byte order mark, with one safe fix", found)
	}
	changes, err := source.Changes(found[0].Fixes[0].Edits)
	if err != nil || len(changes) != 1 || changes[0].Text != "colour red\n" {
		t.Errorf("the fix makes %+v, %v", changes, err)
	}
}

// TestParts: each feature calls the language's own function, the table of
// occurrences is made once, and a missing feature returns nothing.
func TestParts(t *testing.T) {
	c := config(lang.Define(spec()), "colour red\n")
	if c.Occurrences() != nil || c.Describe(lang.Occurrence{}) != "" || c.Complete(c.Document.File, 0) != nil || c.Extract(c.Document.File, 0) != nil ||
		c.Inline(c.Document.File, 0) != nil || len(slices.Collect(c.Hints(c.Document.File))) > 0 || len(c.Document.Outline()) > 0 {
		t.Error("the language has a feature that its Spec does not have")
	}
	s := spec()
	made := 0
	s.Occurrences = func(n *notes) iter.Seq[lang.Occurrence] {
		made++
		return slices.Values([]lang.Occurrence{{Span: n.keys[0], Kind: lang.Key}})
	}
	s.Describe = func(_ *notes, o lang.Occurrence) string { return "the key " + o.Span.Text() }
	s.Complete = func(_ *notes, f *source.File, offset int) []lang.Completion {
		return []lang.Completion{{Label: lang.LineBefore(f, offset)}}
	}
	edit := func(n *notes, f *source.File, offset int) []source.Edit {
		return []source.Edit{{Span: f.Span(offset, offset), Text: "x"}}
	}
	s.Extract, s.Inline = edit, edit
	s.Hints = func(n *notes, _ *source.File) iter.Seq[lang.Hint] {
		return slices.Values([]lang.Hint{{At: n.keys[0]}})
	}
	c = config(lang.Define(s), "colour red\n")
	f := c.Document.File
	for range 2 {
		if list := c.Occurrences(); len(list) != 1 || c.Describe(list[0]) != "the key colour" {
			t.Errorf("occurrences are %v, want len(list) = 1 and c.Describe(list[0]) = %q", list, "the key colour")
		}
	}
	if made != 1 {
		t.Errorf("the table was made %d times, want 1", made)
	}
	if list := c.Complete(f, 3); len(list) != 1 || list[0].Label != "col" {
		t.Errorf("completions are %v, want len(list) = 1 and list[0].Label = %q", list, "col")
	}
	if len(c.Extract(f, 1)) != 1 || len(c.Inline(f, 1)) != 1 || len(slices.Collect(c.Hints(f))) != 1 {
		t.Error("an edit or a hint is missing")
	}
}
