package cli_test

import (
	"encoding/binary"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// printer is a process whose program prints one array of 2 × 3 cells.
const (
	printer = "process prog :: exec\n  command = sh prog.sh\n"
	prints  = "read line\necho '{\"field\": [[0, 20, 40], [60, 80.5, 100]]}'\n"
)

// planeTree is a tree that writes such an array to a file.
const planeTree = `logging: off
data: { field: { type: array, subtype: double, size: [2, 3] } }
plugins: { decl_hdf5: { file: plane.h5, write: [field] } }
`

// toTree connects the process to the tree, and toPicture to a painter.
const (
	toTree    = "process store :: expose\n  spec = a.yml\nconnect from prog.field to store.field\n"
	toPicture = "process paint :: colormap\n  scale = 1\nprocess out :: image_writer\n  file_name_template = p%d.png\nconnect from prog.field to paint.field\nconnect from paint.image to out.image\n"
)

// writeFolder writes files into an empty folder and makes it the working directory.
func writeFolder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// ownArrays checks a pipeline whose arrays come from another program, expecting no findings, and runs
// it.
func ownArrays(t *testing.T, files map[string]string) {
	t.Helper()
	writeFolder(t, files)
	for _, args := range [][]string{{"check", "."}, {"run", "a.pipe"}} {
		if code, out, errs := pentode(t, args...); code != 0 || args[0] == "check" && !strings.Contains(out+errs, "no findings") {
			t.Fatalf("%s ends with %d\n%s%s", args, code, out, errs)
		}
	}
}

// TestArrayOfAProgramIntoATree: an array that a program prints is stored in the file unchanged.
func TestArrayOfAProgramIntoATree(t *testing.T) {
	need.Program(t, "sh", "-c", "")
	ownArrays(t, map[string]string{"a.pipe": printer + toTree, "a.yml": planeTree, "prog.sh": prints})
	samePlane(t, "plane.h5", []float64{0, 20, 40, 60, 80.5, 100})
}

// samePlane checks that a file contains the expected 2 × 3 numbers.
func samePlane(t *testing.T, path string, want []float64) {
	t.Helper()
	if have := storedNumbers(t, path, "field", "[2 3]"); !slices.Equal(have, want) {
		t.Errorf("the file has %v, want %v", have, want)
	}
}

// storedNumbers reads the numbers of a dataset, which must have the given extents.
func storedNumbers(t *testing.T, path, dataset, extents string) []float64 {
	t.Helper()
	f, err := hdf5.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := f.Root().Dataset(dataset)
	if err != nil {
		t.Fatal(err)
	}
	count := uint64(1)
	for _, n := range d.Space().Dims {
		count *= n
	}
	if got := fmt.Sprint(d.Space().Dims); got != extents {
		t.Fatalf("the dataset has the extents %s, want %s", got, extents)
	}
	memory, numbers := make([]byte, 8*count), make([]float64, count)
	if err := d.Read(memory, hdf5.Memory{Type: hdf5.IEEE(8)}, hdf5.Slab{}); err != nil {
		t.Fatal(err)
	}
	if _, err := binary.Decode(memory, binary.LittleEndian, numbers); err != nil {
		t.Fatal(err)
	}
	return numbers
}

// TestArrayOfAProgramPainted: arrays printed by a program, and numpy arrays of any type, give the same
// picture.
func TestArrayOfAProgramPainted(t *testing.T) {
	need.Program(t, "sh", "-c", "")
	root := golden.Root(t)
	ownArrays(t, map[string]string{"a.pipe": printer + toPicture, "prog.sh": prints})
	want := pictureOf(t, "p1.png")
	if len(want) != 6 || want[0] != "8 8 32" || want[5] != "255 245 190" {
		t.Fatalf("the picture has %q", want)
	}
	python := need.Python(t, "numpy")
	t.Setenv("PENTODE_PYTHON", python)
	kinds := []string{"float64", "float32", "float16"}
	if !need.Full() {
		kinds = kinds[:1]
	}
	for _, kind := range kinds {
		class := "import numpy\nfrom pentode import Complete, Process, port\n\nclass Source(Process):\n    field = port.output(\"array:" + kind + ":2\")\n\n    def step(self):\n" +
			"        self.complete()\n        return numpy.array([[0, 60], [20, 80.5], [40, 100]], dtype=numpy." + kind + ").T\n"
		pipe := "process prog :: python\n  class = own.Source\n  path = " + filepath.Join(root, "python") + "\n" + toPicture + toTree
		ownArrays(t, map[string]string{"a.pipe": pipe, "own.py": class, "a.yml": planeTree})
		if have := pictureOf(t, "p1.png"); fmt.Sprint(have) != fmt.Sprint(want) {
			t.Errorf("%s is painted %q, want %q", kind, have, want)
		}
		samePlane(t, "plane.h5", []float64{0, 20, 40, 60, 80.5, 100})
	}
}

// pictureOf returns the colours of a picture, row by row.
func pictureOf(t *testing.T, name string) (list []string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, _ := img.At(x, y).RGBA()
			list = append(list, fmt.Sprint(r>>8, g>>8, b>>8))
		}
	}
	return list
}

// TestArraysThatDoNotFit: an array of the wrong size, which `check` cannot know about, makes the run
// fail with a clear message.
func TestArraysThatDoNotFit(t *testing.T) {
	need.Program(t, "sh", "-c", "")
	for answer, want := range map[string]string{
		"[[1, 2], [3, 4], [5, 6]]": "`field`: an array of 3 × 2 int64 arrives, but the tree declares 2 × 3: its axes are in reverse order",
		"[[1, 2], [3]]":            "`field`: a list that is not an array arrives, but the tree declares",
		"7":                        "`field`: a number arrives, but the tree declares",
	} {
		writeFolder(t, map[string]string{"a.pipe": printer + toTree, "a.yml": planeTree, "prog.sh": strings.Replace(prints, "[[0, 20, 40], [60, 80.5, 100]]", answer, 1)})
		if code, _, errs := pentode(t, "run", "a.pipe"); code == 0 || !strings.Contains(errs, want) || strings.Contains(errs, "interface") {
			t.Errorf("%s ends with %d: %s\nwant %s", answer, code, errs, want)
		}
	}
}
