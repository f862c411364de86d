package image

import (
	"errors"
	"fmt"
	"image"
	"math"

	"github.com/pentode-dev/pentode/run/flow"
)

func statsType() *flow.Type {
	return &flow.Type{
		Name: "image_stats",
		New:  func() flow.Process { return &stats{} },
		Doc:  "Measures the brightness of each image and writes it as a line of text.",
		In:   []flow.Port{{Name: "image", Type: imageType, Flags: flow.Required, Doc: "Image to measure."}},
		Out: []flow.Port{
			{Name: "text", Type: "string", Doc: "Width, height, smallest, mean and largest brightness, and their deviation, with names."},
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

func (m *stats) Step(*flow.Step) error {
	gray := greyOf(flow.As[image.Image](m.in.Take()))
	if len(gray.Pix) == 0 {
		return errors.New("an image without pixels has no brightness")
	}
	low, high := uint8(255), uint8(0)
	var sum, squares float64
	for _, v := range gray.Pix {
		low, high = min(low, v), max(high, v)
		sum += float64(v)
		squares += float64(v) * float64(v)
	}
	n := float64(len(gray.Pix))
	mean := sum / n
	deviation := math.Sqrt(max(0, squares/n-mean*mean))
	m.text.Push(flow.OfText(fmt.Sprintf("width %d height %d min %d mean %.2f max %d deviation %.2f",
		gray.Rect.Dx(), gray.Rect.Dy(), low, mean, high, deviation)))
	m.mean.Push(flow.OfFloat(mean))
	return nil
}
