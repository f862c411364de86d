package vision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// A splitter makes two images from one. The second is nil if there is only one.
type splitter func(*tensor.Tensor) (first, second *tensor.Tensor)

// splitters lists the algorithms of `split_image`.
func splitters() algo.List[splitter] {
	return algo.List[splitter]{
		{Name: "ocv_horizontally", Doc: "Two halves; if the width is odd, the last column is dropped.", New: func(algo.Settings) (splitter, error) { return halves, nil }},
		{
			Name: "habcam",
			Doc:  "Two halves, if the image is a stereo pair.",
			Keys: []pipe.Key{
				{Name: "require_stereo", Kind: pipe.Bool, Default: "false", Doc: "Accepted but not used."},
				{Name: "required_width_factor", Kind: pipe.Double, Default: "2.0", Doc: "Ratio of width to height from which an image counts as a pair; any other image becomes the left one."},
			},
			New: func(s algo.Settings) (splitter, error) {
				factor := s.Float("required_width_factor")
				return func(t *tensor.Tensor) (first, second *tensor.Tensor) {
					if float64(t.Shape[1]) < factor*float64(t.Shape[0]) {
						return t, nil
					}
					return halves(t)
				}, nil
			},
		},
		{Name: "ocv_channels", Doc: "The first channel and the second.", New: func(algo.Settings) (splitter, error) {
			return func(t *tensor.Tensor) (first, second *tensor.Tensor) {
				if t.Shape[2] > 1 {
					second = t.Channel(1)
				}
				return t.Channel(0), second
			}, nil
		}},
	}
}

// halves returns the left and the right half of an image.
func halves(t *tensor.Tensor) (left, right *tensor.Tensor) {
	h, w, size := t.Shape[0], t.Shape[1], t.Shape[2]*t.Kind.Size()
	half := w / 2
	left, right = tensor.New(t.Kind, h, half, t.Shape[2]), tensor.New(t.Kind, h, half, t.Shape[2])
	for y := range h {
		row := t.Data[y*w*size:]
		copy(left.Data[y*half*size:(y+1)*half*size], row)
		copy(right.Data[y*half*size:(y+1)*half*size], row[half*size:])
	}
	return left, right
}

type split struct {
	splitter
	in          *flow.In
	left, right *flow.Out
}

func newSplitter(s *flow.Setup, f splitter) pipe.Process {
	return &split{f, s.In("image"), s.Out("left_image"), s.Out("right_image")}
}

func (p *split) Step(pipe.Step) error {
	img, err := imageOf(p.in.Take())
	if err != nil {
		return err
	}
	first, second := p.splitter(img)
	p.left.Push(flow.Of(first))
	if second == nil {
		p.right.Push(flow.OfEmpty())
		return nil
	}
	p.right.Push(flow.Of(second))
	return nil
}

func mergeImagesType() *pipe.Type {
	return &pipe.Type{
		Name: "merge_images",
		New:  func() pipe.Process { return &mergeImages{} },
		Doc:  "Combines the channels of all its images, sorted by port name, into one image.",
		In:   []pipe.Port{{Name: "<any>", Type: imageType, Flags: pipe.Required, Least: 1, Doc: "An image; all images must have the same size and kind of pixels."}},
		Out:  []pipe.Port{{Name: "image", Type: imageType, Flags: pipe.Shared | pipe.Required, Doc: "The image with all channels."}},
		Keys: []pipe.Key{{Name: "merge_images", Kind: pipe.Algo, Role: "merge_images", Doc: "Accepted but not used."}},
	}
}

type mergeImages struct {
	ins    []*flow.In
	out    *flow.Out
	images []*tensor.Tensor // the images of the current step
}

func (m *mergeImages) Setup(s *flow.Setup) error {
	m.ins, m.out = s.Ins(), s.Out("image")
	slices.SortFunc(m.ins, func(a, b *flow.In) int { return strings.Compare(a.Name(), b.Name()) })
	m.images = make([]*tensor.Tensor, len(m.ins))
	return nil
}

func (m *mergeImages) Step(pipe.Step) error {
	channels := 0
	for i, in := range m.ins {
		img, err := imageOf(in.Take())
		if err != nil {
			return fmt.Errorf("input `%s`: %w", in.Name(), err)
		}
		if first := m.images[0]; i > 0 && (img.Kind != first.Kind || img.Shape[0] != first.Shape[0] || img.Shape[1] != first.Shape[1]) {
			return fmt.Errorf("input `%s` brings %v, but `%s` brings %v: to combine channels, images must have the same size and kind of pixels", m.ins[0].Name(), first, in.Name(), img)
		}
		m.images[i] = img
		channels += img.Shape[2]
	}
	first := m.images[0]
	all := tensor.New(first.Kind, first.Shape[0], first.Shape[1], channels)
	size, at := first.Kind.Size(), 0
	for _, img := range m.images {
		part := img.Shape[2] * size
		to := all.Data[at:]
		for from := img.Data; len(from) > 0; from = from[part:] {
			copy(to[:part], from)
			to = to[min(channels*size, len(to)):]
		}
		at += part
	}
	m.out.Push(flow.Of(all))
	return nil
}
