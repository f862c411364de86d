package web

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/web/results"
	"github.com/pentode-dev/pentode/runs/record"
)

// TestResultChart: columns of a table become curves that keep all extremes, however long the table is; a column's name is not taken
// for a number.
func TestResultChart(t *testing.T) {
	h := newHistory(t)
	var long strings.Builder
	long.WriteString("step,\"mean, <b>\",note\n")
	for i := range 20_000 {
		fmt.Fprintf(&long, "%d,%d,\"a, b\"\n", i, map[int]int{7: 9, 12_345: -9}[i])
	}
	h.keep("r1", []record.Result{h.leave("long.csv", long.String()), h.leave("short.tsv", "1\t2\n3\tx\n\n5\n"), h.leave("empty.csv", ""), h.leave("quote.csv", "a\n\""+strings.Repeat("1\n", shownBytes)), h.leave("a.txt", "1")}, nil)
	chart := func(path, columns string) results.Chart {
		return get[results.Chart](h, 200, "result-chart", "run", "r1", "path", path, "columns", columns)
	}
	a := chart("long.csv", "1,0")
	mean, step := a.Lines[0], a.Lines[1]
	if a.Rows != 20_000 || a.Step != 64 || len(mean.Low) != (20_000+63)/64 || mean.High[0] != 9 || mean.Low[12_345/64] != -9 || slices.Max(mean.Low[1:]) != 0 || step.Low[3] != 192 || step.High[3] != 255 {
		t.Errorf("a long table: %d rows, %d a point, %v, want 20000 rows, 64 a point, the mean 9 in the first point and -9 in point %d", a.Rows, a.Step, mean, 12_345/64)
	}
	if a.Read != int64(long.Len()) {
		t.Errorf("%d of %d bytes are read, want all", a.Read, long.Len())
	}
	if a := chart("short.tsv", "1,0"); a.Rows != 3 || a.Step != 1 || fmt.Sprint(a.Lines[0].Low) != "[2 NaN NaN]" || !slices.Equal(a.Lines[1].High, []float64{1, 3, 5}) {
		t.Errorf("a short table: %+v, want 3 rows, one a point, with the lows %v and the highs %v", a, "[2 NaN NaN]", []float64{1, 3, 5})
	}
	if a := chart("empty.csv", "0"); a.Rows != 0 || len(a.Lines[0].Low) != 0 {
		t.Errorf("an empty table: %+v, want no rows and no points", a)
	}
	chart("quote.csv", "0")
	for _, columns := range []string{"", "-1", "a", "0,", "0,1,2,3,4,5,6", "99999999999999999999"} {
		if no := get[map[string]string](h, 400, "result-chart", "run", "r1", "path", "long.csv", "columns", columns); !strings.Contains(no["error"], "`columns` takes") {
			t.Errorf("columns %q: %v, want %q in it", columns, no, "`columns` takes")
		}
	}
	if no := get[map[string]string](h, 422, "result-chart", "run", "r1", "path", "a.txt", "columns", "0"); !strings.Contains(no["error"], "as a table") {
		t.Errorf("%v, want %q in it", no, "as a table")
	}
	if part := get[results.Part](h, 200, "result", "run", "r1", "path", "long.csv", "from", "0"); !slices.Equal(part.Heads, []string{"step", "mean, <b>", "note"}) || len(part.Rows) != shownRows-1 || part.Rows[0][0] != "0" {
		t.Errorf("the columns are called %q, and the first of %d rows is %q; want the names in the first line, and %d rows from %q on", part.Heads, len(part.Rows), part.Rows[0], shownRows-1, "0")
	}
	if part := get[results.Part](h, 200, "result", "run", "r1", "path", "short.tsv", "from", "0"); part.Heads != nil || len(part.Rows) != 3 {
		t.Errorf("a table without names has %q above %q", part.Heads, part.Rows)
	}
}

// TestResultLines: a text that the page shows as a foldable tree is sent in as few parts as possible.
func TestResultLines(t *testing.T) {
	h := newHistory(t)
	text := "[" + strings.Repeat("1,\n", 1000) + "1]"
	h.keep("r1", []record.Result{h.leave("a.json", text)}, nil)
	if a := get[results.Part](h, 200, "result", "run", "r1", "path", "a.json", "from", "0", "lines", "all"); a.Text != text || a.Next != 0 {
		t.Errorf("%d of %d bytes, want a.Text = %v and a.Next = 0", len(a.Text), len(text), text)
	}
}
