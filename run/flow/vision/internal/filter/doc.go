// Package filter has algorithms that turn an image into another: the algorithms of KWIVER's and
// VIAME's `image_filter` that need no library.
//
// Each is a new implementation with the keys, defaults and treatment of borders of upstream's
// source. An image is an array of height, width and channels, and is never changed in place.
package filter

import (
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// A Filter turns an image into another. It may return its input.
type Filter interface {
	Filter(*tensor.Tensor) (*tensor.Tensor, error)
}

// Algorithms lists the algorithms of `image_filter`.
func Algorithms() algo.List[Filter] {
	return algo.List[Filter]{
		convertImage(), averageFrames(), threshold(), morphology(), commonality(),
		percentileNorm("percentile_norm"), percentileNorm("percentile_norm_npy"),
		debayer(), enhancer(), convertColour(), hueShift(),
	}
}

// pixels returns the number of pixels of an image.
func pixels(t *tensor.Tensor) int { return t.Shape[0] * t.Shape[1] }
