package pdi

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/replay"
)

// Script reads the calls of a replay: one YAML or JSON list of calls, or one call per line. A call is a list of words, or words on a line.
func Script(f *source.File) (replay.Script, error) {
	tree := syntax.Parse(f)
	if !listOfCalls(tree.Root) {
		return scriptLines(f)
	}
	for _, d := range tree.Problems() {
		return nil, fmt.Errorf("%s: %s", d.Span, d.Message)
	}
	m := &Model{}
	file := &File{Tree: tree, model: m}
	file.doc = value{lower(tree.Root, f), tree.Root, file}
	m.Files = []*File{file}
	m.places = m.index
	for _, item := range file.doc.items() {
		if item.is(data.ScalarNode) {
			at := item.Node.Span
			*item.Node = *words(item.Text)
			item.Node.Span = at
		}
	}
	script, err := replay.Parse(file.doc.Node)
	if err != nil {
		return nil, m.Complaint(err)
	}
	return script, nil
}

// listOfCalls reports whether a script is one list of calls, not lines of which the first happens to be a list in brackets.
func listOfCalls(root *syntax.Node) bool {
	if root.Kind != syntax.Sequence {
		return false
	}
	for _, e := range root.Entries {
		if root.Style == syntax.Flow && e.Value.Resolved().Kind != syntax.Sequence {
			return false
		}
	}
	return true
}

// scriptLines reads a script with one call per line.
func scriptLines(f *source.File) (replay.Script, error) {
	list := &data.Node{Kind: data.SequenceNode}
	at := 0
	for line := range strings.Lines(f.Text()) {
		text := strings.TrimSpace(line)
		if text != "" && text[0] != '#' {
			n := words(text)
			if text[0] == '[' {
				n = ParseNode(text)
			}
			n.Span = f.Span(at, at+len(line))
			list.Items = append(list.Items, n)
		}
		at += len(line)
	}
	script, err := replay.Parse(list)
	return script, err
}

// longCalls maps the calls whose last word extends to the end of the line to their number of words. Values and expressions may contain blanks.
var longCalls = map[string]int{"share": 4, "expose": 4, "poke": 3, "expr": 2, "str": 2, "double": 2}

// words splits a call on one line.
func words(text string) *data.Node {
	n := &data.Node{Kind: data.SequenceNode}
	name, _, _ := strings.Cut(text, " ")
	for rest := text; rest != ""; {
		end := wordEnd(rest)
		if len(n.Items)+1 == longCalls[name] {
			end = len(rest)
		}
		n.Items = append(n.Items, oneWord(rest[:end], len(n.Items)+1 == longCalls[name]))
		rest = strings.TrimSpace(rest[end:])
	}
	return n
}

// oneWord returns a name without its quotes, or a value unchanged.
func oneWord(text string, value bool) *data.Node {
	if n := len(text); !value && n > 1 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		return data.Text(text[1 : n-1])
	}
	return ParseNode(text)
}

// wordEnd returns the end of the first word of a text: a blank outside quotes and brackets, or the end of the text if one of them is not closed.
func wordEnd(text string) int {
	depth := 0
	var quote byte
	for i := range len(text) {
		switch b := text[i]; {
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case (b == '"' || b == '\'') && (i == 0 || strings.IndexByte(" [{,:", text[i-1]) >= 0):
			quote = b
		case b == '[' || b == '{':
			depth++
		case b == ']' || b == '}':
			depth--
		case (b == ' ' || b == '\t') && depth <= 0:
			return i
		}
	}
	return len(text)
}
