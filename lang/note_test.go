package lang_test

import (
	"errors"
	"iter"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
	"github.com/pentode-dev/pentode/lang"
)

// The tests have a language of their own, in which a line has a key and its
// value:
//
//	colour red   # a comment
//
// Its layers are read in order, and the last line with a key decides.
const (
	word token.Kind = iota + 1
	blank
	newline
	comment
)

type tree struct{ token.Tree }

func parse(f *source.File) *tree {
	c := token.NewCursor(f, 4)
	for c.More() {
		switch b := c.Peek(0); {
		case b == '\n':
			c.Take(1, newline)
		case b == ' ' || b == '\t':
			c.Blanks("")
			c.Emit(blank)
		case b == '#':
			c.Until('\n')
			c.Emit(comment)
		default:
			for c.More() && !strings.ContainsRune(" \t\n#", rune(c.Peek(0))) {
				c.Pos++
			}
			c.Emit(word)
		}
	}
	return &tree{token.NewTree(c.Done())}
}

// notes are the places of keys and values, in order.
type notes struct{ keys, values []source.Span }

func resolve(_ *load.Env, layers []*tree) *notes {
	n := &notes{}
	for _, t := range layers {
		key := true
		for i := range t.Tokens().Tokens {
			switch t.Tokens().Kind(i) {
			case newline:
				key = true
			case word:
				at := t.Tokens().Span(i)
				if key {
					n.keys = append(n.keys, at)
					n.values = append(n.values, at.File.Span(at.End, at.End)) // an empty place until a value follows
				} else {
					n.values[len(n.values)-1] = at
				}
				key = false
			}
		}
	}
	return n
}

// value returns the place of a key's value.
func (n *notes) value(key string) (at source.Span, ok bool) {
	for i, k := range n.keys {
		if k.Text() == key {
			at, ok = n.values[i], true
		}
	}
	return at, ok
}

var (
	notColour = &diag.Code{ID: "note/not-colour", Severity: diag.Warning}
	notKnown  = &diag.Code{ID: "note/not-known", Severity: diag.Error}
	loud      = &diag.Code{ID: "note/loud", Severity: diag.Warning}
	quiet     = &diag.Code{ID: "note/quiet", Severity: diag.Info}
)

// check reports every unknown key as a misspelt `colour`.
func (n *notes) check() (list diag.List) {
	for i, k := range n.keys {
		if k.Text() != "colour" {
			list.Report(notColour, k, "`%s` is not a colour", k.Text()).Spell(true, "colour").
				Fix(true, "remove it", source.Edit{Span: k})
		}
		switch n.values[i].Text() {
		case "unknown":
			list.Report(notKnown, n.values[i], "nobody knows `%s`", k.Text()).Helped("write a word")
		case "loud":
			list.Report(loud, n.values[i], "`%s` is loud", k.Text())
		case "quiet":
			list.Report(quiet, n.values[i], "`%s` is quiet", k.Text())
		}
	}
	return list
}

// edit writes the value of a key. The value of `log` is written after the others.
func (n *notes) edit(key, value string) ([]source.Edit, error) {
	at, ok := n.value(key)
	switch {
	case !ok:
		return nil, errors.New("there is no `" + key + "`")
	case key == "log":
		return []source.Edit{{Span: at.File.Span(at.File.Len(), at.File.Len()), Text: key + " " + value + "x\n"}}, nil
	}
	return []source.Edit{{Span: at, Text: value}}, nil
}

func spec() lang.Spec[*tree, *notes] {
	return lang.Spec[*tree, *notes]{
		Name: "note", Title: "note", Globs: []lang.Glob{{Pattern: "*.note"}, {Pattern: "*.txt", Sniff: true}},
		Sniff:   func(text string) bool { return strings.HasPrefix(text, "colour ") },
		Names:   func() []string { return []string{"size"} },
		Comment: comment, Layered: true, Parse: parse, Resolve: resolve,
		Check: (*notes).check,
		Values: func(n *notes) iter.Seq[origin.Entry] {
			return func(yield func(origin.Entry) bool) {
				for i, k := range n.keys {
					if at, _ := n.value(k.Text()); at == n.values[i] && !yield(origin.Entry{Key: k.Text(), Value: at.Text()}) {
						return
					}
				}
			}
		},
		Edit: func(_ *tree, n *notes, key, value string) ([]source.Edit, error) { return n.edit(key, value) },
	}
}

func config(l *lang.Language, texts ...string) *lang.Config {
	var docs []*lang.Document
	for _, text := range texts {
		docs = append(docs, l.Parse(source.NewFile(string(rune('a'+len(docs)))+".note", text)))
	}
	last := len(docs) - 1
	return docs[last].Resolve(&load.Env{Opener: source.Map{}}, docs[:last]...)
}
