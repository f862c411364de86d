package image

import (
	"fmt"
	"image"
	"image/draw"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func splitType() *pipe.Type {
	return &pipe.Type{
		Name:      "split_image",
		Stateless: true,
		Version:   kwiver,
		New:       func() pipe.Process { return &split{} },
		Doc:       "Cuts each image into a left and a right half.",
		In:        []pipe.Port{{Name: "image", Type: imageType, Flags: pipe.Required, Doc: "Image to cut."}},
		Out: []pipe.Port{
			{Name: "left_image", Type: imageType, Doc: "The left half; the larger one when the width is odd."},
			{Name: "right_image", Type: imageType, Doc: "The right half."},
		},
		Keys: []pipe.Key{{Name: "split_image", Kind: pipe.Algo, Role: "split_image", Doc: "Accepted but not used."}},
	}
}

func mergeType() *pipe.Type {
	return &pipe.Type{
		Name:      "merge_image",
		Stateless: true,
		Version:   kwiver,
		New:       func() pipe.Process { return &merge{} },
		Doc:       "Combines the images of all its inputs side by side, sorted by port name.",
		In:        []pipe.Port{{Name: "<any>", Type: imageType, Flags: pipe.Required, Least: 1, Doc: "One image of the row."}},
		Out:       []pipe.Port{{Name: "image", Type: imageType, Flags: pipe.Shared | pipe.Required, Doc: "The row."}},
		Keys:      []pipe.Key{{Name: "merge_images", Kind: pipe.Algo, Role: "merge_images", Doc: "Accepted but not used."}},
	}
}

type split struct {
	in          *flow.In
	left, right *flow.Out
}

func (p *split) Setup(s *flow.Setup) error {
	p.in, p.left, p.right = s.In("image"), s.Out("left_image"), s.Out("right_image")
	return nil
}

func (p *split) Step(pipe.Step) error {
	img, err := From(p.in.Take())
	if err != nil {
		return err
	}
	b := img.Bounds()
	middle := b.Min.X + (b.Dx()+1)/2
	p.left.Push(Of(part(img, image.Rect(b.Min.X, b.Min.Y, middle, b.Max.Y))))
	p.right.Push(Of(part(img, image.Rect(middle, b.Min.Y, b.Max.X, b.Max.Y))))
	return nil
}

// part returns a copy of a part of an image. The bounds of the copy begin at (0, 0).
func part(img image.Image, r image.Rectangle) image.Image {
	piece := canvas(r.Dx(), r.Dy(), Deep(img))
	draw.Draw(piece, piece.Bounds(), img, r.Min, draw.Src)
	return piece
}

// canvas returns an empty image with 8 or 16 bits per channel.
func canvas(w, h int, deep bool) draw.Image {
	if deep {
		return image.NewNRGBA64(image.Rect(0, 0, w, h))
	}
	return image.NewNRGBA(image.Rect(0, 0, w, h))
}

type merge struct {
	ins []*flow.In
	out *flow.Out
}

func (m *merge) Setup(s *flow.Setup) error {
	m.ins, m.out = s.Ins(), s.Out("image")
	slices.SortFunc(m.ins, func(a, b *flow.In) int { return strings.Compare(a.Name(), b.Name()) })
	return nil
}

func (m *merge) Step(pipe.Step) error {
	images := make([]image.Image, len(m.ins))
	width, height, deep := 0, 0, false
	for i, in := range m.ins {
		img, err := From(in.Take())
		if err != nil {
			return fmt.Errorf("input `%s`: %w", in.Name(), err)
		}
		images[i] = img
		width += images[i].Bounds().Dx()
		height = max(height, images[i].Bounds().Dy())
		deep = deep || Deep(images[i])
	}
	if int64(width)*int64(height) > maxPixels {
		return fmt.Errorf("the images side by side have %d by %d pixels, which are too many", width, height)
	}
	row := canvas(width, height, deep)
	x := 0
	for _, img := range images {
		b := img.Bounds()
		draw.Draw(row, image.Rect(x, 0, x+b.Dx(), b.Dy()), img, b.Min, draw.Src)
		x += b.Dx()
	}
	m.out.Push(Of(row))
	return nil
}
