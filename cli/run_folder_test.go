package cli_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// built returns the path of the program, which plans can start: TestMain puts its commands on the
// search path.
func built(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("pentode")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// started runs the program in an empty folder and returns the folder and the output.
func started(t *testing.T, args ...string) (dir, output string, err error) {
	t.Helper()
	path := built(t)
	dir = t.TempDir()
	state, err := os.MkdirTemp("", "run") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(state) })
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+state, "XDG_STATE_HOME="+state, noRaceNap)
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	err = cmd.Run()
	return dir, b.String(), err
}

// TestRunTheExample runs the whole example: five input files give pictures, data and traces.
func TestRunTheExample(t *testing.T) {
	heat, err := filepath.Abs("../examples/heat")
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
	samePictures(t, filepath.Join(dir, "heat-out"))
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
		t.Fatalf("there are %d pictures, want err nil and len(paths) = 21", len(paths))
	}
	for _, path := range paths {
		img, err := png.Decode(bytes.NewReader(read(t, path)))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if b := img.Bounds(); b.Dx() != 384 || b.Dy() != 384 {
			t.Errorf("%s has %d by %d pixels, want b.Dx() = 384 and b.Dy() = 384", path, b.Dx(), b.Dy())
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
	want := map[string]string{"temperature": "[5 128 128]", "rank": "[]"}
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
	got := make([]byte, 4)
	if err := d.Read(got, hdf5.Memory{Type: hdf5.Int(4)}, hdf5.Slab{}); err != nil || binary.NativeEndian.Uint32(got) != rank {
		t.Errorf("the rank is %v, %v", got, err)
	}
}

// samePictures checks that the pictures in the documentation show what the example paints, its two
// parts put together.
func samePictures(t *testing.T, out string) {
	t.Helper()
	root := golden.Root(t)
	t.Chdir(t.TempDir())
	for _, part := range []string{"west", "east"} {
		names, err := filepath.Glob(filepath.Join(out, part, "*.png"))
		if err != nil {
			t.Fatal(err)
		}
		write(t, part+".txt", strings.Join(names, "\n")+"\n")
	}
	if code, _, errs := pentode(t, "run", filepath.Join(root, "examples", "heat", "whole", "whole.pipe")); code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	for shown, made := range map[string]string{"plate.png": "whole_21.png", "plate_sheet.png": "sheet_01.png"} {
		have, want := decode(t, made), decode(t, filepath.Join(root, "docs", "pictures", shown))
		if !reflect.DeepEqual(have, want) {
			t.Errorf("docs/pictures/%s is not %s of the example", shown, made)
		}
	}
}

// lookAtTrace checks the joined trace of the example: every process of the
// pipeline has a row for each rank, with events.
func lookAtTrace(t *testing.T, path string, ranks int) {
	t.Helper()
	trace := readTrace(t, path)
	names := map[string]int{}
	for _, name := range trace.Tracks {
		names[name]++
	}
	if want := map[string]int{"measure": ranks, "paint": ranks, "pictures": ranks, "solver": ranks, "store": ranks}; !maps.Equal(names, want) {
		t.Errorf("the rows are %v, want %v", names, want)
	}
	for _, name := range []string{"solver", "store"} {
		if n := trace.Count("flow_step", name); n < 21*ranks {
			t.Errorf("%s has %d steps, want at least %v", name, n, 21*ranks)
		}
	}
}
