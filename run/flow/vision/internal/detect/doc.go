// Package detect has algorithms that find detections in images, and that filter, refine and merge
// sets of them: the algorithms of KWIVER and VIAME that need neither a network nor a library.
//
// Each is a new implementation with the keys, defaults and treatment of borders of upstream's
// source. A set of detections is never changed in place: changed parts are copied.
package detect

import (
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// A Detector finds objects in an image of height, width and channels.
type Detector interface {
	Detect(*tensor.Tensor) (pic.Detections, error)
}

// A Refiner improves the detections of an image; the image is nil if none arrived.
type Refiner interface {
	Refine(*tensor.Tensor, pic.Detections) (pic.Detections, error)
}

// A SetFilter selects detections.
type SetFilter interface {
	Keep(pic.Detections) pic.Detections
}

// A Merger merges several sets into one.
type Merger interface {
	Merge([]pic.Detections) pic.Detections
}

// Detectors lists the algorithms of `image_object_detector`.
func Detectors() algo.List[Detector] {
	return algo.List[Detector]{empty(), fullFrame(), windowed("windowed"), windowed("ocv_windowed")}
}

// Refiners lists the algorithms of `refine_detections`.
func Refiners() algo.List[Refiner] {
	return algo.List[Refiner]{nms(), addFixed(), writeChips(), windowedRefine("windowed"), windowedRefine("ocv_windowed")}
}

// Filters lists the algorithms of `detected_object_filter`.
func Filters() algo.List[SetFilter] { return algo.List[SetFilter]{classFilter()} }

// Mergers lists the algorithms of `merge_detection_sets`.
func Mergers() algo.List[Merger] {
	return algo.List[Merger]{together("simple"), together("merge"), suppress()}
}
