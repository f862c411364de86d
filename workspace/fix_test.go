package workspace_test

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace"
)

// The tests of fixes have a language of their own, in which a line has a key and
// its value. The last line with a key decides. A line `include FILE` inserts the
// lines of that file, a line in brackets begins a section, and a line `stop` ends
// its file. Lines that begin with `#` are comments.
type list struct{ token.Tree }

const (
	lineKind token.Kind = iota + 1
	commentKind
)

type line struct {
	key        string
	name, text source.Span
}

type lines struct {
	all      []line
	files    []*source.File
	upstream bool
}

func parseLines(f *source.File) *list {
	c := token.NewCursor(f, 1)
	for c.More() {
		if c.Peek(0) == '#' {
			c.Until('\n')
			c.Emit(commentKind)
			continue
		}
		c.Until('\n')
		c.Pos = min(c.Pos+1, len(c.Text))
		c.Emit(lineKind)
	}
	return &list{token.NewTree(c.Done())}
}

func (l *lines) read(env *load.Env, f *source.File) {
	start, section := 0, ""
	for text := range strings.Lines(f.Text()) {
		trimmed := strings.TrimSuffix(text, "\n")
		name, _, _ := strings.Cut(trimmed, " ")
		at := line{section + name, f.Span(start, start+len(name)), f.Span(min(start+len(name)+1, start+len(trimmed)), start+len(trimmed))}
		switch {
		case strings.HasPrefix(name, "["):
			section = strings.Trim(name, "[]") + "."
		case strings.HasPrefix(name, "#"):
		case name == "stop":
			return
		case name == "include":
			if part, err := env.Opener.Open(at.text.Text()); err == nil {
				l.files = append(l.files, part)
				l.read(env, part)
			}
		default:
			l.all = append(l.all, at)
		}
		start += len(text)
	}
}

func (l *lines) values() iter.Seq[origin.Entry] {
	entries, order := map[string]*origin.Entry{}, []string{}
	for _, at := range l.all {
		e := entries[at.key]
		if e == nil {
			e = &origin.Entry{Key: at.key}
			entries[at.key], order = e, append(order, at.key)
		}
		e.Value, e.Steps = at.text.Text(), append(e.Steps, origin.Step{What: origin.Set, Span: at.text})
	}
	return func(yield func(origin.Entry) bool) {
		for _, key := range order {
			if !yield(*entries[key]) {
				return
			}
		}
		yield(origin.Entry{Key: "number of lines", Value: strconv.Itoa(len(l.all)), Implicit: true})
	}
}

var (
	bad    = &diag.Code{ID: "list/bad", Severity: diag.Error}
	poor   = &diag.Code{ID: "list/poor", Severity: diag.Warning}
	strict = &diag.Code{ID: "list/strict", Severity: diag.Warning}
)

