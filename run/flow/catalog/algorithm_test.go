package catalog

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestAlgorithmSettings checks the names and keys of algorithms at any depth, with the types of this program and with VIAME's
// declarations.
func TestAlgorithmSettings(t *testing.T) {
	viame := Standard()
	text, _ := Shipped("viame")
	if err := AddTypes(viame, text); err != nil {
		t.Fatal(err)
	}
	const window = "detector:ocv_windowed:"
	for _, c := range []struct {
		typ      string
		config   []string
		key      string // the key to which the message refers; empty: no message
		severity problem.Severity
		want     string
		mend     string
		listed   string // the message if VIAME's declarations are loaded; empty: the same message
	}{
		{"image_filter", []string{"filter:type", "vxl_treshold"}, "filter:type", problem.Warning, "no algorithm of this program for `filter` is called `vxl_treshold`", "vxl_threshold", "no algorithm for `filter` is called `vxl_treshold`"},
		{"image_object_detector", []string{"detector:type", "netharn", "detector:netharn:deployed", "x.zip"}, "", 0, "", "", ""},
		{"image_filter", []string{"filter:type", "[-FILTER-]"}, "", 0, "", "", ""},
		{"image_object_detector", []string{"detector:type", "ocv_windowed", window + "detector", "full_frame"}, window + "detector", problem.Error, "`detector:ocv_windowed:detector` does not choose the algorithm `full_frame`", window + "detector:type", ""},
		{"image_object_detector", []string{"detector:type", "ocv_windowed", window + "detector", "of_ours"}, window + "detector", problem.Warning, "algorithm `ocv_windowed` has no key `detector`", "", ""},
		{"image_filter", []string{"filter:type", "ocv_enhancer", "filter:ocv_enhancer:aply_clahe", "true"}, "filter:ocv_enhancer:aply_clahe", problem.Warning, "algorithm `ocv_enhancer` has no key `aply_clahe`", "apply_clahe", ""},
		{"image_filter", []string{"filter:type", "ocv_enhancer", "filter:ocv_enhancer:clip_limit", "many"}, "filter:ocv_enhancer:clip_limit", problem.Error, "`many` does not fit key `filter:ocv_enhancer:clip_limit`", "", ""},
		{"image_filter", []string{"filter:type", "ocv_enhancer", "filter:ocv_enhancer:apply_clahe", "1"}, "", 0, "", "", ""},
		{"image_filter", []string{"filter:type", "ocv_enhancer", "filter:vxl_threshold:threshold", "1"}, "filter:vxl_threshold:threshold", problem.Info, "nothing reads the block `filter:vxl_threshold` of process `p`: `filter:type` is `ocv_enhancer`", "", ""},
		{"image_object_detector", []string{"detector:type", "ocv_windowed", window + "detector:type", "ful_frame"}, window + "detector:type", problem.Warning, "no algorithm of this program for `detector:ocv_windowed:detector` is called `ful_frame`", "full_frame", "no algorithm for `detector:ocv_windowed:detector` is called `ful_frame`"},
		{"image_object_detector", []string{"detector:type", "ocv_windowed", window + "chip_widht", "5"}, window + "chip_widht", problem.Warning, "algorithm `ocv_windowed` has no key `chip_widht`", "chip_width", ""},
		{"image_object_detector", []string{"detector:type", "ocv_windowed", window + "mode", "[-MODE-]"}, "", 0, "", "", ""},
		{"image_object_detector", []string{"detector:type", "ocv_windowed", window + "detector:type", "full_frame", window + "detector:full_frame:detection_typ", "x"}, window + "detector:full_frame:detection_typ", problem.Warning, "algorithm `full_frame` has no key `detection_typ`", "detection_type", ""},
		{"image_object_detector", []string{"detector:type", "ocv_windowed", window + "detector:type", "netharn", window + "detector:netharn:deployed", "x.zip"}, "", 0, "", "", ""},
		{"refine_detections", []string{"refiner:type", "nms", "refiner:nms:max_overlap", "half"}, "refiner:nms:max_overlap", problem.Error, "`half` does not fit", "", ""},
	} {
		for name, r := range map[string]*pipe.Registry{"this program": Standard(), "VIAME": viame} {
			c := c
			if name == "VIAME" && c.listed != "" {
				c.severity, c.want = problem.Error, c.listed
			}
			p := flow.New(r)
			p.AddProcess("p", c.typ, pipe.Set(c.config...))
			var found problem.List
			for _, q := range p.Check() {
				if strings.Contains(q.Subject.Key, ":") {
					found = append(found, q)
				}
			}
			switch {
			case c.key == "" && len(found) > 0:
				t.Errorf("%s, %v: %v, want nothing", name, c.config, found)
			case c.key == "":
			case len(found) != 1 || found[0].Subject.Key != c.key || found[0].Severity != c.severity || found[0].Suggestion != c.mend || !strings.Contains(found[0].Message, c.want):
				t.Errorf("%s, %v:\nhave %+v\nwant %s at %s", name, c.config, found, c.want, c.key)
			}
		}
	}
}

