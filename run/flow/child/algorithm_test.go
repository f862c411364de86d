package child

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestAlgorithmic checks that Algorithmic makes a type with an algorithm runnable and changes only the key of the
// algorithm, and that it does not change a type without one.
func TestAlgorithmic(t *testing.T) {
	plain := &pipe.Type{Name: "plain", Needs: "a GPU", Keys: []pipe.Key{{Name: "size", Kind: pipe.Int}}}
	if got := Algorithmic(plain); got != plain {
		t.Errorf("%+v, want %v", got, plain)
	}
	other := &pipe.Type{Name: "cut_video", Keys: []pipe.Key{{Name: "cutter", Kind: pipe.Algo}}}
	if got := Algorithmic(other); got != other {
		t.Errorf("an algorithm of no known role: %+v", got)
	}
	declared := &pipe.Type{Name: "image_object_detector", Needs: "a detection algorithm",
		In:   []pipe.Port{{Name: "number", Type: "integer", Flags: pipe.Required}},
		Keys: []pipe.Key{{Name: "size", Kind: pipe.Int, Doc: "Pixels."}, {Name: "detector", Kind: pipe.Algo, Doc: "What detects."}},
	}
	got := Algorithmic(declared)
	if got.New == nil || got.Needs != "" || got.Keys[0].Doc != "Pixels." || got.Keys[1].Doc != "What detects; python uses a class of yours, command a program, any other name an algorithm that a Python module registers." {
		t.Errorf("%+v, want got.New not nil, got.Needs = nothing, got.Keys[0].Doc = %q and got.Keys[1].Doc = %q", got, "Pixels.", "What detects; python uses a class of yours, command a program, any other name an algorithm that a Python module registers.")
	}
	if declared.New != nil || declared.Needs == "" || declared.Keys[1].Doc != "What detects." {
		t.Errorf("the declaration has changed: %+v", declared)
	}
	for _, c := range []struct {
		config pipe.Config
		want   string
	}{
		{nil, "it needs a detection algorithm: set `detector:type` to an algorithm that a Python module registers, or to python, and `detector:python:class` to a class of yours"},
		{pipe.Set("detector:type", "python"), "key `detector:python:class` has no value: expected MODULE.CLASS"},
		{pipe.Set("detector:type", "python", "detector:python:class", "a.B", "detector:python:interpreter", "no-python-anywhere"), "another interpreter in `detector:python:interpreter`, `detector:python:venv` or PENTODE_PYTHON"},
		{pipe.Set("detector:type", "command"), "key `detector:command:command` names no program: "},
		{pipe.Set("detector:type", "command", "detector:command:command", "no-such-program-anywhere"), "no-such-program-anywhere"},
	} {
		_, err := flowtest.Feed(got, c.config, flowtest.Data{"number": ints(1)}, nil, 1, flow.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("have %v\nwant %s", err, c.want)
		}
	}
}

// TestAlgorithmPrints checks that the log of the run has what an algorithm's program prints.
func TestAlgorithmPrints(t *testing.T) {
	typ := Algorithmic(&pipe.Type{Name: "image_object_detector", Needs: "a detection algorithm",
		In:   []pipe.Port{{Name: "number", Type: "integer", Flags: pipe.Required}},
		Keys: []pipe.Key{{Name: "detector", Kind: pipe.Algo}},
	})
	var log golden.Buffer
	opt := flow.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}
	config := pipe.Set("detector:type", "command", "detector:command:command", "sh -c 'echo I will not work; exit 3'")
	if _, err := flowtest.Feed(typ, config, flowtest.Data{"number": ints(1)}, nil, 1, opt); err == nil {
		t.Error("a program that has ended works")
	}
	if !strings.Contains(log.String(), "I will not work") {
		t.Errorf("log:\n%s\nwant %q in it", log.String(), "I will not work")
	}
}

// registered makes a registry of types whose interpreters load a module from testdata.
func registered(t *testing.T, modules string, types ...*pipe.Type) (*pipe.Registry, []string) {
	t.Helper()
	own := pythonWith(t, "")
	t.Setenv("SPROKIT_PYTHON_MODULES", modules)
	for i := range types {
		types[i] = Algorithmic(types[i])
	}
	return pipe.NewRegistry(types...), []string{"interpreter", own["interpreter"].Value, "path", own["path"].Value}
}

// in returns the settings of an interpreter as keys below `key`.
func in(key string, python []string) (list []string) {
	for i := 0; i < len(python); i += 2 {
		list = append(list, key+":python:"+python[i], python[i+1])
	}
	return list
}

func detectorType() *pipe.Type {
	return &pipe.Type{Name: "image_object_detector", Needs: "a detection algorithm",
		In:   []pipe.Port{{Name: "image", Type: "kwiver:image", Flags: pipe.Required}},
		Out:  []pipe.Port{{Name: "detected_object_set", Type: "kwiver:detected_object_set"}},
		Keys: []pipe.Key{{Name: "detector", Kind: pipe.Algo}},
	}
}

