package coil

import (
	"iter"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil/syntax"
)

// wordKinds are the kinds of tokens that mean the same everywhere.
var wordKinds = map[token.Kind]lang.Kind{
	syntax.Comment: lang.Comment, syntax.Quoted: lang.Text, syntax.Word: lang.Text,
	syntax.Equals: lang.Operator, syntax.Directive: lang.Keyword,
}

// occurrences returns the occurrences of all names in the file and its
// includes. The same key in several files is the same thing: its last
// occurrence decides the value.
func (m *Model) occurrences() iter.Seq[lang.Occurrence] {
	return func(yield func(lang.Occurrence) bool) {
		w := &walker{Model: m, yield: yield, read: map[*source.File]bool{}}
		w.file(m.root)
	}
}

type walker struct {
	*Model
	yield func(lang.Occurrence) bool
	done  bool
	read  map[*source.File]bool
}

func (w *walker) add(o lang.Occurrence) {
	if !w.done && o.Span.Len() > 0 {
		w.done = !w.yield(o)
	}
}

func (w *walker) file(n *include) {
	f := n.frame.File
	if w.read[f] {
		return
	}
	w.read[f] = true
	t := w.tree
	if t.File() != f {
		t = syntax.Parse(f)
	}
	leads := map[int]*source.File{}
	for _, inc := range n.includes {
		leads[inc.frame.At.Start] = inc.frame.File
	}
	for _, inc := range t.Includes {
		o := lang.Occurrence{Span: t.Span(inc.Path), Kind: lang.Path, Fixed: true}
		if to := leads[o.Span.Start]; to != nil {
			o.Target = to.Span(0, 0)
		}
		w.add(o)
	}
	for i := range t.Sections {
		w.section(t, &t.Sections[i])
	}
	for _, inc := range n.includes {
		w.file(inc)
	}
}

func (w *walker) section(t *syntax.Tree, s *syntax.Section) {
	name := collapse(t.Of(s.Name))
	table := w.schema.Section(name)
	w.add(lang.Occurrence{Span: t.Span(s.Name), Kind: lang.Section, Symbol: "section " + name, Def: true, Fixed: table != nil})
	for i := range s.Entries {
		e := &s.Entries[i]
		key := t.Of(e.Key)
		path := name + "." + key
		w.add(lang.Occurrence{Span: t.Span(e.Key), Kind: lang.Key, Symbol: "key " + path, Def: true, Key: path, Fixed: table != nil && table.Key(key) != nil})
		w.value(t, e, key, path)
	}
}

// value adds an occurrence for each element of a list, or one for the whole
// value.
func (w *walker) value(t *syntax.Tree, e *syntax.Entry, key, path string) {
	kind, what := lang.Word, ""
	switch key {
	case "Features", "SIMD", "Crypto":
		kind, what = lang.Feature, "feature "
	case "ParameterRegisters", "ReturnRegisters":
		kind, what = lang.Register, "register "
	default:
		if text := t.Of(e.Value); strings.Trim(text, "0123456789") == "" {
			kind = lang.Number
		}
		w.add(lang.Occurrence{Span: t.Span(e.Value), Kind: kind, Key: path})
		return
	}
	for _, item := range syntax.Items(t.File().Text(), e.Value) {
		span := t.Span(item)
		w.add(lang.Occurrence{Span: span, Kind: kind, Symbol: what + strings.Trim(span.Text(), `"`), Key: path, Fixed: true})
	}
}
