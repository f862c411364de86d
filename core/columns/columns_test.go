package columns_test

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/columns"
)

// TestWrite: wide characters count twice, a column without text takes no room, and no cell commands the terminal.
func TestWrite(t *testing.T) {
	var b strings.Builder
	if err := columns.Write(&b, [][]string{{"name", "", "size"}, {"日本語", "", "1"}, {"a\nb\x1b", "", ""}}, "  "); err != nil {
		t.Fatal(err)
	}
	if have, want := b.String(), "name            size\n日本語          1\na\\u000ab\\u001b\n"; have != want {
		t.Errorf("have\n%s\nwant\n%s", have, want)
	}
}
