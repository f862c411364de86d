package columns_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"

	"github.com/pentode-dev/pentode/internal/leaf/columns"
)

// written returns a table as text.
func written(t *testing.T, table columns.Table, rows [][]string) string {
	t.Helper()
	var b strings.Builder
	if err := table.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestWrite: wide characters count twice, a column without text takes no room, and control characters are escaped.
func TestWrite(t *testing.T) {
	have := written(t, columns.Table{}, [][]string{{"name", "", "size"}, {"日本語", "", "1"}, {"a\nb\x1b", "", ""}})
	if want := "name            size\n日本語          1\na\\u000ab\\u001b\n"; have != want {
		t.Errorf("have\n%s\nwant\n%s", have, want)
	}
}

var rows = [][]string{
	{"region", "count", "total", "p99", "about"},
	{"at::native::vectorized_elementwise_kernel", "1,024", "12.3 ms", "4 µs", "Adds two tensors, element by element, of any shape."},
	{"relax", "8", "1m20s", "9.12 s", "A sweep."},
}

func layout(width int, about columns.Kind) columns.Table {
	return columns.Table{Width: width, Columns: []columns.Column{
		{Kind: columns.Name}, {Kind: columns.Figure}, {Kind: columns.Figure}, {Kind: columns.Figure, Keep: 1}, {Kind: about, Keep: 2},
	}}
}

// TestGives checks the order in which a wide table is narrowed: first prose, then names, then the
// least important columns are dropped. Figures are right-aligned and never cut.
func TestGives(t *testing.T) {
	for width, want := range map[int]string{
		0: `region                                     count    total     p99  about
at::native::vectorized_elementwise_kernel  1,024  12.3 ms    4 µs  Adds two tensors, element by element, of any shape.
relax                                          8    1m20s  9.12 s  A sweep.
`,
		100: `region                                 count    total     p99  about
at::native::vector…elementwise_kernel  1,024  12.3 ms    4 µs  Adds two tensors, element by element…
relax                                      8    1m20s  9.12 s  A sweep.
`,
		60: `region             count    total     p99  about
at::nati…e_kernel  1,024  12.3 ms    4 µs  Adds two tensors…
relax                  8    1m20s  9.12 s  A sweep.
`,
		45: `region          count    total  about
at::nat…kernel  1,024  12.3 ms  Adds two ten…
relax               8    1m20s  A sweep.
`,
		30: `region          count    total
at::nat…kernel  1,024  12.3 ms
relax               8    1m20s
`,
	} {
		if have := written(t, layout(width, columns.Line), rows); have != want {
			t.Errorf("at width %d: have\n%s\nwant\n%s", width, have, want)
		}
	}
}

// TestGone: a table reports which columns have no room.
func TestGone(t *testing.T) {
	for width, want := range map[int][]int{0: nil, 100: nil, 60: nil, 48: {3}, 36: {3, 4}} {
		if have := layout(width, columns.Line).Gone(rows); !slices.Equal(have, want) {
			t.Errorf("at width %d columns %v are gone, want %v", width, have, want)
		}
	}
}

// TestProse checks that prose is written on as many lines as it needs.
func TestProse(t *testing.T) {
	have := written(t, columns.Table{Width: 40, Columns: columns.Of(columns.Name, columns.Figure, columns.Prose)}, [][]string{
		{"key", "8", "A text that is longer than its column, and goes on."}, {"other", "12", "Short."},
	})
	want := `key     8  A text that is longer than
           its column, and goes on.
other  12  Short.
`
	if have != want {
		t.Errorf("have\n%s\nwant\n%s", have, want)
	}
}

func TestMiddle(t *testing.T) {
	for _, c := range []struct {
		name  string
		width int
		want  string
	}{
		{"solver", 6, "solver"}, {"solver", 5, "so…er"}, {"solver", 4, "so…r"}, {"solver", 1, "s"}, {"solver", 0, ""},
		{"日本語日本語", 12, "日本語日本語"}, {"日本語日本語", 9, "日本…本語"}, {"日本語日本語", 8, "日本…語"},
	} {
		have := columns.Middle(c.name, c.width)
		if have != c.want || runewidth.StringWidth(have) > c.width {
			t.Errorf("%s in %d cells is %s, want %s", c.name, c.width, have, c.want)
		}
	}
}

// TestWrap: a line is broken at blanks, later parts are indented, and nothing is wider than asked or lost.
func TestWrap(t *testing.T) {
	for _, c := range []struct {
		line          string
		width, indent int
		want          []string
	}{
		{"as it is", 0, 2, []string{"as it is"}},
		{"as it is", 8, 2, []string{"as it is"}},
		{"one two three", 8, 2, []string{"one two", "  three"}},
		{"one two three", 7, 2, []string{"one two", "  three"}},
		{"  indented text", 10, 4, []string{"  indented", "    text"}},
		{"abcdefghij", 4, 1, []string{"abcd", " efg", " hij"}},
		{"ab cdefghij", 4, 1, []string{"ab c", " def", " ghi", " j"}},
		{"日本語", 4, 0, []string{"日本", "語"}},
		{"日本", 1, 0, []string{"日本"}},
		{"trailing     ", 9, 2, []string{"trailing"}},
	} {
		if have := columns.Wrap(c.line, c.width, c.indent); !slices.Equal(have, c.want) {
			t.Errorf("%q in %d cells: have %q, want %q", c.line, c.width, have, c.want)
		}
	}
}

// TestWidths: no table is wider than its terminal if its figures fit, whatever its texts are.
func TestWidths(t *testing.T) {
	for width := 30; width < 200; width++ {
		for n := range 5 {
			long := strings.Repeat("long name ", n*7)
			table := [][]string{{"a" + long, "12", long, "x" + long, "fixed " + long, "3.28 s"}}
			have := written(t, columns.Table{Width: width, Columns: columns.Of(columns.Name, columns.Figure, columns.Prose, columns.Line, columns.Text, columns.Figure)}, table)
			for line := range strings.Lines(have) {
				if cells := runewidth.StringWidth(strings.TrimSuffix(line, "\n")); cells > width {
					t.Errorf("%d names: a line of %d cells in a terminal of %d: %s", n, cells, width, line)
				}
			}
			if !strings.Contains(have, "12") || !strings.Contains(have, "3.28 s") {
				t.Error(fmt.Sprintf("at width %d a figure is not whole:\n", width) + have)
			}
		}
	}
}
