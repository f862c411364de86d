package image

import "github.com/pentode-dev/pentode/run/flow"

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

type shiftSets struct {
	left int64
	in   *flow.In
	out  *flow.Out
}

func (m *shiftSets) Setup(s *flow.Setup) error {
	m.in, m.out, m.left = s.In("detected_object_set"), s.Out("detected_object_set"), s.Int("offset")
	return nil
}

func (m *shiftSets) Step(flow.Step) error {
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
