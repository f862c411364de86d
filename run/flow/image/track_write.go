package image

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func writeTracksType() *pipe.Type {
	return &pipe.Type{
		Name:    "write_object_track",
		Version: kwiver,
		New:     func() pipe.Process { return &writeTracks{} },
		Doc:     "Writes tracks, at the end, to a file that read_object_track reads: the newest version of each track.",
		In: []pipe.Port{
			{Name: "image_file_name", Type: fileNameType, Doc: "Name of the image of the frame."},
			{Name: "object_track_set", Type: trackType, Flags: pipe.Required, Doc: "Tracks up to the frame."},
			{Name: "timestamp", Type: timestampType, Doc: "Time and number of the frame to which the name belongs. If unconnected, frames are counted from 0."},
		},
		Level: pipe.CheckSync,
		Keys: []pipe.Key{
			{Name: "file_name", Kind: pipe.String, Writes: true, Required: true, Doc: "The file; it is emptied first. `[CURRENT_TIME]` in it is replaced by the start time."},
			{Name: "frame_list_output", Kind: pipe.String, Writes: true, Only: viame, Doc: "A second file, with one image name per line."},
			{Name: "writer", Kind: pipe.Algo, Role: "write_object_track_set", Required: true, Choices: []string{"viame_csv", "kw18"}, Doc: "writer:type is viame_csv, VIAME's format, or kw18. writer:viame_csv:tot_option decides which classes a state has: detection (its own), average or weighted_average (of the track, the default), either with _scaled_by_conf; tot_ignore_class omits a class. Other keys are stream_identifier, frame_id_adjustment, top_n_classes, write_time_as_uid, and active_writing, which writes each state when it arrives."},
		},
		Judge: func(v pipe.Values) error {
			option := v.Value("writer:viame_csv:tot_option")
			if option != "" && !slices.Contains(classOptions, option) {
				return v.Errorf("writer:viame_csv:tot_option", "key `writer:viame_csv:tot_option` is `%s`: expected %s", option, strings.Join(classOptions, ", "))
			}
			return nil
		},
	}
}

// classOptions lists the ways to choose the classes that are written for a state.
var classOptions = []string{"detection", "average", "weighted_average", "average_scaled_by_conf", "weighted_scaled_by_conf", "weighted_average_scaled_by_conf"}

// writeTracks is a process that writes tracks when the pipeline ends. Until then it keeps the
// newest version of each track.
type writeTracks struct {
	flow.ResultFile
	list              nameList
	kw18              bool
	active, times     bool
	option, ignore    string
	source            string
	shift             int64
	best              int
	tracks            map[int64]Track
	images            map[int64]string // names of the images, by frame number
	steps             int64
	named, set, stamp *flow.In
}

func (w *writeTracks) Setup(s *flow.Setup) (err error) {
	w.named, w.set, w.stamp = s.In("image_file_name"), s.In("object_track_set"), s.In("timestamp")
	w.tracks, w.images = map[int64]Track{}, map[int64]string{}
	w.kw18 = s.Value("writer:type") == "kw18"
	const prefix = "writer:viame_csv:"
	w.active, w.times = s.Bool(prefix+"active_writing"), s.Bool(prefix+"write_time_as_uid")
	w.option = cmp.Or(s.Value(prefix+"tot_option"), "weighted_average")
	w.ignore, w.source = s.Value(prefix+"tot_ignore_class"), s.Value(prefix+"stream_identifier")
	w.shift, w.best = s.Int(prefix+"frame_id_adjustment"), int(s.Int(prefix+"top_n_classes"))
	if w.ResultFile, err = s.ResultFileAs("file_name", timed(s.Value("file_name"))); err != nil {
		return err
	}
	if w.list, err = newNameList(s); err != nil {
		return err
	}
	header := (&viameForm{}).header()
	if w.kw18 {
		header = (&kw18{}).header()
	}
	_, err = w.Out.WriteString(header + "\n")
	return w.Wrote(err)
}

