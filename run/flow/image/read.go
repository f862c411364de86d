package image

import "github.com/pentode-dev/pentode/run/flow"

func frameListType() *flow.Type {
	return &flow.Type{
		Name: "frame_list_input",
		Doc:  "Reads the images that a list names, one name on a line; empty lines and those that begin with # are skipped.",
		Out: []flow.Port{
			{Name: "timestamp", Type: timestampType, Doc: "Number and time of the frame, counted from 1."},
			{Name: "image", Type: imageType, Flags: flow.Shared, Doc: "The image."},
			{Name: "image_file_name", Type: fileNameType, Doc: "Name of its file."},
		},
		Keys: []flow.Key{
			{Name: "image_list_file", Kind: flow.String, Required: true, Doc: "The list."},
			{Name: "frame_time", Kind: flow.Double, Default: "0.03333333", Doc: "Seconds between two frames."},
			{Name: "image_reader", Kind: flow.Algo, Doc: "Accepted and not needed: PNG, JPEG and GIF are read."},
			{Name: "path", Kind: flow.String, Doc: "Folders to look in, separated by a colon, after the list's own."},
		},
	}
}

func fileReaderType() *flow.Type {
	return &flow.Type{
		Name: "image_file_reader",
		Doc:  "Reads the image whose name it is given.",
		In:   []flow.Port{{Name: "image_file_name", Type: fileNameType, Flags: flow.Required, Doc: "Name of the file."}},
		Out: []flow.Port{
			{Name: "timestamp", Type: timestampType, Doc: "Number and time of the frame, counted from 1."},
			{Name: "image", Type: imageType, Flags: flow.Shared, Doc: "The image."},
			{Name: "image_file_name", Type: fileNameType, Doc: "Name of its file."},
		},
		Keys: []flow.Key{
			{Name: "error_mode", Kind: flow.String, Default: "abort", Choices: []string{"abort", "pass", "skip"}, Doc: "What to do with a file that cannot be read: fail, emit an empty datum, or leave it out."},
			{Name: "path", Kind: flow.String, Doc: "Folders to look in, separated by a colon."},
			{Name: "image_reader", Kind: flow.Algo, Doc: "Accepted and not needed: PNG, JPEG and GIF are read."},
			{Name: "frame_time", Kind: flow.Double, Default: "0.3333333", Doc: "Seconds between two frames."},
		},
	}
}
