package image

import (
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// viameForm is VIAME's `viame_csv`: rows of
//
//	id, source, frame, left, top, right, bottom, confidence, length, name, score, …, (poly) …, (kp) …, notes
//
// Frames are counted from 0, in any order; a frame without detections has no row.
type viameForm struct {
	confidence float64 // when reading: if larger than 0, replaces the confidence in the file
	source     string  // when writing: replaces the name of the image
	best       int     // when writing: maximum number of classes per row; 0: all
	byName     bool    // when writing: the name of the image is written in place of the frame number
	shift      int64   // added to frame numbers
	next       int64   // when writing: number of the next detection that has no number
}

func newViameForm(v pipe.Values, prefix string) *viameForm {
	return &viameForm{
		confidence: v.Float(prefix + "confidence_override"),
		source:     v.Value(prefix + "stream_identifier"),
		best:       int(v.Int(prefix + "top_n_classes")),
		byName:     v.Set(prefix+"write_frame_number") && !v.Bool(prefix+"write_frame_number"),
		shift:      v.Int(prefix + "frame_id_adjustment"),
	}
}

func (v *viameForm) read(lines *detectionLines) ([]imageDetections, error) {
	rows, err := v.rows(lines)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	last := int64(0)
	for i := range rows {
		last = max(last, rows[i].set[0].Frame)
	}
	if last >= maxFrames {
		return nil, lines.errorf("the frame %d is too large: expected less than %d", last, maxFrames)
	}
	images := make([]imageDetections, last+1)
	for i := range rows {
		image := &images[rows[i].set[0].Frame]
		if image.image == "" {
			image.image = rows[i].image
		}
		image.set = append(image.set, rows[i].set...)
	}
	return images, nil
}

// maxFrames limits the frame numbers in a file, and thus the memory for the images without detections.
const maxFrames = 10_000_000

// rows reads the rows in the order of the file. Each becomes a separate imageDetections.
func (v *viameForm) rows(lines *detectionLines) (rows []imageDetections, err error) {
	for {
		text, err := lines.next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		split := csv.NewReader(strings.NewReader(text))
		split.LazyQuotes = true
		fields, err := split.Read()
		if err != nil {
			return nil, lines.errorf("a quote is not closed")
		}
		row, err := v.row(&rowReader{lines: lines, fields: fields})
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
}

func (v *viameForm) row(r *rowReader) (imageDetections, error) {
	n := len(r.fields)
	if n < 9 {
		return imageDetections{}, r.lines.errorf("%d fields are not a detection: expected id, source, frame, left, top, right, bottom, confidence, length, then names and scores; `csv` is another format", n)
	}
	d := Detection{ID: r.whole(0), Numbered: true, Frame: r.whole(2), Length: r.number(8)}
	r.box(&d, 3)
	end := 9 // index after the names and scores
	for end < n && r.fields[end] != "" && r.fields[end][0] != '(' {
		end += 2
	}
	if end > n {
		return imageDetections{}, r.lines.errorf("the name `%s` has no score", r.fields[n-1])
	}
	r.classes(&d, 9, end)
	d.Attributes = r.fields[end:]
	d.Frame += v.shift
	if d.Frame < 0 && r.err == nil {
		r.err = r.lines.errorf("`%s` is not a frame: expected a number that is at least 0", r.fields[2])
	}
	if d.Confidence == -1 { // -1 means not known
		d.Confidence = 1
	}
	if v.confidence > 0 {
		d.Confidence = v.confidence
		for i := range d.Classes {
			d.Classes[i].Score = v.confidence
		}
	}
	return imageDetections{strings.TrimSpace(r.fields[1]), Detections{d}}, r.err
}

func (v *viameForm) header() string {
	return "# id,source,frame,left,top,right,bottom,confidence,length,name,score"
}

func (v *viameForm) write(w *flow.Buffer, image string, frame int64, set Detections) error {
	rows := csv.NewWriter(w)
	for _, d := range set {
		id := v.next
		if d.Numbered {
			id = d.ID
		}
		v.next = max(v.next, id+1)
		source := image[strings.LastIndexAny(image, `/\`)+1:]
		if v.source != "" {
			source = v.source
		}
		number := strconv.FormatInt(frame, 10)
		if v.byName {
			number = image
		}
		if err := writeViame(rows, id, source, number, &d, d.Classes, v.best); err != nil {
			return err
		}
	}
	rows.Flush()
	return rows.Error()
}

// writeViame writes one row: the source, the frame, the detection, and its best classes (all of them if
// best is 0).
func writeViame(rows *csv.Writer, id int64, source, frame string, d *Detection, classes []Class, best int) error {
	row := append([]string{strconv.FormatInt(id, 10), source, frame},
		numbers(d.Left, d.Top, d.Right, d.Bottom, d.Confidence, d.Length)...)
	for i, c := range classes {
		if best == 0 || i < best {
			row = append(append(row, c.Name), numbers(c.Score)...)
		}
	}
	row = append(row, d.Attributes...)
	if err := writable(row, ""); err != nil {
		return err
	}
	return rows.Write(row)
}
