package jsontext_test

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
)

// TestEscapes checks that quotes are escaped, but `<` and `&` are not.
func TestEscapes(t *testing.T) {
	if have, want := jsontext.Line(`<a> & "b"`), `"<a> & \"b\""`; have != want {
		t.Errorf("one line: have %s, want %s", have, want)
	}
	if have, want := string(jsontext.Append([]byte("x"), "<")), `x"<"`; have != want {
		t.Errorf("appended: have %s, want %s", have, want)
	}
	var b strings.Builder
	if err := jsontext.Write(&b, []string{"<"}); err != nil || b.String() != "[\n  \"<\"\n]\n" {
		t.Errorf("several lines: have %q and the error %v", b.String(), err)
	}
}
