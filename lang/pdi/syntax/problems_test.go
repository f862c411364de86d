package syntax_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
)

// TestCodes checks that every bad example triggers its code and nothing else, and that the good one is clean.
func TestCodes(t *testing.T) {
	// Two limits are too large for an example.
	long := map[string]string{
		syntax.KeyTooLong.ID: strings.Repeat("k", 2000) + ": 1\n",
		syntax.TooDeep.ID:    strings.Repeat("[", 2000) + strings.Repeat("]", 2000),
	}
	for _, code := range syntax.Codes {
		t.Run(code.ID, func(t *testing.T) {
			bad := code.Bad
			if text, ok := long[code.ID]; ok {
				bad = text
			}
			if got := ids(parse(bad)); got != code.ID {
				t.Errorf("the bad example gives %q", got)
			}
			if got := problems(parse(code.Good)); got != "" {
				t.Errorf("the good example gives %s; want nothing", got)
			}
		})
	}
}

func ids(tree *syntax.Tree) string {
	var s []string
	for _, d := range tree.Problems() {
		s = append(s, d.Code.ID)
	}
	return strings.Join(s, " ")
}

// TestRecovery checks that each mistake is reported once, and that everything around it is read.
func TestRecovery(t *testing.T) {
	for _, c := range []struct{ text, problems, outline string }{
		{"a: [1, 2\nb: 3\nc: 'x\nd: 4\n", "1:4 unclosed-bracket, 3:4 unclosed-quote", `{ "a" "" "b" "3" "c" "" "d" "4" } `},
		{"a:\n  b: 1\n   c: 2\n  d: 3\ne: 4\n", "3:4 indentation", `{ "a" { "b" "" "d" "3" } "e" "4" } `},
		{"a:\n    b: 1\n  c: 2\nd: 3\n", "3:3 indentation", `{ "a" { "b" "1" } "d" "3" } `},
		{"a: 1\rb: 2\r", "", `{ "a" "1" "b" "2" } `},
		{"a: 1\nb 2\nc: 3\n", "2:1 missing-colon", `{ "a" "1" "c" "3" } `},
		{"data\n  x: int\n", "1:1 missing-colon", `"" `},
		{"a: b: c\nd: e: f\ng: h\n", "1:5 second-colon, 2:5 second-colon", `{ "a" "" "d" "" "g" "h" } `},
		{"- a\n- [b\n- c\n- {d: e\n", "2:3 unclosed-bracket, 4:3 unclosed-bracket", `[ "a" "" "c" "" ] `},
		{"a:\n\tb: 1\n\tc: 2\nd: 3\n", "2:1 tab", `{ "a" { "b" "1" "c" "2" } "d" "3" } `},
		{"a: *x\nb: &y 1\nc: *z\n", "1:5 undefined-alias, 3:5 undefined-alias", `{ "a" *x "b" "1" "c" *z } `},
		{"a: {b: 1 c: 2}\nd: 1\n", "1:11 missing-comma", `{ "a" "" "d" "1" } `},
		{"a: \"\\q\"\nb: 1\n", "1:5 escape", `{ "a" "\\q" "b" "1" } `},
		{"a: ]\nb: }\nc: 1]\n", "1:4 start, 2:4 start", `{ "a" "" "b" "" "c" "1]" } `},
		{"a: 'b' c\nd: 1\n", "1:8 text-after-value", `{ "a" "b" "d" "1" } `},
		{"a:\n- b\n c: d\ne: f\n", "3:2 indentation", `{ "a" [ "" ] "e" "f" } `},
		{"%FOO bar\na: 1\n", "1:1 directive", `{ "a" "1" } `},
		{"%YAML 1.1\na: 1\n", "1:1 missing-document-start", `{ "a" "1" } `},
		{"x: &a [1]\ny: &a [2]\nz: *a\n", "2:4 duplicate-anchor", `{ "x" [ "1" ] "y" [ "2" ] "z" *a } `},
	} {
		tree := parse(c.text)
		laws(t, tree)
		var got []string
		for _, d := range tree.Problems() {
			at := tree.File().Position(d.Span.Start)
			got = append(got, fmt.Sprintf("%d:%d %s", at.Line, at.Column, strings.TrimPrefix(d.Code.ID, "pdi/yaml-")))
		}
		if s := strings.Join(got, ", "); s != c.problems {
			t.Errorf("%q\nproblems %s\nwant     %s\n%s", c.text, s, c.problems, problems(tree))
		}
		if s := outline(tree.Root); s != c.outline {
			t.Errorf("%q\ngot  %s\nwant %s", c.text, s, c.outline)
		}
	}
}

