package vision

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/detect"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/filter"
)

// imageFilter does the work of image_filter.
type imageFilter struct {
	filter.Filter
	in, flag     *flow.In
	out, success *flow.Out
}

func newFilter(s *flow.Setup, f filter.Filter) pipe.Process {
	return &imageFilter{f, s.In("image"), s.In("process_flag"), s.Out("image"), s.Out("success_flag")}
}

func (p *imageFilter) Step(pipe.Step) error {
	datum, wanted := p.in.Take(), yes(p.flag.Take())
	if !wanted {
		p.out.Push(datum)
		p.success.Push(flow.Of(false))
		return nil
	}
	img, err := imageOf(datum)
	if err != nil {
		return err
	}
	result, err := p.Filter.Filter(img)
	if err != nil {
		return err
	}
	p.out.Push(flow.Of(result))
	p.success.Push(flow.Of(result != img))
	return nil
}

// detector does the work of image_object_detector.
type detector struct {
	detect.Detector
	every, offset, count int64
	in                   *flow.In
	out                  *flow.Out
}

func newDetector(s *flow.Setup, d detect.Detector) pipe.Process {
	return &detector{Detector: d, every: s.Int("frame_downsample"), offset: s.Int("frame_offset"), in: s.In("image"), out: s.Out("detected_object_set")}
}

func (p *detector) Step(pipe.Step) error {
	img, err := imageOf(p.in.Take())
	if err != nil {
		return err
	}
	set := pic.Detections{}
	if p.every == 0 || (p.count+p.offset)%p.every == 0 {
		if set, err = p.Detect(img); err != nil {
			return err
		}
	}
	p.count++
	p.out.Push(flow.Of(set))
	return nil
}

// refiner does the work of refine_detections.
type refiner struct {
	detect.Refiner
	image, in *flow.In
	out       *flow.Out
}

func newRefiner(s *flow.Setup, r detect.Refiner) pipe.Process {
	if w, ok := r.(detect.Writer); ok {
		w.WriteTo(s.Results())
	}
	return &refiner{r, s.In("image"), s.In("detected_object_set"), s.Out("detected_object_set")}
}

func (p *refiner) Step(pipe.Step) error {
	img, err := imageOf(p.image.Take())
	if err != nil {
		return err
	}
	set, err := p.Refine(img, setOf(p.in.Take()))
	if err != nil {
		return err
	}
	p.out.Push(flow.Of(set))
	return nil
}

// setFilter does the work of detected_object_filter.
type setFilter struct {
	detect.SetFilter
	in  *flow.In
	out *flow.Out
}

func newSetFilter(s *flow.Setup, f detect.SetFilter) pipe.Process {
	return &setFilter{f, s.In("detected_object_set"), s.Out("detected_object_set")}
}

func (p *setFilter) Step(pipe.Step) error {
	p.out.Push(flow.Of(p.Keep(setOf(p.in.Take()))))
	return nil
}

func mergeSetsType() *pipe.Type {
	return &pipe.Type{
		Name:    "merge_detection_sets",
		Version: "KWIVER 1.8",
		Doc:     "Merges the detections of all its inputs, sorted by port name, into one set.",
		In:      []pipe.Port{{Name: "<any>", Type: detectionType, Flags: pipe.Required, Least: 1, Doc: "Detections of one frame."}},
		Out:     []pipe.Port{{Name: "detected_object_set", Type: detectionType, Flags: pipe.Required, Doc: "All detections."}},
		Keys:    []pipe.Key{{Name: "merger", Kind: pipe.Algo, Role: "merge_detections", Only: viame, Doc: "How sets are merged: merger:type is simple (all detections in one set, as without the key) or suppress_in_regions."}},
		Needs:   "a detection algorithm",
	}
}

// merger does the work of merge_detection_sets. It orders the sets by the names of their
// ports.
type merger struct {
	detect.Merger
	ins  []*flow.In
	out  *flow.Out
	sets []pic.Detections // the sets of the current step
}

func newMerger(s *flow.Setup, m detect.Merger) pipe.Process {
	p := &merger{Merger: m, ins: s.Ins(), out: s.Out("detected_object_set")}
	slices.SortFunc(p.ins, func(a, b *flow.In) int { return strings.Compare(a.Name(), b.Name()) })
	p.sets = make([]pic.Detections, len(p.ins))
	return p
}

func (p *merger) Step(pipe.Step) error {
	for i, in := range p.ins {
		p.sets[i] = setOf(in.Take())
	}
	p.out.Push(flow.Of(p.Merge(p.sets)))
	return nil
}
