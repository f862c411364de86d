package image

import "github.com/pentode-dev/pentode/run/flow"

func detectionInputType() *flow.Type {
	return &flow.Type{
		Name: "detected_object_input",
		Doc:  "Reads detections from a CSV file, all of one image at a step.",
		Out: []flow.Port{
			{Name: "image_file_name", Type: fileNameType, Doc: "Image the detections belong to."},
			{Name: "detected_object_set", Type: detectionType, Doc: "Its detections."},
		},
		Keys: []flow.Key{
			{Name: "file_name", Kind: flow.String, Required: true, Doc: "The file."},
			{Name: "reader", Kind: flow.Algo, Doc: "reader:type may be csv, the only one there is."},
		},
	}
}

func detectionOutputType() *flow.Type {
	return &flow.Type{
		Name: "detected_object_output",
		Doc:  "Writes detections to a CSV file that detected_object_input reads.",
		In: []flow.Port{
			{Name: "image_file_name", Type: fileNameType, Doc: "Image the detections belong to."},
			{Name: "detected_object_set", Type: detectionType, Flags: flow.Required, Doc: "Its detections."},
		},
		Keys: []flow.Key{
			{Name: "file_name", Kind: flow.String, Required: true, Doc: "The file; it is emptied first."},
			{Name: "writer", Kind: flow.Algo, Doc: "writer:type may be csv, the only one there is."},
		},
	}
}
