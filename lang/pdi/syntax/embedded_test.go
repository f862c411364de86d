package syntax_test

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
)

// TestEmbedded: the first raw string with a section of a tree is the tree. Raw strings in comments, texts and characters do not count; an unclosed
// one extends to the end.
func TestEmbedded(t *testing.T) {
	for text, want := range map[string]string{
		`auto t = R"(data: {x: int})";`:                           "data: {x: int}",
		"auto t = u8R\"PDI(\nplugins:\n  mpi:\n)PDI\"; // )\"":    "\nplugins:\n  mpi:\n",
		"auto a = R\"(alpha: 1)\"; auto t = R\"x(data: )\")x\";":  `data: )"`,
		`// R"(data: {x: int})"`:                                  "",
		`/* R"(data: {x: int})" */`:                               "",
		`auto t = "R\"(data: {x: int})\"";`:                       "",
		`char q = '"'; auto t = R"(data: {x: int})";`:             "data: {x: int}",
		`auto t = WAR"(data: {x: int})";`:                         "",
		`auto t = R"a mark that is far too long(data: {x: int})"`: "",
		"auto t = R\"(  data: {x: int})\";":                       "",
		"auto t = R\"(data: {x: int}":                             "data: {x: int}",
		"data: {x: int}\n":                                        "",
		"long n = 1'000; auto t = R\"(data: {x: int})\";":         "data: {x: int}",
	} {
		start, end, ok := syntax.Embedded(text)
		if got := text[start:end]; got != want || ok != (want != "") {
			t.Errorf("%s\nholds %q (%t), want %q", text, got, ok, want)
		}
		tree := syntax.Parse(source.NewFile("a.hpp", text))
		if got := tree.Tokens().Text(); got != text {
			t.Errorf("%s\nthe tokens hold %q, want %v", text, got, text)
		}
	}
}

// TestEmbeddedBroken: a problem in an embedded tree has its place in the source.
func TestEmbeddedBroken(t *testing.T) {
	text := "auto t = R\"(data: {x: int\n  y: [\n)\";\n"
	tree := syntax.Parse(source.NewFile("a.hpp", text))
	if len(tree.Problems()) == 0 {
		t.Fatal("nothing is wrong")
	}
	for _, d := range tree.Problems() {
		if d.Span.Start < strings.Index(text, "data") || d.Span.End > strings.Index(text, ")\"") {
			t.Errorf("%s at %d to %d, outside of the tree; want d.Span.Start at least %v and d.Span.End at most %v", d.Message, d.Span.Start, d.Span.End, strings.Index(text, "data"), strings.Index(text, ")\""))
		}
	}
}
