package image

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// readFrom returns the images and sets that a detected_object_input reads.
func readFrom(t *testing.T, text string, config ...string) ([]string, []Detections, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in.csv"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	out := []string{"image_file_name", "detected_object_set"}
	got, err := flowtest.Feed(detectionInputType(), pipe.Set(append(config, "file_name", "in.csv")...), nil, out, 1000, flow.Options{Dir: dir})
	var images []string
	var sets []Detections
	for i, d := range got["detected_object_set"] {
		images, sets = append(images, got["image_file_name"][i].Text()), append(sets, flow.As[Detections](d))
	}
	return images, sets, err
}

// written returns the file that a detected_object_output writes, without its header.
func written(t *testing.T, images []string, sets []Detections, config ...string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	in := flowtest.Data{}
	for i := range sets {
		in["image_file_name"] = append(in["image_file_name"], flow.OfText(images[i]))
		in["detected_object_set"] = append(in["detected_object_set"], flow.Of(sets[i]))
	}
	_, err := flowtest.Feed(detectionOutputType(), pipe.Set(append(config, "file_name", "out.csv")...), in, nil, 1, flow.Options{Dir: dir})
	text, _ := os.ReadFile(filepath.Join(dir, "out.csv"))
	_, rows, _ := strings.Cut(string(text), "\n")
	return rows, err
}

// TestKwiverForm checks the columns of KWIVER's format `csv`, in which the box begins one column
// earlier than in VIAME's format.
func TestKwiverForm(t *testing.T) {
	const rows = "1,a.png,10,20,30,40,0.5,cat,0.9,dog,0.1\n1,a.png,1,2,3,4,1\n3,c.png,5,6,7,8,0.25\n"
	images, sets, err := readFrom(t, "# frame,file\n"+rows, "reader:type", "csv")
	want := []Detections{
		{{Frame: 1, Left: 10, Top: 20, Right: 30, Bottom: 40, Confidence: 0.5, Classes: []Class{{"cat", 0.9}, {"dog", 0.1}}}, {Frame: 1, Left: 1, Top: 2, Right: 3, Bottom: 4, Confidence: 1}},
		{{Frame: 3, Left: 5, Top: 6, Right: 7, Bottom: 8, Confidence: 0.25}},
	}
	if err != nil || !reflect.DeepEqual(sets, want) || strings.Join(images, " ") != "a.png c.png" {
		t.Fatalf("have %v %+v, %v", images, sets, err)
	}
	have, err := written(t, []string{"a.png", "b.png", "c.png"}, []Detections{sets[0], {}, sets[1]}, "writer:type", "csv")
	if err != nil || have != rows {
		t.Errorf("written: %q, %v", have, err)
	}
	if _, sets, err = readFrom(t, strings.ReplaceAll(rows, ",", " "), "reader:type", "csv", "reader:csv:delimiter", " "); err != nil || !reflect.DeepEqual(sets, want) {
		t.Errorf("divided by blanks: %+v, %v", sets, err)
	}
	have, err = written(t, []string{"a.png"}, []Detections{{{Left: 1}}}, "writer:type", "csv", "writer:csv:delimiter", ";")
	if err != nil || have != "1;a.png;1;0;0;0;0\n" {
		t.Errorf("divided by semicolons: %q, %v", have, err)
	}
	if _, err = written(t, []string{"a,b.png"}, []Detections{{{}}}, "writer:type", "csv"); err == nil || !strings.Contains(err.Error(), "`a,b.png` contains a delimiter") {
		t.Errorf("a name with a comma: %v", err)
	}
}

