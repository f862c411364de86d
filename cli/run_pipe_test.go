package cli_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/cli"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/figures"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// pentode runs a command and returns its exit code and its outputs.
func pentode(t *testing.T, args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	code = cli.Run(cli.Options{}, args, strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// inFolder writes a pipeline into an empty folder and makes it the working directory.
func inFolder(t *testing.T, text string) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.pipe", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

const fan = `process src :: numbers
  end = 5000
process twice :: duplicate
  copies = 1
process a :: sink
process b :: sink
  _non_blocking = 3
connect from src.number to twice.input
connect from twice.duplicate to a.sink
connect from src.number to b.sink
`

// TestStatsAddUp: every datum that enters an edge leaves it, is dropped, or remains, and the counts
// of the processes match those of their edges.
func TestStatsAddUp(t *testing.T) {
	inFolder(t, fan)
	for _, scheduler := range flow.Schedulers() {
		t.Run(scheduler, func(t *testing.T) {
			code, out, errs := pentode(t, "run", "--stats=json", "--scheduler", scheduler, "a.pipe")
			if code != 0 {
				t.Fatalf("exit %d: %s", code, errs)
			}
			var s struct {
				flow.Stats
				Figures figures.Figures `json:"figures"`
			}
			d := json.NewDecoder(strings.NewReader(out))
			d.DisallowUnknownFields()
			if err := d.Decode(&s); err != nil {
				t.Fatal(err)
			}
			if want := figures.Of(&s.Stats); !reflect.DeepEqual(s.Figures, want) {
				t.Errorf("the figures are %+v, want those of the counts, %+v", s.Figures, want)
			}
			in, sent := map[string]uint64{}, map[string]uint64{}
			for _, e := range s.Edges {
				if e.Pushed != e.Taken+e.Dropped+e.Left {
					t.Errorf("%s → %s: pushed %d, but taken %d, dropped %d, left %d", e.From, e.To, e.Pushed, e.Taken, e.Dropped, e.Left)
				}
				in[pipe.ParsePortRef(e.To).Process] += e.Taken
				sent[pipe.ParsePortRef(e.From).Process] += e.Pushed
			}
			for _, p := range s.Processes {
				if p.In != in[p.Name] || p.Out != sent[p.Name] {
					t.Errorf("process %s: in %d and out %d, but its edges say %d and %d", p.Name, p.In, p.Out, in[p.Name], sent[p.Name])
				}
				if !p.Done || p.Busy < 0 || p.Blocked < 0 || p.Busy+p.Blocked > s.Wall {
					t.Errorf("process %s: done %v, busy %v, blocked %v in a run of %v, want it done, and busy and blocked at least 0 and together at most the run", p.Name, p.Done, p.Busy, p.Blocked, s.Wall)
				}
			}
			if in["a"] != 10_000 {
				t.Errorf("a took %d data of 10000, want 10_000", in["a"])
			}
			if s.Version != 1 || s.Wall <= 0 {
				t.Errorf("version %d, wall time %v; want version 1 and more than no time", s.Version, s.Wall)
			}
		})
	}
}

// readTrace reads a trace, which must follow the rules of its format.
func readTrace(t *testing.T, path string) *flowtest.Trace {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := flowtest.ReadTrace(text)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return trace
}

// TestTrace: a trace can be loaded and has a row for each process; a trace policy reduces its
// events.
func TestTrace(t *testing.T) {
	inFolder(t, "process src :: numbers\n  end = 100\nprocess snk :: sink\nconnect from src.number to snk.sink\n")
	if code, _, errs := pentode(t, "run", "--trace", "all.json", "a.pipe"); code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	all := readTrace(t, "all.json")
	if n := all.Count("flow_step", "src"); n != 100 {
		t.Errorf("%d steps of src are traced, want 100", n)
	}
	edge, err := all.Passages()
	if want := (flowtest.Passage{Pushed: 100, Taken: 100, Begun: 100, Reached: 100}); err != nil || edge["src.number → snk.sink"] != want || all.Processes[1] != "a.pipe" {
		t.Errorf("%v: have %v of %v", err, edge, all.Processes)
	}
	policy := "[Flow.default]\n    flow_push = off\n[Lexgion(src)]\n    tracing_rate = 10\n"
	if err := os.WriteFile("p.pinsight", []byte(policy), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := pentode(t, "run", "--trace", "some.json", "--policy", "p.pinsight", "a.pipe"); code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	some := readTrace(t, "some.json")
	if steps, pushes := some.Count("flow_step", "src"), some.Count("flow_push", "src"); steps != 10 || pushes != 0 {
		t.Errorf("%d steps and %d pushes of src are traced, want 10 and 0", steps, pushes)
	}
	// The rank in the launch plan selects the section for that rank.
	far := "[Lexgion(src)] : Flow.default : MPI.rank(1)\n    tracing_rate = 1\n"
	if err := os.WriteFile("far.pinsight", []byte(far), 0o644); err != nil {
		t.Fatal(err)
	}
	for rank, want := range map[string]int{"0": 0, "1": 100} {
		t.Setenv("PENTODE_RANK", rank)
		if code, _, errs := pentode(t, "run", "--trace", "far.json", "--policy", "far.pinsight", "a.pipe"); code != 0 {
			t.Fatalf("exit %d: %s", code, errs)
		}
		far := readTrace(t, "far.json")
		if steps := far.Count("flow_step", "src"); steps != want {
			t.Errorf("rank %s: %d steps of src are traced, want %d", rank, steps, want)
		}
	}
	// A process can have its own policy and its own trace file.
	own := []string{"-s", "src:_instrumentation:type=trace", "-s", "src:_instrumentation:trace:policy=p.pinsight"}
	if code, _, errs := pentode(t, append(append([]string{"run"}, own...), "a.pipe")...); code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	mine := readTrace(t, "src_trace.json")
	if steps := mine.Count("flow_step", "src"); steps != 10 {
		t.Errorf("%d steps of src are in its own trace, want 10", steps)
	}
}

// TestExamples runs the examples that are single pipelines under every
// scheduler.
func TestExamples(t *testing.T) {
	need.Program(t, "python3", "--version")
	need.Program(t, "sh")
	root := golden.Root(t)
	var files []string
	for _, folder := range []string{"numbers", "images", "children"} {
		inside, err := filepath.Glob(filepath.Join(root, "examples", folder, "*.pipe"))
		if err != nil || len(inside) == 0 {
			t.Fatalf("no examples in %s: %v", folder, err)
		}
		files = append(files, inside...)
	}
	want := map[string]string{
		"squares.pipe":    "1\n4\n9\n16\n25\n36\n49\n64\n81\n100\n",
		"turns.pipe":      "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n",
		"hailstones.pipe": "\n#\n#######\n##\n#####\n########\n################\n###\n###################\n######\n##############\n#########\n",
	}
	for _, path := range files {
		if filepath.Base(path) == "draw.pipe" {
			continue // this example draws the pictures in the documentation
		}
		for _, scheduler := range flow.Schedulers() {
			t.Run(filepath.Base(path)+"/"+scheduler, func(t *testing.T) {
				t.Chdir(t.TempDir())
				args := []string{"run", "--scheduler", scheduler}
				if filepath.Base(path) == "speed.pipe" {
					args = append(args, "-s", "src:end=10000")
				}
				code, out, errs := pentode(t, append(args, path)...)
				if code != 0 || strings.Contains(errs, "warning") {
					t.Fatalf("exit %d: %s", code, errs)
				}
				if text, known := want[filepath.Base(path)]; known && out != text {
					t.Errorf("have %q, want %q", out, text)
				}
			})
		}
	}
}

// TestPictures: the example draws the pictures in the repository, and the sheets made from them
// have the stated size.
func TestPictures(t *testing.T) {
	folder := filepath.Join(golden.Root(t), "examples", "images")
	t.Chdir(t.TempDir())
	if code, _, errs := pentode(t, "run", "-s", "write:file_name_template=plate%02d.png", filepath.Join(folder, "draw.pipe")); code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if code, _, errs := pentode(t, "run", filepath.Join(folder, "sheet.pipe")); code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	drawn, err := filepath.Glob("plate*.png")
	if err != nil || len(drawn) != 4 {
		t.Fatalf("%d pictures are drawn, want 4: %v", len(drawn), err)
	}
	for _, name := range drawn {
		have, want := decode(t, name), decode(t, filepath.Join(folder, "pictures", name))
		if have.Bounds() != want.Bounds() {
			t.Fatalf("%s has %v, in the repository %v", name, have.Bounds(), want.Bounds())
		}
		for y := range have.Bounds().Dy() {
			for x := range have.Bounds().Dx() {
				if have.At(x, y) != want.At(x, y) {
					t.Fatalf("%s differs at %d, %d: run examples/images/draw.pipe", name, x, y)
				}
			}
		}
		sheet := decode(t, strings.Replace(name, "plate", "sheet", 1))
		if b := sheet.Bounds(); b.Dx() != 6*have.Bounds().Dx() || b.Dy() != 2*have.Bounds().Dy() {
			t.Errorf("the sheet of %s has %v, want 6 plates wide and 2 high: %d by %d", name, b, 6*have.Bounds().Dx(), 2*have.Bounds().Dy())
		}
	}
}

func decode(t *testing.T, path string) image.Image {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// TestErrorDataOfARun: error data are counted in the figures, and make the run fail if the setting
// says so.
func TestErrorDataOfARun(t *testing.T) {
	inFolder(t, "process a :: numbers\n  end = 6\nprocess o :: odd\nprocess s :: sink\nconnect from a.number to o.number\nconnect from o.number to s.sink\n")
	odd := &pipe.Type{Name: "odd", In: []pipe.Port{{Name: "number", Type: "integer", Flags: pipe.Required}},
		Out: []pipe.Port{{Name: "number", Type: "integer", Flags: pipe.Required}}, New: func() pipe.Process { return &oddProcess{} }}
	for flag, want := range map[string]int{"keep": 0, "fail": 1} {
		var out, errs strings.Builder
		code := cli.Run(cli.Options{Types: []*pipe.Type{odd}}, []string{"run", "--stats", "--config=run.control=false", "--config", "run.errors=" + flag, "--config", "run.errors-to=dead.jsonl", "a.pipe"}, strings.NewReader(""), &out, &errs)
		if code != want || !strings.Contains(out.String(), "3 errors of output o.number: odd\n") || !strings.Contains(errs.String(), "step 2 sent an error instead of a value at output `number`: odd") {
			t.Errorf("%s: exit %d\n%s\n%s", flag, code, out.String(), errs.String())
		}
		if failed := strings.Contains(errs.String(), "error: 3 data of output `number` of process `o` are errors; the first: odd"); failed != (want == 1) {
			t.Errorf("%s: %s", flag, errs.String())
		}
		const letters = `{"step":2,"process":"o","port":"number","reason":"odd"}` + "\n" + `{"step":4,"process":"o","port":"number","reason":"odd"}` + "\n" + `{"step":6,"process":"o","port":"number","reason":"odd"}` + "\n"
		if text, err := os.ReadFile("dead.jsonl"); string(text) != letters {
			t.Errorf("%s: %s, %v", flag, text, err)
		}
	}
	for args, want := range map[string]string{
		"--config=run.errors-to=none/dead.jsonl": "the file of errors `none/dead.jsonl` cannot be written",
		"--config=run.errors-to=../dead.jsonl":   "", // the path was explicitly given outside the results folder
	} {
		var out, errs strings.Builder
		code := cli.Run(cli.Options{Types: []*pipe.Type{odd}}, []string{"run", "--config=run.control=false", args, "-o", "results", "a.pipe"}, strings.NewReader(""), &out, &errs)
		if (code == 0) != (want == "") || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit %d: %s", args, code, errs.String())
		}
	}
	var out, errs strings.Builder
	if code := cli.Run(cli.Options{Types: []*pipe.Type{odd}}, []string{"run", "--sites", "local", "--config", "run.errors-to=x", "a.pipe"}, strings.NewReader(""), &out, &errs); code != 2 || !strings.Contains(errs.String(), "leave --sites out, or `errors-to` of `[run]`") {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}

type oddProcess struct {
	in  *flow.In
	out *flow.Out
}

func (o *oddProcess) Setup(s *flow.Setup) error {
	o.in, o.out = s.In("number"), s.Out("number")
	return nil
}

func (o *oddProcess) Step(pipe.Step) error {
	d := o.in.Take()
	if d.Int()%2 == 1 {
		d = flow.OfError("odd")
	}
	o.out.Push(d)
	return nil
}
