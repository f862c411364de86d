package image

import "github.com/pentode-dev/pentode/run/flow"

func splitType() *flow.Type {
	return &flow.Type{
		Name: "split_image",
		Doc:  "Cuts each image into a left and a right half.",
		In:   []flow.Port{{Name: "image", Type: imageType, Flags: flow.Required, Doc: "Image to cut."}},
		Out: []flow.Port{
			{Name: "left_image", Type: imageType, Doc: "The left half; the larger one when the width is odd."},
			{Name: "right_image", Type: imageType, Doc: "The right half."},
		},
		Keys: []flow.Key{{Name: "split_image", Kind: flow.Algo, Doc: "Accepted and not needed."}},
	}
}

func mergeType() *flow.Type {
	return &flow.Type{
		Name: "merge_image",
		Doc:  "Puts the images of all its inputs side by side, sorted by port name.",
		In:   []flow.Port{{Name: "<any>", Type: imageType, Flags: flow.Required, Least: 1, Doc: "One image of the row."}},
		Out:  []flow.Port{{Name: "image", Type: imageType, Flags: flow.Shared | flow.Required, Doc: "The row."}},
		Keys: []flow.Key{{Name: "merge_images", Kind: flow.Algo, Doc: "Accepted and not needed."}},
	}
}