// check reports what the values ask for:
//
//	a bad        an error; the fix writes `good`
//	b bad!       an error whose fix writes `bad`, which is an error again
//	c bad?       an error whose fix writes `poor`, for which there is a warning
//	d halt       an error whose fix also writes a line `stop`
//	e same:x     an error whose fix gives the line another key
//	f [          an error whose fix writes two texts at one place
//	g up         an error whose fix changes the first line of the last file
//	h bad,bad    two errors, whose fixes both replace everything
//	i ask        an error whose fix is not safe
//	k            an error whose fix writes ` good`, or at `worse` writes ` bad`
//	l strict     a warning of the upstream dialect only
//	j inc:x      an error whose fix makes the line include a file
//	m bad/x      an error in the first word; the fix writes `good`, which leaves an error in the other word
//	n x/bad      the same for the last word
//	o gone       an error whose fix writes `open`, after which something is missing
func (l *lines) check() (found diag.List) {
	for _, at := range l.all {
		switch text := at.text.Text(); {
		case text == "":
			with := " good"
			if at.name.Text() == "worse" {
				with = " bad"
			}
			found.Report(bad, at.text, "empty").Fix(true, "write it", source.Edit{Span: at.text.File.Span(at.name.End, at.name.End), Text: with})
		case text == "bad":
			found.Report(bad, at.text, "bad").Replace(true, "good")
		case text == "bad!":
			found.Report(bad, at.text, "bad").Replace(true, "bad")
		case text == "bad?":
			found.Report(bad, at.text, "bad").Replace(true, "poor")
		case text == "strict" && l.upstream:
			found.Report(strict, at.text, "strict")
		case text == "poor":
			found.Report(poor, at.text, "poor")
		case text == "halt":
			found.Report(bad, at.text, "halt").Replace(true, "good\nstop")
		case strings.HasPrefix(text, "same:"):
			found.Report(bad, at.name, "same").Fix(true, "same", source.Edit{Span: at.name.To(at.text), Text: strings.TrimPrefix(text, "same:") + " new"})
		case text == "[":
			found.Report(bad, at.text, "empty").Fix(true, "twice", source.Edit{Span: at.text, Text: "good"}, source.Edit{Span: at.text, Text: "better"})
		case text == "up":
			first := l.all[len(l.all)-1].text.File
			found.Report(bad, at.text, "up").Fix(true, "up", source.Edit{Span: at.text, Text: "good"}, source.Edit{Span: first.Span(0, 0), Text: "new 1\n"})
		case text == "bad,bad":
			found.Report(bad, at.text.File.Span(at.text.Start, at.text.Start+3), "left").Fix(true, "left", source.Edit{Span: at.text, Text: "bad"})
			found.Report(bad, at.text.File.Span(at.text.Start+4, at.text.End), "right").Fix(true, "right", source.Edit{Span: at.text, Text: "bad"})
		case strings.HasPrefix(text, "inc:"):
			found.Report(bad, at.name, "include").Fix(true, "include", source.Edit{Span: at.name.To(at.text), Text: "include " + strings.TrimPrefix(text, "inc:")})
		case strings.HasPrefix(text, "bad/"):
			found.Report(bad, at.text.File.Span(at.text.Start, at.text.Start+3), "left").Replace(true, "good")
		case strings.HasPrefix(text, "good/"):
			found.Report(bad, at.text.File.Span(at.text.Start+4, at.text.End), "rest")
		case strings.HasSuffix(text, "/bad"):
			found.Report(bad, at.text.File.Span(at.text.End-3, at.text.End), "right").Replace(true, "good")
		case strings.HasSuffix(text, "/good"):
			found.Report(bad, at.text.File.Span(at.text.Start, at.text.End-4), "rest")
		case text == "gone":
			found.Report(bad, at.text, "gone").Replace(true, "open")
		case text == "open":
			found.Report(bad, at.text.File.Span(at.text.End, at.text.End), "open")
		case text == "ask":
			found.Report(bad, at.text, "ask").Replace(false, "good")
		}
	}
	return found
}

func lists(noMark bool) *lang.Language { return checkedLists(noMark, (*lines).check) }

func checkedLists(noMark bool, check func(*lines) diag.List) *lang.Language {
	return lang.Define(lang.Spec[*list, *lines]{
		Name: "list", Title: "list", Globs: []lang.Glob{{Pattern: "*.list"}}, Layered: true, NoMark: noMark, Parse: parseLines,
		Comment: commentKind, Codes: []*diag.Code{bad, poor, strict},
		Resolve: func(env *load.Env, trees []*list) *lines {
			l := &lines{upstream: env.Dialect == load.Upstream}
			for _, t := range trees {
				l.read(env, t.File())
			}
			return l
		},
		Files: func(l *lines) []*source.File { return l.files }, Check: check, Values: (*lines).values,
	})
}

