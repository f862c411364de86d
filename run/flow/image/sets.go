package image

import (
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func shiftSetsType() *pipe.Type {
	return &pipe.Type{
		Name:    "shift_detected_object_set",
		Version: kwiver,
		New:     func() pipe.Process { return &shiftSets{} },
		Doc:     "Delays detections by a number of frames, or pulls them forward.",
		In:      []pipe.Port{{Name: "detected_object_set", Type: detectionType, Flags: pipe.Required, Doc: "Detections of one frame."}},
		Out:     []pipe.Port{{Name: "detected_object_set", Type: detectionType, Flags: pipe.Required, Freq: pipe.UnknownFreq, Doc: "Those of another frame."}},
		Keys:    []pipe.Key{{Name: "offset", Kind: pipe.Int, Default: "0", Doc: "Frames to delay by, with empty sets before; a negative number leaves out the first."}},
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

func (m *shiftSets) Step(pipe.Step) error {
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
