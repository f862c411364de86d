package image

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func detectionInputType() *pipe.Type {
	return &pipe.Type{
		Name:    "detected_object_input",
		Version: kwiver,
		New:     func() pipe.Process { return &detectionInput{} },
		Doc:     "Reads detections from a file; a step has the detections of one image.",
		In: []pipe.Port{
			{Name: "image_file_name", Type: fileNameType, Only: viame, Doc: "Image whose detections are wanted; if unconnected, all images of the file in their order."},
		},
		Out: []pipe.Port{
			{Name: "image_file_name", Type: fileNameType, Doc: "Image to which the detections belong."},
			{Name: "detected_object_set", Type: detectionType, Doc: "Its detections."},
		},
		Keys: []pipe.Key{
			{Name: "file_name", Kind: pipe.String, Reads: true, Required: true, Doc: "The file."},
			{Name: "reader", Kind: pipe.Algo, Role: "detected_object_set_input", Required: true, Choices: []string{"csv", "viame_csv", "kw18", "habcam", "oceaneyes"}, Doc: "reader:type is csv, KWIVER's format, with reader:csv:delimiter; viame_csv, VIAME's format, with reader:viame_csv:confidence_override; kw18 with reader:kw18:default_type; habcam with reader:habcam:point_dilation; or oceaneyes with reader:oceaneyes:box_expansion and no_fish_string."},
		},
		Judge: func(v pipe.Values) error { return judgeDelimiter(v, "reader") },
	}
}

func detectionOutputType() *pipe.Type {
	return &pipe.Type{
		Name:    "detected_object_output",
		Version: kwiver,
		New:     func() pipe.Process { return &detectionOutput{} },
		Doc:     "Writes detections to a file that detected_object_input reads.",
		In: []pipe.Port{
			{Name: "image_file_name", Type: fileNameType, Doc: "Image to which the detections belong."},
			{Name: "detected_object_set", Type: detectionType, Flags: pipe.Required, Doc: "Its detections."},
			{Name: "timestamp", Type: timestampType, Only: viame, Doc: "Accepted but not used: images are counted."},
		},
		Keys: []pipe.Key{
			{Name: "file_name", Kind: pipe.String, Writes: true, Required: true, Doc: "The file; it is emptied first. `[CURRENT_TIME]` in it is replaced by the start time."},
			{Name: "frame_list_output", Kind: pipe.String, Writes: true, Only: viame, Doc: "A second file, with one image name per line."},
			{Name: "writer", Kind: pipe.Algo, Role: "detected_object_set_output", Required: true, Choices: []string{"csv", "viame_csv", "kw18"}, Doc: "writer:type is csv, KWIVER's format, with writer:csv:delimiter; viame_csv, VIAME's format, with writer:viame_csv:stream_identifier, write_frame_number and top_n_classes; or kw18."},
		},
		Judge: func(v pipe.Values) error { return judgeDelimiter(v, "writer") },
	}
}

// A Detection is an object found in an image. It has a box in pixels, the confidence of the
// detector, and the possible classes with their scores, best first.
type Detection struct {
	ID                       int64
	Numbered                 bool // ID was read from a file and is kept when the detection is written
	Frame                    int64
	Left, Top, Right, Bottom float64
	Confidence               float64
	Length                   float64 // length of the object, in the unit of the file it was read from; 0 if not known
	Classes                  []Class
	Attributes               []string // polygons, key points and notes, in the notation of VIAME: `(poly) 1 2 3 4`
}

// A Class is a name that a detection may have, such as a species, and the score of this name.
type Class struct {
	Name  string
	Score float64
}

// Detections are all objects found in one image.
type Detections []Detection

// Noun describes them in messages.
func (d Detections) Noun() string { return "detections" }

// A detectionReader reads one file format of detections.
type detectionReader interface {
	// read returns the images of a file with their detections, in order.
	read(*detectionLines) ([]imageDetections, error)
}

// A detectionWriter writes one file format of detections.
type detectionWriter interface {
	// header returns the comment at the top of a file.
	header() string
	// write appends the rows of one image.
	write(w *flow.Buffer, image string, frame int64, set Detections) error
}

// imageDetections has the name of an image and the detections in it.
type imageDetections struct {
	image string
	set   Detections
}

// newReader returns the reader for a file, in the configured format.
func newReader(s *flow.Setup, file string) detectionReader {
	kind := s.Value("reader:type")
	prefix := "reader:" + kind + ":"
	switch kind {
	case "csv":
		return &kwiverForm{delimiter: delimiterOf(s.Values(), "reader")}
	case "kw18":
		return newKW18(s, prefix, file)
	case "habcam":
		return newHabcam(s.Values(), prefix)
	case "oceaneyes":
		return newOceaneyes(s.Values(), prefix)
	}
	return newViameForm(s.Values(), prefix)
}

// newWriter returns a writer for the configured format.
func newWriter(s *flow.Setup) detectionWriter {
	switch s.Value("writer:type") {
	case "csv":
		return &kwiverForm{delimiter: delimiterOf(s.Values(), "writer")}
	case "kw18":
		return &kw18{}
	}
	return newViameForm(s.Values(), "writer:viame_csv:")
}

