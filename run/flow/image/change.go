package image

import "github.com/pentode-dev/pentode/run/flow"

func resizeType() *flow.Type {
	return &flow.Type{
		Name: "resize",
		Doc:  "Makes each image larger or smaller, averaging the pixels that fall together.",
		In:   []flow.Port{{Name: "image", Type: imageType, Flags: flow.Required, Doc: "Image to resize."}},
		Out:  []flow.Port{{Name: "image", Type: imageType, Flags: flow.Shared | flow.Required, Doc: "The resized image."}},
		Keys: []flow.Key{
			{Name: "width", Kind: flow.Unsigned, Default: "0", Doc: "New width; 0 keeps the shape of the image."},
			{Name: "height", Kind: flow.Unsigned, Default: "0", Doc: "New height; 0 keeps the shape of the image."},
			{Name: "scale", Kind: flow.Double, Default: "1.0", Tunable: true, Doc: "Factor, used when width and height are both 0."},
		},
	}
}

func greyType() *flow.Type {
	return &flow.Type{
		Name: "grey",
		Doc:  "Takes the colour out of each image.",
		In:   []flow.Port{{Name: "image", Type: imageType, Flags: flow.Required, Doc: "Image with colours."}},
		Out:  []flow.Port{{Name: "image", Type: imageType, Flags: flow.Shared | flow.Required, Doc: "The grey image."}},
	}
}
