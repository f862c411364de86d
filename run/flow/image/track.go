package image

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/pentode-dev/pentode/run/flow"
)

// A Track is one object through many frames.
type Track struct {
	ID     int64
	States []TrackState // by frame
}

// A TrackState is where the object of a track was in one frame.
type TrackState struct {
	Frame     int64
	Time      float64 // seconds
	Detection Detection
}

// Tracks are all tracks known at one frame.
type Tracks []Track

// Noun names them in messages.
func (t Tracks) Noun() string { return "tracks" }

// String counts them.
func (t Tracks) String() string { return fmt.Sprintf("%d tracks", len(t)) }

// A Homography maps the plane of one frame to that of another.
type Homography struct {
	Matrix   [9]float64 // row by row
	From, To int64      // frames
}

// Noun names it in messages.
func (h Homography) Noun() string { return "a homography" }

func readTracksType() *flow.Type {
	return &flow.Type{
		Name:    "read_object_track",
		Version: kwiver,
		New:     func() flow.Process { return &readTracks{} },
		Doc:     "Reads tracks from a file: a step for each frame from the first to the last, with the tracks up to it.",
		Out:     []flow.Port{{Name: "object_track_set", Type: trackType, Doc: "Tracks up to the frame."}},
		Keys: []flow.Key{
			{Name: "file_name", Kind: flow.String, Required: true, Doc: "The file: rows as detected_object_input reads them, with the number of the track first."},
			{Name: "reader", Kind: flow.Algo, Required: true, Choices: []string{"viame_csv"}, Doc: "reader:type is viame_csv, VIAME's form."},
		},
	}
}

// readTracks holds all tracks, and gives at each frame the states up to it.
type readTracks struct {
	tracks      Tracks
	frame, last int64
	out         *flow.Out
}

func (r *readTracks) Setup(s *flow.Setup) error {
	r.out = s.Out("object_track_set")
	images, err := readDetections(s, newForm(s, "reader"))
	if err != nil {
		return err
	}
	byID := map[int64]*Track{}
	for _, image := range images {
		for _, d := range image.set {
			if byID[d.ID] == nil {
				byID[d.ID] = &Track{ID: d.ID}
			}
			t := byID[d.ID]
			t.States = append(t.States, TrackState{Frame: d.Frame, Detection: d})
		}
	}
	r.frame, r.last = math.MaxInt64, math.MinInt64
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		t := byID[id]
		r.frame, r.last = min(r.frame, t.States[0].Frame), max(r.last, t.States[len(t.States)-1].Frame)
		r.tracks = append(r.tracks, *t)
	}
	return nil
}

func (r *readTracks) Step(s *flow.Step) error {
	if r.frame > r.last {
		s.Complete()
		return nil
	}
	set := Tracks{}
	for _, t := range r.tracks {
		n, _ := slices.BinarySearchFunc(t.States, r.frame+1, func(s TrackState, f int64) int { return cmp.Compare(s.Frame, f) })
		if n > 0 {
			set = append(set, Track{ID: t.ID, States: t.States[:n:n]})
		}
	}
	r.out.Push(flow.Of(set))
	r.frame++
	return nil
}
