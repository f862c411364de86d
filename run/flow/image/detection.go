package image

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/run/flow"
)

func detectionInputType() *flow.Type {
	return &flow.Type{
		Name:    "detected_object_input",
		Version: kwiver,
		New:     func() flow.Process { return &detectionInput{} },
		Doc:     "Reads detections from a CSV file, all of one image at a step.",
		Out: []flow.Port{
			{Name: "image_file_name", Type: fileNameType, Doc: "Image the detections belong to."},
			{Name: "detected_object_set", Type: detectionType, Doc: "Its detections."},
		},
		Keys: []flow.Key{
			{Name: "file_name", Kind: flow.String, Required: true, Doc: "The file."},
			{Name: "reader", Kind: flow.Algo, Doc: "reader:type may be csv, the only one there is."},
		},
	}
}

func detectionOutputType() *flow.Type {
	return &flow.Type{
		Name:    "detected_object_output",
		Version: kwiver,
		New:     func() flow.Process { return &detectionOutput{} },
		Doc:     "Writes detections to a CSV file that detected_object_input reads.",
		In: []flow.Port{
			{Name: "image_file_name", Type: fileNameType, Doc: "Image the detections belong to."},
			{Name: "detected_object_set", Type: detectionType, Flags: flow.Required, Doc: "Its detections."},
		},
		Keys: []flow.Key{
			{Name: "file_name", Kind: flow.String, Required: true, Doc: "The file; it is emptied first."},
			{Name: "writer", Kind: flow.Algo, Doc: "writer:type may be csv, the only one there is."},
		},
	}
}

// A Detection is an object found in an image: a box in pixels, how sure the
// finder was, and the names it may have with their scores, best first.
type Detection struct {
	ID                       int64
	Frame                    int64
	Left, Top, Right, Bottom float64
	Confidence               float64
	Classes                  []Class
}

// A Class is one name for a detection.
type Class struct {
	Name  string
	Score float64
}

// Detections are all objects found in one image.
type Detections []Detection

// detectionRows reads rows of
//
//	id, image, frame, left, top, right, bottom, confidence, length, name, score, …
type detectionRows struct {
	name      string
	file      *os.File
	rows      *csv.Reader
	next      Detection
	nextImage string
	more      bool
}

// open reads the first row of the file.
func (d *detectionRows) open(s *flow.Setup) error {
	f, err := os.Open(s.Path(d.name))
	if err != nil {
		return s.Errorf("file_name", "the file `%s` cannot be read: %w", d.name, flow.Reason(err))
	}
	d.file = f
	d.from(f)
	return d.advance()
}

func (d *detectionRows) from(r io.Reader) {
	d.rows = csv.NewReader(r)
	d.rows.Comment, d.rows.FieldsPerRecord, d.rows.TrimLeadingSpace = '#', -1, true
}

func (d *detectionRows) close() error {
	if d.file == nil {
		return nil
	}
	return d.file.Close()
}

// advance reads the next row.
func (d *detectionRows) advance() error {
	row, err := d.rows.Read()
	if errors.Is(err, io.EOF) {
		d.more = false
		return nil
	}
	line := 0
	var bad *csv.ParseError
	if errors.As(err, &bad) {
		line = bad.Line
	} else if len(row) > 0 {
		line, _ = d.rows.FieldPos(0)
	}
	if err != nil || len(row) < 9 || len(row)%2 == 0 {
		return fmt.Errorf("line %d of `%s` is no detection: expected id, image, frame, left, top, right, bottom, confidence, length, then names and scores", line, d.name)
	}
	number := func(i int) float64 {
		f, e := strconv.ParseFloat(row[i], 64)
		if e != nil && err == nil {
			err = fmt.Errorf("line %d of `%s`: `%s` is no number", line, d.name, row[i])
		}
		return f
	}
	d.next = Detection{ID: int64(number(0)), Frame: int64(number(2)), Left: number(3), Top: number(4), Right: number(5), Bottom: number(6), Confidence: number(7)}
	for i := 9; i+1 < len(row); i += 2 {
		d.next.Classes = append(d.next.Classes, Class{row[i], number(i + 1)})
	}
	d.nextImage, d.more = row[1], true
	return err
}

