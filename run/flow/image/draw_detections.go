package image

import (
	"errors"
	"fmt"
	"hash/fnv"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// ocvDraw is the prefix of the keys of upstream's drawing algorithm.
const ocvDraw = "draw_algo:ocv:"

func drawDetectionsType() *pipe.Type {
	return &pipe.Type{
		Name:    "draw_detected_object_set",
		Version: kwiver,
		New:     func() pipe.Process { return &drawDetections{} },
		Doc:     "Draws detections into their image: a box, the likeliest name and its score.",
		In: []pipe.Port{
			{Name: "image", Type: imageType, Flags: pipe.Required, Doc: "The image."},
			{Name: "detected_object_set", Type: detectionType, Flags: pipe.Required, Doc: "Its detections."},
		},
		Out: []pipe.Port{{Name: "image", Type: imageType, Flags: pipe.Shared, Doc: "The image with the drawing."}},
		Keys: []pipe.Key{
			{Name: "threshold", Kind: pipe.Double, Default: "0", Tunable: true, Doc: "Detections with less confidence are not drawn."},
			{Name: "line_thickness", Kind: pipe.Unsigned, Default: "2", Tunable: true, Doc: "Thickness of lines in pixels."},
			{Name: "draw_text", Kind: pipe.Bool, Default: "true", Tunable: true, Doc: "Whether names and scores are written."},
			{Name: ocvDraw + "threshold", Kind: pipe.Double, Tunable: true, Doc: "Minimum score of a name; for a detection without names, minimum confidence."},
			{Name: ocvDraw + "default_line_thickness", Kind: pipe.Double, Tunable: true, Doc: "Thickness of lines in pixels, instead of line_thickness."},
			{Name: ocvDraw + "default_color", Kind: pipe.String, Tunable: true, Doc: "Colour of all boxes, as red, green and blue from 0 to 255; if not set, each name has its own colour."},
			{Name: ocvDraw + "custom_class_color", Kind: pipe.String, Tunable: true, Doc: "Line and colour of some names: person/3/255 0 0;car/2/0 255 0."},
			{Name: ocvDraw + "select_classes", Kind: pipe.String, Default: "*ALL*", Tunable: true, Doc: "Names that are drawn, separated by semicolons."},
			{Name: ocvDraw + "draw_text", Kind: pipe.Bool, Tunable: true, Doc: "Overrides draw_text."},
			{Name: ocvDraw + "alpha_blend_prob", Kind: pipe.Bool, Default: "true", Doc: "Accepted: boxes are not transparent here."},
			{Name: ocvDraw + "text_scale", Kind: pipe.Double, Default: "0.4", Doc: "Accepted: text has one size here."},
			{Name: ocvDraw + "text_thickness", Kind: pipe.Double, Default: "1", Doc: "Accepted: text has one thickness here."},
			{Name: ocvDraw + "clip_box_to_image", Kind: pipe.Bool, Default: "false", Doc: "Accepted: parts outside the image are never drawn."},
			{Name: "draw_algo", Kind: pipe.Algo, Role: "draw_detected_object_set", Doc: "The keys of ocv are read; other names are accepted but not used."},
		},
		Judge: func(v pipe.Values) error { _, err := looksOf(v); return err },
	}
}

// A look is how the boxes of one class are drawn. Without a colour, the default colour of the
// class's name is used.
type look struct {
	thick  int
	colour color.Color
}

// looks has the looks of all classes.
type looks struct {
	look
	named    map[string]look
	selected []string // names of the classes to draw; nil: all
}

// looksOf reads the looks from the configuration.
func looksOf(v pipe.Values) (looks, error) {
	l := looks{look: look{thick: int(min(v.Int("line_thickness"), 100))}, named: map[string]look{}}
	if v.Set(ocvDraw + "default_line_thickness") {
		l.thick = int(min(v.Float(ocvDraw+"default_line_thickness"), 100))
	}
	if text := strings.TrimSpace(v.Value(ocvDraw + "default_color")); text != "" {
		var err error
		if l.colour, err = parseColour(text); err != nil {
			return l, v.Errorf(ocvDraw+"default_color", "key `%sdefault_color` is `%s`, but must be three numbers from 0 to 255, as in `255 0 0`", ocvDraw, text)
		}
	}
	for _, one := range strings.Split(v.Value(ocvDraw+"custom_class_color"), ";") {
		one = strings.TrimPrefix(strings.TrimSpace(one), "$")
		if one == "" {
			continue
		}
		parts := strings.Split(one, "/")
		wrong := v.Errorf(ocvDraw+"custom_class_color", "key `%scustom_class_color`: `%s` must be a name, a thickness and a colour, as in `person/3/255 0 0`", ocvDraw, one)
		if len(parts) != 3 {
			return l, wrong
		}
		thick, err := strconv.ParseFloat(parts[1], 64)
		colour, err2 := parseColour(parts[2])
		if err != nil || err2 != nil || !(thick >= 0) {
			return l, wrong
		}
		l.named[parts[0]] = look{int(min(thick, 100)), colour}
	}
	for _, name := range strings.Split(v.Value(ocvDraw+"select_classes"), ";") {
		if name = strings.TrimSpace(name); name != "" && name != "*ALL*" {
			l.selected = append(l.selected, name)
		}
	}
	return l, nil
}

// parseColour parses a colour given as red, green and blue.
func parseColour(text string) (color.Color, error) {
	words := strings.Fields(text)
	if len(words) != 3 {
		return nil, errors.New("not three numbers")
	}
	var c [3]uint8
	for i, w := range words {
		n, err := strconv.ParseUint(w, 10, 8)
		if err != nil {
			return nil, err
		}
		c[i] = uint8(n)
	}
	return color.RGBA{c[0], c[1], c[2], 255}, nil
}

// of returns the look of the class with this name.
func (l *looks) of(name string) look {
	k, ok := l.named[name]
	if !ok {
		k = l.look
	}
	if k.colour == nil {
		k.colour = colourOf(name)
	}
	k.thick = max(1, k.thick)
	return k
}

type drawDetections struct {
	in, set          *flow.In
	out              *flow.Out
	threshold, score float64
	labels           bool
	looks            looks
}

func (d *drawDetections) Setup(s *flow.Setup) error {
	d.in, d.set, d.out = s.In("image"), s.In("detected_object_set"), s.Out("image")
	return d.Reconfigure(s)
}

func (d *drawDetections) Reconfigure(s *flow.Setup) (err error) {
	v := s.Values()
	d.threshold, d.score, d.labels = v.Float("threshold"), v.Float(ocvDraw+"threshold"), v.Bool("draw_text")
	if v.Set(ocvDraw + "draw_text") {
		d.labels = v.Bool(ocvDraw + "draw_text")
	}
	d.looks, err = looksOf(v)
	return err
}

func (d *drawDetections) Step(pipe.Step) error {
	img, err := From(d.in.Take())
	if err != nil {
		return err
	}
	pen := newPen(img, 1)
	for _, x := range flow.As[Detections](d.set.Take()) {
		name, score, ok := d.chosen(&x)
		if !ok || x.Confidence < d.threshold || score < d.score {
			continue
		}
		look := d.looks.of(name)
		pen.colour, pen.thick = look.colour, look.thick
		pen.box(&x)
		if d.labels {
			pen.label(int(x.Left), int(x.Top), strings.TrimLeft(fmt.Sprintf("%s %.2f", name, score), " "))
		}
	}
	d.out.Push(Of(pen.canvas))
	return nil
}

// chosen returns the likeliest of the classes to draw, and its score. If a detection has no
// classes, the score is its confidence. ok is false if the detection is not drawn.
func (d *drawDetections) chosen(x *Detection) (name string, score float64, ok bool) {
	if len(x.Classes) == 0 {
		return "", x.Confidence, true
	}
	for _, c := range x.Classes {
		if d.looks.selected == nil || slices.Contains(d.looks.selected, c.Name) {
			return c.Name, c.Score, true
		}
	}
	return "", 0, false
}

func colourOf(name string) color.Color {
	h := fnv.New32a()
	h.Write([]byte(name))
	return palette[h.Sum32()%uint32(len(palette))]
}