// TestNamedAlgorithm checks that an algorithm that a module registers is found by its name and gets its settings.
func TestNamedAlgorithm(t *testing.T) {
	need.Slow(t)
	reg, python := registered(t, "registered:nowhere", detectorType())
	typ, _ := reg.Lookup("image_object_detector")
	feed := func(more ...string) (string, error) {
		out := []string{"detected_object_set"}
		got, err := flowtest.Feed(typ, pipe.Set(append(more, in("detector", python)...)...), flowtest.Data{"image": frames(2, 64, 48)}, out, 10, flow.Options{})
		return text(got, out[0]), err
	}
	want := "[{0 false 0 60 44 64 48 0.5 0 [{corner 0.75}] [(kp) head 64 48]}]"
	if have, err := feed("detector:type", "corner", "detector:corner:size", "4"); err != nil || have != want+" "+want {
		t.Errorf("have %s, %v\nwant %s twice", have, err, want)
	}
	for i, c := range []struct {
		want string
		more []string
	}{
		{"`cornr` is not an algorithm of this program, and no Python module registers `cornr` as image_object_detector, but `corner`; modules come from", []string{"detector:type", "cornr"}},
		{"no Python module registers `other` as image_object_detector, but `corner`, `detect_heat_map`, `hough_circle`, `ocv_detect_calibration_targets`; module `nowhere` could not be loaded: No module named 'nowhere'", []string{"detector:type", "other"}},
		{"the algorithm refuses the settings of `detector:corner`", []string{"detector:type", "corner", "detector:corner:size", "0"}},
	} {
		t.Run(strings.Join(c.more, " "), func(t *testing.T) {
			if i > 0 {
				need.Slow(t) // starts an interpreter for each
			}
			if _, err := feed(c.more...); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("have %v\nwant %s", err, c.want)
			}
		})
	}
}

