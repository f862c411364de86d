// Package detect has the algorithms that find detections in images, and that filter,
// refine and merge sets of them: those of KWIVER and VIAME that need no network and no library.
//
// Each follows the source of the original in its keys, defaults and borders, and is
// written anew. A set of detections is not changed: what changes is copied.
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

// A Refiner improves the detections of an image, which is nil where none came.
type Refiner interface {
	Refine(*tensor.Tensor, pic.Detections) (pic.Detections, error)
}

// A SetFilter keeps some detections.
type SetFilter interface {
	Keep(pic.Detections) pic.Detections
}

// A Merger makes one set of several.
type Merger interface {
	Merge([]pic.Detections) pic.Detections
}

// Detectors lists those of `image_object_detector`.
func Detectors() algo.List[Detector] {
	return algo.List[Detector]{empty(), fullFrame(), windowed("windowed"), windowed("ocv_windowed")}
}

// Refiners lists those of `refine_detections`.
func Refiners() algo.List[Refiner] {
	return algo.List[Refiner]{nms(), addFixed(), writeChips(), windowedRefine("windowed"), windowedRefine("ocv_windowed")}
}

// Filters lists those of `detected_object_filter`.
func Filters() algo.List[SetFilter] { return algo.List[SetFilter]{classFilter()} }

// Mergers lists those of `merge_detection_sets`.
func Mergers() algo.List[Merger] {
	return algo.List[Merger]{together("simple"), together("merge"), suppress()}
}
