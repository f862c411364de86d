package netcdf

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

func TestCheckName(t *testing.T) {
	for name, want := range map[string]string{
		"x": "", "_x": "", "9 lives": "", "größe": "", "a+b@c": "",
		"":                       "`` is not a netCDF name: it is empty",
		" x":                     "` x` is not a netCDF name: it begins with neither a letter, a digit nor `_`",
		"-x":                     "`-x` is not a netCDF name: it begins with neither a letter, a digit nor `_`",
		"x ":                     "`x ` is not a netCDF name: it ends with a blank",
		"a/b":                    "`a/b` is not a netCDF name: it contains '/', which is not allowed",
		"a\tb":                   "`a\tb` is not a netCDF name: it contains '\\t', which is not allowed",
		"\xff":                   "`\xff` is not a netCDF name: it is not UTF-8",
		strings.Repeat("x", 257): "`" + strings.Repeat("x", 40) + "…` is not a netCDF name: it has 257 bytes, at most 256 are allowed",
	} {
		got := ""
		if err := CheckName(name); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("`%s`: got %s, expected %s", name, got, want)
		}
	}
}

// TestExplain checks that the error names a classic file as such, and that other errors stay unchanged.
func TestExplain(t *testing.T) {
	dir, other := t.TempDir(), errors.New("no HDF5")
	for content, want := range map[string]string{
		"CDF\x01rest": "it is a classic netCDF file (CDF-1), which is not supported: convert it with `nccopy -k nc4`",
		"CDF\x05":     "it is a classic netCDF file (CDF-5), which is not supported: convert it with `nccopy -k nc4`",
		"CDX\x01":     "no HDF5", "CD": "no HDF5",
	} {
		path := filepath.Join(dir, "a.nc")
		must(t, os.WriteFile(path, []byte(content), 0o666))
		if got := Explain(path, other); got.Error() != want {
			t.Errorf("got %v, expected %s", got, want)
		}
	}
	if got := Explain(filepath.Join(dir, "none"), other); got != other {
		t.Errorf("got %v, want %v", got, other)
	}
}

func TestRefused(t *testing.T) {
	h, err := Create(filepath.Join(t.TempDir(), "a.nc"))
	must(t, err)
	defer h.Close()
	of := func(dims ...Dimension) Shape { return Shape{Type: hdf5.Int(4), Dimensions: dims} }
	_, _, err = Define(h, "g/v", of(Dimension{Name: "x", Size: 3}, Dimension{Name: "t", Unlimited: true}))
	must(t, err)
	must(t, h.Root().DefineType("point", hdf5.Struct(4, hdf5.Member{Name: "x", Type: hdf5.Int(4)})))
	for path, c := range map[string]struct {
		shape Shape
		want  string
	}{
		"g/w":     {of(Dimension{Name: "x", Size: 4}), "variable `g/w`: dimension `x` has 3 elements in the file, not 4"},
		"g/in/w":  {of(Dimension{Name: "x", Unlimited: true}), "variable `g/in/w`: dimension `x` has 3 elements in the file and cannot grow"},
		"g/-":     {of(), "`-` is not a netCDF name: it begins with neither a letter, a digit nor `_`"},
		"g/w2":    {of(Dimension{Name: "", Size: 4}), "variable `g/w2`: `` is not a netCDF name: it is empty"},
		"-/w":     {of(), "`-` is not a netCDF name: it begins with neither a letter, a digit nor `_`"},
		"w3":      {of(Dimension{Name: "point", Size: 4}), "variable `w3`: dimension `point`: a group or a type has its name"},
		"g/v/w":   {of(), "`/g/v` is not a group"},
		"g/v/w/x": {of(), "`/g/v` is not a group"},
	} {
		if _, _, err := Define(h, path, c.shape); err == nil || err.Error() != c.want {
			t.Errorf("got %v, expected %s", err, c.want)
		}
	}
	// A dimension of the group itself hides one of an outer group.
	_, _, err = Define(h, "g/in/v", of(Dimension{Name: "y", Size: 7}))
	must(t, err)
	_, _, err = Define(h, "g/w4", of(Dimension{Name: "y", Size: 8}))
	must(t, err)
	for _, path := range []string{"g/x", "none", "g/t", "none/v"} {
		if _, err := Variable(h, path); err == nil {
			t.Errorf("`%s` is a variable, want one", path)
		}
	}
}