func (w *writeTracks) Step(s pipe.Step) error {
	set, stamp, named := w.set.Take(), w.stamp.Take(), w.named.Take()
	if set.Kind() == flow.CompleteKind {
		s.Complete()
		return nil
	}
	name := ""
	if named.IsData() {
		name = named.Text()
	}
	if err := w.list.add(name); err != nil {
		return err
	}
	t, timed := stamp.Value().(Timestamp)
	if !timed {
		t.Frame = w.steps
	}
	w.steps++
	if name != "" {
		w.images[t.Frame] = name
	}
	tracks, _ := set.Value().(Tracks)
	for _, track := range tracks {
		if len(track.States) == 0 {
			continue
		}
		if !w.active || w.kw18 {
			w.tracks[track.ID] = track
			continue
		}
		last := len(track.States) - 1
		if track.States[last].Frame == t.Frame {
			if err := w.write(&track, track.States[last:]); err != nil {
				return w.Wrote(err)
			}
		}
	}
	return nil
}

// Finalize writes the tracks.
func (w *writeTracks) Finalize(s pipe.Step) error {
	for _, id := range slices.Sorted(maps.Keys(w.tracks)) {
		track := w.tracks[id]
		if err := w.write(&track, track.States); err != nil {
			return w.Wrote(err)
		}
	}
	return errors.Join(w.ResultFile.Finalize(s), w.list.Finalize(s))
}

// Close closes both files.
func (w *writeTracks) Close() error { return errors.Join(w.ResultFile.Close(), w.list.Close()) }

// write writes some of the states of a track.
func (w *writeTracks) write(track *Track, states []TrackState) error {
	if w.kw18 {
		for i := range states {
			s := &states[i]
			if _, err := w.Out.WriteString(kw18Row(track.ID, len(track.States), s.Frame, s.Time, &s.Detection)); err != nil {
				return err
			}
		}
		return nil
	}
	rows := csv.NewWriter(w.Out)
	classes := w.classes(track)
	for i := range states {
		s := &states[i]
		d := &s.Detection
		list := classes
		if w.option == "detection" {
			list = d.Classes
		}
		if err := writeViame(rows, track.ID, w.sourceOf(s), strconv.FormatInt(s.Frame+w.shift, 10), d, list, w.best); err != nil {
			return err
		}
	}
	rows.Flush()
	return rows.Error()
}

// sourceOf returns the second column of a row: depending on the configuration, the time of day,
// the name of the image, or the name of the stream.
func (w *writeTracks) sourceOf(s *TrackState) string {
	switch {
	case w.times:
		second, part := math.Modf(s.Time)
		day := int64(second) % 86400
		return fmt.Sprintf("%02d:%02d:%02d.%06d", day/3600, day/60%60, day%60, int64(part*1e6+0.5))
	case len(w.images) > 0:
		return keyOf(w.images[s.Frame])
	}
	return w.source
}

// classes averages the classes of a track over its detections. A class that is to be ignored is
// left out, and so are detections that have only this class.
func (w *writeTracks) classes(track *Track) []Class {
	if w.option == "detection" {
		return nil
	}
	weighted, scaled := strings.Contains(w.option, "weighted"), strings.Contains(w.option, "scaled_by_conf")
	sums := map[string]float64{}
	var mass, ignored, ignoredScore, confidence float64
	count := 0.0
	for i := range track.States {
		d := &track.States[i].Detection
		if len(d.Classes) == 0 {
			continue
		}
		weight := 1.0
		if weighted {
			weight = d.Confidence
		}
		confidence, count = confidence+d.Confidence, count+1
		if w.ignore != "" && len(d.Classes) == 1 && d.Classes[0].Name == w.ignore {
			ignored, ignoredScore = ignored+weight, ignoredScore+weight*d.Classes[0].Score
			continue
		}
		mass += weight
		for _, c := range d.Classes {
			if w.ignore == "" || c.Name != w.ignore {
				sums[c.Name] += weight * c.Score
			}
		}
	}
	factor := 1.0
	if scaled && count > 0 {
		factor = 0.1 + 0.9*confidence/count
	}
	switch {
	case mass > 0:
		factor /= mass
	case ignored > 0:
		sums[w.ignore] = ignoredScore
		factor /= ignored
	}
	list := make([]Class, 0, len(sums))
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		list = append(list, Class{name, math.Round(factor*sums[name]*1e12) / 1e12}) // removes rounding errors of the sums
	}
	slices.SortStableFunc(list, func(a, b Class) int { return cmp.Compare(b.Score, a.Score) })
	return list
}
