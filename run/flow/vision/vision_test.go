package vision

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// declared returns a type of KWIVER as its catalogue declares it.
func declared(name, slot string, in, out []pipe.Port) *pipe.Type {
	return Extend(&pipe.Type{Name: name, Version: "KWIVER 1.8", Doc: "…", In: in, Out: out, Keys: []pipe.Key{{Name: slot, Kind: pipe.Algo, Doc: "…"}}, Needs: "an algorithm"})
}

func port(name, typ string, flags pipe.Flags) pipe.Port {
	return pipe.Port{Name: name, Type: typ, Flags: flags, Doc: "…"}
}

func pixels(levels ...byte) flow.Datum {
	return flow.Of(&tensor.Tensor{Kind: tensor.Uint8, Shape: []int{1, len(levels)}, Data: levels})
}

func imageFilterType() *pipe.Type {
	return declared("image_filter", "filter", []pipe.Port{port("image", imageType, pipe.Required)}, []pipe.Port{port("image", imageType, pipe.Shared)})
}

// TestImageFilter: the filter that the settings name does the work, if the flag allows it.
func TestImageFilter(t *testing.T) {
	in := flowtest.Data{"image": {pixels(1, 200), pixels(1, 200)}, "process_flag": {flow.Of(true), flow.Of(false)}}
	config := pipe.Set("filter:type", "vxl_threshold", "filter:vxl_threshold:type", "absolute", "filter:vxl_threshold:threshold", "100")
	got, err := flowtest.Feed(imageFilterType(), config, in, []string{"image", "success_flag"}, 10, flow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	first, second := got["image"][0].Array(), got["image"][1].Array()
	if first.Kind != tensor.Bool || string(first.Data) != "\x00\x01" || string(second.Data) != "\x01\xc8" {
		t.Errorf("have %v %v, want first.Kind = %v, first.Data = %q and second.Data = %q", first.Data, second.Data, tensor.Bool, "\x00\x01", "\x01\xc8")
	}
	if got["success_flag"][0].Value() != true || got["success_flag"][1].Value() != false {
		t.Errorf("flags %v, want got[\"success_flag\"][0].Value() = true and got[\"success_flag\"][1].Value() = false", got["success_flag"])
	}
}

// TestSettings: keys of an algorithm are checked, and a missing algorithm is reported before the
// run.
func TestSettings(t *testing.T) {
	for _, c := range []struct{ want, key, value string }{
		{"`many` does not fit key `filter:vxl_threshold:threshold`", "filter:vxl_threshold:threshold", "many"},
		{"2 must be a share of the pixels, from 0 to 1", "filter:vxl_threshold:threshold", "2"},
		{"does not fit key `filter:vxl_threshold:type`", "filter:vxl_threshold:type", "relative"},
		{"`maybe` is neither true nor false", "filter:vxl_convert_image:single_channel", "maybe"},
		{"type `image_filter` needs an algorithm", "filter:type", "ocv_optical_flow"},
	} {
		config := pipe.Set("filter:type", "vxl_threshold", c.key, c.value)
		if strings.Contains(c.key, "vxl_convert_image") {
			config["filter:type"] = pipe.Setting{Value: "vxl_convert_image"}
		}
		_, err := flowtest.Feed(imageFilterType(), config, flowtest.Data{"image": {pixels(1)}}, nil, 10, flow.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s = %s: have %v, want %s", c.key, c.value, err, c.want)
		}
	}
	detector := declared("image_object_detector", "detector", []pipe.Port{port("image", imageType, pipe.Required)}, []pipe.Port{port("detected_object_set", detectionType, 0)})
	p := flow.New(pipe.NewRegistry(detector))
	p.AddProcess("t", "image_object_detector", pipe.Set("detector:type", "windowed", "detector:windowed:mode", "[-MODE-]"))
	for _, problem := range p.Check() {
		if strings.Contains(problem.Message, "MODE") {
			t.Errorf("a check judges what a template leaves open: %s; want no %q in it", problem.Message, "MODE")
		}
	}
	p.AddProcess("d", "image_object_detector", pipe.Set("detector:type", "windowed", "detector:windowed:detector:type", "rf_detr"))
	for _, problem := range p.Check() {
		if strings.Contains(problem.Message, "rf_detr") {
			t.Errorf("a check refuses a network that an installation may have: %s; want no %q in it", problem.Message, "rf_detr")
		}
	}
	_, err := flowtest.Feed(detector, pipe.Set("detector:type", "windowed", "detector:windowed:detector:type", "rf_detr"), flowtest.Data{"image": {pixels(1)}}, nil, 1, flow.Options{})
	if err == nil || !strings.Contains(err.Error(), "`rf_detr` is not an algorithm of this program: expected empty") {
		t.Errorf("have %v", err)
	}
}

// counted returns the sizes of the sets of detections or tracks at an output.
func counted(list []flow.Datum) (sizes []int) {
	for _, d := range list {
		switch v := d.Value().(type) {
		case pic.Detections:
			sizes = append(sizes, len(v))
		case pic.Tracks:
			sizes = append(sizes, len(v))
		}
	}
	return sizes
}

func same(a []int, b ...int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestDetectionProcesses(t *testing.T) {
	image := []pipe.Port{port("image", imageType, pipe.Required)}
	set := port("detected_object_set", detectionType, pipe.Required)
	out := []pipe.Port{port("detected_object_set", detectionType, 0)}
	images := flowtest.Data{"image": {pixels(1), pixels(2), pixels(3)}}
	got, err := flowtest.Feed(declared("image_object_detector", "detector", image, out),
		pipe.Set("detector:type", "full_frame", "frame_downsample", "2", "frame_offset", "1"), images, []string{"detected_object_set"}, 10, flow.Options{})
	if err != nil || !same(counted(got["detected_object_set"]), 0, 1, 0) {
		t.Errorf("detector: %v %v", counted(got["detected_object_set"]), err)
	}
	twice := flow.Of(pic.Detections{{Right: 2, Bottom: 2, Confidence: 1, Classes: []pic.Class{{Name: "a", Score: 1}}}, {Right: 2, Bottom: 2, Confidence: 0.5}})
	sets := flowtest.Data{"detected_object_set": {twice}}
	got, err = flowtest.Feed(declared("refine_detections", "refiner", []pipe.Port{port("image", imageType, 0), set}, out),
		pipe.Set("refiner:type", "nms"), sets, []string{"detected_object_set"}, 10, flow.Options{})
	if err != nil || !same(counted(got["detected_object_set"]), 1) {
		t.Errorf("refiner: %v %v", counted(got["detected_object_set"]), err)
	}
	got, err = flowtest.Feed(declared("detected_object_filter", "filter", []pipe.Port{set}, out),
		pipe.Set("filter:type", "class_probablity_filter"), sets, []string{"detected_object_set"}, 10, flow.Options{})
	if err != nil || !same(counted(got["detected_object_set"]), 1) {
		t.Errorf("filter: %v %v", counted(got["detected_object_set"]), err)
	}
	for _, config := range []pipe.Config{nil, pipe.Set("merger:type", "simple")} {
		got, err = flowtest.Feed(Extend(mergeSetsType()), config, flowtest.Data{"b": {twice}, "a": {twice}}, []string{"detected_object_set"}, 10, flow.Options{})
		if err != nil || !same(counted(got["detected_object_set"]), 4) {
			t.Errorf("merger: %v %v", counted(got["detected_object_set"]), err)
		}
	}
	stamp := flowtest.Data{"timestamp": {flow.Of(pic.Timestamp{Frame: 7, Time: 2}), flow.Of(pic.Timestamp{Frame: 8})}, "detected_object_set": {twice, twice}}
	begin := declared("initialize_object_tracks", "track_initializer",
		[]pipe.Port{port("timestamp", timestampType, 0), port("image", imageType, 0), port("object_track_set", trackType, 0), set}, []pipe.Port{port("object_track_set", trackType, 0)})
	const key = "track_initializer:threshold:"
	got, err = flowtest.Feed(begin, pipe.Set("track_initializer:type", "threshold", key+"filter:type", "class_probablity_filter", key+"max_new_tracks", "1"), stamp, []string{"object_track_set"}, 10, flow.Options{})
	if err != nil || !same(counted(got["object_track_set"]), 1, 1) {
		t.Fatalf("tracks: %v %v", counted(got["object_track_set"]), err)
	}
	if track := flow.As[pic.Tracks](got["object_track_set"][1])[0]; track.ID != 2 || track.States[0].Frame != 8 {
		t.Errorf("have %+v, want track.ID = 2 and track.States[0].Frame = 8", track)
	}
}

// TestSplitAndMerge: images are split into halves or channels, and channels are combined.
func TestSplitAndMerge(t *testing.T) {
	colours := flow.Of(&tensor.Tensor{Kind: tensor.Uint8, Shape: []int{1, 3, 2}, Data: []byte{1, 2, 3, 4, 5, 6}})
	typ := declared("split_image", "split_image", []pipe.Port{port("image", imageType, pipe.Required)}, []pipe.Port{port("left_image", imageType, 0), port("right_image", imageType, 0)})
	for _, c := range [][3]string{
		{"ocv_horizontally", "\x01\x02", "\x03\x04"},
		{"ocv_channels", "\x01\x03\x05", "\x02\x04\x06"},
		{"habcam", "\x01\x02", "\x03\x04"},
	} {
		got, err := flowtest.Feed(typ, pipe.Set("split_image:type", c[0]), flowtest.Data{"image": {colours}}, []string{"left_image", "right_image"}, 10, flow.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if l, r := string(got["left_image"][0].Array().Data), string(got["right_image"][0].Array().Data); l != c[1] || r != c[2] {
			t.Errorf("%s: %q %q, want l = %v and r = %v", c[0], l, r, c[1], c[2])
		}
	}
	got, err := flowtest.Feed(typ, pipe.Set("split_image:type", "habcam", "split_image:habcam:required_width_factor", "4"), flowtest.Data{"image": {colours}}, []string{"left_image", "right_image"}, 10, flow.Options{})
	if err != nil || len(got["left_image"][0].Array().Data) != 6 || got["right_image"][0].IsData() {
		t.Errorf("no pair: %v %v", got, err)
	}
	got, err = flowtest.Feed(mergeImagesType(), nil, flowtest.Data{"b": {colours}, "a": {pixels(7, 8, 9)}}, []string{"image"}, 10, flow.Options{})
	if err != nil || string(got["image"][0].Array().Data) != "\x07\x01\x02\x08\x03\x04\x09\x05\x06" {
		t.Errorf("merged: %v %v", got, err)
	}
	_, err = flowtest.Feed(mergeImagesType(), nil, flowtest.Data{"b": {colours}, "a": {pixels(7)}}, []string{"image"}, 10, flow.Options{})
	if err == nil || !strings.Contains(err.Error(), "have the same size and kind of pixels") {
		t.Errorf("other sizes: %v", err)
	}
}
