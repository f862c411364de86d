package web

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/downsample"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/internal/web/results"
	"github.com/pentode-dev/pentode/run/data/hdf5"
	"github.com/pentode-dev/pentode/runs/record"
)

// file writes an HDF5 file as a result of a run.
func (t *history) file(name string, write func(root *hdf5.Group)) record.Result {
	t.Helper()
	path := filepath.Join(t.out, name)
	f, err := hdf5.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	write(f.Root())
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return record.Result{Path: name, Size: info.Size(), Time: info.ModTime(), Process: "a.pipe/b"}
}

// put writes a dataset with numbers.
func (t *history) put(g *hdf5.Group, name string, dims, chunk []uint64, value func(i int) float64) *hdf5.Dataset {
	t.Helper()
	d, err := g.CreateDataset(name, hdf5.IEEE(8), hdf5.Space{Dims: dims}, hdf5.Options{Chunk: chunk})
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 8*d.Space().Len())
	for i := range len(p) / 8 {
		binary.LittleEndian.PutUint64(p[8*i:], math.Float64bits(value(i)))
	}
	if err := d.Write(p, hdf5.Memory{}, hdf5.Slab{}); err != nil {
		t.Fatal(err)
	}
	return d
}

// values requests a slice of a dataset.
func values[T any](t *history, want int, query ...string) T {
	t.Helper()
	return get[T](t, want, "result-values", append([]string{"run", "r1", "path", "a.h5"}, query...)...)
}

// listedObjects is the maximum number of objects of a file that the page lists.
const listedObjects = 2000

// slicedAnswer is a slice as the browser gets it.
type slicedAnswer struct {
	Shape, Cells    []int
	Low, High, Mean []*float64
	Min, Max        *float64
	Read, Odd       int
	Error           string
}

func listed(p []*float64) (out []float64) {
	for _, v := range p {
		if v == nil {
			out = append(out, math.NaN())
		} else {
			out = append(out, *v)
		}
	}
	return out
}

// TestResultTree: a file has groups, datasets with types and shapes, and attributes of both.
func TestResultTree(t *testing.T) {
	h := newHistory(t)
	h.keep("r1", []record.Result{h.file("a.h5", func(root *hdf5.Group) {
		d := h.put(root, "plate/<b>heat", []uint64{2, 3, 4}, []uint64{1, 3, 4}, func(i int) float64 { return 0 })
		for _, err := range []error{
			d.SetAttribute("unit", hdf5.Text(8, hdf5.NullPad), hdf5.Space{}, []byte("kelvin\x00\x00")),
			d.SetAttribute("spacing", hdf5.IEEE(4).Big(), hdf5.Space{Dims: []uint64{2}}, binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, math.Float32bits(0.1)), math.Float32bits(2))),
			root.SetAttribute("count", hdf5.Uint(2).Big(), hdf5.Space{}, []byte{1, 2}),
			root.SetAttribute("many", hdf5.Int(1), hdf5.Space{Dims: []uint64{1000}}, slices.Repeat([]byte{255}, 1000)),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, err := root.CreateDataset("who", hdf5.Struct(12, hdf5.Member{Name: "x", Type: hdf5.IEEE(8)}, hdf5.Member{Name: "name", Offset: 8, Type: hdf5.Text(4, hdf5.NullPad)}), hdf5.Space{Dims: []uint64{5}}, hdf5.Options{}); err != nil {
			t.Fatal(err)
		}
	}), h.leave("b.h5", "no file of HDF5"), h.leave("a.txt", "x")}, nil)
	var got []string
	for _, o := range get[results.Tree](h, 200, "result-tree", "run", "r1", "path", "a.h5").Objects {
		text := o.Path
		if d := o.Dataset; d != nil {
			text += fmt.Sprintf(" %s %v %v %v %v", d.Type, d.Shape, d.Chunk, d.Members, d.Numbers)
		}
		got = append(got, text)
	}
	if want := []string{"/", "/plate", "/plate/<b>heat float64 [2 3 4] [1 3 4] [] true", "/who record of x, name [5] [] [x] false"}; !slices.Equal(got, want) {
		t.Errorf("the file has %q, want %v", got, want)
	}
	for name, want := range map[string]string{
		"/":              "[{count uint16 [] 258} {many int8 [1000] " + strings.Repeat("-1, ", 20) + "…}]",
		"/plate/<b>heat": "[{spacing float32 [2] 0.1, 2} {unit text of 8 bytes [] kelvin}]",
		"/plate":         "[]",
	} {
		if a := get[results.Attributes](h, 200, "result-attributes", "run", "r1", "path", "a.h5", "name", name); fmt.Sprint(a.Attributes) != want {
			t.Errorf("%s has %v, want %v", name, a.Attributes, want)
		}
	}
	for _, what := range []string{"result-tree", "result-attributes", "result-values"} {
		for path, want := range map[string]string{"b.h5": "cannot be read as HDF5", "a.txt": "as datasets"} {
			if no := get[map[string]string](h, 422, what, "run", "r1", "path", path, "name", "/"); !strings.Contains(no["error"], want) {
				t.Errorf("%s of %s: %v, want %q in it", what, path, no, want)
			}
		}
	}
	if no := get[map[string]string](h, 404, "result-attributes", "run", "r1", "path", "a.h5", "name", "/gone"); !strings.Contains(no["error"], "no `/gone`") {
		t.Errorf("%v, want %q in it", no, "no `/gone`")
	}
}