// TestListedAlgorithms checks that a name is reported as unknown if a catalogue lists the algorithms of its role without it.
// Nothing is reported if a class of the user does the work.
func TestListedAlgorithms(t *testing.T) {
	for _, c := range []struct {
		typ, slot, name string
		severity        problem.Severity
		want, mend      string
	}{
		{"image_filter", "filter", "npy_percentile_norm", problem.Warning, "no algorithm for `filter` is called `npy_percentile_norm`", "percentile_norm_npy"},
		{"frame_list_input", "image_reader", "ocvv", problem.Warning, "no algorithm for `image_reader` is called `ocvv`", "ocv"},
		{"image_filter", "filter", "netharn", problem.Warning, "that the declarations of VIAME have; an installation may have more, and `types import` reads yours", ""},
		{"image_filter", "filter", "python", 0, "", ""},
		{"refine_detections", "refiner", "svm", 0, "", ""},
		{"write_object_track", "writer", "db", 0, "", ""},
	} {
		r := Standard()
		text, _ := Shipped("viame")
		if err := AddTypes(r, text); err != nil {
			t.Fatal(err)
		}
		p := flow.New(r)
		p.AddProcess("p", c.typ, pipe.Set(c.slot+":type", c.name))
		var found problem.List
		for _, q := range p.Check() {
			if q.Subject.Key == c.slot+":type" {
				found = append(found, q)
			}
		}
		switch {
		case c.want == "" && len(found) > 0:
			t.Errorf("%s: %v, want nothing", c.name, found)
		case c.want == "":
		case len(found) != 1 || found[0].Severity != c.severity || found[0].Suggestion != c.mend || !strings.Contains(found[0].Message, c.want):
			t.Errorf("%s: have %d: %+v, want one %v with %q, and the suggestion %q", c.name, len(found), found, c.severity, c.want, c.mend)
		}
	}
}

// TestDeclareAlgorithms checks that a declaration replaces an earlier one with the same role and name, and that this does not
// affect a clone of the registry.
func TestDeclareAlgorithms(t *testing.T) {
	r := pipe.NewRegistry()
	r.DeclareAlgorithms([]*pipe.Algorithm{{Name: "a", Role: "x", Doc: "old"}, {Name: "b", Role: "x"}, {Name: "a", Role: "y"}})
	c := r.Clone()
	c.DeclareAlgorithms([]*pipe.Algorithm{{Name: "a", Role: "x", Doc: "new"}, {Name: "c", Role: "x"}})
	shown := func(r *pipe.Registry) string {
		var list []string
		for _, u := range r.AllAlgorithms() {
			list = append(list, u.Role+" "+u.Name+" "+u.Doc)
		}
		return strings.Join(list, ", ")
	}
	if have := shown(r); have != "x a old, x b , y a " {
		t.Errorf("have %q, want %q", have, "x a old, x b , y a ")
	}
	if have := shown(c); have != "x a new, x b , x c , y a " {
		t.Errorf("clone: have %q, want %q", have, "x a new, x b , x c , y a ")
	}
}
