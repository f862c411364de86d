package image

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func writerType() *pipe.Type {
	return &pipe.Type{
		Name:    "image_writer",
		Version: kwiver,
		New:     func() pipe.Process { return &writer{} },
		Doc:     "Writes each image to a numbered file.",
		In: []pipe.Port{
			{Name: "image", Type: imageType, Flags: pipe.Required, Doc: "Image to write."},
			{Name: "timestamp", Type: timestampType, Doc: "Source of the number; if unconnected, images are counted from 1."},
			{Name: "image_file_name", Type: fileNameType, Only: viame, Doc: "Name of the file, used instead of the template. If the template begins with a full stop, it replaces the suffix of the name."},
		},
		Out: []pipe.Port{
			{Name: "image_file_name", Type: fileNameType, Only: viame, Doc: "Name of the file that was written."},
			{Name: "success_flag", Type: flagType, Only: viame, Doc: "Whether there was an image to write."},
		},
		Keys: []pipe.Key{
			{Name: "file_name_template", Kind: pipe.String, Writes: true, Instead: "image_file_name", Default: "image%04d.png", Doc: "Name of the files; %d or %04d is replaced by the number; the suffix decides between PNG, JPEG, GIF, TIFF and BMP."},
			{Name: "file_name_prefix", Kind: pipe.String, Only: viame, Doc: "Text before the name, such as a folder with its slash."},
			{Name: "replace_filename_strings", Kind: pipe.String, Only: viame, Doc: "Pairs of texts, all separated by commas: in the name the second text of each pair replaces the first."},
			{Name: "image_writer", Kind: pipe.Algo, Role: "image_io", Doc: "Accepted; of its keys `image_writer:TYPE:split_channels` is read: each channel is written to a separate file, the second with _1 at the end of its name."},
		},
		Judge: judgeWriter,
	}
}

// judgeWriter reports a file name template whose suffix is not a writable image format.
func judgeWriter(v pipe.Values) error {
	template := v.Value("file_name_template")
	if !Writable("x" + template) {
		return v.Errorf("file_name_template", "key `file_name_template` is `%s`, but must end in %s", template, WriteEndings)
	}
	if !numberVerb().MatchString(template) && !strings.HasPrefix(template, ".") {
		return v.Warnf("file_name_template", "key `file_name_template` is `%s`, without a number: each image overwrites the previous one; add `%%04d` for the number", template)
	}
	if pairs := v.Value("replace_filename_strings"); pairs != "" && strings.Count(pairs, ",")%2 == 0 {
		return v.Errorf("replace_filename_strings", "key `replace_filename_strings` is `%s`, but must be pairs of texts: from, to, from, to", pairs)
	}
	return nil
}

type writer struct {
	template, prefix string
	replace          []string // alternating: a text to replace in names, and its replacement
	split            bool     // write each channel to a separate file
	out              outfile.Folder
	count            int64
	in, stamp, named *flow.In
	name, success    *flow.Out
}

func (w *writer) Setup(s *flow.Setup) error {
	w.in, w.stamp, w.named = s.In("image"), s.In("timestamp"), s.In("image_file_name")
	w.name, w.success = s.Out("image_file_name"), s.Out("success_flag")
	w.template, w.prefix, w.out = s.Value("file_name_template"), s.Value("file_name_prefix"), s.Results()
	if pairs := s.Value("replace_filename_strings"); pairs != "" {
		w.replace = strings.Split(pairs, ",")
	}
	w.split = s.Bool("image_writer:" + s.Value("image_writer:type") + ":split_channels")
	return nil
}

var numberVerb = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%0?[0-9]?[0-9]?d`) })

func (w *writer) Step(pipe.Step) error {
	pixels := w.in.Take().Array()
	name := w.nameOf(w.stamp.Take(), w.named.Take())
	if err := w.write(name, pixels); err != nil {
		return err
	}
	w.name.Push(flow.OfText(name))
	w.success.Push(flow.Of(true))
	return nil
}

// nameOf returns the file name for the next image.
func (w *writer) nameOf(stamp, named flow.Datum) string {
	w.count++
	if t, ok := stamp.Value().(Timestamp); ok {
		w.count = t.Frame
	}
	name := ""
	if named.IsData() {
		name = named.Text()
		if strings.HasPrefix(w.template, ".") {
			name = strings.TrimSuffix(name, filepath.Ext(name)) + w.template
		}
	}
	if name == "" {
		name = numberVerb().ReplaceAllStringFunc(w.template, func(verb string) string { return fmt.Sprintf(verb, w.count) })
	}
	for i := 0; i+1 < len(w.replace); i += 2 {
		name = strings.ReplaceAll(name, w.replace[i], w.replace[i+1])
	}
	return w.prefix + name
}

// write writes the image, or each of its channels.
func (w *writer) write(name string, pixels *tensor.Tensor) error {
	if !w.split || len(pixels.Shape) < 3 || pixels.Shape[2] == 1 {
		img, err := From(flow.Of(pixels))
		if err != nil {
			return err
		}
		return WriteFile(w.out, name, img)
	}
	for i := range pixels.Shape[2] {
		img, err := From(flow.Of(pixels.Channel(i)))
		if err != nil {
			return err
		}
		full := name
		if i > 0 {
			ending := filepath.Ext(name)
			full = strings.TrimSuffix(name, ending) + "_" + strconv.Itoa(i) + ending
		}
		if err := WriteFile(w.out, full, img); err != nil {
			return err
		}
	}
	return nil
}
