package track

import (
	"slices"

	"github.com/pentode-dev/pentode/run/flow"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func accumulateType() *pipe.Type {
	return &pipe.Type{
		Name: "accumulate_object_tracks",
		New:  func() pipe.Process { return &accumulate{} },
		Doc:  "Makes one track from the first detections of all frames, one from the second detections, and so on; frames with fewer detections than an earlier frame are skipped.",
		In: []pipe.Port{stampIn(pipe.Required),
			{Name: "detected_object_set", Type: detectionType, Flags: pipe.Required, Doc: "Detections of the frame."}},
		Out: []pipe.Port{stampOut(), tracksOut("The tracks up to the frame.")},
		Keys: []pipe.Key{
			{Name: "min_frame_count", Kind: pipe.Unsigned, Default: "0", Doc: "First frame that is used."},
			{Name: "max_frame_count", Kind: pipe.Unsigned, Default: "0", Doc: "Last frame that is used; 0 means no limit."},
			{Name: "single_final_output", Kind: pipe.Bool, Default: "false", Doc: "Whether tracks are output only at the end; until then the output is empty data."},
		},
		Judge: judgeFrames,
	}
}

// judgeFrames refuses a first frame that is after the last.
func judgeFrames(v pipe.Values) error {
	if first, last := v.Int("min_frame_count"), v.Int("max_frame_count"); first > last {
		return v.Errorf("min_frame_count", "key `min_frame_count` is %d, but `max_frame_count` is %d: the first frame is after the last", first, last)
	}
	return nil
}

type accumulate struct {
	first, last    int64
	atEnd          bool
	tracks         pic.Tracks
	stamp          flow.Datum // timestamp of the newest frame
	stampIn, in    *flow.In
	stampOut, out  *flow.Out
	largest, steps int
}

func (a *accumulate) Setup(s *flow.Setup) error {
	a.first, a.last, a.atEnd = s.Int("min_frame_count"), s.Int("max_frame_count"), s.Bool("single_final_output")
	a.stampIn, a.in, a.stampOut, a.out = s.In("timestamp"), s.In("detected_object_set"), s.Out("timestamp"), s.Out("object_track_set")
	return nil
}

func (a *accumulate) Step(pipe.Step) error {
	a.stamp = a.stampIn.Take()
	a.add(stampOf(a.stamp), flow.As[pic.Detections](a.in.Take()))
	if a.atEnd {
		if a.steps > 0 { // the last frame's timestamp is sent with the tracks
			a.stampOut.Push(flow.OfEmpty())
			a.out.Push(flow.OfEmpty())
		}
		a.steps++
		return nil
	}
	a.stampOut.Push(a.stamp)
	a.out.Push(flow.Of(a.current()))
	return nil
}

// add extends each track by a detection.
func (a *accumulate) add(stamp pic.Timestamp, set pic.Detections) {
	a.largest = max(a.largest, len(set))
	if a.last > 0 && (stamp.Frame < a.first || stamp.Frame > a.last) {
		return
	}
	for len(a.tracks) < a.largest {
		a.tracks = append(a.tracks, pic.Track{ID: int64(len(a.tracks))})
	}
	if len(set) == 0 || len(set) != len(a.tracks) {
		return
	}
	for i, d := range set {
		a.tracks[i].States = append(a.tracks[i].States, state(stamp, d))
	}
}

// current returns the tracks that have states; they share the states, which do not change any more.
func (a *accumulate) current() pic.Tracks {
	set := pic.Tracks{}
	for _, t := range a.tracks {
		if len(t.States) > 0 {
			set = append(set, pic.Track{ID: t.ID, States: slices.Clip(t.States)})
		}
	}
	return set
}

// Finalize sends the tracks if they are output only at the end.
func (a *accumulate) Finalize(pipe.Step) error {
	if a.atEnd && a.steps > 0 {
		a.stampOut.Push(a.stamp)
		a.out.Push(flow.Of(a.current()))
	}
	return nil
}