// TestViameForm checks that all fields of a VIAME row are written as they were read, and that a
// frame without rows is an empty set.
func TestViameForm(t *testing.T) {
	const rows = "7,a.png,0,10,20,30,40,0.5,12.5,cat,0.9,(poly) 1 2 3 4 5 6,(+poly) 7 8,(hole) 1 1,(kp) head 3 4,\"(note) one, two #3\"\n" +
		"9,c.png,2,1,2,3,4,1,0\n" +
		"7,c.png,2,5,6,7,8,0.25,-1,(atr) x 1\n"
	images, sets, err := readFrom(t, "# 1: id\n"+rows, "reader:type", "viame_csv")
	if err != nil || strings.Join(images, "|") != "a.png||c.png" || len(sets[0]) != 1 || len(sets[1]) != 0 || len(sets[2]) != 2 {
		t.Fatalf("have %q %+v, %v", images, sets, err)
	}
	if d := sets[0][0]; d.Left != 10 || d.Bottom != 40 || d.Confidence != 0.5 || d.Length != 12.5 || len(d.Classes) != 1 || len(d.Attributes) != 5 {
		t.Errorf("have %+v, want 10 on the left, 40 at the bottom, 0.5, a length of 12.5, one class and 5 attributes", d)
	}
	if have, err := written(t, images, sets, "writer:type", "viame_csv"); err != nil || have != rows {
		t.Errorf("written: %q, %v", have, err)
	}
	found := []Detections{{{Left: 1}, {Left: 2}}, {{Left: 3, Classes: []Class{{"a", 1}, {"b", 0.5}}}}}
	have, err := written(t, []string{"d/a.png", "d/b.png"}, found, "writer:type", "viame_csv", "writer:viame_csv:stream_identifier", "s", "writer:viame_csv:top_n_classes", "1")
	if want := "0,s,0,1,0,0,0,0,0\n1,s,0,2,0,0,0,0,0\n2,s,1,3,0,0,0,0,0,a,1\n"; err != nil || have != want {
		t.Errorf("without numbers: %q, %v", have, err)
	}
	_, sets, err = readFrom(t, "0,a 5\" lens,0,1,2,3,4,1,0,8\" fish,0.5\n", "reader:type", "viame_csv")
	if err != nil || sets[0][0].Classes[0].Name != `8" fish` {
		t.Errorf("a quote within a field: %v, %v", sets, err)
	}
	_, sets, err = readFrom(t, "0,a,0,1,2,3,4,-1,0,cat,0.5\n", "reader:type", "viame_csv")
	if err != nil || sets[0][0].Confidence != 1 {
		t.Errorf("an unknown confidence: %+v, %v", sets, err)
	}
	_, sets, err = readFrom(t, "0,a,0,1,2,3,4,0.5,0,cat,0.5\n", "reader:type", "viame_csv", "reader:viame_csv:confidence_override", "0.75")
	if err != nil || sets[0][0].Confidence != 0.75 || sets[0][0].Classes[0].Score != 0.75 {
		t.Errorf("another confidence: %+v, %v", sets, err)
	}
}

// TestWrongForm checks that a file in the other CSV format is refused with its line, and that a
// process without a format is refused with the names of both formats.
func TestWrongForm(t *testing.T) {
	for _, c := range []struct{ form, text, want string }{
		{"csv", "# c\n0,a.png,0,1,2,3,4,0.5,0,cat\n", "line 2 of `in.csv`: 10 fields are not a detection"},
		{"csv", "1,a.png,1,2\n", "4 fields are not a detection"},
		{"csv", "1,a.png,1,2,3,x,0.5\n", "`x` is not a number"},
		{"viame_csv", "1,a.png,1,2,3,4,0.5\n", "7 fields are not a detection"},
		{"viame_csv", "1,a.png,0,1,2,3,4,0.5,0,cat\n", "the name `cat` has no score"},
		{"viame_csv", "1,a.png,b.png,1,2,3,4,0.5,0\n", "`b.png` is not a whole number"},
		{"viame_csv", "1,a.png,99999999,1,2,3,4,0.5,0\n", "is too large"},
		{"kw18", "1 2 3\n", "3 fields are not a detection: expected the 18 to 20 fields of kw18"},
		{"habcam", "a.png 185 square 1 2 3 4\n", "is not a shape: expected boundingBox, line, circle or point"},
		{"habcam", "a.png 185 point 1\n", "1 numbers are too few: expected 2"},
		{"oceaneyes", "a.png,1,2\n", "3 fields are not an annotation: expected 15"},
		{"coco", "", "expected csv, viame_csv"},
		{"", "", "needs a value for its key `reader:type`: expected csv, viame_csv"},
	} {
		config := []string{"reader:type", c.form}
		if c.form == "" {
			config = nil
		}
		if _, _, err := readFrom(t, c.text, config...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: have %v, want %s", c.form, c.text, err, c.want)
		}
	}
}

