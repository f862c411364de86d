package detect

import (
	"slices"

	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// typeKey is the key for the class of a detection that covers the image.
var typeKey = pipe.Key{Name: "detection_type", Kind: pipe.String, Default: "generic_object_proposal", Doc: "Class of the detection; empty means none."}

func empty() algo.Algorithm[Detector] {
	return algo.Algorithm[Detector]{Name: "empty", Doc: "Finds nothing.", New: func(algo.Settings) (Detector, error) { return nothing{}, nil }}
}

type nothing struct{}

func (nothing) Detect(*tensor.Tensor) (pic.Detections, error) { return pic.Detections{}, nil }

func fullFrame() algo.Algorithm[Detector] {
	return algo.Algorithm[Detector]{
		Name: "full_frame",
		Doc:  "Detects the whole image as one object.",
		Keys: []pipe.Key{typeKey},
		New:  func(s algo.Settings) (Detector, error) { return whole{s.Value("detection_type")}, nil },
	}
}

// whole detects the whole image.
type whole struct{ class string }

func (w whole) Detect(img *tensor.Tensor) (pic.Detections, error) {
	if img == nil || len(img.Data) == 0 {
		return pic.Detections{}, nil
	}
	d := pic.Detection{Right: float64(img.Shape[1]), Bottom: float64(img.Shape[0]), Confidence: 1}
	if w.class != "" {
		d.Classes = []pic.Class{{Name: w.class, Score: 1}}
	}
	return pic.Detections{d}, nil
}

func addFixed() algo.Algorithm[Refiner] {
	return algo.Algorithm[Refiner]{
		Name: "add_fixed",
		Doc:  "Adds the whole image to the detections.",
		Keys: []pipe.Key{typeKey, {Name: "add_full_image_detection", Kind: pipe.Bool, Default: "true", Doc: "Whether to add it."}},
		New: func(s algo.Settings) (Refiner, error) {
			return &fixed{whole{s.Value("detection_type")}, s.Bool("add_full_image_detection")}, nil
		},
	}
}

type fixed struct {
	whole
	add bool
}

func (f *fixed) Refine(img *tensor.Tensor, set pic.Detections) (pic.Detections, error) {
	if !f.add {
		return set, nil
	}
	more, err := f.Detect(img)
	return slices.Concat(set, more), err
}