// TestFix makes the safe fixes that remove a finding and change nothing else, and
// counts the others.
func TestFix(t *testing.T) {
	for _, c := range []struct {
		name  string
		files source.Map // a.list is the document
		want  source.Map // what changes
		made  int
		not   int
	}{
		{"nothing to do", source.Map{"a.list": "a 1\n"}, nil, 0, 0},
		{"one", source.Map{"a.list": "a bad\nb 1\n"}, source.Map{"a.list": "a good\nb 1\n"}, 1, 0},
		{"several", source.Map{"a.list": "a bad\nb 1\nc bad\n"}, source.Map{"a.list": "a good\nb 1\nc good\n"}, 2, 0},
		{"nothing is there", source.Map{"a.list": "a\nb 1\nc\n"}, source.Map{"a.list": "a good\nb 1\nc good\n"}, 2, 0},
		{"nothing is there, and the fix is no better", source.Map{"a.list": "a 1\nworse\nb 1\n"}, nil, 0, 1},
		{"not safe", source.Map{"a.list": "a ask\n"}, nil, 0, 0},
		{"as bad as before", source.Map{"a.list": "a bad!\n"}, nil, 0, 1},
		{"the others are made", source.Map{"a.list": "a bad\nb bad!\nc bad\n"}, source.Map{"a.list": "a good\nb bad!\nc good\n"}, 2, 1},
		{"less bad than before", source.Map{"a.list": "a bad?\n"}, source.Map{"a.list": "a poor\n"}, 1, 0},
		{"another setting is lost", source.Map{"a.list": "a halt\nb 1\nc bad\n"}, source.Map{"a.list": "a halt\nb 1\nc good\n"}, 1, 1},
		{"an older value comes back", source.Map{"a.list": "b 1\na halt\nb 2\n"}, nil, 0, 1},
		{"another setting is set", source.Map{"a.list": "b 1\na same:b\n"}, source.Map{"a.list": "b 1\nb new\n"}, 1, 0},
		{"another setting gets another place", source.Map{"a.list": "a same:b\nb 1\n"}, source.Map{"a.list": "b new\nb 1\n"}, 1, 0},
		{"another file sets another setting", source.Map{"a.list": "b 1\na inc:c.list\n", "c.list": "b 2\n"}, nil, 0, 1},
		{"another file sets what nothing set", source.Map{"a.list": "b 1\na inc:c.list\n", "c.list": "c 2\n"}, source.Map{"a.list": "b 1\ninclude c.list\n"}, 1, 0},
		{"another file is fixed too", source.Map{"a.list": "b 1\na inc:c.list\n", "c.list": "b bad\nc 1\n"}, nil, 0, 1},
		{"a header above other settings", source.Map{"a.list": "a bad\n[s]\nb 1\n[t]\nb bad\n"}, source.Map{"a.list": "a good\n[s]\nb 1\n[t]\nb good\n"}, 2, 0},
		{"an error beside what is written is another one", source.Map{"a.list": "a bad/x\nb x/bad\nc bad/\nd /bad\n"}, source.Map{"a.list": "a good/x\nb x/good\nc good/\nd /good\n"}, 4, 0},
		{"an error at the end of what is written", source.Map{"a.list": "a gone\nb 1\n"}, nil, 0, 1},
		{"one after the other", source.Map{"a.list": "a bad,bad\n"}, source.Map{"a.list": "a good\n"}, 2, 0},
		{"an included file", source.Map{"a.list": "include b.list\na bad\n", "b.list": "b bad\n"}, source.Map{"a.list": "include b.list\na good\n", "b.list": "b good\n"}, 2, 0},
		{"a fix of two files", source.Map{"a.list": "include b.list\na 1\n", "b.list": "b up\n"}, source.Map{"a.list": "new 1\ninclude b.list\na 1\n", "b.list": "b good\n"}, 1, 0},
	} {
		w := workspace.New([]*lang.Language{lists(false)}, &load.Env{Opener: c.files, Dir: "."})
		d := w.Draft()
		fixed, err := d.Fix(config(t, w, "a.list"))
		if err != nil || fixed.Made != c.made || fixed.Refused != c.not {
			t.Errorf("%s: %d fixes were made and %d were not, %v", c.name, fixed.Made, fixed.Refused, err)
		}
		if got := changed(d); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if want, ok := c.want["a.list"]; ok && fixed.Config.Document.File.Text() != want {
			t.Errorf("%s: the configuration has %q, want %v", c.name, fixed.Config.Document.File.Text(), want)
		}
	}
}

// TestFixOfManyFindings: the number of checks does not grow with the number of
// findings, whether or not their fixes help.
func TestFixOfManyFindings(t *testing.T) {
	need.Slow(t)
	most := 2000
	if need.Full() {
		most = 4000
	}
	for _, useless := range []int{0, 10, 2} { // one fix of each n does not help; 0 means all help
		var checks [2]int
		for i, n := range []int{500, most} {
			var text strings.Builder
			not := 0
			for k := range n {
				value := "bad"
				if useless > 0 && k%useless == 0 {
					value = "bad!"
					not++
				}
				fmt.Fprintf(&text, "k%d %s\n", k, value)
			}
			counting := checkedLists(false, func(l *lines) diag.List { checks[i]++; return l.check() })
			w := workspace.New([]*lang.Language{counting}, &load.Env{Opener: source.Map{"a.list": text.String()}, Dir: "."})
			fixed, err := w.Draft().Fix(config(t, w, "a.list"))
			if err != nil || fixed.Made != n-not || fixed.Refused != not {
				t.Errorf("of %d fixes %d were made and %d were not, %v", n, fixed.Made, fixed.Refused, err)
			}
		}
		if checks[0] != checks[1] {
			t.Errorf("one of %d does not help: %d checks of 500 findings, and %d of %d", useless, checks[0], checks[1], most)
		}
	}
}

