package cli_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// program builds the real program, once.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "pentode")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "pentode")
	out, err := exec.Command("go", "build", "-o", path, "../../cmd/pentode").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, nil
})

// started runs the program in an empty folder and returns the folder.
func started(t *testing.T, args ...string) (dir, output string, err error) {
	t.Helper()
	if _, missing := exec.LookPath("go"); missing != nil {
		if os.Getenv("PENTODE_REQUIRE") == "1" {
			t.Fatal("`go` is not installed")
		}
		t.Skip("`go` is not installed")
	}
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	state, err := os.MkdirTemp("", "run") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(state) })
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+state)
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	err = cmd.Run()
	return dir, b.String(), err
}

// TestRunTheExample runs the whole example: five files in, pictures, data and
// traces out.
func TestRunTheExample(t *testing.T) {
	heat, err := filepath.Abs("../../examples/heat")
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadDir(heat)
	if err != nil {
		t.Fatal(err)
	}
	dir, output, err := started(t, "run", heat)
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for _, line := range []string{"west (rank 0) finished after 105 steps", "east (rank 1) finished after 105 steps", "results in heat-out:", "plate_01.png … plate_21.png"} {
		if !strings.Contains(output, line) {
			t.Errorf("the output has no %q\n%s", line, output)
		}
	}
	for rank, part := range []string{"west", "east"} {
		t.Run(part, func(t *testing.T) {
			out := filepath.Join(dir, "heat-out", part)
			lookAtPictures(t, out)
			lookAtData(t, filepath.Join(out, "heat.h5"), uint32(rank))
			lookAtTrace(t, filepath.Join(out, "trace.json"), 1)
		})
	}
	lookAtTrace(t, filepath.Join(dir, "heat-out", "trace.json"), 2)
	if west, east := read(t, dir, "heat-out/west/plate_21.png"), read(t, dir, "heat-out/east/plate_21.png"); bytes.Equal(west, east) {
		t.Error("both parts of the plate look the same")
	}
	if after, err := os.ReadDir(heat); err != nil || len(after) != len(before) {
		t.Errorf("the run left something in its folder: %v, %v", after, err)
	}
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func lookAtPictures(t *testing.T, dir string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "plate_*.png"))
	if err != nil || len(paths) != 21 {
		t.Fatalf("there are %d pictures", len(paths))
	}
	for _, path := range paths {
		img, err := png.Decode(bytes.NewReader(read(t, path)))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if b := img.Bounds(); b.Dx() != 384 || b.Dy() != 288 {
			t.Errorf("%s has %d by %d pixels", path, b.Dx(), b.Dy())
		}
	}
}

func lookAtData(t *testing.T, path string, rank uint32) {
	t.Helper()
	f, err := hdf5.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := map[string]string{"temperature": "[5 96 128]", "rank": "[]"}
	for step := 0; step <= 400; step += 100 {
		want[fmt.Sprintf("mean_at_%04d", step)] = "[]"
	}
	for name, dims := range want {
		d, err := f.Root().Dataset(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := fmt.Sprint(d.Space().Dims); got != dims {
			t.Errorf("%s has the size %s, want %s", name, got, dims)
		}
	}
	d, err := f.Root().Dataset("rank")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := d.ReadAll(hdf5.Int(4)); err != nil || len(got) != 4 || binary.NativeEndian.Uint32(got) != rank {
		t.Errorf("the rank is %v, %v", got, err)
	}
}

// event is one of a trace, as the format of Chrome and Perfetto has it.
type event struct {
	Name  string   `json:"name"`
	Phase string   `json:"ph"`
	PID   *int     `json:"pid"`
	TID   *int     `json:"tid"`
	Time  *float64 `json:"ts"`
	Took  *float64 `json:"dur"`
	Args  struct {
		Name string `json:"name"`
	} `json:"args"`
}

// lookAtTrace checks the rules of the format: complete events have a time, a
// duration and a track; every process of the pipeline has a track for each
// rank, and there are events on it.
func lookAtTrace(t *testing.T, path string, ranks int) {
	t.Helper()
	var trace struct {
		Unit   string  `json:"displayTimeUnit"`
		Events []event `json:"traceEvents"`
	}
	if err := json.Unmarshal(read(t, path), &trace); err != nil {
		t.Fatal(err)
	}
	type track struct{ pid, tid int }
	tracks, used := map[track]string{}, map[string]int{}
	for _, e := range trace.Events {
		if e.PID == nil || e.TID == nil {
			t.Fatalf("%s has no track", e.Name)
		}
		at := track{*e.PID, *e.TID}
		switch e.Phase {
		case "M":
			if e.Name == "thread_name" {
				tracks[at] = e.Args.Name
			}
		case "X":
			if e.Time == nil || e.Took == nil || *e.Time < 0 || *e.Took < 0 {
				t.Fatalf("%s has no time", e.Name)
			}
			used[tracks[at]]++
		default:
			t.Errorf("there is an event of the phase %q", e.Phase)
		}
	}
	names := map[string]int{}
	for _, name := range tracks {
		names[name]++
	}
	if want := map[string]int{"measure": ranks, "paint": ranks, "pictures": ranks, "solver": ranks, "store": ranks}; !maps.Equal(names, want) {
		t.Errorf("the tracks are %v, want %v", names, want)
	}
	if used["solver"] < 21*ranks || used["store"] < 21*ranks || used[""] > 0 {
		t.Errorf("events by track: %v", used)
	}
}
