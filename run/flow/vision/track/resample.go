package track

import (
	"cmp"
	"slices"

	"github.com/pentode-dev/pentode/run/flow"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func resampleType() *pipe.Type {
	return &pipe.Type{
		Name: "resample_object_tracks",
		New:  func() pipe.Process { return &resample{} },
		Doc:  "Reads tracks of a video at one rate, and outputs the positions of their objects for each frame at another rate; between two states the box is interpolated.",
		In:   []pipe.Port{stampIn(pipe.Required)},
		Out:  []pipe.Port{tracksOut("The tracks present in the frame, with one state each.")},
		Keys: []pipe.Key{
			{Name: "track_file", Kind: pipe.String, Reads: true, Required: true, Doc: "The file of tracks."},
			{Name: "input_rate", Kind: pipe.Unsigned, Default: "1", Doc: "Accepted but not used: frames have numbers."},
			{Name: "output_rate", Kind: pipe.Unsigned, Default: "1", Doc: "Accepted but not used: each timestamp that arrives is a frame."},
			{Name: "reader", Kind: pipe.Algo, Role: "read_object_track_set", Required: true, Choices: []string{"viame_csv", "kw18"}, Doc: "reader:type is viame_csv, VIAME's format, or kw18."},
		},
	}
}

type resample struct {
	tracks pic.Tracks
	in     *flow.In
	out    *flow.Out
}

func (r *resample) Setup(s *flow.Setup) (err error) {
	r.in, r.out = s.In("timestamp"), s.Out("object_track_set")
	if r.tracks, err = pic.ReadTracks(s, "track_file"); err != nil {
		return err
	}
	for i := range r.tracks {
		slices.SortStableFunc(r.tracks[i].States, func(a, b pic.TrackState) int { return cmp.Compare(a.Frame, b.Frame) })
	}
	return nil
}

func (r *resample) Step(pipe.Step) error {
	stamp := stampOf(r.in.Take())
	set := pic.Tracks{}
	for i := range r.tracks {
		if d, ok := at(r.tracks[i].States, stamp.Frame); ok {
			set = append(set, pic.Track{ID: r.tracks[i].ID, States: []pic.TrackState{state(stamp, d)}})
		}
	}
	r.out.Push(flow.Of(set))
	return nil
}

// at returns the position of a track's object in a frame; ok is false before its first state and
// after its last.
func at(states []pic.TrackState, frame int64) (pic.Detection, bool) {
	i, found := slices.BinarySearchFunc(states, frame, func(s pic.TrackState, f int64) int { return cmp.Compare(s.Frame, f) })
	switch {
	case found:
		return states[i].Detection, true
	case i == 0 || i == len(states):
		return pic.Detection{}, false
	}
	before, after := &states[i-1], &states[i]
	part := float64(frame-before.Frame) / float64(after.Frame-before.Frame)
	d := before.Detection
	mix := func(a, b float64) float64 { return a*(1-part) + b*part }
	d.Left, d.Top = mix(d.Left, after.Detection.Left), mix(d.Top, after.Detection.Top)
	d.Right, d.Bottom = mix(d.Right, after.Detection.Right), mix(d.Bottom, after.Detection.Bottom)
	d.Attributes = nil // they belong to another box
	return d, true
}
