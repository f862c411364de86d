package image

import "github.com/pentode-dev/pentode/run/flow"

func writerType() *flow.Type {
	return &flow.Type{
		Name: "image_writer",
		Doc:  "Writes each image to a numbered file.",
		In: []flow.Port{
			{Name: "image", Type: imageType, Flags: flow.Required, Doc: "Image to write."},
			{Name: "timestamp", Type: timestampType, Doc: "Where the number comes from; without it images are counted from 1."},
		},
		Keys: []flow.Key{
			{Name: "file_name_template", Kind: flow.String, Default: "image%04d.png", Doc: "Name of the files; %d or %04d stands for the number, the ending decides between PNG, JPEG and GIF."},
			{Name: "image_writer", Kind: flow.Algo, Doc: "Accepted and not needed."},
		},
	}
}