func changed(d *workspace.Draft) source.Map {
	got := source.Map{}
	for _, c := range d.Changes() {
		got[c.File.Path()] = c.Text
	}
	return got
}

// TestFixThatContradictsItself: such a fix is an error, and nothing changes.
func TestFixThatContradictsItself(t *testing.T) {
	w := workspace.New([]*lang.Language{lists(false)}, &load.Env{Opener: source.Map{"a.list": "a [\n"}, Dir: "."})
	d := w.Draft()
	if fixed, err := d.Fix(config(t, w, "a.list")); err == nil || fixed.Made != 0 || len(d.Changes()) > 0 {
		t.Errorf("%+v, %v", fixed, err)
	}
}

// TestFixOfTwoConfigurations: a file that two configurations include is fixed
// once, on top of the fixes for the first configuration.
func TestFixOfTwoConfigurations(t *testing.T) {
	files := source.Map{"a.list": "include c.list\na bad\n", "b.list": "include c.list\nb bad\n", "c.list": "c bad\nd 1\n"}
	w := workspace.New([]*lang.Language{lists(false)}, &load.Env{Opener: files, Dir: "."})
	a, b := config(t, w, "a.list"), config(t, w, "b.list")
	d := w.Draft()
	for _, c := range []struct {
		config *lang.Config
		made   int
	}{{a, 2}, {b, 1}} {
		if fixed, err := d.Fix(c.config); err != nil || fixed.Made != c.made {
			t.Errorf("%s: %+v, %v", c.config.Document.File.Path(), fixed, err)
		}
	}
	want := source.Map{"a.list": "include c.list\na good\n", "b.list": "include c.list\nb good\n", "c.list": "c good\nd 1\n"}
	if got := changed(d); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// shown opens a text that is in no file, such as a value of the command line.
type shown struct{ source.Map }

func (s shown) Open(path string) (*source.File, error) {
	if path == "--set" {
		return source.NewFile("c.list", "c bad\n"), nil
	}
	return s.Map.Open(path)
}

// TestFixOnlyFiles: a text that is in no file is not fixed.
func TestFixOnlyFiles(t *testing.T) {
	for name, files := range map[string]source.Map{
		"no file":             {"a.list": "include --set\na bad\n"},
		"a file of that name": {"a.list": "include --set\na bad\n", "c.list": "c bad\nd 1\n"},
	} {
		w := workspace.New([]*lang.Language{lists(false)}, &load.Env{Opener: shown{files}, Dir: "."})
		d := w.Draft()
		fixed, err := d.Fix(config(t, w, "a.list"))
		if got := changed(d); err != nil || fixed.Made != 1 || len(got) != 1 || got["a.list"] != "include --set\na good\n" {
			t.Errorf("%s: %q, %+v, %v", name, got, fixed, err)
		}
	}
}

// TestFixOfMarks: a byte order mark is removed first, from every layer. Then the
// findings after it are fixed.
func TestFixOfMarks(t *testing.T) {
	files := source.Map{"low.list": "\ufeffl bad\n", "a.list": "\ufeffa bad\nb 1\n", "c.list": "\ufeffc bad\n"}
	w := workspace.New([]*lang.Language{lists(true)}, &load.Env{Opener: files, Dir: "."})
	var layers []*lang.Document
	for _, path := range []string{"low.list", "a.list"} {
		d, err := w.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		layers = append(layers, d)
	}
	d := w.Draft()
	fixed, err := d.Fix(w.Layers(layers))
	if err != nil || fixed.Made != 4 || len(fixed.Config.Diagnostics()) > 0 {
		t.Errorf("%+v, %v", fixed, err)
	}
	want := source.Map{"low.list": "l good\n", "a.list": "a good\nb 1\n"}
	if got := changed(d); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
