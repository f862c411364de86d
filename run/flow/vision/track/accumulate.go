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
		Doc:  "Makes a track of the first detections of all frames, one of the second, and so on; a frame with fewer than another had is left out.",
		In: []pipe.Port{stampIn(pipe.Required),
			{Name: "detected_object_set", Type: detectionType, Flags: pipe.Required, Doc: "Detections of the frame."}},
		Out: []pipe.Port{stampOut(), tracksOut("The tracks up to the frame.")},
		Keys: []pipe.Key{
			{Name: "min_frame_count", Kind: pipe.Unsigned, Default: "0", Doc: "First frame that counts."},
			{Name: "max_frame_count", Kind: pipe.Unsigned, Default: "0", Doc: "Last frame that counts; 0 means all."},
			{Name: "single_final_output", Kind: pipe.Bool, Default: "false", Doc: "Whether tracks come at the end only; before there are empty data."},
		},
		Judge: judgeFrames,
	}
}

// judgeFrames refuses a first frame after the last.
func judgeFrames(v pipe.Values) error {
	if first, last := v.Int("min_frame_count"), v.Int("max_frame_count"); first > last {
		return v.Errorf("min_frame_count", "key `min_frame_count` is %d, and `max_frame_count` %d: the first frame is after the last", first, last)
	}
	return nil
}

type accumulate struct {
	first, last    int64
	atEnd          bool
	tracks         pic.Tracks
	stamp          flow.Datum // of the newest frame
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
		if a.steps > 0 { // that of the last frame comes with the tracks
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

// add lets each track grow by a detection.
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

// current are the tracks that have states; they share what does not change any more.
func (a *accumulate) current() pic.Tracks {
	set := pic.Tracks{}
	for _, t := range a.tracks {
		if len(t.States) > 0 {
			set = append(set, pic.Track{ID: t.ID, States: slices.Clip(t.States)})
		}
	}
	return set
}

// Finalize sends what was kept for the end.
func (a *accumulate) Finalize(pipe.Step) error {
	if a.atEnd && a.steps > 0 {
		a.stampOut.Push(a.stamp)
		a.out.Push(flow.Of(a.current()))
	}
	return nil
}
