package image

import (
	"os"

	"github.com/pentode-dev/pentode/run/flow"
)

func detectionInputType() *flow.Type {
	return &flow.Type{
		Name:    "detected_object_input",
		Version: kwiver,
		New:     func() flow.Process { return &detectionInput{} },
		Doc:     "Reads detections from a file, all of one image at a step.",
		Out: []flow.Port{
			{Name: "image_file_name", Type: fileNameType, Doc: "Image the detections belong to."},
			{Name: "detected_object_set", Type: detectionType, Doc: "Its detections."},
		},
		Keys: []flow.Key{
			{Name: "file_name", Kind: flow.String, Required: true, Doc: "The file."},
			{Name: "reader", Kind: flow.Algo, Required: true, Choices: detectionForms, Doc: "reader:type is csv, KWIVER's form, with reader:csv:delimiter; or viame_csv, VIAME's, with reader:viame_csv:confidence_override."},
		},
		Judge: func(v flow.Values) error { return judgeDelimiter(v, "reader") },
	}
}

func detectionOutputType() *flow.Type {
	return &flow.Type{
		Name:    "detected_object_output",
		Version: kwiver,
		New:     func() flow.Process { return &detectionOutput{} },
		Doc:     "Writes detections to a file that detected_object_input reads.",
		In: []flow.Port{
			{Name: "image_file_name", Type: fileNameType, Doc: "Image the detections belong to."},
			{Name: "detected_object_set", Type: detectionType, Flags: flow.Required, Doc: "Its detections."},
		},
		Keys: []flow.Key{
			{Name: "file_name", Kind: flow.String, Writes: true, Required: true, Doc: "The file; it is emptied first."},
			{Name: "writer", Kind: flow.Algo, Required: true, Choices: detectionForms, Doc: "writer:type is csv, KWIVER's form, with writer:csv:delimiter; or viame_csv, VIAME's, with writer:viame_csv:stream_identifier and writer:viame_csv:top_n_classes."},
		},
		Judge: func(v flow.Values) error { return judgeDelimiter(v, "writer") },
	}
}

// A Detection is an object found in an image: a box in pixels, how sure the
// finder was, and the names it may have with their scores, best first.
type Detection struct {
	ID                       int64
	Numbered                 bool // ID was read from a file, and is written again
	Frame                    int64
	Left, Top, Right, Bottom float64
	Confidence               float64
	Length                   float64 // of the object, in the unit of its file; 0 where it is not known
	Classes                  []Class
	Attributes               []string // polygons, key points and notes as VIAME writes them: `(poly) 1 2 3 4`
}

// A Class is one name for a detection.
type Class struct {
	Name  string
	Score float64
}

// Detections are all objects found in one image.
type Detections []Detection

// Noun names them in messages.
func (d Detections) Noun() string { return "detections" }

// A detectionForm is how a file writes detections.
type detectionForm interface {
	// read gives the images of a file with their detections, in order.
	read(*detectionLines) ([]imageDetections, error)
	// header is the comment at the top of a file.
	header() string
	// write appends the rows of one image.
	write(w *flow.Buffer, image string, frame int64, set Detections) error
}

// imageDetections are the detections of one image.
type imageDetections struct {
	image string
	set   Detections
}

var detectionForms = []string{"csv", "viame_csv"}

// newForm makes the form that the configuration names under a key.
func newForm(s *flow.Setup, key string) detectionForm {
	if s.Value(key+":type") == "csv" {
		return &kwiverForm{delimiter: delimiterOf(s.Values(), key)}
	}
	return newViameForm(s.Values(), key+":viame_csv:")
}

// detectionInput holds all detections of its file.
type detectionInput struct {
	images     []imageDetections
	named, set *flow.Out
}

func (d *detectionInput) Setup(s *flow.Setup) error {
	d.named, d.set = s.Out("image_file_name"), s.Out("detected_object_set")
	var err error
	d.images, err = readDetections(s, newForm(s, "reader"))
	return err
}

// readDetections reads the whole file that the configuration names, so that a
// broken line is found before anything runs.
func readDetections(s *flow.Setup, form detectionForm) ([]imageDetections, error) {
	name := s.Value("file_name")
	f, err := os.Open(s.Path(name))
	if err != nil {
		return nil, s.Errorf("file_name", "the file `%s` cannot be read: %w", name, flow.Reason(err))
	}
	defer f.Close()
	images, err := form.read(newLines(name, f))
	if err != nil {
		return nil, s.Errorf("file_name", "%w", err)
	}
	return images, nil
}

func (d *detectionInput) Step(s *flow.Step) error {
	if len(d.images) == 0 {
		s.Complete()
		return nil
	}
	d.named.Push(flow.OfText(d.images[0].image))
	d.set.Push(flow.Of(d.images[0].set))
	d.images = d.images[1:]
	return nil
}

// detectionOutput writes the rows that detectionInput reads.
type detectionOutput struct {
	flow.ResultFile
	form       detectionForm
	frame      int64
	named, set *flow.In
}

func (d *detectionOutput) Setup(s *flow.Setup) (err error) {
	d.named, d.set = s.In("image_file_name"), s.In("detected_object_set")
	d.form = newForm(s, "writer")
	if d.ResultFile, err = s.ResultFile("file_name"); err != nil {
		return err
	}
	_, err = d.Out.WriteString(d.form.header() + "\n")
	return d.Wrote(err)
}

func (d *detectionOutput) Step(*flow.Step) error {
	image := ""
	if name := d.named.Take(); name.IsData() {
		image = name.Text()
	}
	err := d.form.write(d.Out, image, d.frame, flow.As[Detections](d.set.Take()))
	d.frame++
	return d.Wrote(err)
}
