package image

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// detectionLines reads the lines of a file of detections, without empty lines and comments, which
// begin with `#`.
type detectionLines struct {
	name   string
	lines  *bufio.Scanner
	number int
}

// maxDetectionLine limits the length of a line; polygons make lines long.
const maxDetectionLine = 16 << 20

func newLines(name string, r io.Reader) *detectionLines {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxDetectionLine)
	return &detectionLines{name: name, lines: lines}
}

// next returns the next line with content; io.EOF at the end.
func (d *detectionLines) next() (string, error) {
	for d.lines.Scan() {
		d.number++
		if text := strings.TrimSpace(d.lines.Text()); text != "" && text[0] != '#' {
			return text, nil
		}
	}
	switch err := d.lines.Err(); {
	case err == nil:
		return "", io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		return "", fmt.Errorf("line %d of `%s` is longer than %d bytes", d.number+1, d.name, maxDetectionLine)
	default:
		return "", fmt.Errorf("the file `%s` cannot be read after line %d: %w", d.name, d.number, problem.Reason(err))
	}
}

func (d *detectionLines) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d of `%s`: %s", d.number, d.name, fmt.Sprintf(format, args...))
}

// A rowReader reads numbers from the fields of a row and keeps the first mistake.
type rowReader struct {
	lines  *detectionLines
	fields []string
	err    error
}

func (r *rowReader) number(i int) float64 {
	f, err := strconv.ParseFloat(strings.TrimSpace(r.fields[i]), 64)
	if err != nil && r.err == nil {
		r.err = r.lines.errorf("`%s` is not a number", r.fields[i])
	}
	return f
}

func (r *rowReader) whole(i int) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(r.fields[i]), 10, 64)
	if err != nil && r.err == nil {
		r.err = r.lines.errorf("`%s` is not a whole number", r.fields[i])
	}
	return n
}

// box sets the box and the confidence, which are in this order from field i on.
func (r *rowReader) box(d *Detection, i int) {
	d.Left, d.Top, d.Right, d.Bottom, d.Confidence = r.number(i), r.number(i+1), r.number(i+2), r.number(i+3), r.number(i+4)
}

// classes reads pairs of names and scores.
func (r *rowReader) classes(d *Detection, from, to int) {
	for i := from; i+1 < to; i += 2 {
		d.Classes = append(d.Classes, Class{strings.TrimSpace(r.fields[i]), r.number(i + 1)})
	}
}

// writable refuses fields with characters that a row cannot contain.
func writable(row []string, not string) error {
	for _, field := range row {
		if strings.ContainsAny(field, not+"\n\r") {
			return fmt.Errorf("`%s` contains a delimiter, a `#` or a line end, which this format cannot write", field)
		}
	}
	return nil
}

// numbers formats numbers as both formats write them.
func numbers(list ...float64) (texts []string) {
	for _, f := range list {
		texts = append(texts, strconv.FormatFloat(f, 'g', -1, 64))
	}
	return texts
}
