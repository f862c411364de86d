// Package golden runs a language over the cases in its testdata folder.
//
// A case is one txtar archive: a sentence, the input, and the output of every
// phase. `go test -update` rewrites the outputs; a reviewer reads the diff.
//
//	A macro reads what was set before it.
//	as: upstream            (options, one a line: as, set, include, env)
//	-- in.pipe --           the document; further files are beside it
//	-- fmt --               the formatted document
//	-- resolved --          the settings
//	-- origin KEY --        the origin of one setting (any number of these)
//	-- diag --              the findings, as a terminal shows them
//
// `all`, `convert FORMAT`, `graph FORMAT`, `show --flat` and `set KEY=VALUE` are
// further outputs: a case asks for them by having the section. So are the outputs
// for editors: `outline`, `names`, `hints` and `complete LINE TEXT`.
package golden

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

var update = flag.Bool("update", false, "rewrite the outputs of golden cases")

// Patience is the time after which a hanging test fails. It is long because the machine
// may be busy: no test checks how long something takes.
const Patience = 2 * time.Minute

// Updating reports whether outputs are being rewritten.
func Updating() bool { return *update }

// Case is one archive.
type Case struct {
	Name    string
	File    *source.File // the document
	Env     *load.Env
	Options map[string][]string // the options in the header of the case, such as `as: upstream`

	archive *txtar.Archive
	inputs  int
}

// Run runs every case of the folder.
func Run(t *testing.T, l *lang.Language, dir string) {
	for _, c := range Cases(t, dir) {
		t.Run(c.Name, func(t *testing.T) {
			got := c.outputs(t, l)
			if *update {
				c.write(t, dir, got)
				return
			}
			for _, f := range got {
				if want := c.want(f.Name); want != string(f.Data) {
					t.Errorf("%s differs:\n--- got\n%s--- want\n%s", f.Name, f.Data, want)
				}
			}
			Laws(t, l, c.Env, c.File)
			nested(t, c.Config(l))
		})
	}
}

// nested checks the order of the table of occurrences: an occurrence that contains others comes
// before them, so that an editor can colour them in this order.
func nested(t *testing.T, c *lang.Config) {
	list := c.Occurrences()
	for i, o := range list[:max(0, len(list)-1)] {
		if next := list[i+1]; next.Span.File == o.Span.File && next.Span.Contains(o.Span) && next.Span != o.Span {
			t.Errorf("`%s` at %s comes before `%s`, which it is inside", o.Span.Text(), o.Span, next.Span.Text())
		}
	}
}

// Cases reads the archives of a folder.
func Cases(t testing.TB, dir string) []*Case {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in %s", dir)
	}
	var cases []*Case
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c := &Case{Name: strings.TrimSuffix(filepath.Base(path), ".txtar"), archive: a, Options: map[string][]string{}}
		c.read(t)
		cases = append(cases, c)
	}
	return cases
}

// read splits an archive into options and inputs.
func (c *Case) read(t testing.TB) {
	files := source.Map{}
	for _, f := range c.archive.Files {
		if isOutput(f.Name) {
			continue
		}
		if c.File == nil {
			c.File = source.NewFile(f.Name, string(f.Data))
		}
		files[f.Name] = string(f.Data)
		c.inputs++
	}
	if c.File == nil {
		t.Fatalf("%s has no input", c.Name)
	}
	vars := map[string]string{}
	c.Env = &load.Env{Opener: files, Dir: ".", Lookup: func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}}
	for line := range strings.Lines(string(c.archive.Comment)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.Contains(name, " ") {
			continue
		}
		key, val, _ := strings.Cut(value, "=")
		switch name {
		case "as":
			if value == "upstream" {
				c.Env.Dialect = load.Upstream
			}
		case "set":
			c.Env.Overrides = append(c.Env.Overrides, load.Override{Key: key, Value: val})
		case "include":
			c.Env.Include = append(c.Env.Include, value)
		case "env":
			vars[key] = val
		default:
			c.Options[name] = append(c.Options[name], value)
		}
	}
}

var outputs = []string{"fmt", "resolved", "all", "diag", "flatten", "origin ", "convert ", "graph ", "set ", "outline", "names", "hints", "complete "}

func isOutput(name string) bool {
	return slices.ContainsFunc(outputs, func(o string) bool {
		return name == o || strings.HasSuffix(o, " ") && strings.HasPrefix(name, o)
	})
}

