package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// messages returns the findings about a small pipeline that uses ports and a key of VIAME, checked
// with one of the catalogues that come with this program.
func messages(t *testing.T, name string) string {
	t.Helper()
	r := Standard()
	if name != "" {
		text, ok := Shipped(name)
		if !ok {
			t.Fatal("no such catalogue")
		}
		if err := AddTypes(r, text); err != nil {
			t.Fatal(err)
		}
	}
	p := flow.New(r)
	p.AddProcess("in", "video_input", pipe.Set("video_filename", "list.txt", "exit_on_invalid", "false"))
	p.AddProcess("down", "downsample", nil)
	p.AddProcess("out", "image_writer", pipe.Set("file_name_template", ".png"))
	p.AddProcess("pairs", "pair_stereo_detections", nil)
	p.Connect("in.timestamp", "down.timestamp")
	p.Connect("in.image", "out.image")
	p.Connect("in.file_name", "out.image_file_name")
	var all []string
	for _, problem := range p.Check() {
		all = append(all, problem.Message+" "+problem.Expected)
	}
	return strings.Join(all, "\n")
}

// TestShipped: if KWIVER's declarations lack something that VIAME has, messages name the catalogue
// that fits; with this catalogue the findings are gone.
func TestShipped(t *testing.T) {
	const hint = "`types = [\"viame\"]` in pentode.toml checks with the declarations of VIAME"
	for _, name := range []string{"", "kwiver"} {
		have := messages(t, name)
		for _, want := range []string{"has no output `file_name`; " + hint, "has no key `exit_on_invalid`; " + hint, "its input `frame_rate` is connected; " + hint, "unknown type `pair_stereo_detections` " + hint} {
			if !strings.Contains(have, want) {
				t.Errorf("%s: have\n%s\nwant %s", name, have, want)
			}
		}
	}
	if have := messages(t, "viame"); strings.Contains(have, "has no") || strings.Contains(have, "frame_rate") || strings.Contains(have, "unknown type") {
		t.Errorf("with VIAME's: %s; want no %q in have, no %q in have and no %q in have", have, "has no", "frame_rate", "unknown type")
	}
	if _, ok := Shipped("other"); ok {
		t.Error("there is a catalogue for every name")
	}
}

// TestShippedDocs: a declaration without documentation gets the documentation of the type that runs
// here.
func TestShippedDocs(t *testing.T) {
	r := Standard()
	text, _ := Shipped("viame")
	if err := AddTypes(r, text); err != nil {
		t.Fatal(err)
	}
	typ, _ := r.Lookup("video_input")
	port, _ := typ.FindOut("file_name")
	if typ.Doc == "" || port == nil || port.Doc == "" || typ.Version != "VIAME" || typ.Runs() == nil {
		t.Errorf("have %+v, want it of VIAME, with the text of the type and of its file_name, and able to run", typ)
	}
}

// TestShippedAlgorithms: types that only VIAME has run with the class that a Python module registers.
func TestShippedAlgorithms(t *testing.T) {
	r := Standard()
	text, _ := Shipped("viame")
	if err := AddTypes(r, text); err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]string{"track_objects": "track_objects", "refine_tracks": "refiner"} {
		p := flow.New(r)
		p.AddProcess("tracker", name, pipe.Set(key+":type", "mine", key+":mine:high_thresh", "0.7"))
		typ, _ := r.Lookup(name)
		if typ.Runs() == nil {
			t.Errorf("%s is only declared: %s", name, typ.Missing())
		}
		for _, problem := range p.Check() {
			if problem.Subject.Key != "" {
				t.Errorf("%s: %s; want nothing", name, problem.Message)
			}
		}
	}
}

// TestShippedKeys: for most of VIAME's algorithms all keys are known, so that any other key has no
// effect.
func TestShippedKeys(t *testing.T) {
	r := Standard()
	text, _ := Shipped("viame")
	if err := AddTypes(r, text); err != nil {
		t.Fatal(err)
	}
	p := flow.New(r)
	p.AddProcess("f", "image_filter", pipe.Set("filter:type", "vxl_aligned_edge_detection", "filter:vxl_aligned_edge_detection:threshold", "20", "filter:vxl_aligned_edge_detection:kept_frames", "5"))
	var have []string
	for _, q := range p.Check() {
		if strings.Contains(q.Subject.Key, ":") {
			have = append(have, q.Severity.String()+" "+q.Subject.Key)
		}
	}
	if want := []string{"warning filter:vxl_aligned_edge_detection:kept_frames"}; !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
}
