package image

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// kwiverForm is KWIVER's `csv`: rows of
//
//	frame, file, left, top, right, bottom, confidence, name, score, …
//
// Frames are counted from 1. An image without detections has no row. The format has no quotes,
// so no field can contain the delimiter.
type kwiverForm struct {
	delimiter string // each of these characters separates fields
}

// delimiterOf returns the configured delimiter. An empty value means a comma, because a value of
// blanks also arrives here as an empty string.
func delimiterOf(v pipe.Values, key string) string {
	name := key + ":csv:delimiter"
	if v.Set(name) && v.Value(name) == "" {
		return " "
	} else if v.Set(name) {
		return v.Value(name)
	}
	return ","
}

// judgeDelimiter refuses a delimiter that can occur in numbers or comments.
func judgeDelimiter(v pipe.Values, key string) error {
	if d := delimiterOf(v, key); strings.ContainsAny(d, "0123456789.+-eE#") {
		return v.Errorf(key+":csv:delimiter", "key `%s:csv:delimiter` is `%s`, but such characters occur in numbers and comments", key, d)
	}
	return nil
}

func (k *kwiverForm) read(lines *detectionLines) (images []imageDetections, err error) {
	last := int64(0)
	for {
		text, err := lines.next()
		if errors.Is(err, io.EOF) {
			return images, nil
		}
		if err != nil {
			return nil, err
		}
		text, _, _ = strings.Cut(text, "#")
		r := rowReader{lines: lines, fields: k.split(strings.TrimSpace(text))}
		if n := len(r.fields); n < 7 || n%2 == 0 {
			return nil, lines.errorf("%d fields are not a detection: expected frame, file, left, top, right, bottom, confidence, then names and scores; `viame_csv` is another format", n)
		}
		d := Detection{Frame: r.whole(0)}
		r.box(&d, 2)
		r.classes(&d, 7, len(r.fields))
		if r.err != nil {
			return nil, r.err
		}
		if len(images) == 0 || d.Frame != last {
			images = append(images, imageDetections{})
		}
		image := &images[len(images)-1]
		image.image, image.set = strings.TrimSpace(r.fields[1]), append(image.set, d)
		last = d.Frame
	}
}

// split splits a row at every delimiter.
func (k *kwiverForm) split(row string) (fields []string) {
	for {
		i := strings.IndexAny(row, k.delimiter)
		if i < 0 {
			return append(fields, row)
		}
		fields, row = append(fields, row[:i]), row[i+1:]
	}
}

func (k *kwiverForm) header() string {
	return "# " + strings.Join([]string{"frame", "file", "left", "top", "right", "bottom", "confidence", "name", "score"}, k.delimiter)
}

func (k *kwiverForm) write(w *flow.Buffer, image string, frame int64, set Detections) error {
	for _, d := range set {
		row := append([]string{strconv.FormatInt(frame+1, 10), image}, numbers(d.Left, d.Top, d.Right, d.Bottom, d.Confidence)...)
		for _, c := range d.Classes {
			row = append(append(row, c.Name), numbers(c.Score)...)
		}
		if err := writable(row, k.delimiter+"#"); err != nil {
			return err
		}
		if _, err := w.WriteString(strings.Join(row, k.delimiter) + "\n"); err != nil {
			return err
		}
	}
	return nil
}
