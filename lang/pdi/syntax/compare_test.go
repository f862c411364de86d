package syntax_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
)

func parse(text string) *syntax.Tree { return syntax.Parse(source.NewFile("in.yml", text)) }

// outline writes a tree in a form that allows comparing two readers: kinds, values and order, with aliases expanded.
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
	// It panics on some texts, which counts as an error.
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

// whole checks that the tokens are adjacent and cover every byte.
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
		t.Fatalf("%q: tokens end at %d of %d, want %v", text, at, len(text), len(text))
	}
}

func problems(tree *syntax.Tree) string {
	var b strings.Builder
	for _, d := range tree.Problems() {
		fmt.Fprintf(&b, "%s %s: %s\n", d.Span, d.Code.ID, d.Message)
	}
	return b.String()
}

// texts have every construct once.
var texts = []string{
	"", "\n", "# c\n", "a", "a: b", "a: b\n", "- a\n- b\n", "a:\n- b\n- c\nd: e\n", "a:\n  - b\n  -\n    c: d\n    e: f\n",
	"- - a\n  - b\n- c: d\n  e: f\n-\n- g", "a: 'it''s'\n", "a: \"x\\ty\\u00e9\\x41\"\n", "a: |\n  x\n   y\n\n  z\n\nb: >\n  x\n  y\n\n  z\n   k\n  l\n",
	"a: |-\n  x\nb: |+\n  x\n\nc: >2\n    x\n  y\n", "a: b\n  c\n\n  d\n", "a: 'b\n  c\n\n  d'\n", "a: \"b\\\n   c  \n\n  d\"\n",
	"{a: b, c: [d, e: f, {}], ? g : h, i}", "[a, b,]", "{0: ?}", "? a\n: b\n? - c\n: - d\n", "? a\n? b\nc: d", "&x a: &y b\nc: *y\n*x : d\n",
	"a: &x\n  b: c\nd: *x", "!!map\na: !!str b\n", "--- a\n", "---\na: b\n...\nrest\n", "%YAML 1.1\n---\na: b\n---\nc: d\n", "--- |\n a\n",
	"a: b # c\n# d\ne: f\n", "a:\r\n  b: c\r\n  d: |\r\n    e\r\n    f\r\n", "\ufeffa: b\n", "a:\tb\n", "{\n\ta: b}\n", "a: [\nb\n]\n",
	"a: -1\nb: - \nc: ?x\nd: :x\n", "a b: c d\n", "'a': b\n\"c\": d\n[e]: f\n{g: h}: i\n", "a: |\n", "a: |\n\nb: c\n", "a: |+\n\n\nb: c\n", "- |\n a\n-\n b\n",
	"a: |\n  x", "a: >\n\n  x\n\n\n  y\n", "a: http://x:80/y\n", "{a: http://x:80/y, b: c:d}\n", "a: b:c\n", "a: 'x' # y\n", "\"a\nb\"\n",
	"&a\nb: c\n", "&a b\n", "- &a\n- &b !t\n- x\n", "[&a , *a]", "a: \u0085  b\n", "[a\n b, 'c\n d']\n", "{a: , b: }", "a: {b: c}\nd: []\n", "<<: a\n",
	"a: >-\n  b\n  # c\n # d\ne: f\n", "- a: b\n  c:\n  - d\n  e: f\n", "a:\n    b\n    c\nd: e\n", "a: \n\n\n  b\n", "? |\n  a\n: b\n", "a: é\né: ü\n",
}

func TestAgainstReference(t *testing.T) {
	for _, text := range texts {
		agree(t, text)
	}
}

// agree compares both readers, and checks the laws.
func agree(t testing.TB, text string) {
	t.Helper()
	tree := parse(text)
	laws(t, tree)
	want, err := reference(text)
	if ours := tree.Problems().HasErrors(); ours || err != nil {
		if ours != (err != nil) && !excused(tree, text, want) {
			t.Fatalf("%q\nours: %s\nreference: %v", text, problems(tree), err)
		}
		return
	}
	if tree.Root.Style == syntax.Literal || tree.Root.Style == syntax.Folded {
		return // the reference accepts lines of the top-level value at the margin
	}
	if got := outline(tree.Root); got != want && !differs(text) {
		t.Fatalf("%q\ngot  %s\nwant %s", text, got, want)
	}
}

var (
	tabBeforeComment = regexp.MustCompile(`(?m)(^|[-?:\x{2028}]) *\t[\s\x{2028}]*(#|$)`)
	wideName         = regexp.MustCompile(`[&*][0-9A-Za-z_-]*[^0-9A-Za-z_\-\s:,\[\]{}]`)
	quotedLines      = regexp.MustCompile(`["'][^"']*\n`)
	oddSign          = regexp.MustCompile(`[\[{,][\s\x{2028}]*[?:]|[\[{](.|\s)*\?[\s\x{2028}}\],]`)
)

