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

// detectionLines reads a file of detections line by line. It skips empty lines, and comments,
// which begin with `#`.
type detectionLines struct {
	name   string
	lines  *bufio.Scanner
	number int
}

// maxDetectionLine limits the length of a line. It is large because polygons make lines long.
const maxDetectionLine = 16 << 20

func newLines(name string, r io.Reader) *detectionLines {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxDetectionLine)
	return &detectionLines{name: name, lines: lines}
}

// next returns the next line that is neither empty nor a comment, or io.EOF after the last one.
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

// A rowReader converts fields of a row to numbers. It keeps the first error.
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

// box sets the box and the confidence of a detection from five fields, beginning with field i.
func (r *rowReader) box(d *Detection, i int) {
	d.Left, d.Top, d.Right, d.Bottom, d.Confidence = r.number(i), r.number(i+1), r.number(i+2), r.number(i+3), r.number(i+4)
}

// classes appends classes to a detection. They are read from pairs of fields, a name and a score.
func (r *rowReader) classes(d *Detection, from, to int) {
	for i := from; i+1 < to; i += 2 {
		d.Classes = append(d.Classes, Class{strings.TrimSpace(r.fields[i]), r.number(i + 1)})
	}
}

// writable returns an error if a field has one of the characters in not, which a row cannot
// contain.
func writable(row []string, not string) error {
	for _, field := range row {
		if strings.ContainsAny(field, not+"\n\r") {
			return fmt.Errorf("`%s` contains a delimiter, a `#` or a line end, which this format cannot write", field)
		}
	}
	return nil
}

// numbers converts numbers to texts, with as many digits as each of them needs.
func numbers(list ...float64) (texts []string) {
	for _, f := range list {
		texts = append(texts, strconv.FormatFloat(f, 'g', -1, 64))
	}
	return texts
}
