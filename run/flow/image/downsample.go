package image

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
)

func downsampleType() *flow.Type {
	return &flow.Type{
		Name:    "downsample",
		Version: kwiver,
		New:     func() flow.Process { return &downsample{} },
		Doc:     "Lowers the frame rate: lets through only as many frames a second as wanted, with everything that belongs to them.",
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
		Judge: func(v flow.Values) error {
			if rate := v.Float("target_frame_rate"); !(rate > 0) {
				return v.Errorf("target_frame_rate", "key `target_frame_rate` is %v, but must be larger than 0", rate)
			}
			return nil
		},
	}
}

type downsample struct {
	target           float64
	burst, pause     int64
	renumber         bool
	stamp, rate      *flow.In
	stampOut         *flow.Out
	ins              []*flow.In
	outs             []*flow.Out
	counter          float64 // frames that should have passed, less those that did
	place, forwarded int64
}

func (d *downsample) Setup(s *flow.Setup) error {
	d.target, d.burst, d.pause = s.Float("target_frame_rate"), s.Int("burst_frame_count"), s.Int("burst_frame_break")
	d.renumber = s.Bool("renumber_frames")
	d.stamp, d.rate, d.stampOut = s.In("timestamp"), s.In("frame_rate"), s.Out("timestamp")
	for _, in := range s.Ins() {
		if n, ok := strings.CutPrefix(in.Name(), "input_"); ok {
			d.ins, d.outs = append(d.ins, in), append(d.outs, s.Out("output_"+n))
		}
	}
	d.counter = 1 // the first frame passes
	return nil
}

func (d *downsample) Step(*flow.Step) error {
	stamp, rate := d.stamp.Take(), d.rate.Take().Float()
	if !(rate > 0) {
		return fmt.Errorf("the frame rate is %v, but must be larger than 0", rate)
	}
	pass := d.counter >= 1 && d.inBurst()
	if d.counter >= 1 {
		d.counter--
	}
	d.counter = min(d.counter+d.target/rate, 1)
	if pass {
		d.forwarded++
		if t, ok := stamp.Value().(Timestamp); ok && d.renumber {
			t.Frame = d.forwarded
			stamp = flow.Of(t)
		}
		d.stampOut.Push(stamp)
	}
	for i, in := range d.ins {
		if datum := in.Take(); pass {
			d.outs[i].Push(datum)
		}
	}
	return nil
}

// inBurst counts the frames that would pass: burst of them do, then pause of
// them do not.
func (d *downsample) inBurst() bool {
	if d.burst == 0 {
		return true
	}
	at := d.place
	d.place = (d.place + 1) % (d.burst + d.pause)
	return at < d.burst
}
