package vision

import "github.com/pentode-dev/pentode/run/flow"

const needsBridges = "the program it wraps"

func bridges() []*flow.Type {
	return []*flow.Type{
		{
			Name: "algo_wrapper",
			Doc:  "Runs one algorithm on detections; upstream's pattern for wrapping an algorithm.",
			In: []flow.Port{
				{Name: "image", Type: "kwiver:image", Doc: "The image."},
				{Name: "detected_object_set", Type: "kwiver:detected_object_set", Flags: flow.Required, Doc: "Detections of one frame."},
			},
			Out: []flow.Port{
				{Name: "detected_object_set", Type: "kwiver:detected_object_set", Doc: "Detections of one frame."},
			},
			Needs: needsBridges,
		},
		{
			Name: "template",
			Doc:  "Copies an image with a header and a footer; upstream's starting point for new processes.",
			In: []flow.Port{
				{Name: "timestamp", Type: "kwiver:timestamp", Doc: "Time and number of the frame."},
				{Name: "image", Type: "kwiver:image", Flags: flow.Required, Doc: "The image."},
			},
			Out: []flow.Port{
				{Name: "image", Type: "kwiver:image", Flags: flow.Shared, Doc: "The image."},
			},
			Keys: []flow.Key{
				{Name: "header", Kind: flow.String, Default: "top", Doc: "Text above."},
				{Name: "footer", Kind: flow.String, Default: "bottom", Doc: "Text below."},
				{Name: "gsd", Kind: flow.Double, Default: "3.14159", Doc: "Ground size of a pixel."},
			},
			Needs: needsBridges,
		},
		{
			Name: "matlab_bridge",
			Doc:  "Hands each image to a MATLAB program.",
			In: []flow.Port{
				{Name: "timestamp", Type: "kwiver:timestamp", Doc: "Time and number of the frame."},
				{Name: "image", Type: "kwiver:image", Flags: flow.Required, Doc: "The image."},
			},
			Out: []flow.Port{
				{Name: "image", Type: "kwiver:image", Flags: flow.Shared, Doc: "The image."},
			},
			Keys: []flow.Key{
				{Name: "program_file", Kind: flow.String, Doc: "The MATLAB program."},
			},
			Needs: needsBridges,
		},
	}
}