// TestPlainFile checks that no variables can be added to a file of a program that writes only HDF5, and that its datasets
// can be read.
func TestPlainFile(t *testing.T) {
	h, err := hdf5.Create(filepath.Join(t.TempDir(), "a.h5"))
	must(t, err)
	defer h.Close()
	_, err = h.Root().CreateDataset("d", hdf5.Int(4), hdf5.Space{Dims: []uint64{2}}, hdf5.Options{})
	must(t, err)
	if _, _, err := Define(h, "v", Shape{Type: hdf5.Int(4)}); err == nil || !strings.Contains(err.Error(), "does not keep the creation order") {
		t.Errorf("got %v", err)
	}
	if d, err := Variable(h, "d"); err != nil || !slices.Equal(d.Space().Dims, []uint64{2}) {
		t.Errorf("got %v", err)
	}
}

// TestChunks checks that chunks are neither huge nor tiny, and fit the shape.
func TestChunks(t *testing.T) {
	for _, c := range []struct{ dims, limit, want []uint64 }{
		{[]uint64{100}, nil, []uint64{100}},
		{[]uint64{1 << 20, 8}, nil, []uint64{1 << 16, 8}},
		{[]uint64{3, 1 << 30}, nil, []uint64{3, 1 << 17}},
		{[]uint64{0}, []uint64{hdf5.Unlimited}, []uint64{8192}},
		{[]uint64{0, 8, 8}, []uint64{hdf5.Unlimited, 8, 8}, []uint64{128, 8, 8}},
		{[]uint64{0, 1024, 1024}, []uint64{hdf5.Unlimited, 1024, 1024}, []uint64{1, 512, 1024}},
		{[]uint64{8, 0}, []uint64{8, hdf5.Unlimited}, []uint64{8, 1024}},
	} {
		if got := chooseChunk(hdf5.Space{Dims: c.dims, MaxDims: c.limit}, 8); !slices.Equal(got, c.want) {
			t.Errorf("%v: got %v, expected %v", c.dims, got, c.want)
		}
	}
}

// TestTheirs reads a file of libnetcdf, adds to it and lets it grow; libnetcdf must then be able to read all of it.
func TestTheirs(t *testing.T) {
	dir := t.TempDir()
	cdl, path := filepath.Join(dir, "in.cdl"), filepath.Join(dir, "in.nc")
	must(t, os.WriteFile(cdl, []byte(`netcdf in {
dimensions: time = UNLIMITED ; lat = 3 ;
variables:
  int a(time, lat) ; int b(time) ; double lat(lat) ; int time(time) ; int c(lat) ;
data: a = 1, 2, 3, 4, 5, 6 ; b = 7 ; lat = 1.5, 2.5, 3.5 ;
group: g { dimensions: z = 2 ; variables: int z ; int lat(z) ; data: z = 9 ; lat = 4, 5 ; }
}`), 0o666))
	run(t, need.Program(t, "ncgen"), "-4", "-o", path, cdl)
	h, err := hdf5.OpenRW(path)
	must(t, err)
	b, err := Variable(h, "b")
	must(t, err)
	if !slices.Equal(b.Space().Dims, []uint64{2}) {
		t.Errorf("`b` has the shape %v, want %v", b.Space().Dims, []uint64{2})
	}
	z, err := Variable(h, "/g/z")
	must(t, err)
	value := make([]byte, 4)
	must(t, z.Read(value, hdf5.Memory{}, hdf5.Slab{}))
	if value[0] != 9 {
		t.Errorf("`z` is %d, want 9", value)
	}
	must(t, Grow(h, b, []uint64{4}))
	must(t, b.Write(putNumbers(8), hdf5.Memory{}, hdf5.Slab{Start: []uint64{3}, Count: []uint64{1}}))
	d, _, err := Define(h, "g/more", Shape{Type: hdf5.Int(4), Dimensions: []Dimension{{Name: "time", Unlimited: true}, {Name: "lat", Size: 3}, {Name: "new", Size: 1}}})
	must(t, err)
	must(t, Grow(h, d, []uint64{1, 3, 1}))
	must(t, d.Write(putNumbers(1, 2, 3), hdf5.Memory{}, hdf5.Slab{}))
	must(t, h.Close())
	out := run(t, need.Program(t, "ncdump"), path)
	for _, want := range []string{
		"time = UNLIMITED ; // (4 currently)", "b = 7, _, _, 8 ;", "time = _, _, _, _ ;", "lat = 1.5, 2.5, 3.5 ;", "c = _, _, _ ;",
		"int more(time, lat, new) ;", "\tnew = 1 ;", "lat = 4, 5 ;",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("ncdump does not say `%s`:\n%s", want, out)
		}
	}
	run(t, need.Program(t, "nccopy"), path, filepath.Join(dir, "copy.nc"))
}

