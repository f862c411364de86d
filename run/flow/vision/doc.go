// Package vision makes those process types of KWIVER and VIAME runnable whose work is
// done by an algorithm that this program has.
//
//	declared type ─▶ Extend ─▶ Narrow: `filter:type = vxl_threshold` ─▶ a process with filter.Filter
//
// The algorithms are in sub-packages by what they work on: `filter` on images, `detect`
// on detections; `algo` is how they are declared. If a pipeline names another algorithm,
// the type is unchanged, and a class of the user may do the work.
package vision

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/run/flow"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/detect"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/filter"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// viame is the program whose versions of some types have additional ports and keys.
const viame = "VIAME"

// The port types of the family.
const (
	imageType     = pipe.ImageType
	timestampType = "kwiver:timestamp"
	detectionType = "kwiver:detected_object_set"
	trackType     = "kwiver:object_track_set"
	flagType      = "kwiver:bool"
)

// Types lists the types that only this package has; Extend makes further types runnable.
func Types() []*pipe.Type { return []*pipe.Type{mergeSetsType(), mergeImagesType()} }

// Extend gives a declared type the algorithms of this program. Other types stay unchanged.
func Extend(t *pipe.Type) *pipe.Type {
	e := *t
	switch t.Name {
	case "image_filter":
		e.In = append(slices.Clip(e.In), pipe.Port{Name: "process_flag", Type: flagType, Only: viame, Doc: "Whether to filter this image; if false, it passes unchanged."})
		e.Out = append(slices.Clip(e.Out), pipe.Port{Name: "success_flag", Type: flagType, Only: viame, Doc: "Whether the image was changed."})
		return narrow(&e, "filter", filter.Algorithms(), newFilter)
	case "image_object_detector":
		e.Keys = append(slices.Clip(e.Keys),
			pipe.Key{Name: "frame_downsample", Kind: pipe.Unsigned, Default: "0", Only: viame, Doc: "If n is larger than 0, only every n-th image is searched; the others get an empty set."},
			pipe.Key{Name: "frame_offset", Kind: pipe.Unsigned, Default: "0", Only: viame, Doc: "Number of images by which the first search is earlier."})
		return narrow(&e, "detector", detect.Detectors(), newDetector)
	case "refine_detections":
		return narrow(&e, "refiner", detect.Refiners(), newRefiner)
	case "detected_object_filter":
		return narrow(&e, "filter", detect.Filters(), newSetFilter)
	case "merge_detection_sets":
		n := narrow(&e, "merger", detect.Mergers(), newMerger)
		named := n.Narrow
		n.Narrow = func(node *pipe.Node) *pipe.Type { // without a merger, all detections go into one set
			if _, ok := node.Config["merger:type"]; ok {
				return named(node)
			}
			c := *n
			c.Narrow, c.Lacks, c.Probe, c.Needs = nil, nil, nil, ""
			c.New = func() pipe.Process {
				return &chosen{setup: func(s *flow.Setup) (pipe.Process, error) { return newMerger(s, detect.All{}), nil }}
			}
			return &c
		}
		return n
	case "split_image":
		return narrow(&e, "split_image", splitters(), newSplitter)
	case "initialize_object_tracks":
		return narrow(&e, "track_initializer", initializers(), newInitializer)
	}
	return t
}

// narrow makes a process runnable if it names an algorithm of a list. The process then has exactly
// the declared keys and the keys of the algorithm.
func narrow[W any](t *pipe.Type, slot string, list algo.List[W], process func(*flow.Setup, W) pipe.Process) *pipe.Type {
	t.Keys = slices.Clone(t.Keys)
	if i := slices.IndexFunc(t.Keys, func(k pipe.Key) bool { return k.Name == slot }); i >= 0 {
		t.Keys[i].Known = sync.OnceValue(list.Known)
	}
	before := t.Narrow
	t.Narrow = func(n *pipe.Node) *pipe.Type {
		a := list.Find(n.Config[slot+":type"].Value)
		if a == nil || open(n.Config) {
			if before == nil {
				return nil
			}
			return before(n)
		}
		c := *t
		c.Narrow, c.Probe, c.Needs, c.Version = nil, nil, "", ""
		c.Keys = append(a.Declare(slot), t.Keys...)
		c.Judge = func(v pipe.Values) error {
			_, err := list.Make(algo.Of(v), slot)
			if missing(err) {
				return nil
			}
			return err
		}
		c.Lacks = func(v pipe.Values) error {
			if _, err := list.Make(algo.Of(v), slot); missing(err) {
				return err
			}
			return nil
		}
		c.New = func() pipe.Process {
			return &chosen{setup: func(s *flow.Setup) (pipe.Process, error) {
				w, err := list.Make(algo.Of(s.Values()), slot)
				if err != nil {
					return nil, err
				}
				return process(s, w), nil
			}}
		}
		return &c
	}
	return t
}

// open reports whether a setting still has a placeholder of a template, such as `[-NAME-]`, so that
// its value is not known yet.
func open(config pipe.Config) bool {
	for _, s := range config {
		if strings.Contains(s.Value, "[-") && strings.Contains(s.Value, "-]") {
			return true
		}
	}
	return false
}

// missing reports whether an error says that this program lacks an algorithm.
func missing(err error) bool {
	var m *algo.Missing
	return errors.As(err, &m)
}

// chosen is a process that is created from its settings.
type chosen struct {
	setup func(*flow.Setup) (pipe.Process, error)
	pipe.Process
}

func (c *chosen) Setup(s *flow.Setup) (err error) {
	c.Process, err = c.setup(s)
	return err
}

// imageOf returns the image of a datum with its three axes, or nil if there is none.
func imageOf(d flow.Datum) (*tensor.Tensor, error) {
	if !d.IsData() {
		return nil, nil
	}
	t := d.Array()
	switch len(t.Shape) {
	case 2:
		return &tensor.Tensor{Kind: t.Kind, Shape: []int{t.Shape[0], t.Shape[1], 1}, Data: t.Data}, nil
	case 3:
		return t, nil
	}
	return nil, fmt.Errorf("%v is not an image: expected height, width and channels", t)
}

// setOf returns the detections of a datum; an empty set if it has none.
func setOf(d flow.Datum) pic.Detections {
	if !d.IsData() {
		return nil
	}
	return flow.As[pic.Detections](d)
}

// yes reports whether a flag is set; a missing flag counts as set.
func yes(d flow.Datum) bool {
	if !d.IsData() {
		return true
	}
	switch v := d.Value().(type) {
	case bool:
		return v
	case int64:
		return v != 0
	}
	return true
}
