package detect

import (
	"fmt"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/outfile"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// made makes an algorithm with some of its keys.
func made[W any](list algo.List[W], name string, config ...string) (W, error) {
	full := []string{"a:type", name}
	for i := 0; i < len(config); i += 2 {
		full = append(full, "a:"+name+":"+config[i], config[i+1])
	}
	return list.Make(algo.Of(pipe.ValuesOf(pipe.Set(full...), nil)), "a")
}

func must[W any](t *testing.T, list algo.List[W], name string, config ...string) W {
	t.Helper()
	w, err := made(list, name, config...)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// det returns a detection with a box, a confidence and classes.
func det(left, top, right, bottom, confidence float64, classes ...pic.Class) pic.Detection {
	return pic.Detection{Left: left, Top: top, Right: right, Bottom: bottom, Confidence: confidence, Classes: classes}
}

// shown formats detections: boxes, confidence and classes.
func shown(set pic.Detections) string {
	var words []string
	for _, d := range set {
		s := fmt.Sprintf("%g,%g,%g,%g@%.4g", d.Left, d.Top, d.Right, d.Bottom, d.Confidence)
		for _, c := range d.Classes {
			s += fmt.Sprintf(" %s=%.4g", c.Name, c.Score)
		}
		words = append(words, s)
	}
	return strings.Join(words, "; ")
}

// TestNMS: among overlapping boxes the one with the highest confidence is kept; the values were computed
// by hand.
func TestNMS(t *testing.T) {
	set := pic.Detections{det(0, 0, 10, 10, 0.5), det(1, 0, 11, 10, 0.9), det(30, 0, 40, 10, 0.7), det(2, 2, 4, 4, 0.95)}
	for _, c := range []struct {
		config []string
		want   string
	}{
		{nil, "2,2,4,4@0.95; 1,0,11,10@0.9; 30,0,40,10@0.7"}, // the small one is too small to exclude
		{[]string{"max_scale_difference", "0"}, "2,2,4,4@0.95; 30,0,40,10@0.7"},
		{[]string{"max_overlap", "0.9"}, "2,2,4,4@0.95; 1,0,11,10@0.9; 30,0,40,10@0.7; 0,0,10,10@0.5"},
		{[]string{"nms_scale_factor", "0.1", "max_overlap", "0"}, "2,2,4,4@0.95; 1,0,11,10@0.9; 30,0,40,10@0.7; 0,0,10,10@0.5"},
		{[]string{"output_scale_factor", "2"}, "1,1,5,5@0.95; -4,-5,16,15@0.9; 25,-5,45,15@0.7"},
		{[]string{"max_scale_difference", "0.04"}, "2,2,4,4@0.95; 30,0,40,10@0.7"}, // the same as 25
	} {
		have, err := must(t, Refiners(), "nms", c.config...).Refine(nil, set)
		if err != nil || shown(have) != c.want {
			t.Errorf("%v: have %s %v\nwant %s", c.config, shown(have), err, c.want)
		}
	}
	if _, err := made(Refiners(), "nms", "max_scale_difference", "-1"); err == nil {
		t.Error("a factor below 0 was taken")
	}
}

func TestClassFilter(t *testing.T) {
	set := pic.Detections{
		det(0, 0, 1, 1, 1, pic.Class{Name: "cod", Score: 0.8}, pic.Class{Name: "hake", Score: 0.2}),
		det(0, 0, 2, 2, 1, pic.Class{Name: "hake", Score: 0.6}, pic.Class{Name: "cod", Score: 0.4}),
		det(0, 0, 3, 3, 1),
	}
	for _, c := range []struct {
		config []string
		want   string
	}{
		{nil, "0,0,1,1@1 cod=0.8 hake=0.2; 0,0,2,2@1 hake=0.6 cod=0.4"},
		{[]string{"threshold", "0.5"}, "0,0,1,1@1 cod=0.8; 0,0,2,2@1 hake=0.6"},
		{[]string{"keep_all_classes", "false", "keep_classes", "eel; cod"}, "0,0,1,1@1 cod=0.8; 0,0,2,2@1 cod=0.4"},
		{[]string{"keep_all_classes", "false", "keep_classes", "cod", "top_category_only", "true"}, "0,0,1,1@1 cod=0.8"},
		{[]string{"keep_all_classes", "false", "keep_classes", "cod", "top_category_only", "true", "required_count", "2"}, ""},
	} {
		if have := shown(must(t, Filters(), "class_probablity_filter", c.config...).Keep(set)); have != c.want {
			t.Errorf("%v: have %s\nwant %s", c.config, have, c.want)
		}
	}
	if len(set[0].Classes) != 2 {
		t.Error("the set that came in was changed")
	}
}

func TestMergers(t *testing.T) {
	regions := pic.Detections{det(0, 0, 10, 10, 1, pic.Class{Name: "Ice", Score: 1}), det(20, 0, 30, 10, 1, pic.Class{Name: "shore", Score: 1})}
	found := pic.Detections{det(2, 2, 4, 4, 1, pic.Class{Name: "seal", Score: 0.8}), det(22, 2, 24, 4, 1, pic.Class{Name: "seal", Score: 0.8}), det(9, 9, 13, 13, 1)}
	const seal = "22,2,24,4@1 seal=0.8"
	for _, c := range []struct {
		name   string
		config []string
		want   string
	}{
		{"simple", nil, shown(append(regions[:2:2], found...))},
		{"suppress_in_regions", []string{"output_region_classes", "false"}, "9,9,13,13@1"},
		{"suppress_in_regions", []string{"suppression_class", "ice", "output_region_classes", "false"}, seal + "; 9,9,13,13@1"},
		{"suppress_in_regions", []string{"suppression_class", "ice", "case_sensitive", "true", "output_region_classes", "false"}, "2,2,4,4@1 seal=0.8; " + seal + "; 9,9,13,13@1"},
		{"suppress_in_regions", []string{"suppression_class", "ice", "borderline_class", "shore", "min_overlap", "0.01"},
			"22,2,24,4@1 seal=0.4; 0,0,10,10@1 Ice=1; 20,0,30,10@1 shore=1"},
	} {
		if have := shown(must(t, Mergers(), c.name, c.config...).Merge([]pic.Detections{regions, found})); have != c.want {
			t.Errorf("%s %v: have %s\nwant %s", c.name, c.config, have, c.want)
		}
	}
	if have := (All{}).Merge(nil); have == nil || len(have) != 0 {
		t.Errorf("of nothing: %v", have)
	}
}

// TestWindows: the inner detector detects each part as a whole, so the resulting boxes are the parts in
// coordinates of the whole image.
func TestWindows(t *testing.T) {
	img := tensor.New(tensor.Uint8, 20, 30, 1)
	for _, c := range []struct {
		config []string
		want   string
	}{
		{nil, "0,0,30,20"},
		{[]string{"mode", "chip", "chip_width", "20", "chip_height", "20", "chip_step_width", "10", "chip_step_height", "10"}, "0,0,20,20 10,0,30,20"},
		{[]string{"mode", "chip", "chip_width", "20", "chip_height", "20", "chip_step_width", "20", "chip_step_height", "20"}, "0,0,20,20 20,0,30,20"},
		{[]string{"mode", "chip", "chip_width", "20", "chip_height", "20", "chip_step_width", "20", "chip_step_height", "20", "min_detection_dim", "15"}, "0,0,20,20"},
		{[]string{"mode", "chip", "scale", "2", "chip_width", "40", "chip_height", "40", "chip_step_width", "40", "chip_step_height", "40"}, "0,0,20,20 20,0,30,20"},
		{[]string{"mode", "chip", "chip_width", "20", "chip_height", "20", "chip_step_width", "10", "chip_step_height", "10", "chip_edge_filter", "1"}, ""},
		{[]string{"mode", "chip", "chip_width", "20", "chip_height", "20", "chip_step_width", "10", "chip_step_height", "10", "chip_edge_filter", "1", "chip_edge_max_prob", "0.5"}, "0,0,20,20 10,0,30,20"},
		{[]string{"mode", "chip", "chip_width", "29", "chip_height", "20", "chip_step_width", "1", "chip_step_height", "1"}, "0,0,29,20 1,0,30,20"},
		{[]string{"mode", "chip_and_original", "chip_width", "30", "chip_height", "30"}, "0,0,30,20 0,0,30,20"},
		{[]string{"mode", "adaptive", "chip_adaptive_thresh", "600", "chip_width", "15", "chip_step_width", "15", "chip_height", "20", "original_to_chip_size", "true"}, "0,0,15,20 15,0,30,20 0,0,30,20"},
		{[]string{"mode", "adaptive", "chip_width", "15", "original_to_chip_size", "true"}, "0,0,30,20"},
		{[]string{"mode", "maintain_ar", "chip_width", "15", "chip_height", "15"}, "0,0,30,20"},
		{[]string{"mode", "original_and_resized", "scale", "0.5", "chip_width", "10", "chip_height", "10", "chip_adaptive_thresh", "1"}, "0,0,30,20 0,0,30,21"},
		{[]string{"mode", "scale", "scale", "0.1"}, "0,0,30,20"},
	} {
		set, err := must(t, Detectors(), "ocv_windowed", append(c.config, "detector:type", "full_frame")...).Detect(img)
		var have []string
		for _, d := range set {
			have = append(have, fmt.Sprintf("%.0f,%.0f,%.0f,%.0f", d.Left, d.Top, d.Right, d.Bottom))
			if strings.Contains(strings.Join(c.config, " "), "max_prob") && (d.Confidence != 0.5 || d.Classes[0].Score != 0.5) {
				t.Errorf("%v: %v is surer than 0.5", c.config, d)
			}
		}
		if err != nil || strings.Join(have, " ") != c.want {
			t.Errorf("%v: have %v %v, want %s", c.config, have, err, c.want)
		}
	}
	for _, c := range [][]string{
		{"a chip needs", "chip_width", "0"}, {"a step needs", "chip_step_height", "0"}, {"larger than 0", "scale", "0"},
		{"`rf_detr` is not an algorithm of this program: expected empty, full_frame", "detector:type", "rf_detr"},
	} {
		if _, err := made(Detectors(), "windowed", append([]string{"detector:type", "empty"}, c[1:]...)...); err == nil || !strings.Contains(err.Error(), c[0]) {
			t.Errorf("%v: have %v", c, err)
		}
	}
}

// TestResized: new pixels are interpolated, and the edge of a smaller image is padded.
func TestResized(t *testing.T) {
	line := &tensor.Tensor{Kind: tensor.Uint8, Shape: []int{1, 2, 1}, Data: []byte{0, 100}}
	if have := resized(line, 4, 1).Data; string(have) != "\x00\x19\x4b\x64" {
		t.Errorf("have %v, want %q", have, "\x00\x19\x4b\x64")
	}
	if have, scale := fitted(line, 4, 2, true); scale != 1 || string(have.Data) != "\x00\x64\x00\x00\x00\x00\x00\x00" {
		t.Errorf("have %v, %v; want scale = 1 and have.Data = %q", have.Data, scale, "\x00\x64\x00\x00\x00\x00\x00\x00")
	}
}

func TestFixed(t *testing.T) {
	img := tensor.New(tensor.Uint8, 2, 3, 1)
	old := pic.Detections{det(0, 0, 1, 1, 0.5)}
	for _, c := range []struct {
		config []string
		want   string
	}{
		{nil, "0,0,1,1@0.5; 0,0,3,2@1 generic_object_proposal=1"},
		{[]string{"detection_type", ""}, "0,0,1,1@0.5; 0,0,3,2@1"},
		{[]string{"add_full_image_detection", "false"}, "0,0,1,1@0.5"},
	} {
		have, err := must(t, Refiners(), "add_fixed", c.config...).Refine(img, old)
		if err != nil || shown(have) != c.want {
			t.Errorf("%v: have %s %v, want %s", c.config, shown(have), err, c.want)
		}
	}
	if set, err := must(t, Detectors(), "empty").Detect(img); err != nil || len(set) != 0 {
		t.Errorf("empty finds %v, %v", set, err)
	}
}

func BenchmarkNMS(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	set := make(pic.Detections, 1000)
	for i := range set {
		x, y := random.Float64()*1900, random.Float64()*1060
		set[i] = det(x, y, x+20+random.Float64()*100, y+20+random.Float64()*100, random.Float64())
	}
	n, err := made(Refiners(), "nms")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := n.Refine(nil, set); err != nil {
			b.Fatal(err)
		}
	}
}

// TestChips: the parts of an image covered by detections are written to files, named by class, number
// and place.
func TestChips(t *testing.T) {
	dir := t.TempDir()
	img := tensor.New(tensor.Uint8, 10, 20, 1)
	for i := range img.Data {
		img.Data[i] = byte(i)
	}
	set := pic.Detections{det(3.5, 2, 8, 6, 0.5, pic.Class{Name: "fish", Score: 0.5}), det(15, 5, 40, 40, 1), det(30, 30, 40, 40, 1)}
	chips := must(t, Refiners(), "ocv_write", "pattern", "%s-%s+%d_%d_%dx%d.png", "unknown_label", "what")
	chips.(Writer).WriteTo(outfile.Folder{Dir: dir})
	for range 2 {
		if have, err := chips.Refine(img, set); err != nil || shown(have) != shown(set) {
			t.Fatal(shown(have), err)
		}
	}
	files, err := filepath.Glob(dir + "/*")
	want := []string{"fish-000001+3_2_4x4.png", "fish-000002+3_2_4x4.png", "what-000001+15_5_5x5.png", "what-000002+15_5_5x5.png"}
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	if err != nil || !slices.Equal(files, want) {
		t.Fatalf("have %v %v\nwant %v", files, err, want)
	}
	f, err := os.Open(dir + "/" + want[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	part, err := png.Decode(f)
	if r, _, _, _ := part.At(1, 1).RGBA(); err != nil || part.Bounds().Dx() != 4 || r>>8 != 3*20+4 {
		t.Errorf("%v, %d, %v", part.Bounds(), r>>8, err)
	}
	for pattern, want := range map[string]string{"%d-%s.png": "in this order", "%s%s%d%d%d%d%d.png": "at most the verbs", "%s": "must end in .png", "%s-%f.png": "at most the verbs"} {
		if _, err := made(Refiners(), "ocv_write", "pattern", pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}
