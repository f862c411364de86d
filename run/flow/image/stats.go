package image

import "github.com/pentode-dev/pentode/run/flow"

func statsType() *flow.Type {
	return &flow.Type{
		Name: "image_stats",
		Doc:  "Measures the brightness of each image and writes it as a line of text.",
		In:   []flow.Port{{Name: "image", Type: imageType, Flags: flow.Required, Doc: "Image to measure."}},
		Out: []flow.Port{
			{Name: "text", Type: "string", Doc: "Width, height, smallest, mean and largest brightness, and their deviation, with names."},
			{Name: "mean", Type: "double", Doc: "Mean brightness from 0 to 255."},
		},
	}
}
