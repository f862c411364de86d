package syntax_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
)

func parse(text string) *syntax.Tree { return syntax.Parse(source.NewFile("in.yml", text)) }

// outline writes a tree so that two readers can be compared: kinds, values and
// order, aliases by what they stand for.
func outline(n *syntax.Node) string {
	var b strings.Builder
	var walk func(*syntax.Node)
	walk = func(n *syntax.Node) {
		switch n.Kind {
		case syntax.Scalar:
			fmt.Fprintf(&b, "%q ", n.Value)
		case syntax.Alias:
			fmt.Fprintf(&b, "*%s ", n.Value)
		case syntax.Sequence:
			b.WriteString("[ ")
			for _, e := range n.Entries {
				walk(e.Value)
			}
			b.WriteString("] ")
		case syntax.Mapping:
			b.WriteString("{ ")
			for _, e := range n.Entries {
				walk(e.Key)
				walk(e.Value)
			}
			b.WriteString("} ")
		}
	}
	walk(n)
	return b.String()
}

// reference reads the first document with an independent reader.
func reference(text string) (out string, err error) {
	// It panics on some texts, which is as good as an error.
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("panic: %v", e)
		}
	}()
	var doc yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader([]byte(text))).Decode(&doc); err != nil {
		if err.Error() == "EOF" {
			return `"" `, nil
		}
		return "", err
	}
	var b strings.Builder
	var walk func(*yaml.Node)
	walk = func(n *yaml.Node) {
		switch n.Kind {
		case yaml.DocumentNode:
			for _, c := range n.Content {
				walk(c)
			}
		case yaml.ScalarNode:
			fmt.Fprintf(&b, "%q ", n.Value)
		case yaml.AliasNode:
			fmt.Fprintf(&b, "*%s ", n.Value)
		case yaml.SequenceNode:
			b.WriteString("[ ")
			for _, c := range n.Content {
				walk(c)
			}
			b.WriteString("] ")
		case yaml.MappingNode:
			b.WriteString("{ ")
			for _, c := range n.Content {
				walk(c)
			}
			b.WriteString("} ")
		}
	}
	walk(&doc)
	return b.String(), nil
}

// whole checks that the tokens touch and hold every byte.
func whole(t testing.TB, tree *syntax.Tree) {
	t.Helper()
	text := tree.File().Text()
	at := int32(0)
	for _, tok := range tree.Tokens().Tokens {
		if tok.Start != at || tok.End <= tok.Start {
			t.Fatalf("%q: tokens do not touch at %d: %v", text, at, tok)
		}
		at = tok.End
	}
	if int(at) != len(text) {
		t.Fatalf("%q: tokens end at %d of %d", text, at, len(text))
	}
}

func problems(tree *syntax.Tree) string {
	var b strings.Builder
	for _, d := range tree.Problems() {
		fmt.Fprintf(&b, "%s %s: %s\n", d.Span, d.Code.ID, d.Message)
	}
	return b.String()
}

func TestAgainstReference(t *testing.T) {
	for _, text := range []string{
		"", "\n", "# c\n", "a", "a: b", "a: b\n", "- a\n- b\n", "a:\n- b\n- c\nd: e\n", "a:\n  - b\n  -\n    c: d\n    e: f\n",
		"- - a\n  - b\n- c: d\n  e: f\n-\n- g", "a: 'it''s'\n", "a: \"x\\ty\\u00e9\\x41\"\n", "a: |\n  x\n   y\n\n  z\n\nb: >\n  x\n  y\n\n  z\n   k\n  l\n",
		"a: |-\n  x\nb: |+\n  x\n\nc: >2\n    x\n  y\n", "a: b\n  c\n\n  d\n", "a: 'b\n  c\n\n  d'\n", "a: \"b\\\n   c  \n\n  d\"\n",
		"{a: b, c: [d, e: f, {}], ? g : h, i}", "[a, b,]", "? a\n: b\n? - c\n: - d\n", "? a\n? b\nc: d", "&x a: &y b\nc: *y\n*x : d\n",
		"a: &x\n  b: c\nd: *x", "!!map\na: !!str b\n", "--- a\n", "---\na: b\n...\nrest\n", "%YAML 1.1\n---\na: b\n---\nc: d\n", "--- |\n a\n",
		"a: b # c\n# d\ne: f\n", "a:\r\n  b: c\r\n  d: |\r\n    e\r\n    f\r\n", "\ufeffa: b\n", "a:\tb\n", "{\n\ta: b}\n", "a: [\nb\n]\n",
		"a: -1\nb: - \nc: ?x\nd: :x\n", "a b: c d\n", "'a': b\n\"c\": d\n[e]: f\n{g: h}: i\n", "a: |\n", "a: |\n\nb: c\n", "a: |+\n\n\nb: c\n", "- |\n a\n-\n b\n",
		"a: |\n  x", "a: >\n\n  x\n\n\n  y\n", "a: http://x:80/y\n", "{a: http://x:80/y, b: c:d}\n", "a: b:c\n", "a: 'x' # y\n", "\"a\nb\"\n",
		"&a\nb: c\n", "&a b\n", "- &a\n- &b !t\n- x\n", "[&a , *a]", "a: \u0085  b\n", "[a\n b, 'c\n d']\n", "{a: , b: }", "a: {b: c}\nd: []\n", "<<: a\n",
		"a: >-\n  b\n  # c\n # d\ne: f\n", "- a: b\n  c:\n  - d\n  e: f\n", "a:\n    b\n    c\nd: e\n", "a: \n\n\n  b\n", "? |\n  a\n: b\n", "a: é\né: ü\n",
	} {
		tree := parse(text)
		whole(t, tree)
		want, err := reference(text)
		if tree.Problems().HasErrors() != (err != nil) {
			t.Errorf("%q\nours: %s\nreference: %v", text, problems(tree), err)
			continue
		}
		if got := outline(tree.Root); err == nil && got != want {
			t.Errorf("%q\ngot  %s\nwant %s", text, got, want)
		}
	}
}
