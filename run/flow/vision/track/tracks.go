package track

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	pic "github.com/pentode-dev/pentode/run/flow/image"
)

func filterType() *flow.Type {
	return &flow.Type{
		Name: "filter_object_tracks",
		New:  func() flow.Process { return &filter{} },
		Doc:  "Leaves short tracks out.",
		In:   []flow.Port{{Name: "image", Type: imageType, Doc: "Accepted and not needed."}, stampIn(0), tracksIn()},
		Out:  []flow.Port{stampOut(), tracksOut("Those that are long enough.")},
		Keys: []flow.Key{
			{Name: "required_states", Kind: flow.Unsigned, Default: "0", Doc: "Least number of states."},
			{Name: "buffer_frames", Kind: flow.Unsigned, Default: "0", Doc: "Accepted and not needed."},
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

func (f *filter) Step(flow.Step) error {
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

func mergeType() *flow.Type {
	return &flow.Type{
		Name: "merge_track_sets",
		New:  func() flow.Process { return &merge{} },
		Doc:  "Makes one set of the tracks of all its inputs, sorted by port name; a number that another input has already is replaced.",
		In:   []flow.Port{{Name: "<any>", Type: trackType, Flags: flow.Required, Least: 1, Doc: "Tracks up to the frame."}},
		Out:  []flow.Port{{Name: "object_track_set", Type: trackType, Flags: flow.Required, Doc: "All of them."}},
	}
}

type merge struct {
	ins     []*flow.In
	out     *flow.Out
	numbers []map[int64]int64 // of each input, the new ones
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

func (m *merge) Step(flow.Step) error {
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

func toDetectionsType() *flow.Type {
	in := tracksIn()
	in.Flags = 0
	return &flow.Type{
		Name: "convert_tracks_to_detections",
		New:  func() flow.Process { return &toDetections{} },
		Doc:  "Makes detections of the tracks that have a state in the frame.",
		In:   []flow.Port{stampIn(flow.Required), in},
		Out:  []flow.Port{{Name: "detected_object_set", Type: detectionType, Doc: "Detections of the frame."}},
		Keys: []flow.Key{{Name: "frame_ids_only", Kind: flow.Bool, Default: "false", Doc: "Whether the number of the frame suffices; otherwise its time must be that of the state too."}},
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

func (p *toDetections) Step(flow.Step) error {
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

func unwrapType() *flow.Type {
	return &flow.Type{
		Name: "unwrap_detections",
		New:  func() flow.Process { return &unwrap{} },
		Doc:  "Makes detections of the states that tracks have in each frame; frames are counted from 0.",
		In:   []flow.Port{tracksIn()},
		Out:  []flow.Port{{Name: "detected_object_set", Type: detectionType, Flags: flow.Required, Doc: "Detections of the frame."}},
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

func (p *unwrap) Step(flow.Step) error {
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
