package image

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
)

func mergeSetsType() *flow.Type {
	return &flow.Type{
		Name:    "merge_detection_sets",
		Version: kwiver,
		New:     func() flow.Process { return &mergeSets{} },
		Doc:     "Puts the detections of all its inputs into one set, sorted by port name.",
		In:      []flow.Port{{Name: "<any>", Type: detectionType, Flags: flow.Required, Least: 1, Doc: "Detections of one frame."}},
		Out:     []flow.Port{{Name: "detected_object_set", Type: detectionType, Flags: flow.Required, Doc: "All of them."}},
	}
}

func shiftSetsType() *flow.Type {
	return &flow.Type{
		Name:    "shift_detected_object_set",
		Version: kwiver,
		New:     func() flow.Process { return &shiftSets{} },
		Doc:     "Delays detections by a number of frames, or pulls them forward.",
		In:      []flow.Port{{Name: "detected_object_set", Type: detectionType, Flags: flow.Required, Doc: "Detections of one frame."}},
		Out:     []flow.Port{{Name: "detected_object_set", Type: detectionType, Flags: flow.Required, Freq: flow.UnknownFreq, Doc: "Those of another frame."}},
		Keys:    []flow.Key{{Name: "offset", Kind: flow.Int, Default: "0", Doc: "Frames to delay by, with empty sets before; a negative number leaves out the first."}},
	}
}

type mergeSets struct {
	ins []*flow.In
	out *flow.Out
}

func (m *mergeSets) Setup(s *flow.Setup) error {
	m.ins, m.out = s.Ins(), s.Out("detected_object_set")
	slices.SortFunc(m.ins, func(a, b *flow.In) int { return strings.Compare(a.Name(), b.Name()) })
	return nil
}

func (m *mergeSets) Step(*flow.Step) error {
	all := Detections{}
	for _, in := range m.ins {
		all = append(all, flow.As[Detections](in.Take())...)
	}
	m.out.Push(flow.Of(all))
	return nil
}

type shiftSets struct {
	left int64
	in   *flow.In
	out  *flow.Out
}

func (m *shiftSets) Setup(s *flow.Setup) error {
	m.in, m.out, m.left = s.In("detected_object_set"), s.Out("detected_object_set"), s.Int("offset")
	return nil
}

func (m *shiftSets) Step(*flow.Step) error {
	for ; m.left > 0; m.left-- {
		m.out.Push(flow.Of(Detections{}))
	}
	set := m.in.Take()
	if m.left < 0 {
		m.left++
		return nil
	}
	m.out.Push(set)
	return nil
}