// excused reports whether the text has a construct that the reference reader and the original's reader are known to read differently.
func excused(tree *syntax.Tree, text, want string) bool {
	if (tree.Root.Style == syntax.Broken || tree.Root.Kind == syntax.Alias) && want == `"" ` {
		return true // the reference takes an anchor alone for a document, and the rest for another one
	}
	for _, d := range tree.Problems() {
		switch d.Code {
		case syntax.TightColon, // the reference takes `{a:, b}`
			syntax.BadName,           // the reference allows more characters in names
			syntax.DuplicateAnchor,   // the reference uses the later one
			syntax.KeyTooLong,        // the reference has no such limit
			syntax.RecursiveAlias,    // the reference leaves this check to its caller
			syntax.AliasBomb,         // the reference leaves this check to its caller
			syntax.TooDeep,           // the reference has another limit
			syntax.ControlCharacter,  // the reference accepts U+007F
			syntax.TextAfterDocument, // the reference reads a little further
			syntax.LaterDocument:
			return true
		case syntax.TextAfterValue:
			// To the reference, text after a quote that ends left of the collection ends the document.
			if quotedLines.MatchString(text) {
				return true
			}
		}
	}
	return differs(text) || strings.HasPrefix(text, "\xfe\xff") || strings.HasPrefix(text, "\xff\xfe") // the reference reads UTF-16
}

// differs reports whether a text has a construct that the reference reads differently.
func differs(text string) bool {
	return tabBeforeComment.MatchString(text) || // the reference allows a tab before a comment
		oddSign.MatchString(text) || // the reference reads `:` and `?` at the start of an item as text
		wideName.MatchString(text) || // the reference allows more characters in names
		strings.LastIndex(text, "\ufeff") > 0 || // the reference reads a byte order mark as text, except at the start
		strings.Contains(text, "%YAML") || // the reference accepts only version 1.1
		strings.Contains(text, "\\/") || strings.Contains(text, "\\'") // the reference has one of these escapes, the original reader the other
}

// laws checks properties that every text must have.
func laws(t testing.TB, tree *syntax.Tree) {
	t.Helper()
	text := tree.File().Text()
	whole(t, tree)
	spans(t, tree, tree.Root)
	once := syntax.Print(tree)
	again := parse(once)
	if twice := syntax.Print(again); twice != once {
		t.Fatalf("formatting twice differs\nsource %q\nonce   %q\ntwice  %q", text, once, twice)
	}
	if a, b := outline(tree.Root), outline(again.Root); a != b {
		t.Fatalf("formatting changed the meaning\nsource %q\nformat %q\nbefore %s\nafter  %s", text, once, a, b)
	}
	if a, b := problems(tree), problems(again); (a == "") != (b == "") {
		t.Fatalf("formatting changed the problems\nsource %q\nformat %q\nbefore %s\nafter  %s", text, once, a, b)
	}
	if strip(text) != strip(once) {
		t.Fatalf("formatting changed more than blanks\nsource %q\nformat %q", text, once)
	}
}

func strip(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n", r) {
			return -1
		}
		return r
	}, s)
}

// spans checks that nodes have the right spans, and that values lead back to the text.
func spans(t testing.TB, tree *syntax.Tree, n *syntax.Node) {
	t.Helper()
	text := tree.File().Text()
	if n.Text.Start > n.Text.End || int(n.Text.End) > len(text) || n.Tokens.First > n.Tokens.End || int(n.Tokens.End) > tree.Tokens().Len() {
		t.Fatalf("%q: node %+v is nowhere; want it in the text, and its end behind its beginning", text, n)
	}
	last := 0
	// Each byte requires decoding the scalar again, so long scalars are checked at few positions.
	for i := 0; n.Kind == syntax.Scalar && i <= len(n.Value); i += 1 + len(n.Value)/50 {
		at := tree.Offset(n, i)
		if at < last || at < int(n.Text.Start) || at > int(n.Text.End) {
			t.Fatalf("%q: byte %d of %q is at %d, after %d", text, i, n.Value, at, last)
		}
		last = at
	}
	for _, e := range n.Entries {
		tree.Comments(e)
		if e.Tokens.First > e.Tokens.End || int(e.Tokens.End) > tree.Tokens().Len() {
			t.Fatalf("%q: entry %+v is nowhere; want it among the tokens, and its end behind its beginning", text, e)
		}
		if e.Key != nil {
			spans(t, tree, e.Key)
		}
		spans(t, tree, e.Value)
	}
}

// FuzzParse checks the laws only. The reference has its own mistakes, which a fuzzer finds before ours, so the two readers are compared on selected
// texts.
func FuzzParse(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	for _, code := range syntax.Codes {
		f.Add(code.Bad)
	}
	f.Fuzz(func(t *testing.T, text string) { laws(t, parse(text)) })
}
