package paradyn_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/paradyn"
)

// places is a machine with a system file, a home and a working directory.
type places struct{ root, home, work string }

func newPlaces(t *testing.T) places {
	dir := t.TempDir()
	p := places{filepath.Join(dir, "root"), filepath.Join(dir, "home"), filepath.Join(dir, "work")}
	for _, d := range []string{p.root, p.home, p.work} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p places) write(t *testing.T, dir, text string) {
	if err := os.WriteFile(filepath.Join(dir, paradyn.FileName), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// env is the environment of a program in the working directory.
func (p places) env(t *testing.T) *load.Env {
	t.Chdir(p.work)
	vars := map[string]string{"HOME": p.home, "PARADYN_ROOT": p.root}
	return &load.Env{Opener: source.Disk{}, Dir: p.work, Lookup: func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}}
}

func layered(l *lang.Language, env *load.Env, files []*source.File) *lang.Config {
	var docs []*lang.Document
	for _, f := range files {
		docs = append(docs, l.Parse(f))
	}
	last := len(docs) - 1
	return docs[last].Resolve(env, docs[:last]...)
}

func TestThreeLayers(t *testing.T) {
	p := newPlaces(t)
	p.write(t, p.root, "tunable_constant \"maxEval\" 1;\ndaemon { command \"d\"; host \"a\"; }\n")
	p.write(t, p.home, "// the user's\ntunable_constant \"maxEval\" 2;\nlist \"x\" {\n")
	p.write(t, p.work, "\n\ntunable_constant \"maxEval\" 3;\ndaemon { command \"d\"; host \"b\"; }\n")
	env := p.env(t)
	files, found := language.Search(env, "")
	if len(files) != 3 || len(found) != 0 {
		t.Fatalf("found %d files, %v; want len(files) = 3 and len(found) = 0", len(files), found)
	}
	c := layered(language, env, files)
	want := fmt.Sprintf("set 1 %s:1:28 layer 1 of 3\nset 2 %s:2:28 layer 2 of 3\nset 3 sample.psdl:3:28 layer 3 of 3\n",
		filepath.Join(p.root, "sample.psdl"), filepath.Join(p.home, "sample.psdl"))
	got := ""
	for line := range strings.Lines(golden.Origin(c, "tunable_constant.maxEval")) {
		got += strings.Join(strings.Fields(line), " ") + "\n"
	}
	if got != want {
		t.Errorf("the way of maxEval is\n%swant\n%s", got, want)
	}
	settings := golden.Settings(c, false)
	for _, line := range []string{"tunable_constant.maxEval = 3\n", "daemon[0].host = a\n", "daemon[1].host = b\n"} {
		if !strings.Contains(settings, line) {
			t.Errorf("no %q in\n%s", line, settings)
		}
	}
	d := c.Diagnostics()
	if len(d) != 1 || d[0].Code.ID != "paradyn/missing-brace" || !strings.HasPrefix(d[0].Span.String(), p.home) {
		t.Errorf("the mistake of the user's file is not reported once: %v", d)
	}
	declared, err := decls(c)
	if err != nil || len(declared.Tunables) != 3 || len(declared.Daemons) != 2 {
		t.Errorf("declarations %+v, %v", declared, err)
	}
}

func TestSearch(t *testing.T) {
	for _, c := range []struct {
		name    string
		options func(places) paradyn.Options
		prepare func(*testing.T, places, *load.Env)
		files   []string // the endings of their paths
		code    string
	}{
		{name: "nothing", files: []string{"sample.psdl"}, code: "paradyn/nothing-found"},
		{name: "home only", prepare: func(t *testing.T, p places, _ *load.Env) { p.write(t, p.home, "") }, files: []string{"home/sample.psdl"}},
		{
			name:    "given system file",
			options: func(p places) paradyn.Options { return paradyn.Options{System: filepath.Join(p.root, "own.psdl")} },
			prepare: func(t *testing.T, p places, _ *load.Env) {
				p.write(t, p.root, "")
				if err := os.WriteFile(filepath.Join(p.root, "own.psdl"), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			},
			files: []string{"root/own.psdl"},
		},
		{
			name:    "given system file that is not there",
			options: func(p places) paradyn.Options { return paradyn.Options{System: filepath.Join(p.root, "own.psdl")} },
			files:   []string{"sample.psdl"},
			code:    "paradyn/unreadable",
		},
		{
			name: "a folder where a file should be",
			prepare: func(t *testing.T, p places, _ *load.Env) {
				if err := os.Mkdir(filepath.Join(p.home, paradyn.FileName), 0o755); err != nil {
					t.Fatal(err)
				}
				p.write(t, p.work, "")
			},
			files: []string{"sample.psdl"}, code: "paradyn/unreadable",
		},
		{
			name: "home is the working directory",
			prepare: func(t *testing.T, p places, env *load.Env) {
				p.write(t, p.work, "")
				env.Lookup = func(name string) (string, bool) { return p.work, name == "HOME" }
			},
			files: []string{"work/sample.psdl"}, code: "paradyn/read-once",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlaces(t)
			env := p.env(t)
			if c.prepare != nil {
				c.prepare(t, p, env)
			}
			l := language
			if c.options != nil {
				l = paradyn.New(c.options(p))
			}
			files, found := l.Search(env, "")
			var got []string
			for i, f := range files {
				if i < len(c.files) && strings.HasSuffix(f.Path(), c.files[i]) {
					got = append(got, c.files[i])
				} else {
					got = append(got, f.Path())
				}
			}
			if strings.Join(got, " ") != strings.Join(c.files, " ") {
				t.Errorf("found %v, want %v", got, c.files)
			}
			code := ""
			for _, d := range found {
				code += d.Code.ID
				if d.Severity == diag.Error {
					t.Errorf("%s is an error, want other than %v", d.Message, diag.Error)
				}
			}
			if code != c.code {
				t.Errorf("reported %q, want %q", code, c.code)
			}
		})
	}
}

func TestDialects(t *testing.T) {
	const named = "daemon pvmd { command \"d\"; }\n"
	const plain = "daemon { command \"d\"; host \"h\"; }\n"
	for _, c := range []struct {
		dialect    paradyn.Dialect
		text       string
		errors     bool
		launchable bool
	}{
		{paradyn.PSDL, plain, false, true},
		{paradyn.PSDL, named, true, true},
		{paradyn.PCL, named, false, false},
		{paradyn.Auto, named, false, false},
		{paradyn.Auto, plain, false, true},
	} {
		l := paradyn.New(paradyn.Options{Dialect: c.dialect, Hostname: here})
		config := l.Parse(source.NewFile("x.psdl", c.text)).Resolve(&load.Env{})
		if got := config.Diagnostics().HasErrors(); got != c.errors {
			t.Errorf("%s: %q has errors: %v, want %v", c.dialect, c.text, got, c.errors)
		}
		if _, err := decls(config); (err == nil) != c.launchable {
			t.Errorf("%s: %q: %v", c.dialect, c.text, err)
		}
	}
	if _, err := paradyn.ParseDialect("pl1"); err == nil {
		t.Error("pl1 is a dialect")
	}
}

// TestBounded checks that texts designed to take long are read quickly.
func TestBounded(t *testing.T) {
	need.Slow(t)
	for _, piece := range []string{"{", "}", ";", ";}", "daemon{", "daemon{};", "(*", "\"", "\\\"a", "list\"x\"{", "tunable_constant{}", "a{", "-", "visi{{", "process{args{"} {
		f := source.NewFile("x.psdl", strings.Repeat(piece, 1<<18/len(piece)))
		doc := language.Parse(f)
		if text, _ := doc.Format(); len(text) > 64*f.Len() {
			t.Errorf("%q: the formatted text is %d times as long, want at most 64", piece, len(text)/f.Len())
		}
		doc.Resolve(&load.Env{}).Diagnostics()
	}
}

// TestCodeWithoutEnd: if a search for the end of `(*` fails, it is not repeated.
// With one search for each, this text would take a quarter of an hour.
func TestCodeWithoutEnd(t *testing.T) {
	doc := language.Parse(source.NewFile("x.psdl", "a "+strings.Repeat("(*", 1<<19)))
	if found := doc.Resolve(&load.Env{}).Diagnostics(); len(found) != 1 {
		t.Errorf("%d findings, want the one that `a` is no keyword", len(found))
	}
}

// TestCodeAtTheEnd: a file may end anywhere inside `(* … *)`. Braces inside it are
// not counted, braces before and after it are.
func TestCodeAtTheEnd(t *testing.T) {
	const daemon = "daemon { command \"d\"; host \"h\"; }"
	for text, want := range map[string]int{
		"metric (": 0, "metric (*": 0, "metric (* *": 0, "metric (* *)": 0, "metric (*)": 0,
		"metric x { (* } *) } " + daemon:     1,
		"metric x { (* } " + daemon + "*) }": 0,
		"metric x { (**) } " + daemon:        1,
		"metric x { (*}*)} " + daemon:        1,
		"metric x { ( * } " + daemon:         1,
		"metric x { (*) } " + daemon:         1,
	} {
		declared, _ := decls(language.Parse(source.NewFile("x.psdl", text)).Resolve(&load.Env{}))
		if got := len(declared.Daemons); got != want {
			t.Errorf("%q declares %d daemons, want %d", text, got, want)
		}
	}
}
