package image

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func downsampleType() *pipe.Type {
	return &pipe.Type{
		Name:    "downsample",
		Version: kwiver,
		New:     func() pipe.Process { return &downsample{} },
		Doc:     "Lowers the frame rate: passes on only the wanted number of frames per second, with all their data.",
		In: []pipe.Port{
			{Name: "timestamp", Type: timestampType, OpenIn: viame, Doc: "Time of the frame. Without it all frames pass."},
			{Name: "frame_rate", Type: rateType, OpenIn: viame, Doc: "Frames per second at the input; if as many are wanted, all pass."},
			{Name: "input_<n>", Type: pipe.AnyType, Doc: "Data of the frame."},
		},
		Out: []pipe.Port{
			{Name: "timestamp", Type: timestampType, Freq: pipe.UnknownFreq, Doc: "Time of a frame that passes."},
			{Name: "output_<n>", Type: pipe.AnyType, Passes: "input_<n>", Freq: pipe.UnknownFreq, Doc: "Data of input_<n> for that frame."},
			{Name: "original_timestamp", Type: timestampType, Only: viame, Freq: pipe.UnknownFreq, Doc: "Time of the frame before it was renumbered."},
			{Name: "frame_rate", Type: rateType, Only: viame, Freq: pipe.UnknownFreq, Doc: "Frames per second that pass: target_frame_rate."},
		},
		Keys: []pipe.Key{
			{Name: "target_frame_rate", Kind: pipe.Double, Default: "1.0", Doc: "Frames per second that pass; 0 or less lets all pass."},
			{Name: "burst_frame_count", Kind: pipe.Unsigned, Default: "0", Doc: "Length of a burst of frames that pass; 0 means no bursts."},
			{Name: "burst_frame_break", Kind: pipe.Unsigned, Default: "0", Doc: "Frames dropped between two bursts."},
			{Name: "renumber_frames", Kind: pipe.Bool, Default: "false", Doc: "Whether frames that pass are renumbered from 0."},
			{Name: "only_frames_with_dets", Kind: pipe.Bool, Only: viame, Default: "false", Doc: "Whether a frame passes only if each of its sets of detections has one."},
			{Name: "start_time", Kind: pipe.String, Only: viame, Doc: "Time from which frames pass, in seconds or as HH:MM:SS."},
			{Name: "duration", Kind: pipe.String, Only: viame, Doc: "Length of the time in which frames pass, in seconds or as HH:MM:SS."},
		},
		Judge: func(v pipe.Values) error {
			for _, key := range []string{"start_time", "duration"} {
				if _, err := seconds(v.Value(key)); err != nil {
					return v.Errorf(key, "key `%s` is `%s`: %w", key, v.Value(key), err)
				}
			}
			return nil
		},
	}
}

type downsample struct {
	target           float64
	burst, pause     int64
	renumber, filled bool
	start, length    float64 // in seconds; start below 0 and length 0 or below mean no limit
	stamp, rate      *flow.In
	stampOut         *flow.Out
	original, rated  *flow.Out
	ins              []*flow.In
	outs             []*flow.Out
	data             []flow.Datum // the inputs of the current step
	begun            bool
	sent             float64 // number of frames that were due at the target rate when the last frame passed
	place, forwarded int64
	numbers          map[int64]int64 // maps the original number of each frame that passed to its new number
}

func (d *downsample) Setup(s *flow.Setup) error {
	d.target, d.burst, d.pause = s.Float("target_frame_rate"), s.Int("burst_frame_count"), s.Int("burst_frame_break")
	d.renumber, d.filled = s.Bool("renumber_frames"), s.Bool("only_frames_with_dets")
	d.start, _ = seconds(s.Value("start_time"))
	d.length, _ = seconds(s.Value("duration"))
	d.stamp, d.rate, d.stampOut = s.In("timestamp"), s.In("frame_rate"), s.Out("timestamp")
	d.original, d.rated = s.Out("original_timestamp"), s.Out("frame_rate")
	var required []string
	for _, in := range s.Ins() {
		if n, ok := strings.CutPrefix(in.Name(), "input_"); ok {
			d.ins, d.outs = append(d.ins, in), append(d.outs, s.Out("output_"+n))
		}
		if in == d.stamp || in == d.rate || !d.stamp.Connected() && required == nil {
			required = append(required, in.Name())
		}
	}
	s.Require(required) // the data of a frame may be missing, but never its time or rate
	d.data, d.numbers = make([]flow.Datum, len(d.ins)), map[int64]int64{}
	return nil
}

