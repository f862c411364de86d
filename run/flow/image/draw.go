package image

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func drawTracksType() *pipe.Type {
	t := drawType("draw_tracks", "Draws tracks into their image: the path of each, and its current box.",
		"feature_track_set", "kwiver:feature_track_set", "output_image")
	t.Version = kwiver
	t.Keys = append(t.Keys, pipe.Key{Name: "draw_tracks", Kind: pipe.Algo, Role: "draw_tracks", Doc: "Accepted but not used."})
	return t
}

func drawObjectTracksType() *pipe.Type {
	return drawType("draw_object_tracks", "Draws tracks of objects into their image: the path of each, and its current box.",
		"object_track_set", trackType, "image")
}

// drawType returns a process type that draws the tracks which arrive at one of its ports.
func drawType(name, doc, port, typ, out string) *pipe.Type {
	return &pipe.Type{
		Name: name,
		New:  func() pipe.Process { return &drawTracks{port: port, result: out} },
		Doc:  doc,
		In: []pipe.Port{
			{Name: "image", Type: imageType, Flags: pipe.Required, Doc: "The image."},
			{Name: port, Type: typ, Flags: pipe.Required, Doc: "Tracks up to the frame."},
		},
		Out:  []pipe.Port{{Name: out, Type: imageType, Doc: "The image with the drawing."}},
		Keys: []pipe.Key{{Name: "line_thickness", Kind: pipe.Unsigned, Default: "2", Tunable: true, Doc: "Thickness of lines in pixels."}},
	}
}

type drawTracks struct {
	port, result string
	in, tracks   *flow.In
	out          *flow.Out
	thick        int
}

func (d *drawTracks) Setup(s *flow.Setup) error {
	d.in, d.tracks, d.out = s.In("image"), s.In(d.port), s.Out(d.result)
	return d.Reconfigure(s)
}

func (d *drawTracks) Reconfigure(s *flow.Setup) error {
	d.thick = int(min(s.Int("line_thickness"), 100))
	return nil
}

func (d *drawTracks) Step(pipe.Step) error {
	img, err := From(d.in.Take())
	if err != nil {
		return err
	}
	pen := newPen(img, d.thick)
	tracks := flow.As[Tracks](d.tracks.Take())
	newest := int64(math.MinInt64)
	for i := range tracks {
		if n := len(tracks[i].States); n > 0 {
			newest = max(newest, tracks[i].States[n-1].Frame)
		}
	}
	for i := range tracks {
		pen.track(&tracks[i], newest)
	}
	d.out.Push(Of(pen.canvas))
	return nil
}

// A pen draws into a copy of an image, with one colour and line width.
type pen struct {
	canvas draw.Image
	thick  int
	colour color.Color
}

func newPen(img image.Image, thick int) *pen {
	p := &pen{thick: max(1, thick)}
	if Deep(img) {
		p.canvas = toRGBA64(img)
	} else {
		p.canvas = toRGBA(img)
	}
	return p
}

func (p *pen) fill(r image.Rectangle) {
	draw.Draw(p.canvas, r, image.NewUniform(p.colour), image.Point{}, draw.Src)
}

func (p *pen) box(d *Detection) {
	b := p.canvas.Bounds()
	l, t, r, bottom := within(d.Left, b.Dx()), within(d.Top, b.Dy()), within(d.Right, b.Dx()), within(d.Bottom, b.Dy())
	p.fill(image.Rect(l, t, r, t+p.thick))
	p.fill(image.Rect(l, bottom-p.thick, r, bottom))
	p.fill(image.Rect(l, t, l+p.thick, bottom))
	p.fill(image.Rect(r-p.thick, t, r, bottom))
}

// within moves a coordinate that is far outside the image closer to it, so that boxes of any size
// can be drawn.
func within(v float64, size int) int {
	if !(v > -1e4) {
		return -1e4
	}
	return int(min(v, float64(size)+1e4))
}

func (p *pen) track(t *Track, newest int64) {
	p.colour = palette[uint64(t.ID)%uint64(len(palette))]
	for i := 1; i < len(t.States); i++ {
		p.line(centre(&t.States[i-1].Detection), centre(&t.States[i].Detection))
	}
	if n := len(t.States); n > 0 && t.States[n-1].Frame == newest {
		d := &t.States[n-1].Detection
		p.box(d)
		p.label(int(d.Left), int(d.Top), fmt.Sprint(t.ID))
	}
}

func centre(d *Detection) image.Point {
	return image.Pt(within((d.Left+d.Right)/2, 1e4), within((d.Top+d.Bottom)/2, 1e4))
}

func (p *pen) line(a, b image.Point) {
	steps := max(1, abs(b.X-a.X), abs(b.Y-a.Y))
	for i := 0; i <= steps; i++ {
		x, y := a.X+(b.X-a.X)*i/steps, a.Y+(b.Y-a.Y)*i/steps
		p.fill(image.Rect(x, y, x+p.thick, y+p.thick))
	}
}

func abs(n int) int { return max(n, -n) }

// labelHeight is the height of a label in pixels.
const labelHeight = 13

// label writes a text above a point, on a background of the pen's colour.
func (p *pen) label(x, y int, text string) {
	face := basicfont.Face7x13
	p.fill(image.Rect(x, y-labelHeight, x+face.Advance*len([]rune(text))+2, y))
	d := font.Drawer{Dst: p.canvas, Src: image.Black, Face: face, Dot: fixed.P(x+1, y-face.Descent)}
	d.DrawString(text)
}

// palette has colours that are easy to tell apart and bright enough for black text on them.
var palette = []color.RGBA{
	{255, 200, 0, 255}, {0, 220, 255, 255}, {255, 110, 110, 255}, {120, 255, 90, 255},
	{255, 130, 255, 255}, {255, 255, 255, 255}, {150, 170, 255, 255}, {255, 160, 60, 255},
}
