package project

import (
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/pentode-dev/pentode/core/source"
)

// entry is a key with its value.
type entry struct {
	path []string
	span source.Span // the place of the last part of the key
	value
}

// value is a text, a number or a boolean as written, or a list. Of other TOML values, only
// the kind is kept.
type value struct {
	kind unstable.Kind
	text string
	list []value
	at   source.Span
}

// entries reads a file. It flattens the tables, so that every entry has its full key.
func entries(f *source.File) ([]entry, *syntaxError) {
	text := []byte(f.Text())
	var whole map[string]any // filled only because this parser rejects a key that occurs twice
	if err := toml.Unmarshal(text, &whole); err != nil {
		return nil, newSyntaxError(f, err)
	}
	w := walker{file: f}
	w.parser.Reset(text)
	var table []string
	for w.parser.NextExpression() {
		e := w.parser.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			var at source.Span
			table, at = w.key(nil, e.Key())
			w.list = append(w.list, entry{path: table, span: at, value: value{kind: e.Kind, at: at}})
		case unstable.KeyValue:
			w.entry(table, e)
		}
	}
	return w.list, nil
}

type walker struct {
	file   *source.File
	parser unstable.Parser
	list   []entry
}

func (w *walker) entry(table []string, n *unstable.Node) {
	path, at := w.key(table, n.Key())
	v := n.Value()
	if v.Kind != unstable.InlineTable {
		w.list = append(w.list, entry{path, at, w.value(v, at)})
		return
	}
	w.list = append(w.list, entry{path: path, span: at, value: value{kind: unstable.Table, at: at}})
	for it := v.Children(); it.Next(); {
		if it.Node().Kind == unstable.KeyValue {
			w.entry(path, it.Node())
		}
	}
}

func (w *walker) key(table []string, it unstable.Iterator) ([]string, source.Span) {
	path := append([]string(nil), table...)
	var at source.Span
	for it.Next() {
		path = append(path, string(it.Node().Data))
		at = w.span(it.Node().Raw)
	}
	return path, at
}

// value converts a value. If TOML gives it no place, it gets the place of its key.
func (w *walker) value(n *unstable.Node, key source.Span) value {
	v := value{kind: n.Kind, at: key}
	if n.Raw.Length > 0 {
		v.at = w.span(n.Raw)
	}
	switch n.Kind {
	case unstable.String, unstable.Integer, unstable.Float, unstable.Bool:
		v.text = string(n.Data)
	case unstable.Array:
		for it := n.Children(); it.Next(); {
			if it.Node().Kind != unstable.Comment {
				v.list = append(v.list, w.value(it.Node(), key))
			}
		}
	}
	return v
}

func (w *walker) span(r unstable.Range) source.Span {
	return w.file.Span(int(r.Offset), int(r.Offset+r.Length))
}

// syntaxError is the reason why a text is not valid TOML.
type syntaxError struct {
	at   source.Span
	what string
}

func newSyntaxError(f *source.File, err error) *syntaxError {
	var e *toml.DecodeError
	if !errors.As(err, &e) {
		return &syntaxError{f.Span(0, 0), strings.TrimPrefix(err.Error(), "toml: ")}
	}
	line, column := e.Position()
	start := 0
	for range line - 1 {
		start += strings.IndexByte(f.Text()[start:], '\n') + 1
	}
	start = min(start+column-1, f.Len())
	end := start
	if i := strings.IndexAny(f.Text()[start:], " \t\r\n"); i > 0 {
		end += i
	}
	return &syntaxError{f.Span(start, end), strings.TrimPrefix(e.Error(), "toml: ")}
}