// TestNamedFiles checks that a type of this program also accepts file formats that a module registers, and that a merger
// gets its sets in the order of the connections.
func TestNamedFiles(t *testing.T) {
	need.Slow(t)
	never := func() pipe.Process { t.Error("the type of this program runs"); return nil }
	set := "kwiver:detected_object_set"
	reg, python := registered(t, "registered",
		&pipe.Type{Name: "detected_object_input", New: never,
			Out:  []pipe.Port{{Name: "detected_object_set", Type: set}, {Name: "image_file_name", Type: "kwiver:file_name"}},
			Keys: []pipe.Key{{Name: "file_name", Kind: pipe.String}, {Name: "reader", Kind: pipe.Algo, Choices: []string{"csv"}}}},
		&pipe.Type{Name: "detected_object_output", New: never, Level: pipe.CheckSync,
			In:   []pipe.Port{{Name: "detected_object_set", Type: set, Flags: pipe.Required}, {Name: "image_file_name", Type: "kwiver:file_name"}},
			Keys: []pipe.Key{{Name: "file_name", Kind: pipe.String, Writes: true}, {Name: "writer", Kind: pipe.Algo, Choices: []string{"csv"}}}},
		&pipe.Type{Name: "merge_detection_sets", Needs: "a merger",
			In:   []pipe.Port{{Name: "<any>", Type: set, Flags: pipe.Required}},
			Out:  []pipe.Port{{Name: "detected_object_set", Type: set}},
			Keys: []pipe.Key{{Name: "merger", Kind: pipe.Algo}}})
	python = append(python, "group", "files") // all processes share one interpreter
	dir := t.TempDir()
	for name, text := range map[string]string{"a": "1 2 3 4\n5 6 7 8\n", "b": "10 20 30 40\n50 60 70 80\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := flow.New(reg)
	for _, name := range []string{"a", "b"} {
		p.AddProcess(name, "detected_object_input", pipe.Set(append(in("reader", python), "reader:type", "lines", "file_name", filepath.Join(dir, name))...))
	}
	p.AddProcess("merge", "merge_detection_sets", pipe.Set(append(in("merger", python), "merger:type", "all")...))
	p.AddProcess("write", "detected_object_output", pipe.Set(append(in("writer", python), "writer:type", "lines", "file_name", "out")...))
	p.Connect("a.detected_object_set", "merge.first")
	p.Connect("b.detected_object_set", "merge.second")
	p.Connect("merge.detected_object_set", "write.detected_object_set")
	p.Connect("a.image_file_name", "write.image_file_name")
	if err := p.Run(t.Context(), flow.Options{Out: dir}); err != nil { // the folder for the results
		t.Fatal(err)
	}
	out, err := os.ReadFile(filepath.Join(dir, "out"))
	want := "a.png 1.0 2.0 3.0 4.0\na.png 10.0 20.0 30.0 40.0\na.png 5.0 6.0 7.0 8.0\na.png 50.0 60.0 70.0 80.0\nend\n"
	if err != nil || string(out) != want {
		t.Errorf("%v, have\n%swant\n%s", err, out, want)
	}
}

// TestNamedImages checks that a reader which can search by image name is called with the name of the arriving image. Any
// other reader returns its next detections.
func TestNamedImages(t *testing.T) {
	need.Slow(t)
	reg, python := registered(t, "registered", &pipe.Type{Name: "detected_object_input", Needs: "a reader",
		In:   []pipe.Port{{Name: "image_file_name", Type: "kwiver:file_name"}},
		Out:  []pipe.Port{{Name: "detected_object_set", Type: "kwiver:detected_object_set"}, {Name: "image_file_name", Type: "kwiver:file_name"}},
		Keys: []pipe.Key{{Name: "file_name", Kind: pipe.String}, {Name: "reader", Kind: pipe.Algo}}})
	typ, _ := reg.Lookup("detected_object_input")
	file := filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(file, []byte("1 2 3 4\n5 6 7 8\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for reader, want := range map[string]string{
		"named": "[{0 false 0 5 6 7 8 1 0 [] []}] [{0 false 0 1 2 3 4 1 0 [] []}]",
		"lines": "[{0 false 0 1 2 3 4 1 0 [] []}] [{0 false 0 5 6 7 8 1 0 [] []}]",
	} {
		t.Run(reader, func(t *testing.T) {
			if reader == "lines" { // TestNamedFiles covers this as well
				need.Slow(t)
			}
			config := pipe.Set(append(in("reader", python), "reader:type", reader, "file_name", file)...)
			names := flowtest.Data{"image_file_name": {flow.OfText("1"), flow.OfText("0")}}
			got, err := flowtest.Feed(typ, config, names, []string{"detected_object_set"}, 10, flow.Options{})
			if have := text(got, "detected_object_set"); err != nil || have != want {
				t.Errorf("have %s, %v\nwant %s", have, err, want)
			}
		})
	}
}

// TestNamedWarning checks that an unknown format causes a warning if no Python module is named, or if the name looks
// misspelt.
func TestNamedWarning(t *testing.T) {
	typ := Algorithmic(&pipe.Type{Name: "detected_object_input", New: func() pipe.Process { return nil },
		Keys: []pipe.Key{{Name: "reader", Kind: pipe.Algo, Choices: []string{"csv", "viame_csv"}}}})
	for _, c := range []struct{ modules, value, want string }{
		{"", "csv", ""},
		{"", "python", ""},
		{"", "coco", "warning: process `r`: `coco` is not one of csv, viame_csv, so an installed Python package must register it: SPROKIT_PYTHON_MODULES names no module"},
		{"viame.core", "coco", ""},
		{"viame.core", "viame_cvs", "warning: process `r`: `viame_cvs` is not one of csv, viame_csv, so a Python module must register it; did you mean `viame_csv`?"},
	} {
		t.Setenv("SPROKIT_PYTHON_MODULES", c.modules)
		p := flow.New(pipe.NewRegistry(typ))
		p.AddProcess("r", "detected_object_input", pipe.Set("reader:type", c.value))
		var have []string
		for _, found := range p.Check() {
			have = append(have, found.Severity.String()+": "+found.Message)
		}
		if text := strings.Join(have, "\n"); text != c.want {
			t.Errorf("%s: have %s\nwant %s", c.value, text, c.want)
		}
	}
}

// TestAlgorithmUnknown checks that there is only a warning if the interpreter cannot find out whether a module registers
// an algorithm.
func TestAlgorithmUnknown(t *testing.T) {
	python := filepath.Join(t.TempDir(), "python")
	script := "#!/bin/sh\ncase \"$*\" in *--algorithm*) exit 3;; esac\necho lacks\n"
	if err := os.WriteFile(python, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	typ := Algorithmic(&pipe.Type{Name: "image_object_detector", Needs: "a detection algorithm",
		Out:  []pipe.Port{{Name: "number", Type: "integer"}},
		Keys: []pipe.Key{{Name: "detector", Kind: pipe.Algo}},
	})
	p := flow.New(pipe.NewRegistry(typ))
	p.AddProcess("d", typ.Name, pipe.Set("detector:type", "mine", "detector:python:interpreter", python))
	plan, problems := pipe.Resolve(&p.Graph, p.Registry)
	if problems.HasErrors() {
		t.Fatalf("%v; want no errors", problems)
	}
	found := flow.Probe(t.Context(), plan, flow.Options{})
	const want = "it is not known before the run whether a Python module registers `mine`: the interpreter `"
	if len(found) != 1 || found[0].Severity != problem.Warning || !strings.Contains(found[0].Message, want) || !strings.Contains(found[0].Message, "exit status 3") {
		t.Errorf("have %v\nwant %s", found, want)
	}
}
