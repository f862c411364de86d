package image

import "github.com/pentode-dev/pentode/run/flow"

func downsampleType() *flow.Type {
	return &flow.Type{
		Name: "downsample",
		Doc:  "Lowers the frame rate: lets through only as many frames a second as wanted, with everything that belongs to them.",
		In: []flow.Port{
			{Name: "timestamp", Type: timestampType, Flags: flow.Required, Doc: "Time of the frame."},
			{Name: "frame_rate", Type: rateType, Flags: flow.Required, Doc: "Frames a second that come in."},
			{Name: "input_<n>", Type: flow.AnyType, Doc: "Data of the frame."},
		},
		Out: []flow.Port{
			{Name: "timestamp", Type: timestampType, Freq: flow.UnknownFreq, Doc: "Time of a frame that passes."},
			{Name: "output_<n>", Type: flow.AnyType, Freq: flow.UnknownFreq, Doc: "What came in at input_<n> with it."},
		},
		Keys: []flow.Key{
			{Name: "target_frame_rate", Kind: flow.Double, Default: "1.0", Doc: "Frames a second that pass."},
			{Name: "burst_frame_count", Kind: flow.Unsigned, Default: "0", Doc: "Length of a burst of frames that pass; 0 means no bursts."},
			{Name: "burst_frame_break", Kind: flow.Unsigned, Default: "0", Doc: "Frames left out between two bursts."},
			{Name: "renumber_frames", Kind: flow.Bool, Default: "false", Doc: "Whether frames that pass are counted anew from 1."},
		},
	}
}
