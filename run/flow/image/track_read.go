package image

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func readTracksType() *pipe.Type {
	return &pipe.Type{
		Name:    "read_object_track",
		Version: kwiver,
		New:     func() pipe.Process { return &readTracks{} },
		Doc:     "Reads tracks from a file: one step per frame, from the first to the last, with the tracks up to that frame.",
		In: []pipe.Port{
			{Name: "image_file_name", Type: fileNameType, Only: viame, Doc: "An image for each frame: if connected, there is a step for each image from frame 0 on, whether or not the file has tracks for it."},
		},
		Out: []pipe.Port{
			{Name: "object_track_set", Type: trackType, Doc: "Tracks up to the frame."},
			{Name: "image_file_name", Type: fileNameType, Only: viame, Doc: "Image of the step."},
		},
		Keys: []pipe.Key{
			{Name: "file_name", Kind: pipe.String, Reads: true, Required: true, Doc: "The file, with rows as detected_object_input reads them, and the track number first."},
			{Name: "reader", Kind: pipe.Algo, Role: "read_object_track_set", Required: true, Choices: []string{"viame_csv", "kw18"}, Doc: "reader:type is viame_csv, VIAME's format, or kw18. With reader:TYPE:batch_load all tracks are output complete in the first step. reader:viame_csv:frame_id_adjustment is added to frame numbers; single_state_only and multi_state_only select tracks by their length."},
		},
	}
}

// readTracks is a process that sends, for each frame, all tracks with their states up to this
// frame. It reads the file at setup.
type readTracks struct {
	tracks      Tracks
	batch       bool // send all tracks at once, in a single step
	frame, last int64
	asked       *flow.In
	out, named  *flow.Out
}

func (r *readTracks) Setup(s *flow.Setup) error {
	r.asked, r.out, r.named = s.In("image_file_name"), s.Out("object_track_set"), s.Out("image_file_name")
	prefix := "reader:" + s.Value("reader:type") + ":"
	r.batch = s.Bool(prefix + "batch_load")
	var err error
	if r.tracks, err = ReadTracks(s, "file_name"); err != nil {
		return err
	}
	single, multiple := s.Bool(prefix+"single_state_only"), s.Bool(prefix+"multi_state_only")
	r.tracks = slices.DeleteFunc(r.tracks, func(t Track) bool {
		return single && len(t.States) > 1 || multiple && len(t.States) == 1
	})
	r.frame, r.last = math.MaxInt64, math.MinInt64
	for _, t := range r.tracks {
		r.frame, r.last = min(r.frame, t.States[0].Frame), max(r.last, t.States[len(t.States)-1].Frame)
	}
	if r.asked.Connected() || r.batch {
		r.frame = 0
	}
	return nil
}

// ReadTracks reads the file that a key names, in the format of `reader:type`, and returns its
// tracks sorted by number.
func ReadTracks(s *flow.Setup, key string) (tracks Tracks, err error) {
	images, err := readDetections(s, key)
	if err != nil {
		return nil, err
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
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		tracks = append(tracks, *byID[id])
	}
	return tracks, nil
}

func (r *readTracks) Step(s pipe.Step) error {
	if r.asked.Connected() {
		r.named.Push(r.asked.Take())
	} else if r.frame > r.last || r.batch && r.frame > 0 {
		s.Complete()
		return nil
	}
	r.out.Push(flow.Of(r.next()))
	return nil
}

// next returns the tracks for the next frame.
func (r *readTracks) next() Tracks {
	at := r.frame
	r.frame++
	switch {
	case r.batch && at == 0:
		return r.tracks
	case r.batch:
		return Tracks{}
	}
	return r.tracks.upTo(at)
}

// upTo returns the tracks without the states after a frame.
func (t Tracks) upTo(frame int64) Tracks {
	set := Tracks{}
	for i := range t {
		states := t[i].States
		n, _ := slices.BinarySearchFunc(states, frame+1, func(s TrackState, f int64) int { return cmp.Compare(s.Frame, f) })
		if n > 0 {
			set = append(set, Track{ID: t[i].ID, States: states[:n:n]})
		}
	}
	return set
}