// TestForms checks detections read from files of other programs. The expected boxes were computed
// by hand.
func TestForms(t *testing.T) {
	for _, c := range []struct{ form, text, want string }{
		{"kw18", "# id …\n7 2 1 0 0 0 0 15 15 10 12 20 18 60 0 0 0 1.5 0.25\n8 1 0 0 0 0 0 0 0 1 2 3 4 4 0 0 0 -1 -1\n",
			" 8@0 1 2 3 4 1 -=1;  7@1 10 12 20 18 0.25 -=0.25; "},
		{"habcam", "b.png 185 boundingBox 1 2 3 4\na.png 9 point 100 60\na.png 9 circle 0 0 6 8\n",
			"a.png 0@0 50 10 150 110 1 9=1; 0@0 -2 -1 8 9 1 9=1; b.png 0@0 1 2 3 4 1 185=1; "},
		{"habcam", "Image,Species,Name,Shape\nc.png,12,\"cod\",\"[boundingBox: 1\",2,3,4]\n", "c.png 0@0 1 2 3 4 1 12=1; "},
		{"oceaneyes", "filename,a,b,c,species,f,g,h,i,j,k,l\nx.jpg,,,,cod,,0.5,0.75,,,yes,(10,20),(30,40)\ny.jpg,,,,no fish,,0,0,,,no,,,,\n",
			"x 0@0 7 17 33 43 0.75 cod=0.75 (kp) head 10 20 (kp) tail 30 40; y "},
	} {
		images, sets, err := readFrom(t, c.text, "reader:type", c.form)
		var have strings.Builder
		for i, set := range sets {
			have.WriteString(images[i] + " ")
			for _, d := range set {
				fmt.Fprintf(&have, "%d@%d %v %v %v %v %v", d.ID, d.Frame, d.Left, d.Top, d.Right, d.Bottom, d.Confidence)
				for _, x := range d.Classes {
					fmt.Fprintf(&have, " %s=%v", x.Name, x.Score)
				}
				for _, a := range d.Attributes {
					have.WriteString(" " + a)
				}
				have.WriteString("; ")
			}
		}
		if err != nil || have.String() != c.want {
			t.Errorf("%s: have %q, %v\nwant %q", c.form, have.String(), err, c.want)
		}
	}
}

// TestKW18Written checks that written kw18 files can be read again.
func TestKW18Written(t *testing.T) {
	text, err := written(t, []string{"a", "b"}, []Detections{{}, {{Left: 1, Top: 2, Right: 5, Bottom: 4, Confidence: 0.5}}}, "writer:type", "kw18")
	if want := "0 1 1 0 0 0 0 3 3 1 2 5 4 8 0 0 0 -1 0.5\n"; err != nil || text != want {
		t.Errorf("have %q, %v; want %q", text, err, want)
	}
}

// TestNamedImages checks that detections are found by the name of the image, if one arrives, and
// otherwise follow the order of the file.
func TestNamedImages(t *testing.T) {
	dir := t.TempDir()
	ask := func(text string, names ...string) string {
		if err := os.WriteFile(filepath.Join(dir, "in.csv"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		in := flowtest.Data{}
		for _, name := range names {
			in["image_file_name"] = append(in["image_file_name"], flow.OfText(name))
		}
		got, err := flowtest.Feed(detectionInputType(), pipe.Set("file_name", "in.csv", "reader:type", "viame_csv"), in, []string{"detected_object_set"}, 100, flow.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		have := ""
		for _, d := range got["detected_object_set"] {
			for _, x := range flow.As[Detections](d) {
				have += fmt.Sprint(x.ID)
			}
			have += "|"
		}
		return have
	}
	if have, want := ask("1,a.png,0,0,0,1,1,1,0\n2,b.png,1,0,0,1,1,1,0\n3,a.png,5,0,0,1,1,1,0\n", "x/b.png", "c.png", "a.png"), "2||13|"; have != want {
		t.Errorf("have %s, want %s", have, want)
	}
	if have, want := ask("1,,0,0,0,1,1,1,0\n2,,2,0,0,1,1,1,0\n", "x.png", "y.png", "z.png", "u.png"), "1||2||"; have != want {
		t.Errorf("without names: have %s, want %s", have, want)
	}
}

// TestFrameListOutput checks that the names of all images are written to a second file.
func TestFrameListOutput(t *testing.T) {
	dir := t.TempDir()
	in := flowtest.Data{"image_file_name": {flow.OfText("p/a.png"), flow.OfText("b.png")}, "detected_object_set": {flow.Of(Detections{}), flow.Of(Detections{})}}
	config := pipe.Set("file_name", "d [CURRENT_TIME].csv", "frame_list_output", "names.txt", "writer:type", "viame_csv")
	if _, err := flowtest.Feed(detectionOutputType(), config, in, nil, 1, flow.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "names.txt")); err != nil || string(text) != "p/a.png\nb.png\n" {
		t.Errorf("have %q, %v", text, err)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "d 2*_*.csv")); len(found) != 1 {
		t.Errorf("the name with the time: %v, want 1", found)
	}
}
