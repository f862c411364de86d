package image

import (
	"fmt"
	"regexp"
	"sync"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/run/flow"
)

func writerType() *flow.Type {
	return &flow.Type{
		Name:    "image_writer",
		Version: kwiver,
		New:     func() flow.Process { return &writer{} },
		Doc:     "Writes each image to a numbered file.",
		In: []flow.Port{
			{Name: "image", Type: imageType, Flags: flow.Required, Doc: "Image to write."},
			{Name: "timestamp", Type: timestampType, Doc: "Where the number comes from; without it images are counted from 1."},
		},
		Keys: []flow.Key{
			{Name: "file_name_template", Kind: flow.String, Writes: true, Default: "image%04d.png", Doc: "Name of the files; %d or %04d stands for the number, the ending decides between PNG, JPEG, GIF, TIFF and BMP."},
			{Name: "image_writer", Kind: flow.Algo, Doc: "Accepted and not needed."},
		},
		Judge: func(v flow.Values) error {
			template := v.Value("file_name_template")
			if _, ok := encoder(template); !ok {
				return v.Errorf("file_name_template", "key `file_name_template` is `%s`, but must end in %s", template, writeEndings)
			}
			if !numberVerb().MatchString(template) {
				return v.Warnf("file_name_template", "key `file_name_template` is `%s`, without a number: each image takes the place of the one before; `%%04d` stands for the number", template)
			}
			return nil
		},
	}
}

type writer struct {
	before, after string // the template around its number
	digits        string // format of the number; empty when there is none
	out           outfile.Folder
	count         int64
	in, stamp     *flow.In
}

func (w *writer) Setup(s *flow.Setup) error {
	w.in, w.stamp = s.In("image"), s.In("timestamp")
	template := s.Value("file_name_template")
	w.before, w.out = template, s.Results()
	if m := numberVerb().FindStringIndex(template); m != nil {
		w.before, w.digits, w.after = template[:m[0]], template[m[0]:m[1]], template[m[1]:]
	}
	return nil
}

var numberVerb = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%0?[0-9]?[0-9]?d`) })

func (w *writer) Step(*flow.Step) error {
	img, err := From(w.in.Take())
	if err != nil {
		return err
	}
	w.count++
	number := w.count
	if t, ok := w.stamp.Take().Value().(Timestamp); ok {
		number = t.Frame
	}
	name := w.before
	if w.digits != "" {
		name += fmt.Sprintf(w.digits, number) + w.after
	}
	return writeFile(w.out, name, img)
}