// TestResultTreeLimit: a file with more groups than can be shown is listed in part.
func TestResultTreeLimit(t *testing.T) {
	h := newHistory(t)
	h.keep("r1", []record.Result{h.file("a.h5", func(root *hdf5.Group) {
		for i := range listedObjects {
			if _, err := root.CreateGroup(fmt.Sprint(i)); err != nil {
				t.Fatal(err)
			}
		}
	})}, nil)
	if a := get[results.Tree](h, 200, "result-tree", "run", "r1", "path", "a.h5"); len(a.Objects) != listedObjects || !a.More {
		t.Errorf("%d objects, more: %v", len(a.Objects), a.More)
	}
}

// TestResultValues: a slice has the elements of the dataset, downsampled so that no extreme of a curve is lost.
func TestResultValues(t *testing.T) {
	h := newHistory(t)
	h.keep("r1", []record.Result{h.file("a.h5", func(root *hdf5.Group) {
		h.put(root, "cube", []uint64{3, 4, 5}, []uint64{2, 3, 2}, func(i int) float64 { return float64(i) })
		h.put(root, "flat", []uint64{4, 5}, nil, func(i int) float64 { return float64(i) / 2 })
		h.put(root, "odd", []uint64{4}, nil, func(i int) float64 { return []float64{1, math.NaN(), math.Inf(1), -3}[i] })
		h.put(root, "offset", []uint64{3}, nil, func(i int) float64 { return 101325 + float64(i)/1e6 })
		h.put(root, "long", []uint64{100_000}, nil, func(i int) float64 { return map[int]float64{777: 9, 50_001: -9}[i] })
		h.put(root, "plane", []uint64{1024, 2048}, []uint64{100, 300}, func(i int) float64 { return float64(i / 2048 / 2) })
		d, err := root.CreateDataset("who", hdf5.Struct(12, hdf5.Member{Name: "x", Type: hdf5.IEEE(8)}, hdf5.Member{Name: "name", Offset: 8, Type: hdf5.Text(4, hdf5.NullPad)}), hdf5.Space{Dims: []uint64{2}}, hdf5.Options{})
		if err == nil {
			err = d.Write([]byte("\x00\x00\x00\x00\x00\x00\xf8\x3fann\x00\x00\x00\x00\x00\x00\x00\x04\xc0bob\x00"), hdf5.Memory{}, hdf5.Slab{})
		}
		if err != nil {
			t.Fatal(err)
		}
	})}, nil)
	map2 := values[slicedAnswer](h, 200, "name", "/cube", "at", "1,0,2", "count", "1,4,3", "as", "map")
	if want := []float64{22, 23, 24, 27, 28, 29, 32, 33, 34, 37, 38, 39}; !slices.Equal(listed(map2.Mean), want) || *map2.Min != 22 || *map2.Max != 39 || map2.Read != 12 || !slices.Equal(map2.Cells, []int{4, 3}) {
		t.Errorf("a slice of three axes is %v of %+v, want %v, from 22 to 39, 12 elements read, 4 by 3 cells", listed(map2.Mean), map2, want)
	}
	if c := values[slicedAnswer](h, 200, "name", "/cube", "at", "0,1,4", "count", "3,1,1", "as", "curve"); !slices.Equal(listed(c.Low), []float64{9, 29, 49}) || !slices.Equal(listed(c.High), []float64{9, 29, 49}) {
		t.Errorf("a curve along the first axis is %v to %v, want %v in both", listed(c.Low), listed(c.High), []float64{9, 29, 49})
	}
	if c := values[slicedAnswer](h, 200, "name", "/cube", "at", "0,1,4", "count", "1,1,1", "as", "curve"); !slices.Equal(listed(c.Low), []float64{9}) {
		t.Errorf("one element is %v, want %v", listed(c.Low), []float64{9})
	}
	if d := values[slicedAnswer](h, 200, "name", "/flat", "at", "0,0", "count", "4,5", "as", "map", "other", "/flat", "other-path", "a.h5"); *d.Min != 0 || *d.Max != 0 || d.Read != 20 {
		t.Errorf("a dataset less itself is %+v", d)
	}
	if c := values[slicedAnswer](h, 200, "name", "/odd", "at", "0", "count", "4", "as", "curve"); c.Odd != 2 || *c.Min != -3 || *c.Max != 1 || c.Low[1] != nil || c.High[2] != nil {
		t.Errorf("what is no number is drawn as %v of %+v", listed(c.Low), c)
	}
	if c := values[slicedAnswer](h, 200, "name", "/offset", "at", "0", "count", "3", "as", "curve"); *c.Low[2]-*c.Low[1] < 0.9e-6 {
		t.Errorf("small differences are lost: %v", listed(c.Low))
	}
	long := values[slicedAnswer](h, 200, "name", "/long", "at", "0", "count", "100000", "as", "curve")
	if len(long.Low) != downsample.MaxCells || *long.High[777*downsample.MaxCells/100_000] != 9 || *long.Low[50_001*downsample.MaxCells/100_000] != -9 || long.Read != 100_000 || *long.Min != -9 {
		t.Errorf("the extremes of a long curve are lost: %+v", long)
	}
	plane := values[slicedAnswer](h, 200, "name", "/plane", "at", "0,0", "count", "1024,2048", "as", "map")
	if !slices.Equal(plane.Cells, []int{512, 512}) || plane.Read != 1024*2048 {
		t.Fatalf("a large map has %+v with %d read, want %v with %d", plane.Cells, plane.Read, []int{512, 512}, 1024*2048)
	}
	for i, v := range listed(plane.Mean) {
		if v != float64(i/512) {
			t.Fatalf("cell %d of a large map is %g, want %v", i, v, float64(i/512))
		}
	}
	if c := values[slicedAnswer](h, 200, "name", "/who", "member", "x", "at", "0", "count", "2", "as", "curve"); !slices.Equal(listed(c.Low), []float64{1.5, -2.5}) {
		t.Errorf("a member is %v, want %v", listed(c.Low), []float64{1.5, -2.5})
	}
	for name, want := range map[string]string{"/who": "[x name] [[1.5 ann] [-2.5 bob]]", "/offset": "[] [[101325] [101325.000001] [101325.000002]]"} {
		count := map[string]string{"/who": "2", "/offset": "3"}[name]
		if a := values[results.Table](h, 200, "name", name, "at", "0", "count", count, "as", "table"); fmt.Sprint(a.Heads, " ", a.Rows) != want {
			t.Errorf("%s as a table: %v %v, want %v", name, a.Heads, a.Rows, want)
		}
	}
	if a := values[results.Table](h, 200, "name", "/plane", "at", "0,0", "count", "1024,2048", "as", "table"); len(a.Rows) != 100 || len(a.Rows[99]) != 25 || a.Rows[99][0] != "49" {
		t.Errorf("a large table has %d rows, want 100 of 25, the last one beginning with %q", len(a.Rows), "49")
	}
	for _, c := range []struct {
		status int
		want   string
		query  []string
	}{
		{404, "no dataset `/gone`", []string{"name", "/gone"}},
		{404, "no dataset `/`", []string{"name", "/"}},
		{400, "3 whole numbers", []string{"name", "/cube", "at", "0,0", "count", "1,1,1"}},
		{400, "3 whole numbers", []string{"name", "/cube", "at", "0,0,-1", "count", "1,1,1"}},
		{400, "axis 1 has the elements 0 to 3", []string{"name", "/cube", "at", "0,2,0", "count", "1,3,1"}},
		{400, "axis 2 has the elements 0 to 4", []string{"name", "/cube", "at", "0,0,4611686018427387903", "count", "1,1,4611686018427387903"}},
		{400, "3 axes are longer", []string{"name", "/cube", "at", "0,0,0", "count", "2,2,2"}},
		{400, "`as` takes", []string{"name", "/flat", "at", "0,0", "count", "1,1"}},
		{400, "a curve needs one axis", []string{"name", "/flat", "at", "0,0", "count", "2,2", "as", "curve"}},
		{422, "cannot be drawn as numbers", []string{"name", "/who", "at", "0", "count", "1", "as", "curve"}},
		{422, "have no numeric member `name`", []string{"name", "/who", "member", "name", "at", "0", "count", "1", "as", "curve"}},
		{400, "3 whole numbers", []string{"name", "/flat", "at", "0,0", "count", "1,5", "as", "curve", "other", "/cube", "other-path", "a.h5"}},
		{404, "has no result `b.h5`", []string{"name", "/flat", "at", "0,0", "count", "1,5", "as", "curve", "other", "/flat", "other-path", "b.h5"}},
	} {
		if no := values[map[string]string](h, c.status, c.query...); !strings.Contains(no["error"], c.want) {
			t.Errorf("%q: %v, want %q in it", c.query, no, c.want)
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"/cube", "/flat", "/who", "x", "0", "1", "3", ",", "-", "18446744073709551615", "1e9", "curve", "map", "table", "\x00", "..", "/", "é", " ", "0,0,0", "1,1,1", "a.h5"}
	for range 1000 {
		var query []string
		for _, key := range []string{"name", "member", "at", "count", "as", "other", "other-path"} {
			value := ""
			for range random.IntN(4) {
				value += pieces[random.IntN(len(pieces))]
			}
			query = append(query, key, value)
		}
		w := ask(h.page, "GET", address("result-values", append(query, "run", "r1", "path", "a.h5")...), "", nil)
		if !json.Valid(w.Body.Bytes()) || w.Code != 200 && w.Code != 400 && w.Code != 404 && w.Code != 422 {
			t.Errorf("%q: %d %.200q, want an answer in JSON and status 200, 400, 404 or 422", query, w.Code, w.Body)
		}
	}
}

// TestResultValuesRandom: slices of random datasets, and differences of two slices, have the expected elements.
func TestResultValuesRandom(t *testing.T) {
	h := newHistory(t)
	random := rand.New(rand.NewPCG(5, 6))
	for range 60 {
		dims, at, count := make([]uint64, 1+random.IntN(4)), []uint64{}, []uint64{}
		chunk := func() []uint64 {
			if random.IntN(3) == 0 {
				return nil
			}
			c := make([]uint64, len(dims))
			for i, n := range dims {
				c[i] = 1 + random.Uint64N(n)
			}
			return c
		}
		for i := range dims {
			dims[i] = 1 + random.Uint64N(9)
			at, count = append(at, random.Uint64N(dims[i])), append(count, 1)
		}
		for range 2 {
			i := random.IntN(len(dims))
			at[i] = random.Uint64N(dims[i])
			count[i] = 1 + random.Uint64N(dims[i]-at[i])
		}
		h.keep("r1", []record.Result{h.file("a.h5", func(root *hdf5.Group) {
			h.put(root, "a", dims, chunk(), func(i int) float64 { return float64(i) })
			h.put(root, "b", dims, chunk(), func(i int) float64 { return float64(i % 3) })
		})}, nil)
		var one, both []float64
		element(dims, at, count, func(i int) { one, both = append(one, float64(i)), append(both, float64(i-i%3)) })
		words := func(list []uint64) string { return strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ",") }
		query := []string{"name", "/a", "at", words(at), "count", words(count), "as", "map"}
		if got := listed(values[slicedAnswer](h, 200, query...).Mean); !slices.Equal(got, one) {
			t.Fatalf("%v of %v from %v on: %v, want %v", count, dims, at, got, one)
		}
		if got := listed(values[slicedAnswer](h, 200, append(query, "other", "/b", "other-path", "a.h5")...).Mean); !slices.Equal(got, both) {
			t.Fatalf("the difference of %v of %v from %v on: %v, want %v", count, dims, at, got, both)
		}
	}
}

