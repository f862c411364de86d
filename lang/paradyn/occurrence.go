package paradyn

import (
	"iter"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/paradyn/syntax"
)

// wordKinds are the kinds of tokens that mean the same everywhere.
var wordKinds = map[token.Kind]lang.Kind{
	syntax.Comment: lang.Comment, syntax.OddComment: lang.Comment, syntax.String: lang.Text, syntax.OpenString: lang.Text,
	syntax.Number: lang.Number, syntax.OddNumber: lang.Number,
}

// occurrences returns the occurrences in all files of the configuration: the
// words of the last file, and the names in every file.
func (m *Model) occurrences() iter.Seq[lang.Occurrence] {
	return func(yield func(lang.Occurrence) bool) {
		w := &walker{Model: m, yield: yield}
		for i := range m.tree.Defs {
			w.definition(&m.tree.Defs[i])
		}
		for i := range m.Tunables {
			t := &m.Tunables[i]
			key := key{kind: "tunable_constant", name: t.Name, item: -1}.String()
			w.add(lang.Occurrence{Span: unquoted(t.At), Kind: lang.Tunable, Symbol: "tunable " + t.Name, Def: true, Key: key, Fixed: tunables.Key(t.Name) != nil})
			w.add(lang.Occurrence{Span: t.Place.Span, Kind: lang.Number, Key: key})
		}
		for i := range m.Lists {
			l := &m.Lists[i]
			w.add(lang.Occurrence{Span: unquoted(l.Place.Span), Kind: lang.Section, Symbol: "list " + l.Name, Def: true})
		}
		symbols := m.daemonSymbols()
		for kind, blocks := range m.kinds {
			for i, b := range blocks {
				w.block(key{kind: kind, index: i, item: -1}, b, symbols)
			}
		}
		for i, b := range m.broken { // give each an index that no block with settings has
			w.block(key{kind: b.Kind, index: len(*m.of(b.Kind)) + i, item: -1}, b, symbols)
		}
	}
}

// daemonSymbols returns the symbols of the daemons that processes refer to,
// by the place of the reference.
func (m *Model) daemonSymbols() map[source.Span]string {
	symbols := map[source.Span]string{}
	for k, uses := range m.daemonUses() {
		for _, u := range uses {
			symbols[u.Span] = k.String()
		}
	}
	return symbols
}

type walker struct {
	*Model
	yield func(lang.Occurrence) bool
	done  bool
}

func (w *walker) add(o lang.Occurrence) {
	if !w.done && o.Span.Len() > 0 {
		w.done = !w.yield(o)
	}
}

// unquoted returns the place of a string without its quotes.
func unquoted(s source.Span) source.Span {
	if text := s.Text(); len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"' {
		s.Start, s.End = s.Start+1, s.End-1
	}
	return s
}

// definition adds the words of a definition.
func (w *walker) definition(d *syntax.Def) {
	t := w.tree
	kind := t.Text(d.Keyword)
	w.add(lang.Occurrence{Span: t.TokenSpan(d.Keyword), Kind: lang.Keyword, Symbol: "word " + kind, Fixed: true})
	for i := range d.Blocks {
		for _, f := range d.Blocks[i].Fields {
			w.add(lang.Occurrence{Span: t.TokenSpan(f.Key), Kind: lang.Key, Symbol: "field " + kind + "." + t.Text(f.Key), Fixed: true})
		}
	}
}

// block adds the values of a block's fields.
func (w *walker) block(k key, b *Block, symbols map[source.Span]string) {
	for i := range b.Fields {
		f := &b.Fields[i]
		k.name = f.Name
		for _, v := range f.Values {
			if v.Place.Override {
				continue
			}
			o := lang.Occurrence{Span: unquoted(v.Place.Span), Kind: lang.Text, Key: k.String()}
			switch {
			case f.Name == "args":
				w.args(k, v.Items)
				continue
			case b.Kind == daemon && (f.Name == "command" || f.Name == "name"):
				o.Kind, o.Symbol, o.Def = lang.Daemon, k.String(), true
			case f.Name == daemon:
				o.Kind, o.Symbol = lang.Daemon, symbols[v.Place.Span]
			case f.Name == "name":
				o.Kind, o.Symbol, o.Def = lang.Process, b.Kind+" "+v.Text, true
			case f.Name == "flavor":
				o.Kind = lang.Word
			}
			w.add(o)
		}
	}
}

func (w *walker) args(k key, items []Item) {
	for i, it := range items {
		k.item = i
		if !it.Place.Override {
			w.add(lang.Occurrence{Span: unquoted(it.Place.Span), Kind: lang.Text, Key: k.String()})
		}
	}
}
