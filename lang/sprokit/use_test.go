package sprokit

import (
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/graph/svg"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
)

// FuzzUse draws, converts and edits a text. Conversions keep the settings, an edit makes the setting, and the steps of every setting lead to its
// value.
func FuzzUse(f *testing.F) {
	for _, c := range golden.Cases(f, "testdata") {
		f.Add(c.File.Text())
	}
	o := newOptions(Options{})
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "\x00") || strings.Contains(text, "memory") {
			return // not parsed, or never the same twice
		}
		for _, d := range []load.Dialect{load.Documented, load.Upstream} {
			env := &load.Env{Opener: source.Map{}, Dir: ".", Dialect: d}
			open := func(text string) *Model { return o.resolve(env, syntax.Parse(source.NewFile("x.pipe", text))) }
			m := open(text)
			for _, format := range []graph.Format{graph.Text, graph.DOT, graph.Mermaid} {
				if err := m.graph().Write(io.Discard, format); err != nil {
					t.Fatal(err)
				}
			}
			if err := svg.Write(io.Discard, m.graph()); err != nil {
				t.Fatal(err)
			}
			toJSON(m.tree, m, io.Discard)
			for e := range m.values {
				if got, problem := replay(&e); problem != "" || got != e.Value {
					t.Fatalf("%q: the steps of %s make %q of it, not %q: %s", text, e.Key, got, e.Value, problem)
				}
			}
			if refusal(m) == nil {
				kept(t, m, open)
				edited(t, m, open)
			}
		}
	})
}

// kept checks that conversions change no setting.
func kept(t *testing.T, m *Model, open func(string) *Model) {
	var b strings.Builder
	toNewStyle(m.tree, m, &b)
	if after := settings(open(b.String())); !maps.Equal(settings(m), after) {
		t.Fatalf("new style\n%q\n%q\n%v\n%v\nwant %v", m.tree.File().Text(), b.String(), settings(m), after, after)
	}
	b.Reset()
	if lost := flatten(m.tree, m, &b); len(lost) > 0 || m.dialect == load.Upstream {
		return // upstream has texts that only macros can produce
	}
	if after := settings(open(b.String())); !maps.Equal(settings(m), after) {
		t.Fatalf("flatten\n%q\n%q\n%v\n%v\nwant %v", m.tree.File().Text(), b.String(), settings(m), after, after)
	}
}

// edited checks that an edit gives the first settings their new values.
func edited(t *testing.T, m *Model, open func(string) *Model) {
	n := 0
	for s := range m.each {
		if n++; n > 3 {
			return
		}
		edits, err := m.edit(s.Key, "one two")
		if err != nil {
			continue
		}
		text, err := source.Apply(m.tree.File(), edits)
		if err != nil {
			t.Fatal(err)
		}
		if after, ok := open(text).Lookup(s.Key); !ok || after.Value != "one two" {
			t.Fatalf("set %s\n%q\n%q\nwant %q in it", s.Key, m.tree.File().Text(), text, "one two")
		}
	}
}
