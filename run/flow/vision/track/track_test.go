package track

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// stamps returns n timestamps with frame numbers that begin at first.
func stamps(first int64, n int) (list []flow.Datum) {
	for i := range int64(n) {
		list = append(list, flow.Of(pic.Timestamp{Frame: first + i, Time: float64(i)}))
	}
	return list
}

// sets returns sets with the given numbers of detections.
func sets(counts ...int) (list []flow.Datum) {
	for _, n := range counts {
		set := pic.Detections{}
		for i := range n {
			set = append(set, pic.Detection{Left: float64(i), Right: 10, Bottom: 10, Confidence: 0.5})
		}
		list = append(list, flow.Of(set))
	}
	return list
}

// shown formats data: tracks as id:frames, detections as their number.
func shown(list []flow.Datum) string {
	var all []string
	for _, d := range list {
		switch v := d.Value().(type) {
		case pic.Tracks:
			var words []string
			for _, t := range v {
				s := fmt.Sprint(t.ID, ":")
				for _, state := range t.States {
					s += fmt.Sprint(state.Frame, ",")
				}
				words = append(words, strings.TrimSuffix(s, ","))
			}
			all = append(all, strings.Join(words, " "))
		case pic.Detections:
			all = append(all, fmt.Sprint(len(v)))
		case pic.Timestamp:
			all = append(all, fmt.Sprint(v.Frame))
		case nil:
			all = append(all, d.Kind().String())
		default:
			all = append(all, d.Text())
		}
	}
	return strings.Join(all, "|")
}

func TestAccumulate(t *testing.T) {
	in := flowtest.Data{"timestamp": stamps(1, 4), "detected_object_set": sets(1, 2, 1, 2)}
	for _, c := range []struct {
		config []string
		want   string
	}{
		{nil, "0:1|0:1,2 1:2|0:1,2 1:2|0:1,2,4 1:2,4"},
		{[]string{"min_frame_count", "2", "max_frame_count", "3"}, "|0:2 1:2|0:2 1:2|0:2 1:2"},
		{[]string{"single_final_output", "true"}, "empty|empty|empty|0:1,2,4 1:2,4"},
	} {
		got, err := flowtest.Feed(accumulateType(), pipe.Set(c.config...), in, []string{"object_track_set", "timestamp"}, 10, flow.Options{})
		if have := shown(got["object_track_set"]); err != nil || have != c.want {
			t.Errorf("%v: have %s %v, want %s", c.config, have, err, c.want)
		}
	}
	_, err := flowtest.Feed(accumulateType(), pipe.Set("min_frame_count", "3"), in, nil, 1, flow.Options{})
	if err == nil || !strings.Contains(err.Error(), "the first frame is after the last") {
		t.Errorf("have %v", err)
	}
}

func TestResample(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "t.csv"), []byte("7,a,6,10,0,20,4,0.5,0,cod,1\n7,a,2,0,0,10,8,0.25,0,cod,0.5\n8,a,3,1,1,2,2,1,0\n"), 0o666)
	got, err := flowtest.Feed(resampleType(), pipe.Set("track_file", "t.csv", "reader:type", "viame_csv"), flowtest.Data{"timestamp": stamps(1, 7)}, []string{"object_track_set"}, 10, flow.Options{Dir: dir})
	if have, want := shown(got["object_track_set"]), "|7:2|7:3 8:3|7:4|7:5|7:6|"; err != nil || have != want {
		t.Fatalf("have %s %v, want %s", have, err, want)
	}
	d := flow.As[pic.Tracks](got["object_track_set"][3])[0].States[0].Detection // in the middle between two states
	if d.Left != 5 || d.Right != 15 || d.Bottom != 6 || d.Confidence != 0.25 || d.Classes[0].Score != 0.5 {
		t.Errorf("between: %+v, want 5 to 15, 6 at the bottom, and confidence 0.25 of a class of 0.5", d)
	}
}

