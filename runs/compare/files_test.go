package compare

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// told writes each difference as one line.
func told(list []Difference) (lines []string) {
	for _, d := range list {
		lines = append(lines, d.Part+": "+d.What)
	}
	return lines
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTables(t *testing.T) {
	dir := t.TempDir()
	for i, c := range []struct{ name, a, b, want string }{
		{"x.csv", "a\nb\n", "a\nb\n", ""},
		{"x.csv", "a\nb\nc\n", "a\nB\nC\n", ": 2 of 3 rows, first row 2: `b` and `B`"},
		{"x.txt", "a\n", "a\nb\n", ": 1 and 2 rows; 1 differ"},
		{"x.txt", "a\n", "a\r\n", ": 2 of 3 bytes differ; the first is byte 1"},
		{"x.bin", "abc", "abd", ": 1 of 3 bytes differ; the first is byte 2"},
		{"x.bin", "abc", "abcd", ": 1 of 4 bytes differ; the first is byte 3"},
		{"x.png", "no picture", "no pictures", ": 1 of 11 bytes differ; the first is byte 10"},
	} {
		at := filepath.Join(dir, fmt.Sprint(i))
		if err := os.MkdirAll(at, 0o700); err != nil {
			t.Fatal(err)
		}
		list, err := Files(write(t, filepath.Join(at, c.name), c.a), write(t, filepath.Join(at, "other-"+c.name), c.b))
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		if err != nil || !slices.Equal(told(list), want) {
			t.Errorf("%q and %q: %q, %v", c.a, c.b, told(list), err)
		}
	}
}

// TestSealsDoNotCount: files that are compared by bytes are compared without their seals.
func TestSealsDoNotCount(t *testing.T) {
	var paths []string
	for _, run := range []string{"first", "another"} {
		path := filepath.Join(t.TempDir(), "x.bin")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := png.Encode(f, image.NewGray(image.Rect(0, 0, 9, 9))); err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if done, err := seal.New(seal.Seal{Run: run}).Add(f, info.Size()); !done || err != nil {
			t.Fatal(done, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	if list, err := Files(paths[0], paths[1]); err != nil || len(list) > 0 {
		t.Errorf("%q, %v", told(list), err)
	}
}

func TestPictures(t *testing.T) {
	dir := t.TempDir()
	picture := func(name string, width int, first uint8) string {
		img := image.NewGray(image.Rect(0, 0, width, 2))
		img.Set(1, 1, color.Gray{first})
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := png.Encode(f, img); err != nil {
			t.Fatal(err)
		}
		return f.Name()
	}
	deep := image.NewGray16(image.Rect(0, 0, 4, 2))
	deep.Set(1, 1, color.Gray16{13107})
	if count, level := pointsApart(image.NewGray16(deep.Rect), deep); count != 1 || level != 0.2 {
		t.Errorf("of 16 bits: %d points, by %v; want count = 1 and level = 0.2", count, level)
	}
	a := picture("a.png", 4, 0)
	for b, want := range map[string]string{
		picture("same.png", 4, 0): "", picture("b.png", 4, 51): ": 1 of 8 points differ, by at most 0.2 of the range", picture("c.png", 5, 0): ": 4 × 2 points, and 5 × 2",
	} {
		list, err := Files(a, b)
		if got := told(list); err != nil || want == "" && len(got) > 0 || want != "" && !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, %v", b, got, err)
		}
	}
}

// TestDatasets: each dataset is compared by its elements, in their type.
func TestDatasets(t *testing.T) {
	dir := t.TempDir()
	type set struct {
		name string
		t    hdf5.Type
		dims []uint64
		data []byte
	}
	file := func(name string, sets ...set) string {
		f, err := hdf5.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sets {
			d, err := f.Root().CreateDataset(s.name, s.t, hdf5.Space{Dims: s.dims}, hdf5.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Write(s.data, hdf5.Memory{}, hdf5.Slab{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	double := func(values ...float64) (b []byte) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		return b
	}
	double8 := hdf5.IEEE(8)
	a := file("a.h5",
		set{"g/field", double8, []uint64{2, 2}, double(1, 2, 3, 4)}, set{"n", hdf5.Int(1), nil, []byte{5}}, set{"gone", hdf5.Int(1), nil, []byte{5}},
		set{"shape", hdf5.Int(1), []uint64{2}, []byte{1, 2}}, set{"type", hdf5.Int(1), nil, []byte{5}}, set{"nan", double8, []uint64{2}, double(1, math.NaN())})
	b := file("b.h5",
		set{"g/field", double8, []uint64{2, 2}, double(1, 2.25, 3, 3.5)}, set{"n", hdf5.Int(1), nil, []byte{5}}, set{"new", hdf5.Int(1), nil, []byte{5}},
		set{"shape", hdf5.Int(1), []uint64{1}, []byte{1}}, set{"type", hdf5.Int(2), nil, []byte{5, 0}}, set{"nan", double8, []uint64{2}, double(1, 2)})
	list, err := Files(a, b)
	want := []string{
		"g/field: 2 of 4 elements differ, by at most 0.5", "gone: only the first has it", "nan: 1 of 2 elements differ; some of them are not numbers",
		"shape: its shapes are [2] and [1]", "type: its types are " + hdf5.Int(1).String() + " and " + hdf5.Int(2).String(), "new: only the second has it",
	}
	if err != nil || !slices.Equal(told(list), want) {
		t.Errorf("%q, %v", told(list), err)
	}
	if list[0].Largest != 0.5 {
		t.Errorf("%v; want 0.5", list[0].Largest)
	}
	if same, err := Files(a, a); err != nil || len(same) > 0 {
		t.Errorf("a file and itself: %v, %v", same, err)
	}
}

// TestSlabs: the pieces of a dataset cover it exactly once.
func TestSlabs(t *testing.T) {
	for _, dims := range [][]uint64{nil, {0}, {7}, {5, 3 << 20}, {maxElements, 3}, {3, 0}} {
		want, got := uint64(1), uint64(0)
		for _, n := range dims {
			want *= n
		}
		next := uint64(0)
		for _, s := range slabs(dims, 8) {
			n := uint64(1)
			for _, count := range s.Count {
				n *= count
			}
			got += n
			if len(dims) > 0 {
				if s.Start[0] != next {
					t.Errorf("%v: a piece begins at %d, not at %d", dims, s.Start[0], next)
				}
				next += s.Count[0]
			}
		}
		if got != want {
			t.Errorf("%v: %d elements, not %d", dims, got, want)
		}
	}
}
