package track

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func filterType() *pipe.Type {
	return &pipe.Type{
		Name: "filter_object_tracks",
		New:  func() pipe.Process { return &filter{} },
		Doc:  "Removes short tracks.",
		In:   []pipe.Port{{Name: "image", Type: imageType, Doc: "Accepted but not used."}, stampIn(0), tracksIn()},
		Out:  []pipe.Port{stampOut(), tracksOut("The tracks that are long enough.")},
		Keys: []pipe.Key{
			{Name: "required_states", Kind: pipe.Unsigned, Default: "0", Doc: "Minimum number of states."},
			{Name: "buffer_frames", Kind: pipe.Unsigned, Default: "0", Doc: "Accepted but not used."},
		},
	}
}

type filter struct {
	least            int
	image, stamp, in *flow.In
	stampOut, out    *flow.Out
}

func (f *filter) Setup(s *flow.Setup) error {
	f.least = int(s.Int("required_states"))
	f.image, f.stamp, f.in, f.stampOut, f.out = s.In("image"), s.In("timestamp"), s.In("object_track_set"), s.Out("timestamp"), s.Out("object_track_set")
	return nil
}

func (f *filter) Step(pipe.Step) error {
	f.image.Take()
	stamp, kept := f.stamp.Take(), pic.Tracks{}
	for _, t := range flow.As[pic.Tracks](f.in.Take()) {
		if len(t.States) >= f.least {
			kept = append(kept, t)
		}
	}
	f.stampOut.Push(stamp)
	f.out.Push(flow.Of(kept))
	return nil
}

func mergeType() *pipe.Type {
	return &pipe.Type{
		Name: "merge_track_sets",
		New:  func() pipe.Process { return &merge{} },
		Doc:  "Merges the tracks of all its inputs, sorted by port name; a track number that another input already uses is replaced.",
		In:   []pipe.Port{{Name: "<any>", Type: trackType, Flags: pipe.Required, Least: 1, Doc: "Tracks up to the frame."}},
		Out:  []pipe.Port{{Name: "object_track_set", Type: trackType, Flags: pipe.Required, Doc: "All tracks."}},
	}
}

type merge struct {
	ins     []*flow.In
	out     *flow.Out
	numbers []map[int64]int64 // for each input, the new track numbers
	used    map[int64]bool
	highest int64
}

func (m *merge) Setup(s *flow.Setup) error {
	m.ins, m.out, m.used = s.Ins(), s.Out("object_track_set"), map[int64]bool{}
	slices.SortFunc(m.ins, func(a, b *flow.In) int { return strings.Compare(a.Name(), b.Name()) })
	for range m.ins {
		m.numbers = append(m.numbers, map[int64]int64{})
	}
	return nil
}

func (m *merge) Step(pipe.Step) error {
	all := pic.Tracks{}
	for i, in := range m.ins {
		for _, t := range flow.As[pic.Tracks](in.Take()) {
			id, known := m.numbers[i][t.ID]
			if !known {
				if id = t.ID; m.used[id] {
					id = m.highest + 1
				}
				m.highest = max(m.highest, id)
				m.used[id], m.numbers[i][t.ID] = true, id
			}
			t.ID = id
			all = append(all, t)
		}
	}
	m.out.Push(flow.Of(all))
	return nil
}

func toDetectionsType() *pipe.Type {
	in := tracksIn()
	in.Flags = 0
	return &pipe.Type{
		Name: "convert_tracks_to_detections",
		New:  func() pipe.Process { return &toDetections{} },
		Doc:  "Converts the tracks that have a state in the frame to detections.",
		In:   []pipe.Port{stampIn(pipe.Required), in},
		Out:  []pipe.Port{{Name: "detected_object_set", Type: detectionType, Doc: "Detections of the frame."}},
		Keys: []pipe.Key{{Name: "frame_ids_only", Kind: pipe.Bool, Default: "false", Doc: "Whether it is enough that the frame number matches; otherwise the time must match the state as well."}},
	}
}

type toDetections struct {
	numbers   bool
	stamp, in *flow.In
	out       *flow.Out
}

func (p *toDetections) Setup(s *flow.Setup) error {
	p.numbers, p.stamp, p.in, p.out = s.Bool("frame_ids_only"), s.In("timestamp"), s.In("object_track_set"), s.Out("detected_object_set")
	return nil
}

func (p *toDetections) Step(pipe.Step) error {
	stamp, set := stampOf(p.stamp.Take()), pic.Detections{}
	tracks, _ := p.in.Take().Value().(pic.Tracks)
	for _, t := range tracks {
		if n := len(t.States); n > 0 && t.States[n-1].Frame == stamp.Frame && (p.numbers || t.States[n-1].Time == stamp.Time) {
			set = append(set, t.States[n-1].Detection)
		}
	}
	p.out.Push(flow.Of(set))
	return nil
}

func unwrapType() *pipe.Type {
	return &pipe.Type{
		Name: "unwrap_detections",
		New:  func() pipe.Process { return &unwrap{} },
		Doc:  "Converts the states of tracks in each frame to detections; frames are counted from 0.",
		In:   []pipe.Port{tracksIn()},
		Out:  []pipe.Port{{Name: "detected_object_set", Type: detectionType, Flags: pipe.Required, Doc: "Detections of the frame."}},
	}
}

type unwrap struct {
	frame int64
	in    *flow.In
	out   *flow.Out
}

func (p *unwrap) Setup(s *flow.Setup) error {
	p.in, p.out = s.In("object_track_set"), s.Out("detected_object_set")
	return nil
}

func (p *unwrap) Step(pipe.Step) error {
	set := pic.Detections{}
	for _, t := range flow.As[pic.Tracks](p.in.Take()) {
		for i := range t.States {
			if t.States[i].Frame == p.frame {
				set = append(set, t.States[i].Detection)
			}
		}
	}
	p.frame++
	p.out.Push(flow.Of(set))
	return nil
}
