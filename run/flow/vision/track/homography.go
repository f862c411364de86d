package track

import (
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func homographyType() *pipe.Type {
	return &pipe.Type{
		Name: "kw_write_homography",
		New:  func() pipe.Process { return &writeHomography{} },
		Doc:  "Writes homographies to a file, one per line: its nine numbers and the two frames.",
		In:   []pipe.Port{{Name: "homography", Type: homographyPort, Flags: pipe.Required, Doc: "From one frame to another."}},
		Keys: []pipe.Key{{Name: "output", Kind: pipe.String, Default: "output-homog.txt", Writes: true, Doc: "The file."}},
	}
}

type writeHomography struct {
	flow.ResultFile
	in *flow.In
}

func (w *writeHomography) Setup(s *flow.Setup) (err error) {
	w.in = s.In("homography")
	w.ResultFile, err = s.ResultFile("output")
	return err
}

func (w *writeHomography) Step(pipe.Step) error {
	h := flow.As[pic.Homography](w.in.Take())
	words := make([]string, 0, 11)
	for _, v := range h.Matrix {
		words = append(words, strconv.FormatFloat(v, 'g', -1, 64))
	}
	words = append(words, strconv.FormatInt(h.From, 10), strconv.FormatInt(h.To, 10))
	_, err := w.Out.WriteString(strings.Join(words, " ") + "\n")
	return w.Wrote(err)
}

func homographyListType() *pipe.Type {
	return &pipe.Type{
		Name: "write_homography_list",
		New:  func() pipe.Process { return &writeList{} },
		Doc:  "Writes homographies with the names of the two images that each relates.",
		In: []pipe.Port{
			{Name: "source_file_name", Type: fileNameType, Flags: pipe.Required, Doc: "Image from which it maps."},
			{Name: "dest_file_name", Type: fileNameType, Flags: pipe.Required, Doc: "Image to which it maps."},
			{Name: "homography", Type: "kwiver:homography", Doc: "The homography; if it is empty, a text is written instead."},
		},
		Keys: []pipe.Key{
			{Name: "file_name", Kind: pipe.String, Default: "homographies.txt", Writes: true, Doc: "The file."},
			{Name: "no_homography_string", Kind: pipe.String, Default: "[no-match]", Doc: "Text for a missing homography."},
		},
	}
}

type writeList struct {
	flow.ResultFile
	none             string
	from, to, matrix *flow.In
}

func (w *writeList) Setup(s *flow.Setup) (err error) {
	w.from, w.to, w.matrix, w.none = s.In("source_file_name"), s.In("dest_file_name"), s.In("homography"), s.Value("no_homography_string")
	w.ResultFile, err = s.ResultFile("file_name")
	return err
}

func (w *writeList) Step(pipe.Step) error {
	var text strings.Builder
	for _, in := range []*flow.In{w.from, w.to} {
		if name := in.Take().Text(); name != "" {
			text.WriteString(name + "\n")
		}
	}
	if h, ok := w.matrix.Take().Value().(pic.Homography); ok {
		for i, v := range h.Matrix {
			text.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
			text.WriteString(map[bool]string{true: "\n", false: " "}[i%3 == 2])
		}
	} else {
		text.WriteString(w.none + "\n")
	}
	text.WriteString("\n")
	_, err := w.Out.WriteString(text.String())
	return w.Wrote(err)
}