func onlyCSV(s *flow.Setup, key string) error {
	if kind := s.Value(key + ":type"); kind != "" && kind != "csv" {
		return s.Errorf(key+":type", "`%s` is not known here: expected csv", kind)
	}
	return nil
}

// detectionInput emits the detections of one image together; rows of one image
// follow each other.
type detectionInput struct {
	detectionRows
	named *flow.Out
	set   *flow.Out
}

func (d *detectionInput) Setup(s *flow.Setup) error {
	if err := onlyCSV(s, "reader"); err != nil {
		return err
	}
	d.name, d.named, d.set = s.Value("file_name"), s.Out("image_file_name"), s.Out("detected_object_set")
	return d.open(s)
}

func (d *detectionInput) Step(s *flow.Step) error {
	if !d.more {
		s.Complete()
		return nil
	}
	var set Detections
	for image := d.nextImage; d.more && d.nextImage == image; {
		if d.next.ID >= 0 { // a negative id stands for an image without detections
			set = append(set, d.next)
		}
		if err := d.advance(); err != nil {
			return err
		}
		if !d.more || d.nextImage != image {
			d.named.Push(flow.OfText(image))
			d.set.Push(flow.Of(set))
		}
	}
	return nil
}

func (d *detectionInput) Close() error { return d.close() }

// detectionOutput writes the rows that detectionInput reads.
type detectionOutput struct {
	name       string
	file       *outfile.File
	rows       *csv.Writer
	frame, id  int64
	named, set *flow.In
}

func (d *detectionOutput) Setup(s *flow.Setup) error {
	if err := onlyCSV(s, "writer"); err != nil {
		return err
	}
	d.name, d.named, d.set = s.Value("file_name"), s.In("image_file_name"), s.In("detected_object_set")
	f, err := s.Results().Create(d.name)
	if err != nil {
		return s.Errorf("file_name", "the file `%s` cannot be written: %w", d.name, flow.Reason(err))
	}
	d.file, d.rows = f, csv.NewWriter(f)
	return d.failed(d.rows.Write([]string{"# id", "image", "frame", "left", "top", "right", "bottom", "confidence", "length", "name", "score"}))
}

func (d *detectionOutput) Step(*flow.Step) error {
	image := ""
	if name := d.named.Take(); name.IsData() {
		image = name.Text()
	}
	set := flow.As[Detections](d.set.Take())
	if len(set) == 0 {
		set = Detections{{ID: -1}}
	}
	for _, x := range set {
		id := int64(-1)
		if x.ID >= 0 {
			id = d.id
			d.id++
		}
		row := []string{strconv.FormatInt(id, 10), image, strconv.FormatInt(d.frame, 10)}
		for _, f := range []float64{x.Left, x.Top, x.Right, x.Bottom, x.Confidence, 0} {
			row = append(row, strconv.FormatFloat(f, 'g', -1, 64))
		}
		for _, c := range x.Classes {
			row = append(row, c.Name, strconv.FormatFloat(c.Score, 'g', -1, 64))
		}
		if err := d.rows.Write(row); err != nil {
			return d.failed(err)
		}
	}
	d.frame++
	return nil
}

func (d *detectionOutput) Finalize(*flow.Step) error {
	d.file.Keep()
	d.rows.Flush()
	return d.failed(d.rows.Error())
}

func (d *detectionOutput) Close() error {
	if d.file == nil {
		return nil
	}
	d.rows.Flush() // what an aborted run has written so far; Finalize reported its own failure
	return d.failed(d.file.Close())
}

func (d *detectionOutput) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the file `%s` cannot be written: %w", d.name, flow.Reason(err))
}