func TestShots(t *testing.T) {
	image := func(levels ...byte) flow.Datum {
		return flow.Of(&tensor.Tensor{Kind: tensor.Uint8, Shape: []int{1, len(levels)}, Data: levels})
	}
	in := flowtest.Data{"timestamp": stamps(1, 5), "detected_object_set": sets(1, 1, 1, 1, 1), "image": {image(0, 0), image(0, 1), image(0, 200), image(200, 0), image(9, 200)}}
	for _, c := range []struct {
		config []string
		want   string
	}{
		{nil, "1:1|1:1,2|1:1,2,3|1:1,2,3,4|1:1,2,3,4,5"},
		{[]string{"fixed_frame_count", "2"}, "1:1|1:1,2|2:3|2:3,4|3:5"},
		{[]string{"use_shot_break_detection", "true"}, "1:1|1:1,2|2:3|2:3,4|3:5"}, // frames 3 and 4 have equal levels
		{[]string{"use_shot_break_detection", "true", "shot_break_method", "pixel_diff"}, "1:1|1:1,2|2:3|3:4|4:5"},
		{[]string{"use_shot_break_detection", "true", "shot_break_method", "combined", "shot_break_threshold", "0.9"}, "1:1|1:1,2|1:1,2,3|1:1,2,3,4|1:1,2,3,4,5"},
		{[]string{"use_shot_break_detection", "true", "shot_break_threshold", "2", "max_track_length", "3"}, "1:1|1:1,2|1:1,2,3|2:4|2:4,5"},
		{[]string{"use_shot_break_detection", "true", "min_track_length", "4"}, "1:1|1:1,2|1:1,2,3|1:1,2,3,4|2:5"},
	} {
		got, err := flowtest.Feed(shotsType(), pipe.Set(c.config...), in, []string{"object_track_set"}, 10, flow.Options{})
		if have := shown(got["object_track_set"]); err != nil || have != c.want {
			t.Errorf("%v: have %s %v\nwant %s", c.config, have, err, c.want)
		}
	}
	_, err := flowtest.Feed(shotsType(), pipe.Set("use_shot_break_detection", "true", "shot_break_method", "descriptor"), in, nil, 1, flow.Options{})
	if err == nil || !strings.Contains(err.Error(), "the method `descriptor` needs OpenCV") {
		t.Errorf("have %v", err)
	}
	if d := difference(image(1).Array(), image(1, 2).Array()); d != 1 {
		t.Errorf("images of other sizes differ by %v", d)
	}
}

// tracks returns one set of tracks with states in frames 0 to n-1.
func tracks(lengths map[int64]int) flow.Datum {
	var set pic.Tracks
	for id := int64(0); id < 10; id++ {
		if n := lengths[id]; n > 0 {
			track := pic.Track{ID: id}
			for f := range int64(n) {
				track.States = append(track.States, pic.TrackState{Frame: f, Time: float64(f)})
			}
			set = append(set, track)
		}
	}
	return flow.Of(set)
}

func TestTracks(t *testing.T) {
	for _, c := range []struct {
		typ    *pipe.Type
		config []string
		in     flowtest.Data
		out    string
		want   string
	}{
		{filterType(), []string{"required_states", "2"}, flowtest.Data{"object_track_set": {tracks(map[int64]int{1: 1, 2: 3})}}, "object_track_set", "2:0,1,2"},
		{mergeType(), nil, flowtest.Data{"b": {tracks(map[int64]int{1: 2, 3: 1}), tracks(map[int64]int{1: 3})}, "a": {tracks(map[int64]int{1: 1, 2: 1}), tracks(map[int64]int{1: 1})}},
			"object_track_set", "1:0 2:0 3:0,1 4:0|1:0 3:0,1,2"},
		{toDetectionsType(), nil, flowtest.Data{"timestamp": stamps(0, 2), "object_track_set": {tracks(map[int64]int{1: 1, 2: 2}), tracks(map[int64]int{2: 2})}}, "detected_object_set", "1|1"},
		{toDetectionsType(), []string{"frame_ids_only", "true"}, flowtest.Data{"timestamp": stamps(1, 1), "object_track_set": {tracks(map[int64]int{1: 2})}}, "detected_object_set", "1"},
		{toDetectionsType(), nil, flowtest.Data{"timestamp": stamps(1, 1), "object_track_set": {tracks(map[int64]int{1: 2})}}, "detected_object_set", "0"}, // at another time
		{unwrapType(), nil, flowtest.Data{"object_track_set": {tracks(map[int64]int{1: 2, 2: 1}), tracks(map[int64]int{1: 2})}}, "detected_object_set", "2|1"},
	} {
		got, err := flowtest.Feed(c.typ, pipe.Set(c.config...), c.in, []string{c.out}, 10, flow.Options{})
		if have := shown(got[c.out]); err != nil || have != c.want {
			t.Errorf("%s %v: have %s %v, want %s", c.typ.Name, c.config, have, err, c.want)
		}
	}
}

