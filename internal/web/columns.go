package web

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/thin"
	"github.com/pentode-dev/pentode/internal/web/guard"
)

// Limits of a chart of a table.
const (
	maxCharted = 6
	maxChart   = 256 << 20 // bytes of the table that are read for it
)

// separatorOf is the sign between the cells of a table; 0: the file is no table.
func separatorOf(path string) rune {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
		return ','
	case ".tsv":
		return '\t'
	}
	return 0
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

// rowsOf calls each with whole rows of a part, at least one and at most some, and returns how many bytes they have. A row is the
// caller's until the next one comes.
func rowsOf(part []byte, separator rune, most int, more bool, each func(row []string)) int {
	r := csv.NewReader(bytes.NewReader(part))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = separator, true, -1, true
	end := 0
	for range most {
		row, err := r.Read()
		if err != nil {
			return len(part) // what is left are blank lines
		}
		at := int(r.InputOffset())
		if at >= len(part) && more && end > 0 {
			break // its end may lie in the next part
		}
		each(row)
		end = at
	}
	return end
}

// chartAnswer is columns of a table, made small enough to be drawn.
type chartAnswer struct {
	Rows  uint64      `json:"rows"`
	Step  uint64      `json:"step"` // rows that a point stands for
	Lines []chartLine `json:"lines"`
	Read  int64       `json:"read"` // bytes, fewer than the table has where it is too large
}

type chartLine struct {
	Low  thin.Numbers `json:"low"`
	High thin.Numbers `json:"high"`
}

// resultChart is some columns of a table as curves. It is read in parts, so that its length does not matter.
func (s *Server) resultChart(req *http.Request) (any, error) {
	f, r, err := s.openResult(req)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	separator := separatorOf(r.Path)
	if separator == 0 {
		return nil, fmt.Errorf("the page does not show `%s` as a table", r.Path)
	}
	columns, ok := indexes(req.URL.Query().Get("columns"), strings.Count(req.URL.Query().Get("columns"), ",")+1)
	if !ok || len(columns) > maxCharted {
		return nil, guard.BadRequest(fmt.Sprintf("`columns` takes the numbers of at most %d columns, with commas between them", maxCharted))
	}
	done, err := s.slices.Take(req.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	lines := make([]fold, len(columns))
	first := true
	part := make([]byte, maxSlice)
	at, size := int64(0), min(r.Size, maxChart)
	for at < size {
		if err := req.Context().Err(); err != nil {
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
	out := chartAnswer{Rows: lines[0].count, Step: max(1, lines[0].step), Read: at}
	for _, l := range lines {
		out.Lines = append(out.Lines, chartLine{l.low, l.high})
	}
	return out, nil
}