func (d *downsample) Step(pipe.Step) error {
	stamp, rate := d.stamp.Take(), d.rate.Take()
	for i, in := range d.ins {
		d.data[i] = in.Take()
	}
	t, timed := stamp.Value().(Timestamp)
	if rate.IsData() && !(rate.Float() > 0) {
		return fmt.Errorf("the frame rate is %v, but must be larger than 0", rate.Float())
	}
	if !d.passes(t, timed, rate) {
		return nil
	}
	d.original.Push(stamp)
	if timed && d.renumber {
		d.numbers[t.Frame] = d.forwarded
		t.Frame = d.forwarded
		stamp = flow.Of(t)
	}
	d.forwarded++
	d.stampOut.Push(stamp)
	d.rated.Push(d.passing(rate))
	for i, datum := range d.data {
		if d.filled && d.renumber {
			datum = d.renumbered(datum)
		}
		d.outs[i].Push(datum)
	}
	return nil
}

// passing returns the frame rate after downsampling.
func (d *downsample) passing(rate flow.Datum) flow.Datum {
	if d.target > 0 {
		return flow.OfFloat(d.target)
	}
	return rate
}

// passes reports whether the frame of the current step passes.
func (d *downsample) passes(t Timestamp, timed bool, rate flow.Datum) bool {
	pass := true
	if d.target > 0 && timed && !(rate.IsData() && d.target >= rate.Float()) {
		pass = d.due(t.Time)
	}
	switch {
	case d.start >= 0 && t.Time < d.start, d.length > 0 && t.Time > max(d.start, 0)+d.length:
		return false
	case d.filled && slices.ContainsFunc(d.data, emptySet):
		return false
	}
	return pass
}

func emptySet(d flow.Datum) bool {
	set, ok := d.Value().(Detections)
	return ok && len(set) == 0
}

// due reports whether a frame passes at the target rate: it is the first one after a frame
// became due. With bursts, only the first frames of each burst pass.
func (d *downsample) due(time float64) bool {
	count := math.Floor(time*d.target + 1e-10)
	elapsed := count - d.sent
	if !d.begun {
		d.begun, elapsed = true, 1
	}
	if elapsed <= 0 {
		return false
	}
	d.sent = count
	if d.burst == 0 || d.pause == 0 {
		return true
	}
	d.place = (d.place + int64(elapsed)) % (d.burst + d.pause)
	return d.place >= 1 && d.place <= d.burst
}

// renumbered changes tracks to the new frame numbers. It removes states in frames that did not
// pass.
func (d *downsample) renumbered(datum flow.Datum) flow.Datum {
	tracks, ok := datum.Value().(Tracks)
	if !ok {
		return datum
	}
	set := make(Tracks, len(tracks))
	for i, t := range tracks {
		set[i] = Track{ID: t.ID}
		for _, state := range t.States {
			if n, ok := d.numbers[state.Frame]; ok {
				state.Frame = n
				set[i].States = append(set[i].States, state)
			}
		}
	}
	return flow.Of(set)
}

// seconds parses a time: a number of seconds, or hours, minutes and seconds as in `1:02:03.5`.
// It returns -1 for an empty text.
func seconds(text string) (float64, error) {
	if text = strings.TrimSpace(text); text == "" {
		return -1, nil
	}
	total := 0.0
	parts := strings.Split(text, ":")
	for _, part := range parts {
		f, err := strconv.ParseFloat(part, 64)
		if err != nil || f < 0 || len(parts) > 3 {
			return -1, errors.New("expected seconds, or hours, minutes and seconds as in 1:02:03.5")
		}
		total = 60*total + f
	}
	return total, nil
}

func shiftSetsType() *pipe.Type {
	return &pipe.Type{
		Name:    "shift_detected_object_set",
		Version: kwiver,
		New:     func() pipe.Process { return &shiftSets{} },
		Doc:     "Delays detections by a number of frames, or moves them forward.",
		In:      []pipe.Port{{Name: "detected_object_set", Type: detectionType, Flags: pipe.Required, Doc: "Detections of one frame."}},
		Out:     []pipe.Port{{Name: "detected_object_set", Type: detectionType, Flags: pipe.Required, Freq: pipe.UnknownFreq, Doc: "Detections of another frame."}},
		Keys:    []pipe.Key{{Name: "offset", Kind: pipe.Int, Default: "0", Doc: "Frames to delay by; empty sets come first. A negative number drops the first sets."}},
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
