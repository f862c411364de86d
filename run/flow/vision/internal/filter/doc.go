// Package filter has the algorithms that make an image of an image: those of KWIVER's
// and VIAME's `image_filter` that need no library.
//
// Each follows the source of the original in its keys, defaults and borders, and is
// written anew. An image is an array of height, width and channels, and is not changed.
package filter

import (
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// A Filter makes an image of an image. It may return the image that it got.
type Filter interface {
	Filter(*tensor.Tensor) (*tensor.Tensor, error)
}

// Algorithms lists them.
func Algorithms() algo.List[Filter] {
	return algo.List[Filter]{
		convertImage(), averageFrames(), threshold(), morphology(), commonality(),
		percentileNorm("percentile_norm"), percentileNorm("percentile_norm_npy"),
		debayer(), enhancer(), convertColour(), hueShift(),
	}
}

// pixels is the number of pixels of an image.
func pixels(t *tensor.Tensor) int { return t.Shape[0] * t.Shape[1] }