// TestDeletedVariable checks that other variables of a dimension can be read after another program has deleted one of them.
func TestDeletedVariable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.nc")
	h, err := Create(path)
	must(t, err)
	for _, name := range []string{"a", "b"} {
		d, _, err := Define(h, name, Shape{Type: hdf5.Int(4), Dimensions: []Dimension{{Name: "t", Unlimited: true}}})
		must(t, err)
		must(t, Grow(h, d, []uint64{2}))
	}
	must(t, h.Root().Delete("b"))
	d, err := Variable(h, "a")
	must(t, err)
	if !slices.Equal(d.Space().Dims, []uint64{2}) {
		t.Errorf("it has the shape %v, want %v", d.Space().Dims, []uint64{2})
	}
	must(t, h.Close())
}

// TestGrownInC lets a program with libnetcdf extend and redefine our file and write a part of it to another one. We must
// be able to read both, and to let the first grow again.
func TestGrownInC(t *testing.T) {
	grow, dir := build(t, "grow.c"), t.TempDir()
	path, part := filepath.Join(dir, "ours.nc"), filepath.Join(dir, "part.nc")
	h, err := Create(path)
	must(t, err)
	v, _, err := Define(h, "g/v", Shape{Type: hdf5.Int(4), Dimensions: []Dimension{{Name: "t", Unlimited: true}, {Name: "x", Size: 3}}})
	must(t, err)
	must(t, SetText(v.Object, "old", "gone"))
	must(t, Grow(h, v, []uint64{2, 3}))
	must(t, v.Write(putNumbers(1, 2, 3, 4, 5, 6), hdf5.Memory{}, hdf5.Slab{}))
	must(t, h.Close())
	run(t, grow, path, part)
	rows := putNumbers(1, 2, 3, 4, 5, 6, 7, 8, 9)
	for file, name := range map[string]string{path: "g/renamed", part: "renamed"} {
		h, err := hdf5.OpenRW(file)
		must(t, err)
		v, err := Variable(h, name)
		must(t, err)
		have := make([]byte, len(rows))
		if !slices.Equal(v.Space().Dims, []uint64{3, 3}) {
			t.Fatalf("`%s` has the shape %v, want %v", name, v.Space().Dims, []uint64{3, 3})
		}
		must(t, v.Read(have, hdf5.Memory{}, hdf5.Slab{}))
		note, err := textOf(v, "note")
		must(t, err)
		if !slices.Equal(have, rows) || note != "hello" {
			t.Errorf("`%s` has %v and the note `%s`, want have = %v and note = %q", name, have, note, rows, "hello")
		}
		must(t, Grow(h, v, []uint64{4, 3}))
		must(t, v.Write(putNumbers(10, 11, 12), hdf5.Memory{}, hdf5.Slab{Start: []uint64{3, 0}, Count: []uint64{1, 3}}))
		must(t, h.Close())
	}
	out := run(t, need.Program(t, "ncdump"), path)
	for _, want := range []string{"t = UNLIMITED ; // (4 currently)", "10, 11, 12 ;", "added = 0.5, 1.5, 2.5, _ ;", `renamed:note = "hello" ;`} {
		if !strings.Contains(out, want) || strings.Contains(out, "gone") {
			t.Errorf("ncdump does not say `%s`:\n%s", want, out)
		}
	}
}