// TestMessages checks the messages as a user sees them.
func TestMessages(t *testing.T) {
	for _, c := range []struct{ text, message, help string }{
		{"a:\n\tb: 1\n", "a tab is used for indentation, where YAML allows blanks only", "replace the tabs that indent by blanks; further ones in this file are not reported"},
		{"n: int\nm int\n", "there is no `:` after `m int`", "write `key: value`, or `key:` with the value on further lines that are indented"},
		{"size: &size 1\nx: *sise\n", "there is no anchor `sise` before this alias", "did you mean `size`?"},
		{"a: [1, 2\nb: 3\n", "`[` is not closed", "write `]` after the last item"},
		{"a: b\n  c: d\n", "`c` is indented below a line that has a value already", "indent it like the key it follows, or remove the value above to make it a mapping"},
		{"x: \"\"file.nc\"\"\n", "`file.nc\"\"` follows a complete value", "`\"\"` is an empty value already: write one quote at each end"},
	} {
		list := parse(c.text).Problems()
		if len(list) != 1 || list[0].Message != c.message || len(list[0].Help) == 0 || list[0].Help[0] != c.help {
			t.Errorf("%q: %d findings, want one: %s (%s)", c.text, len(list), c.message, c.help)
			for _, d := range list {
				t.Errorf("found %s\n%q; want the one above", d.Message, d.Help)
			}
		}
	}
}

// TestMarked: problems and nodes span their text from the first byte to the last.
func TestMarked(t *testing.T) {
	if list := parse("a: - b\n").Problems(); len(list) != 1 || list[0].Span.Text() != "-" {
		t.Errorf("found are %v, want len(list) = 1 and list[0].Span.Text() = %q", list, "-")
	}
	tree := parse("a:\n  b: 1\n  c: [2,\n    3] # three\nd: {e: f}\n")
	for i, want := range []string{"b: 1\n  c: [2,\n    3]", "{e: f}"} {
		if got := tree.NodeSpan(tree.Root.Entries[i].Value).Text(); got != want {
			t.Errorf("the value is %q, want %q", got, want)
		}
	}
}

// TestAliasLimit: many aliases of small nodes are allowed, a few that multiply are not.
func TestAliasLimit(t *testing.T) {
	need.Slow(t)
	wide := func(n int) string { return "x: &a {k: 1}\ny:\n" + strings.Repeat("- *a\n", n) }
	deep := func(n int) string {
		return "x: &a [" + strings.Repeat("1,", n-1) + "]\ny: [" + strings.Repeat("*a,", 100) + "]\n"
	}
	for name, c := range map[string]struct {
		text, says string
	}{
		"300,000 of 100,000 lines":   {wide(100_000), ""},
		"1,200,000 of 400,000 lines": {wide(400_000), "the aliases up to here stand for more than 1000000 nodes"},
		"100,000 of 100":             {deep(1000), ""},
		"200,000 of 100":             {deep(2000), "the aliases up to here stand for more than 142250 nodes"},
	} {
		var says []string
		for _, d := range parse(c.text).Problems() {
			says = append(says, d.Message)
		}
		if got := strings.Join(says, "; "); got != c.says {
			t.Errorf("%s: %q, want %q", name, got, c.says)
		}
	}
}

// TestLimits checks that hostile texts are read in bounded time, with the expected problems.
func TestLimits(t *testing.T) {
	need.Slow(t)
	const n = 50_000
	bomb := "a0: &a0 x\n"
	for i := 1; i < 40; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
	}
	for name, c := range map[string]struct {
		text string
		code string
	}{
		"brackets":      {strings.Repeat("[", n), syntax.TooDeep.ID},
		"braces":        {strings.Repeat("{a: ", n), syntax.TooDeep.ID},
		"dashes":        {strings.Repeat("- ", n), syntax.TooDeep.ID},
		"questions":     {strings.Repeat("? ", n), syntax.TooDeep.ID},
		"bomb":          {bomb, syntax.AliasBomb.ID},
		"open brackets": {strings.Repeat("a: [\n", n), syntax.TooDeep.ID},
		"open quotes":   {strings.Repeat("a: \"\\\"\n", n), ""},
		"colons":        {strings.Repeat("a: b: c\n", n), syntax.SecondColon.ID},
		"anchors":       {strings.Repeat("- &a x\n", n), syntax.DuplicateAnchor.ID},
		"unknown":       {strings.Repeat("- *a\n", n), syntax.UndefinedAlias.ID},
		"long scalar":   {"a: " + strings.Repeat("x ", 5*n), ""},
		"long lines":    {"a: |\n" + strings.Repeat("  x\n", 5*n), ""},
		"breaks":        {"a: \"" + strings.Repeat("\n", 5*n) + "\"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			tree := parse(c.text)
			whole(t, tree)
			if c.code != "" && !strings.Contains(ids(tree), c.code) {
				t.Errorf("no %s", c.code)
			}
			syntax.Print(tree)
		})
	}
}

