package netcdf

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// TestManyVariables checks a dimension with more variables than its scale can list. Other libraries and this package must be
// able to read and extend the file.
func TestManyVariables(t *testing.T) {
	need.Slow(t) // it makes a full list of variables, and others read and change them all
	const n = maxUsers + 50
	path := filepath.Join(t.TempDir(), "many.nc")
	h, err := Create(path)
	must(t, err)
	name := func(i int) string { return fmt.Sprintf("v%04d", i) }
	add := func(i int) {
		d, _, err := Define(h, name(i), Shape{Type: hdf5.Int(4), Dimensions: []Dimension{{Name: "t", Unlimited: true}}})
		must(t, err)
		must(t, Grow(h, d, []uint64{uint64(1 + min(i/2000, 1))}))
		must(t, d.Write(putNumbers(int32(i)), hdf5.Memory{}, hdf5.Slab{Start: []uint64{uint64(min(i/2000, 1))}, Count: []uint64{1}}))
	}
	for i := range n - 1 {
		add(i)
	}
	must(t, h.Close())
	h, err = hdf5.OpenRW(path)
	must(t, err)
	add(n - 1) // to a list that is full
	for i := 0; i < n; i += 500 {
		d, err := Variable(h, name(i))
		must(t, err)
		if !slices.Equal(d.Space().Dims, []uint64{2}) {
			t.Fatalf("`%s` has the shape %v, want %v", name(i), d.Space().Dims, []uint64{2})
		}
	}
	must(t, h.Close())
	check := func(length int, last string) {
		t.Helper()
		out := run(t, need.Program(t, "ncdump"), "-v", "v0000,v1999,v2000,"+name(n-1), path)
		for _, want := range []string{fmt.Sprintf("t = UNLIMITED ; // (%d currently)", length), "v0000 = 0, _", "v1999 = 1999, _", "v2000 = _, 2000", fmt.Sprintf("v%d = _, %[1]d%s", n-1, last)} {
			if !strings.Contains(out, want) {
				t.Errorf("ncdump does not say `%s`", want)
			}
		}
		if got := strings.Count(out, "int v"); got != n {
			t.Errorf("ncdump shows %d variables, want %v", got, n)
		}
	}
	run(t, need.Program(t, "h5dump"), "-d", name(n-1), path)
	python := need.Python(t, "netCDF4", "h5py")
	run(t, python, "-c", `
import h5py, netCDF4, sys
with h5py.File(sys.argv[1]) as f:
    assert f[sys.argv[2]].dims[0][0] == f["t"]
    assert len(f["t"].attrs["REFERENCE_LIST"]) == 4000
with netCDF4.Dataset(sys.argv[1], "a") as f:
    f[sys.argv[2]][2] = 7
    for i in range(100):
        f.createVariable("w%d" % i, "i4", ("t",))[2] = i`, path, name(n-1))
	check(3, ", 7 ;")
	h, err = hdf5.OpenRW(path) // whose list is now longer than we would make it
	must(t, err)
	d, _, err := Define(h, "ours", Shape{Type: hdf5.Int(4), Dimensions: []Dimension{{Name: "t", Unlimited: true}}})
	must(t, err)
	must(t, Grow(h, d, []uint64{4}))
	w, err := Variable(h, "w99")
	must(t, err)
	if !slices.Equal(w.Space().Dims, []uint64{4}) {
		t.Errorf("`w99` has the shape %v, want %v", w.Space().Dims, []uint64{4})
	}
	must(t, h.Close())
	check(4, ", 7, _ ;")
}
