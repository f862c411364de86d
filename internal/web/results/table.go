package results

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/downsample"
	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/runs/record"
)

// Limits of texts and tables.
const (
	maxSlice   = 64 << 10 // bytes at a time
	maxRows    = 200
	maxColumns = 50
	maxCharted = 6
	maxChart   = 256 << 20 // bytes of a table read for a chart
)

// Part is a part of a text or of a table.
type Part struct {
	Text  string     `json:"text,omitempty"`
	Heads []string   `json:"heads,omitempty"` // the names of the columns, if the file begins with them
	Rows  [][]string `json:"rows,omitempty"`
	Wide  bool       `json:"wide,omitempty"` // rows have more columns
	Next  int64      `json:"next"`           // where the next part begins; 0: no next part
}

// ReadPart reads some lines of a text or rows of a table, starting at a byte offset. With all it reads as many lines as fit.
func ReadPart(f *os.File, r record.Result, from int64, all bool) (any, error) {
	if from < 0 || from > r.Size {
		return nil, guard.BadRequest("`from` takes a byte offset in the file")
	}
	part := make([]byte, min(maxSlice, r.Size-from))
	if _, err := f.ReadAt(part, from); err != nil {
		return nil, fmt.Errorf("`%s` cannot be read", r.Path)
	}
	rest := r.Size - from - int64(len(part))
	var out Part
	var taken int
	switch ShowsAs(r.Path) {
	case "table":
		taken = out.table(part, separatorOf(r.Path), rest > 0)
		if from == 0 && len(out.Rows) > 1 && isHead(out.Rows[0]) && !isHead(out.Rows[1]) {
			out.Heads, out.Rows = out.Rows[0], out.Rows[1:]
		}
	case "text":
		most := maxRows
		if all {
			most = len(part)
		}
		taken = out.lines(part, most, rest > 0)
	default:
		return nil, fmt.Errorf("the page shows `%s` neither as a text nor as a table", r.Path)
	}
	if end := from + int64(taken); end < r.Size {
		out.Next = end
	}
	return out, nil
}

// lines takes whole lines of a part, at least one, and returns their number of bytes. It cuts a line that is
// longer than the part.
func (a *Part) lines(part []byte, most int, more bool) int {
	end, n := 0, 0
	for i, c := range part {
		if c != '\n' {
			continue
		}
		end, n = i+1, n+1
		if n == most {
			break
		}
	}
	if n < most && !more || end == 0 {
		end = len(part)
	}
	a.Text = string(part[:end])
	return end
}

// table takes whole rows of a part, at least one, and returns their number of bytes.
func (a *Part) table(part []byte, separator rune, more bool) int {
	return rowsOf(part, separator, maxRows, more, func(row []string) {
		a.Wide = a.Wide || len(row) > maxColumns
		a.Rows = append(a.Rows, slices.Clone(row[:min(len(row), maxColumns)]))
	})
}

// isHead reports whether the first row of a table has the names of its columns: none of them is a number.
func isHead(row []string) bool {
	for _, cell := range row {
		if _, err := strconv.ParseFloat(strings.TrimSpace(cell), 64); err == nil {
			return false
		}
	}
	return strings.TrimSpace(strings.Join(row, "")) != ""
}

// rowsOf calls each with whole rows of a part, at least one and at most `most`, and returns their number of bytes. A row is valid
// until the next call.
func rowsOf(part []byte, separator rune, most int, more bool, each func(row []string)) int {
	r := csv.NewReader(bytes.NewReader(part))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = separator, true, -1, true
	end := 0
	for range most {
		row, err := r.Read()
		if err != nil {
			return len(part) // the rest are blank lines
		}
		at := int(r.InputOffset())
		if at >= len(part) && more && end > 0 {
			break // the row may end in the next part
		}
		each(row)
		end = at
	}
	return end
}

// Chart holds columns of a table, downsampled for drawing.
type Chart struct {
	Rows  uint64      `json:"rows"`
	Step  uint64      `json:"step"` // rows per point
	Lines []chartLine `json:"lines"`
	Read  int64       `json:"read"` // bytes; fewer than the size of a table that is too large
}

type chartLine struct {
	Low  downsample.Numbers `json:"low"`
	High downsample.Numbers `json:"high"`
}

// ReadChart reads some columns of a table as curves. It reads in parts, so the length of the table does not matter. text has the numbers of the columns.
func ReadChart(ctx context.Context, f *os.File, r record.Result, text string) (any, error) {
	separator := separatorOf(r.Path)
	if separator == 0 {
		return nil, fmt.Errorf("the page does not show `%s` as a table", r.Path)
	}
	columns, ok := indexes(text, strings.Count(text, ",")+1)
	if !ok || len(columns) > maxCharted {
		return nil, guard.BadRequest(fmt.Sprintf("`columns` takes the numbers of at most %d columns, with commas between them", maxCharted))
	}
	lines := make([]fold, len(columns))
	first := true
	part := make([]byte, maxSlice)
	at, size := int64(0), min(r.Size, maxChart)
	for at < size {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part = part[:min(maxSlice, size-at)]
		if _, err := f.ReadAt(part, at); err != nil {
			return nil, fmt.Errorf("`%s` cannot be read", r.Path)
		}
		at += int64(rowsOf(part, separator, maxSlice, at+int64(len(part)) < r.Size, func(row []string) {
			if first && isHead(row) {
				first = false
				return
			}
			first = false
			for i, c := range columns {
				v := math.NaN()
				if c < uint64(len(row)) {
					if n, err := strconv.ParseFloat(strings.TrimSpace(row[c]), 64); err == nil {
						v = n
					}
				}
				lines[i].add(v)
			}
		}))
	}
	out := Chart{Rows: lines[0].count, Step: max(1, lines[0].step), Read: at}
	for _, l := range lines {
		out.Lines = append(out.Lines, chartLine{l.low, l.high})
	}
	return out, nil
}

// fold keeps the smallest and the largest of neighbouring numbers, when their count is not known in advance.
type fold struct {
	low, high   []float64
	step, count uint64 // numbers per cell, and in all
}

func (f *fold) add(v float64) {
	if f.step == 0 {
		f.step = 1
	}
	cell := int(f.count / f.step)
	f.count++
	if cell == downsample.MaxCells { // merge cells in pairs
		for i := range downsample.MaxCells / 2 {
			f.low[i], f.high[i] = min(f.low[2*i], f.low[2*i+1]), max(f.high[2*i], f.high[2*i+1])
		}
		f.low, f.high = f.low[:downsample.MaxCells/2], f.high[:downsample.MaxCells/2]
		f.step *= 2
		cell /= 2
	}
	if cell == len(f.low) {
		f.low, f.high = append(f.low, math.Inf(1)), append(f.high, math.Inf(-1))
	}
	if v-v == 0 {
		f.low[cell], f.high[cell] = min(f.low[cell], v), max(f.high[cell], v)
	}
}

// indexes parses numbers separated by commas, one for each axis.
func indexes(text string, axes int) ([]uint64, bool) {
	if text == "" {
		return nil, axes == 0
	}
	words := strings.Split(text, ",")
	list := make([]uint64, 0, axes)
	for _, w := range words {
		n, err := strconv.ParseUint(w, 10, 62)
		if err != nil || len(list) == axes {
			return nil, false
		}
		list = append(list, n)
	}
	return list, len(list) == axes
}