// TestDeepAlias checks that aliases cannot nest deeper than brackets.
func TestDeepAlias(t *testing.T) {
	text := "a0: &a0 " + strings.Repeat("[", 300) + strings.Repeat("]", 300) + "\n"
	for i := 1; i < 10; i++ {
		text += fmt.Sprintf("a%d: &a%d %s*a%d%s\n", i, i, strings.Repeat("[", 300), i-1, strings.Repeat("]", 300))
	}
	tree := parse(text)
	if list := tree.Problems(); len(list) == 0 || list[0].Span.Text() != "*a2" {
		t.Errorf("it is not said of the third alias: %s", problems(tree))
	}
	var depth func(*syntax.Node) int
	depth = func(n *syntax.Node) int {
		most := 0
		for _, e := range n.Resolved().Entries {
			most = max(most, depth(e.Value))
		}
		return most + 1
	}
	if d := depth(tree.Root); d > 1002 {
		t.Errorf("%d levels, want at most 1002", d)
	}
}

// TestOffset checks the mapping from a value back to the text.
func TestOffset(t *testing.T) {
	for _, c := range []struct{ text, part string }{
		{"a: x + $n\n", "$n"},
		{"a: 'it''s $n'\n", "$n"},
		{"a: \"\\t\\u00e9$n\"\n", "$n"},
		{"a: |\n  x\n   $n\n", "$n"},
		{"a: >\n  x\n  y\n\n  $n\n", "$n"},
		{"a: x\n  y\n\n   $n z\n", "$n"},
		{"a: \"x \\\n    $n\"\n", "$n"},
	} {
		tree := parse(c.text)
		e, ok := tree.Root.Find("a")
		if !ok {
			t.Fatalf("%q: no a", c.text)
		}
		i := strings.Index(e.Value.Value, c.part)
		if span := tree.ValueSpan(e.Value, i, i+len(c.part)); span.Text() != c.part {
			t.Errorf("%q: %q is at %v, which is %q; want %v", c.text, c.part, span, span.Text(), c.part)
		}
	}
}

func TestComments(t *testing.T) {
	tree := parse("e: [1, # one\n  2] # e's\n# of a\na: 1 # suffix\n# of b\nb: # head\n  # of c\n  c: [1] # c's\n  # after\n- d\n")
	if len(tree.Root.Entries) < 3 {
		t.Fatalf("%v; want at least 3", outline(tree.Root))
	}
	b := tree.Root.Entries[2]
	var got []string
	for _, e := range []syntax.Entry{tree.Root.Entries[0], tree.Root.Entries[1], b, b.Value.Entries[0]} {
		c := tree.Comments(e)
		for _, i := range append(c.Before, c.Suffix...) {
			got = append(got, tree.Tokens().At(i))
		}
	}
	if s := strings.Join(got, "|"); s != "# e's|# of a|# suffix|# of b|# head|# of c|# c's" {
		t.Errorf("%v; want %q", s, "# e's|# of a|# suffix|# of b|# head|# of c|# c's")
	}
}

func TestPrint(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"\n\na:   1  \n\n\n\nb:\t[ 1,2 ,3 ]   # c  \nc:\r\n  -   x\r\n  -   y: 1\r\n      z: 2\r\n", "a: 1\n\nb: [1, 2, 3]   # c\nc:\n  - x\n  -   y: 1\n      z: 2\n"},
		{"a: |\n  x  \n\n\n  y\n\n\nb: { \"c\":d , e : f, g: }", "a: |\n  x  \n\n\n  y\n\nb: {\"c\": d, e: f, g: }\n"},
		{"a: |\n  x", "a: |\n  x"},
		{"a: |+\n  x\n\n\n", "a: |+\n  x\n\n\n"},
		{"a   :   b\n'c'  : 'd   e'\n", "a: b\n'c': 'd   e'\n"},
		{"a: [", "a: ["},
		{"a: Å", "a: Å\n"}, // its last byte is also the last byte of a Unicode line break
		{"a: b\u0085", "a: b\u0085"},
	} {
		tree := parse(c.text)
		laws(t, tree)
		if got := syntax.Print(tree); got != c.want {
			t.Errorf("%q\ngot  %q\nwant %q", c.text, got, c.want)
		}
	}
}

// TestLongKeys: the length of a key is limited in characters, not bytes, as in the original program.
func TestLongKeys(t *testing.T) {
	for _, letter := range []string{"k", "ü"} {
		if found := parse(strings.Repeat(letter, 1024) + ": 1\n").Problems(); len(found) > 0 {
			t.Errorf("%s: %s; want at most 0", letter, found[0].Message)
		}
		if got := ids(parse(strings.Repeat(letter, 1025) + ": 1\n")); !strings.Contains(got, syntax.KeyTooLong.ID) {
			t.Errorf("%s: found are %q, want %q in it", letter, got, syntax.KeyTooLong.ID)
		}
	}
}

// TestUnreadable: text after the first document is a problem, but the original program still reads the document.
func TestUnreadable(t *testing.T) {
	behind := parse("  a: 1\nb: 2\n")
	if d := behind.Unreadable(); d != nil || !strings.Contains(ids(behind), syntax.TextAfterDocument.ID) {
		t.Errorf("unreadable because of %v; found are %q, want d nil and %q in ids(behind)", d, ids(behind), syntax.TextAfterDocument.ID)
	}
	if d := parse("a: [1\n").Unreadable(); d == nil {
		t.Error("a list without its end is readable")
	}
}
