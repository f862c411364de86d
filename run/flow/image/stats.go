package image

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"math"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func statsType() *pipe.Type {
	return &pipe.Type{
		Name:      "image_stats",
		Stateless: true,
		New:       func() pipe.Process { return &stats{} },
		Doc:       "Measures the brightness of each image and writes it as a line of text.",
		In:        []pipe.Port{{Name: "image", Type: imageType, Flags: pipe.Required, Doc: "Image to measure."}},
		Out: []pipe.Port{
			{Name: "text", Type: "string", Doc: "Width, height, smallest, mean and largest brightness and standard deviation, each after its name."},
			{Name: "mean", Type: "double", Doc: "Mean brightness from 0 to 255."},
		},
	}
}

type stats struct {
	in         *flow.In
	text, mean *flow.Out
}

func (m *stats) Setup(s *flow.Setup) error {
	m.in, m.text, m.mean = s.In("image"), s.Out("text"), s.Out("mean")
	return nil
}

func (m *stats) Step(pipe.Step) error {
	img, err := From(m.in.Take())
	if err != nil {
		return err
	}
	bounds := img.Bounds()
	if bounds.Empty() {
		return errors.New("an image without pixels has no brightness")
	}
	low, high := math.Inf(1), math.Inf(-1)
	var sum, squares float64
	count := func(v float64) {
		low, high = min(low, v), max(high, v)
		sum += v
		squares += v * v
	}
	switch gray := greyOf(img).(type) {
	case *image.Gray:
		for _, v := range gray.Pix {
			count(float64(v))
		}
	case *image.Gray16:
		for i := 0; i < len(gray.Pix); i += 2 {
			count(float64(binary.BigEndian.Uint16(gray.Pix[i:])) / 257)
		}
	}
	n := float64(bounds.Dx() * bounds.Dy())
	mean := sum / n
	deviation := math.Sqrt(max(0, squares/n-mean*mean))
	m.text.Push(flow.OfText(fmt.Sprintf("width %d height %d min %.0f mean %.2f max %.0f deviation %.2f",
		bounds.Dx(), bounds.Dy(), low, mean, high, deviation)))
	m.mean.Push(flow.OfFloat(mean))
	return nil
}