// detectionInput is a process that sends the detections of a file, which it reads completely at
// setup.
type detectionInput struct {
	images     []imageDetections
	byName     map[string]Detections // detections by name of the image; nil: the file does not name its images
	asked      *flow.In
	named, set *flow.Out
}

func (d *detectionInput) Setup(s *flow.Setup) error {
	d.asked, d.named, d.set = s.In("image_file_name"), s.Out("image_file_name"), s.Out("detected_object_set")
	var err error
	if d.images, err = readDetections(s, "file_name"); err != nil || !d.asked.Connected() {
		return err
	}
	d.byName = map[string]Detections{}
	for i := range d.images {
		if name := keyOf(d.images[i].image); name != "" {
			d.byName[name] = append(d.byName[name], d.images[i].set...)
		}
	}
	return nil
}

// keyOf returns the part of an image's path by which the image is found in a file: its name
// without the folder.
func keyOf(image string) string { return image[strings.LastIndexAny(image, `/\`)+1:] }

// readDetections reads the whole file that a key names. It is called at setup, so that a damaged
// line is found before anything runs.
func readDetections(s *flow.Setup, key string) ([]imageDetections, error) {
	name := s.Value(key)
	f, err := os.Open(s.Path(name))
	if err != nil {
		return nil, s.Errorf(key, "the file `%s` cannot be read: %w", name, problem.Reason(err))
	}
	defer f.Close()
	s.Reads(f.Name())
	images, err := newReader(s, name).read(newLines(name, f))
	if err != nil {
		return nil, s.Errorf(key, "%w", err)
	}
	return images, nil
}

func (d *detectionInput) Step(s pipe.Step) error {
	if d.asked.Connected() {
		name := d.asked.Take()
		d.named.Push(name)
		d.set.Push(flow.Of(d.of(name)))
		return nil
	}
	if len(d.images) == 0 {
		s.Complete()
		return nil
	}
	d.named.Push(flow.OfText(d.images[0].image))
	d.set.Push(flow.Of(d.next()))
	return nil
}

// of returns the detections of the image with this name. If the file does not name its images, of
// returns the next detections.
func (d *detectionInput) of(name flow.Datum) Detections {
	if !name.IsData() || len(d.byName) == 0 {
		return d.next()
	}
	key := keyOf(name.Text())
	if set := d.byName[key]; set != nil {
		return set
	}
	if set := d.byName[strings.TrimSuffix(key, filepath.Ext(key))]; set != nil { // some formats store names without suffix
		return set
	}
	return Detections{}
}

// next returns the detections of the next image in the file, and none after the last image.
func (d *detectionInput) next() Detections {
	if len(d.images) == 0 || d.images[0].set == nil {
		d.images = d.images[min(1, len(d.images)):]
		return Detections{}
	}
	set := d.images[0].set
	d.images = d.images[1:]
	return set
}

// detectionOutput is a process that writes a file in one of the formats that detectionInput reads.
type detectionOutput struct {
	flow.ResultFile
	list       nameList
	form       detectionWriter
	frame      int64
	named, set *flow.In
	stamp      *flow.In
}

func (d *detectionOutput) Setup(s *flow.Setup) (err error) {
	d.named, d.set, d.stamp = s.In("image_file_name"), s.In("detected_object_set"), s.In("timestamp")
	d.form = newWriter(s)
	if d.ResultFile, err = s.ResultFileAs("file_name", timed(s.Value("file_name"))); err != nil {
		return err
	}
	if d.list, err = newNameList(s); err != nil {
		return err
	}
	_, err = d.Out.WriteString(d.form.header() + "\n")
	return d.Wrote(err)
}

func (d *detectionOutput) Step(pipe.Step) error {
	image := ""
	if name := d.named.Take(); name.IsData() {
		image = name.Text()
	}
	d.stamp.Take()
	err := d.form.write(d.Out, image, d.frame, flow.As[Detections](d.set.Take()))
	d.frame++
	if err != nil {
		return d.Wrote(err)
	}
	return d.list.add(image)
}

// Finalize marks both files as complete.
func (d *detectionOutput) Finalize(s pipe.Step) error {
	return errors.Join(d.ResultFile.Finalize(s), d.list.Finalize(s))
}

// Close closes both files.
func (d *detectionOutput) Close() error {
	return errors.Join(d.ResultFile.Close(), d.list.Close())
}

// timed replaces `[CURRENT_TIME]` by the current time.
func timed(name string) string {
	return strings.ReplaceAll(name, "[CURRENT_TIME]", time.Now().Format("20060102_150405"))
}

// A nameList is the file of `frame_list_output`: one image name per line.
type nameList struct {
	flow.ResultFile
}

// newNameList begins the list, if the configuration names one.
func newNameList(s *flow.Setup) (l nameList, err error) {
	if s.Value("frame_list_output") != "" {
		l.ResultFile, err = s.ResultFileAs("frame_list_output", timed(s.Value("frame_list_output")))
	}
	return l, err
}

func (l *nameList) add(name string) error {
	if l.Out == nil {
		return nil
	}
	_, err := l.Out.WriteString(name + "\n")
	return l.Wrote(err)
}

// Finalize marks the list as complete.
func (l *nameList) Finalize(s pipe.Step) error {
	if l.Out == nil {
		return nil
	}
	return l.ResultFile.Finalize(s)
}