func TestFrames(t *testing.T) {
	picture := flow.Of(&tensor.Tensor{Kind: tensor.Uint8, Shape: []int{2, 3}, Data: make([]byte, 6)})
	images := []flow.Datum{picture, picture, picture}
	for _, c := range []struct {
		typ    *pipe.Type
		config []string
		in     flowtest.Data
		out    string
		want   string
	}{
		{filterFramesType(), []string{"detection_threshold", "0.4"}, flowtest.Data{"image": images, "detected_object_set": sets(1, 0, 2)}, "image", "data|empty|data"},
		{filterFramesType(), []string{"detection_threshold", "0.6"}, flowtest.Data{"image": images[:1], "detected_object_set": sets(1)}, "image", "empty"},
		{filterFramesType(), []string{"invert", "true"}, flowtest.Data{"image": images, "detected_object_set": sets(1, 0, 2)}, "image", "empty|data|empty"},
		{frameIndexType(), []string{"min_frame_count", "2", "max_frame_count", "3"}, flowtest.Data{"image": images, "image_file_name": {flow.OfText("a"), flow.OfText("b"), flow.OfText("c")}, "timestamp": stamps(1, 3)}, "image_file_name", "b|c"},
		{frameIndexType(), []string{"frame_step", "2"}, flowtest.Data{"image": images, "image_file_name": {flow.OfText("a"), flow.OfText("b"), flow.OfText("c")}, "timestamp": stamps(1, 3)}, "image_file_name", "a|c"},
		{imageSizeType(), nil, flowtest.Data{"image": images}, "image_width", "empty|empty|3"},
		{imageSizeType(), nil, flowtest.Data{"image": images[:1]}, "image_height", "2"},
	} {
		got, err := flowtest.Feed(c.typ, pipe.Set(c.config...), c.in, []string{c.out}, 10, flow.Options{})
		have := shown(got[c.out])
		if c.out == "image" {
			have = ""
			for _, d := range got["image"] {
				have += "|" + d.Kind().String()
			}
			have = strings.TrimPrefix(have, "|")
		}
		if err != nil || have != c.want {
			t.Errorf("%s %v: have %s %v, want %s", c.typ.Name, c.config, have, err, c.want)
		}
	}
}

func TestHomographies(t *testing.T) {
	dir := t.TempDir()
	h := flow.Of(pic.Homography{Matrix: [9]float64{1, 0, 2.5, 0, 1, 0, 0, 0, 1}, From: 3, To: 1})
	if _, err := flowtest.Feed(homographyType(), nil, flowtest.Data{"homography": {h, h}}, nil, 1, flow.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	in := flowtest.Data{"source_file_name": {flow.OfText("a"), flow.OfText("b")}, "dest_file_name": {flow.OfText("c"), flow.OfText("")}, "homography": {h, flow.OfEmpty()}}
	if _, err := flowtest.Feed(homographyListType(), nil, in, nil, 1, flow.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"output-homog.txt": strings.Repeat("1 0 2.5 0 1 0 0 0 1 3 1\n", 2),
		"homographies.txt": "a\nc\n1 0 2.5\n0 1 0\n0 0 1\n\nb\n[no-match]\n\n",
	} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != want {
			t.Errorf("%s: have %q %v", name, text, err)
		}
	}
}
