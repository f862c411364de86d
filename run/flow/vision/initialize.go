package vision

import (
	"slices"
	"sync"

	"github.com/pentode-dev/pentode/run/flow"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/detect"
)

// An initializer chooses the detections from which new tracks are made.
type initializer struct {
	keep detect.SetFilter
	most int
}

// initializers lists the algorithms of `initialize_object_tracks`.
func initializers() algo.List[*initializer] {
	return algo.List[*initializer]{{
		Name: "threshold",
		Doc:  "Begins a track with each detection that a filter keeps.",
		Keys: []pipe.Key{
			{Name: "max_new_tracks", Kind: pipe.Unsigned, Default: "10000", Doc: "Maximum number of tracks that begin in one frame."},
			{Name: "filter", Kind: pipe.Algo, Role: "detected_object_filter", Known: sync.OnceValue(detect.Filters().Known), Doc: "The filter; its keys are below its name."},
		},
		New: func(s algo.Settings) (*initializer, error) {
			keep, err := detect.Filters().Make(s, "filter")
			return &initializer{keep, s.Int("max_new_tracks")}, err
		},
	}}
}

// beginTracks does the work of initialize_object_tracks. It numbers the tracks from 1.
type beginTracks struct {
	*initializer
	next           int64
	stamp, image   *flow.In
	tracks, detect *flow.In
	out            *flow.Out
}

func newInitializer(s *flow.Setup, i *initializer) pipe.Process {
	return &beginTracks{i, 1, s.In("timestamp"), s.In("image"), s.In("object_track_set"), s.In("detected_object_set"), s.Out("object_track_set")}
}

func (p *beginTracks) Step(pipe.Step) error {
	stamp, _ := p.stamp.Take().Value().(pic.Timestamp)
	p.image.Take()
	old, _ := p.tracks.Take().Value().(pic.Tracks)
	set := p.keep.Keep(setOf(p.detect.Take()))
	tracks := slices.Clip(old)
	for _, d := range set[:min(len(set), p.most)] {
		d.Frame = stamp.Frame
		tracks = append(tracks, pic.Track{ID: p.next, States: []pic.TrackState{{Frame: stamp.Frame, Time: stamp.Time, Detection: d}}})
		p.next++
	}
	if tracks == nil {
		tracks = pic.Tracks{}
	}
	p.out.Push(flow.Of(tracks))
	return nil
}
