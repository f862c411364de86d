package syntax_test

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// pieces are fragments of YAML; in random order they give text that is almost valid.
var pieces = []string{
	"a", "b", "key", "a b", ": ", ":", " :", "\n", "\n", "\n  ", "\n  ", "\n    ", "\n ", " ", "  ", "- ", "-", "? ", "?", "[", "]", "{", "}", ", ", ",",
	"'x'", "\"y\"", "'", "\"", "# c", " # c", "&a ", "*a", "&b ", "*b ", "!t ", "|", "|-", ">", "|+\n", "|2\n", "\n\n", "a: b\n", "- a\n", "\\", "\t",
	"---", "...", "\n---\n", "\r\n", "x: |\n  l\n", "@", "%", "key:\n", "- - ", "''", "é", "\u2028", "\ufeff", "\n\ufeff",
}

// TestSoup compares both readers on texts that are almost YAML.
func TestSoup(t *testing.T) {
	need.Slow(t)
	r := rand.New(rand.NewSource(1))
	for range 30_000 {
		var b strings.Builder
		for range 1 + r.Intn(14) {
			b.WriteString(pieces[r.Intn(len(pieces))])
		}
		agree(t, b.String())
	}
}