func (c *Case) want(name string) string {
	for _, f := range c.archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// Config resolves the case's document.
func (c *Case) Config(l *lang.Language) *lang.Config { return l.Parse(c.File).Resolve(c.Env) }

// outputs computes the sections of a case: those that every case has, and those that this case
// asks for.
func (c *Case) outputs(t *testing.T, l *lang.Language) []txtar.File {
	doc := l.Parse(c.File)
	config := doc.Resolve(c.Env)
	formatted, _ := doc.Format()
	files := []txtar.File{
		{Name: "fmt", Data: []byte(ending(formatted))},
		{Name: "resolved", Data: []byte(Settings(config, false))},
	}
	for _, f := range c.archive.Files {
		verb, arg, _ := strings.Cut(f.Name, " ")
		var b strings.Builder
		switch verb {
		case "all":
			b.WriteString(Settings(config, true))
		case "origin":
			b.WriteString(Origin(config, arg))
		case "set":
			b.WriteString(setting(config, arg))
		case "outline":
			outline(&b, doc.Outline(), "")
		case "names":
			b.WriteString(names(config))
		case "hints":
			b.WriteString(hints(config))
		case "complete":
			b.WriteString(c.complete(t, l, arg))
		case "convert":
			problems, err := config.Convert(arg, &b)
			if err != nil {
				t.Fatal(err)
			}
			render.Short(&b, problems)
		case "flatten":
			problems, err := config.Flatten(&b)
			if err != nil {
				t.Fatal(err)
			}
			render.Short(&b, problems)
		case "graph":
			g, err := config.Graph()
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Write(&b, graph.Format(arg)); err != nil {
				t.Fatal(err)
			}
		default:
			continue
		}
		files = append(files, txtar.File{Name: f.Name, Data: []byte(ending(b.String()))})
	}
	var b strings.Builder
	render.Terminal(&b, config.Diagnostics(), false)
	return append(files, txtar.File{Name: "diag", Data: []byte(b.String())})
}

// ending appends a line break if the text does not end with one, because a txtar section must.
func ending(s string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return s
}

func (c *Case) write(t *testing.T, dir string, got []txtar.File) {
	a := &txtar.Archive{Comment: c.archive.Comment}
	for _, f := range c.archive.Files {
		if !isOutput(f.Name) {
			a.Files = append(a.Files, f)
		}
	}
	a.Files = append(a.Files, got...)
	if err := os.WriteFile(filepath.Join(dir, c.Name+".txtar"), txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Settings lists the resolved settings, one on each line.
func Settings(c *lang.Config, all bool) string {
	var b strings.Builder
	for e := range c.Values() {
		if e.Implicit && !all {
			continue
		}
		fmt.Fprintf(&b, "%s = %s", e.Key, e.Value)
		if len(e.Flags) > 0 {
			fmt.Fprintf(&b, " [%s]", strings.Join(e.Flags, ","))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Origin lists where the value of a setting comes from, one step on each line.
func Origin(c *lang.Config, key string) string {
	for e := range c.Values() {
		if e.Key != key {
			continue
		}
		var b strings.Builder
		for _, s := range e.Steps {
			fmt.Fprintln(&b, strings.TrimSpace(fmt.Sprintf("%-9s %-24s %s  %s", s.What, s.Text, s.Span, s.Note)))
		}
		for _, u := range e.Uses {
			fmt.Fprintf(&b, "read by   %s  %s  %s\n", u.Key, u.Span, u.Text)
		}
		return b.String()
	}
	return "no such setting\n"
}

// setting returns the document after the edit KEY=VALUE, or the reason why the edit was refused.
func setting(c *lang.Config, arg string) string {
	key, value, _ := strings.Cut(arg, "=")
	edited, err := c.Edit(lang.Assignment{Key: key, Value: value})
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, change := range edited.Changes {
		if change.File != c.Document.File {
			fmt.Fprintf(&b, "%s:\n", change.File.Path())
		}
		b.WriteString(change.Text)
	}
	return b.String()
}

// Laws checks rules for every text of every language: no byte is lost,
// formatting twice equals formatting once, and formatting changes no meaning.
func Laws(t testing.TB, l *lang.Language, env *load.Env, f *source.File) {
	doc := l.Parse(f)
	problems := doc.Problems()
	if slices.ContainsFunc(problems, func(d *diag.Diagnostic) bool { return d.Code == lang.NULByte || d.Code == lang.ByteOrderMark }) {
		return
	}
	if got := doc.Tokens().Text(); got != f.Text() {
		t.Fatalf("the tokens do not hold the text:\n%q\n%q", f.Text(), got)
	}
	for i, tok := range doc.Tokens().Tokens {
		if tok.Start >= tok.End || i > 0 && tok.Start != doc.Tokens().Tokens[i-1].End {
			t.Fatalf("token %d of %q is %v: tokens must touch and not be empty", i, f.Text(), tok)
		}
	}
	once, ok := doc.Format()
	if !ok {
		return
	}
	again := l.Parse(source.NewFile(f.Path(), once))
	if twice, _ := again.Format(); twice != once {
		t.Fatalf("formatting twice differs\nsource %q\nonce   %q\ntwice  %q", f.Text(), once, twice)
	}
	if !sameInk(f.Text(), once) {
		t.Fatalf("formatting changed more than blanks\nsource %q\nformat %q", f.Text(), once)
	}
	for _, dialect := range []load.Dialect{load.Documented, load.Upstream} {
		e := *env
		e.Dialect = dialect
		a, b := doc.Resolve(&e), again.Resolve(&e)
		if before, after := Settings(a, true), Settings(b, true); before != after {
			t.Fatalf("formatting changed the meaning (%s)\nsource %q\nformat %q\nbefore\n%s\nafter\n%s", dialect, f.Text(), once, before, after)
		}
		if before, after := a.Diagnostics().HasErrors(), b.Diagnostics().HasErrors(); before != after {
			t.Fatalf("formatting changed whether there are errors (%s): %v, then %v\nsource %q\nformat %q", dialect, before, after, f.Text(), once)
		}
	}
}

// sameInk reports whether two texts are equal apart from blanks and line breaks.
func sameInk(a, b string) bool {
	strip := func(r rune) rune {
		if strings.ContainsRune(" \t\r\n\f\v", r) {
			return -1
		}
		return r
	}
	return strings.Map(strip, a) == strings.Map(strip, b)
}
