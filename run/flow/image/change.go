package image

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/draw"
	"math"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func resizeType() *pipe.Type {
	return &pipe.Type{
		Name:      "resize",
		Stateless: true,
		New:       func() pipe.Process { return &resize{} },
		Doc:       "Resizes each image; each new pixel is the average of the old pixels it covers.",
		In:        []pipe.Port{{Name: "image", Type: imageType, Flags: pipe.Required, Doc: "Image to resize."}},
		Out:       []pipe.Port{{Name: "image", Type: imageType, Flags: pipe.Shared | pipe.Required, Doc: "The resized image."}},
		Keys: []pipe.Key{
			{Name: "width", Kind: pipe.Unsigned, Default: "0", Doc: "New width; 0 keeps the aspect ratio."},
			{Name: "height", Kind: pipe.Unsigned, Default: "0", Doc: "New height; 0 keeps the aspect ratio."},
			{Name: "scale", Kind: pipe.Double, Default: "1.0", Tunable: true, Doc: "Factor, used when width and height are both 0."},
		},
		Judge: judgeScale,
	}
}

// maxScale limits the scale factor: a larger one would make too many pixels of any image.
const maxScale = 10000

func judgeScale(v pipe.Values) error {
	if scale := v.Float("scale"); !(scale > 0) || scale > maxScale {
		return v.Errorf("scale", "key `scale` is %v, but must be larger than 0 and at most %v", scale, maxScale)
	}
	return nil
}

func greyType() *pipe.Type {
	return &pipe.Type{
		Name:      "grey",
		Stateless: true,
		New:       func() pipe.Process { return &grey{} },
		Doc:       "Converts each image to grey.",
		In:        []pipe.Port{{Name: "image", Type: imageType, Flags: pipe.Required, Doc: "Image with colours."}},
		Out:       []pipe.Port{{Name: "image", Type: imageType, Flags: pipe.Shared | pipe.Required, Doc: "The grey image."}},
	}
}

type resize struct {
	width, height int64
	scale         float64
	in            *flow.In
	out           *flow.Out
}

func (r *resize) Setup(s *flow.Setup) error {
	r.width, r.height, r.in, r.out = s.Int("width"), s.Int("height"), s.In("image"), s.Out("image")
	return r.Reconfigure(s)
}

func (r *resize) Reconfigure(s *flow.Setup) error {
	r.scale = s.Float("scale")
	return nil
}

func (r *resize) Step(pipe.Step) error {
	img, err := From(r.in.Take())
	if err != nil {
		return err
	}
	w, h, err := r.size(img.Bounds())
	if err != nil {
		return err
	}
	r.out.Push(Of(scaled(img, w, h)))
	return nil
}

func (r *resize) size(b image.Rectangle) (w, h int, err error) {
	if b.Empty() {
		return 0, 0, fmt.Errorf("an image without pixels cannot be resized")
	}
	fw, fh := float64(r.width), float64(r.height)
	switch {
	case fw == 0 && fh == 0:
		fw, fh = r.scale*float64(b.Dx()), r.scale*float64(b.Dy())
	case fw == 0:
		fw = fh * float64(b.Dx()) / float64(b.Dy())
	case fh == 0:
		fh = fw * float64(b.Dy()) / float64(b.Dx())
	}
	if fw*fh > maxPixels || fw > maxPixels || fh > maxPixels {
		return 0, 0, fmt.Errorf("the resized image would have %.0f by %.0f pixels, which are too many", fw, fh)
	}
	return max(1, int(fw+0.5)), max(1, int(fh+0.5)), nil
}

// scaled returns an image scaled to w by h pixels. Each new pixel is the mean of the old pixels
// that it covers, weighted by the covered area. Rows and columns are scaled one after the other. An
// image with 16 bits per channel stays one.
func scaled(img image.Image, w, h int) image.Image {
	b := img.Bounds()
	if !Deep(img) {
		return &image.RGBA{Pix: scaledPlane(toRGBA(img).Pix, b.Dx(), b.Dy(), w, h), Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
	}
	pix := scaledPlane(levels(toRGBA64(img)), b.Dx(), b.Dy(), w, h)
	out := image.NewRGBA64(image.Rect(0, 0, w, h))
	for i, v := range pix {
		binary.BigEndian.PutUint16(out.Pix[2*i:], v)
	}
	return out
}

func scaledPlane[T uint8 | uint16](src []T, fromW, fromH, w, h int) []T {
	across := make([]T, 4*w*fromH)
	for x, span := range spans(fromW, w) {
		for y := range fromH {
			mean(&span, src[4*fromW*y:], 4, across[4*(w*y+x):])
		}
	}
	down := make([]T, 4*w*h)
	for y, span := range spans(fromH, h) {
		for x := range w {
			mean(&span, across[4*x:], 4*w, down[4*(w*y+x):])
		}
	}
	return down
}

// A span is the range of old pixels, in one direction, that one new pixel covers.
type span struct {
	first   int
	weights []float64
}

func spans(from, to int) []span {
	list := make([]span, to)
	ratio := float64(from) / float64(to)
	for i := range list {
		lo, hi := float64(i)*ratio, float64(i+1)*ratio
		first, last := int(lo), min(int(math.Ceil(hi)), from)
		s := span{first: min(first, from-1)}
		for j := s.first; j < max(last, s.first+1); j++ {
			s.weights = append(s.weights, (min(hi, float64(j+1))-max(lo, float64(j)))/ratio)
		}
		list[i] = s
	}
	return list
}

func mean[T uint8 | uint16](s *span, src []T, step int, dst []T) {
	var sum [4]float64
	for i, weight := range s.weights {
		p := src[(s.first+i)*step:]
		for k := range sum {
			sum[k] += weight * float64(p[k])
		}
	}
	for k := range sum {
		dst[k] = T(min(float64(^T(0)), sum[k]+0.5))
	}
}

type grey struct {
	in  *flow.In
	out *flow.Out
}

func (g *grey) Setup(s *flow.Setup) error {
	g.in, g.out = s.In("image"), s.Out("image")
	return nil
}

func (g *grey) Step(pipe.Step) error {
	img, err := From(g.in.Take())
	if err != nil {
		return err
	}
	g.out.Push(Of(greyOf(img)))
	return nil
}

// greyOf returns a grey version of an image. An image with 16 bits per channel stays one.
func greyOf(img image.Image) image.Image {
	b := img.Bounds()
	r := image.Rect(0, 0, b.Dx(), b.Dy())
	var gray draw.Image = image.NewGray(r)
	if Deep(img) {
		gray = image.NewGray16(r)
	}
	draw.Draw(gray, r, img, b.Min, draw.Src)
	return gray
}
