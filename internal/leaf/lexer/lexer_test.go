package lexer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/leaf/lexer"
)

// list returns the tokens of a source as text: W for a word, T for a text, F for a text with placeholders, S for a sign, D for a directive, and | for
// the end of a statement.
func list(src string, l lexer.Language, fixed bool) string {
	var parts []string
	for t := range lexer.Tokens(src, l, fixed) {
		if t.Kind == lexer.Stop {
			parts = append(parts, "|")
			continue
		}
		parts = append(parts, fmt.Sprintf("%c:%s", "WTFSD"[t.Kind], t.Value))
	}
	return strings.Join(parts, " ")
}

func TestTokens(t *testing.T) {
	for _, c := range []struct {
		language  lexer.Language
		fixed     bool
		src, want string
	}{
		{lexer.C, false, "#define A \\\n 1\na->b /* c */ = u8\"d\\n\"; // e", "D:#define A \\\n 1 W:a S:-> W:b S:= T:d\n S:; |"},
		{lexer.C, false, `R"x(a")x" 1'000`, `T:a" W:1'000 |`},
		{lexer.Python, false, "f(a, # b\n  '''c\nd''')\ng = f'{h}'; i = rb'\\j'", "W:f S:( W:a S:, T:c\nd S:) | W:g S:= F:{h} | W:i S:= T:\\j |"},
		{lexer.Fortran, false, "CALL a('b''c', & ! d\n  & e) // F", "W:call W:a S:( T:b'c S:, W:e S:) S:// W:f |"},
		{lexer.Fortran, true, "c a\n      b =\n     1 c", "W:b S:= W:c |"},
	} {
		if got := list(c.src, c.language, c.fixed); got != c.want {
			t.Errorf("%s\nhave %s\nwant %s", c.src, got, c.want)
		}
	}
}

// TestPlaces: the positions of a token are correct, also inside quotes.
func TestPlaces(t *testing.T) {
	const src = "  x = u8\"abc\" + 'd"
	for tok := range lexer.Tokens(src, lexer.C, false) {
		whole, inside := src[tok.Start:tok.End], src[tok.From:tok.To]
		if inside != tok.Value || tok.Kind != lexer.Text && whole != inside || tok.Kind == lexer.Text && !strings.Contains("u8\"abc\" 'd", whole) {
			t.Errorf("%q is at %q, inside %q; want the value inside, and all of it unless it is a text", tok.Value, whole, inside)
		}
	}
}