// element calls fn with the number of each element of a box.
func element(dims, at, count []uint64, fn func(i int)) {
	var walk func(axis, i int)
	walk = func(axis, i int) {
		if axis == len(dims) {
			fn(i)
			return
		}
		for k := range count[axis] {
			walk(axis+1, i*int(dims[axis])+int(at[axis]+k))
		}
	}
	walk(0, 0)
}

// TestResultValuesLarge: for datasets of 10 GB, with or without chunks, only the data that an answer needs are read into memory.
func TestResultValuesLarge(t *testing.T) {
	need.Slow(t)
	h := newHistory(t)
	one := func(v float64) []byte { return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)) }
	h.keep("r1", []record.Result{h.file("a.h5", func(root *hdf5.Group) {
		for _, c := range []struct {
			name  string
			dims  []uint64
			chunk []uint64
		}{{"line", []uint64{1_280_000_000}, nil}, {"plane", []uint64{40_000, 32_000}, nil}, {"cube", []uint64{1000, 1000, 1280}, []uint64{1, 500, 640}}, {"chunks", []uint64{40_000, 32_000}, []uint64{512, 512}}} {
			d, err := root.CreateDataset(c.name, hdf5.IEEE(8), hdf5.Space{Dims: c.dims}, hdf5.Options{Chunk: c.chunk})
			if err != nil {
				t.Fatal(err)
			}
			at := hdf5.Slab{Start: make([]uint64, len(c.dims)), Count: slices.Repeat([]uint64{1}, len(c.dims))}
			for range 2 { // write the first element, then the last
				if err := d.Write(one(7), hdf5.Memory{}, at); err != nil {
					t.Fatal(err)
				}
				for i, n := range c.dims {
					at.Start[i] = n - 1
				}
			}
		}
	})}, nil)
	full := need.FullSize()
	for i, c := range []struct {
		query []string
		all   bool
	}{
		{[]string{"name", "/line", "at", "0", "count", "1280000000", "as", "curve"}, false},
		{[]string{"name", "/line", "at", "1279999000", "count", "1000", "as", "curve"}, true},
		{[]string{"name", "/plane", "at", "0,0", "count", "40000,32000", "as", "map"}, false},
		{[]string{"name", "/plane", "at", "39000,31000", "count", "1000,1000", "as", "map"}, true},
		{[]string{"name", "/plane", "at", "0,31999", "count", "40000,1", "as", "curve"}, true},
		{[]string{"name", "/cube", "at", "999,0,0", "count", "1,1000,1280", "as", "map"}, true},
		{[]string{"name", "/chunks", "at", "0,0", "count", "40000,32000", "as", "map"}, false},
		{[]string{"name", "/chunks", "at", "39000,31000", "count", "1000,1000", "as", "map", "other", "/plane", "other-path", "a.h5"}, true},
	} {
		if !c.all && i > 0 && !full {
			continue // each reads millions of elements
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		a := values[slicedAnswer](h, 200, c.query...)
		runtime.ReadMemStats(&after)
		elements := a.Shape[0] * a.Shape[1]
		if a.Read > 8<<20 || a.Cells[0] > downsample.MaxCells || a.Cells[1] > downsample.MaxCells || c.all != (a.Read == elements) {
			t.Errorf("%q: %d of %d elements are read, %v cells; want at most %d read, all of them: %v, and at most %d cells each way", c.query, a.Read, elements, a.Cells, 8<<20, c.all, downsample.MaxCells)
		}
		if c.all && *a.Max != 7 && c.query[1] != "/chunks" {
			t.Errorf("%q: the largest element is %g, want 7", c.query, *a.Max)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 512<<20 {
			t.Errorf("%q takes %d MB of memory, want at most %v", c.query, took>>20, 512<<20)
		}
	}
}
