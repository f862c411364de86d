package syntax_test

import (
	"strings"
	"testing"
)

// TestTexts checks the values of texts in each style. libyaml gives the same values.
func TestTexts(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`a: "\ud7ff\ue000\U0010ffff\x41\u00e9"`, "\ud7ff\ue000\U0010ffffA\u00e9"},
		{`a: "\0\a\b\t\n\v\f\r\e\"\\\N\_\L\P\/ \	"`, "\x00\a\b\t\n\v\f\r\x1b\"\\\u0085\u00a0\u2028\u2029/ \t"},
		{"a: \"one\n  two\n\n  three \\\n  four\"", "one two\nthree four"},
		{"a: 'it''s\n  two\n\n\n  three'", "it's two\n\nthree"},
		{"a: one\n  two\n\n  three # no\n", "one two\nthree"},
		{"a: |\n  one\n   two\n\n  three\n", "one\n two\n\nthree\n"},
		{"a: |-\n  one\n\n", "one"},
		{"a: |+\n  one\n\n", "one\n\n"},
		{"a: |2-\n    one\n", "  one"},
		{"a: |-2\n    one\n", "  one"},
		{"a: |2+\n  one\n\n", "one\n\n"},
		{"a: |+1\n  one\n\n", " one\n\n"},
		{"a: | # a comment -\n  one\n\n", "one\n"},
		{"a: >\n  one\n  two\n\n  three\n\n\n  four\n", "one two\nthree\n\nfour\n"},
		{"a: >\n  one\n   two\n  three\n", "one\n two\nthree\n"},
		{"a: >-\n  one\n\n   two\n\n  three\n", "one\n\n two\n\nthree"},
		{"a: |\n\n\n  one\n", "\n\none\n"},
		{"a: \"one\\\n  \\ two\"", "one two"},
		{"a: «one»", "«one»"}, // its first byte could begin a line break
		{"a: €\n", "€"},
	} {
		tree := parse(c.text)
		if len(tree.Root.Entries) != 1 || len(tree.Problems()) > 0 {
			t.Errorf("%q: %s; want len(tree.Root.Entries) = 1 and len(tree.Problems()) at most 0", c.text, problems(tree))
			continue
		}
		if got := tree.Root.Entries[0].Value.Value; got != c.want {
			t.Errorf("%q is %q, want %q", c.text, got, c.want)
		}
	}
}

// TestWrongTexts: escapes, tags and directives that YAML does not have.
func TestWrongTexts(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`a: "\ud800"`, "escape"},
		{`a: "\udfff"`, "escape"},
		{`a: "\U00110000"`, "escape"},
		{`a: "\x4g"`, "escape"},
		{`a: "\xG0"`, "escape"},
		{"a: !\nb: !x 1\nc: !!str 2\nd: !<tag:x,[y]> 3\ne: !a%20b 4\nf: [!x 1, !y , !z ]\n", ""},
		{"a: !<> 1\n", "tag"},
		{"a: !<x 1\n", "tag"},
		{"a: !x! 1\n", "tag"},
		{"a: !!  1\n", "tag"},
		{"a: !x%2 1\n", "tag"},
		{"a: !x%zz 1\n", "tag"},
		{"a: !x{y 1\n", "tag"},
		{"a: !h!x 1\n", "tag"},
		{"%TAG !h! tag:x\n---\na: !h!x 1\n", ""},
		{"%TAG !h! tag:x\n%TAG !h! tag:y\n---\na: 1\n", "directive"},
		{"%TAG !h! tag:x\n%TAG !i! tag:y\n---\na: !h!x 1\nb: !i!x 1\nc: !j!x 1\n", "tag"},
		{"%TAG h tag:x\n---\na: 1\n", "directive"},
		{"%YAML 1.1\n%YAML 1.1\n---\na: 1\n", "directive"},
		{"%YAML 1.2\n---\na: 1\n", ""},
		{"%YAML 1.3\n---\na: 1\n", "directive"},
		{"%YAML 2.1\n---\na: 1\n", "directive"},
		{"\xff\xfea\x00", "encoding"},
		{"\xfe\xff\x00a", "encoding"},
		{"\ufeffa: 1\n", ""},
		{"a: [b:c]\n", ""},
		{"a: [b:]\n", "tight-colon"},
		{"a: {b:, c: 1}\n", "tight-colon"},
		{"a: {b:[1]}\n", "tight-colon"},
		{"a: {b:?x}\n", "tight-colon"},
		{"a: {b:{c: 1}}\n", "tight-colon"},
		{"a: {b:}\n", "tight-colon"},
	} {
		tree := parse(c.text)
		laws(t, tree)
		if got := strings.ReplaceAll(ids(tree), "pdi/yaml-", ""); got != c.want {
			t.Errorf("%q has the problems %q, want %q: %s", c.text, got, c.want, problems(tree))
		}
	}
}
