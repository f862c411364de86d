package declnetcdf_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data"
)

// grow is a Python script that extends our file with libnetcdf and rewrites it with xarray.
const grow = `
import netCDF4, sys, xarray
with netCDF4.Dataset(sys.argv[1], "a") as f:
    v = f["out/field"]
    assert v.shape == (4, 4, 2) and v[3, 1, 0] == 302 and v[2].mask.all(), v[:]
    assert v.units == "K" and f["out"].title == "heat" and v.filters()["complevel"] == 2
    assert f["particle"][...]["cell"]["j"].tolist() == [1, -2, 3]
    assert f["letters"][:].tobytes() == b"abcd\0f"
    v[4] = 400.5
    f["time"][4] = 2.0
    v.note = "grüße"
    v.last = [9]
    new = f.createVariable("added", "f4", ("time",), zlib=True)
    new[:] = range(5)
    f.createGroup("theirs").createVariable("one", "i8", ())[...] = 42
with xarray.open_dataset(sys.argv[1], group="out", decode_times=False) as d:
    assert d.field.shape == (5, 4, 2) and float(d.field[4, 0, 0]) == 400.5 and d.field.attrs["units"] == "K"
    d.to_netcdf(sys.argv[2])
with xarray.open_dataset(sys.argv[1], decode_times=False) as d:
    assert d.time.values.tolist()[3:] == [1.5, 2.0], d.time
    assert "added" in d and d.added.dims == ("time",)
`

// TestOthersGrow lets other programs open, extend and rewrite our files; we must be able to read the results and
// extend them again.
func TestOthersGrow(t *testing.T) {
	need.Slow(t)
	python := need.Python(t, "netCDF4", "xarray")
	dir := t.TempDir()
	s, err := start(t, dir, series, nil, data.Documented)
	must(t, err)
	writeSeries(t, s, 0, 1, 3)
	must(t, s.Close())
	path, rewritten := filepath.Join(dir, "2.nc"), filepath.Join(dir, "rewritten.nc")
	script := filepath.Join(dir, "grow.py")
	must(t, os.WriteFile(script, []byte(grow), 0o666))
	if out, err := exec.Command(python, script, path, rewritten).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command(need.Program(t, "nccopy"), "-d1", path, filepath.Join(dir, "copy.nc")).CombinedOutput(); err != nil {
		t.Fatalf("nccopy: %v\n%s", err, out)
	}
	const read = `
metadata: {note: {type: array, subtype: char, size: 10}, n: int}
data: {slab: {type: array, subtype: float, size: [4, 2]}, one: int64, size: {type: array, subtype: int, size: 3}, added: {type: array, subtype: float, size: 5}}
plugins:
  decl_netcdf:
    - file: '@/FILE'
      on_event: read
      variables: {FIELD: {attributes: {note: $note}}}
      read:
        slab: {variable: FIELD, variable_selection: {start: [4, 0, 0], subsize: [1, 4, 2]}}
        size: {size_of: FIELD}
        one: {variable: theirs/one, when: $n}
        added: {when: $n}
`
	for file, field := range map[string]string{"2.nc": "out/field", "copy.nc": "out/field", "rewritten.nc": "field"} {
		s, err := start(t, dir, strings.NewReplacer("FILE", file, "FIELD", field).Replace(read), nil, data.Documented)
		must(t, err)
		n := int32(0)
		if file != "rewritten.nc" {
			n = 1
		}
		slab, one, size, added, note := make([]float32, 8), int64(0), make([]int32, 3), make([]float32, 5), [10]byte{}
		must(t, s.Expose("n", &n, data.Out), s.MultiExpose("read", data.Item{Name: "note", Value: &note, Access: data.InOut}, data.Item{Name: "slab", Value: slab, Access: data.In},
			data.Item{Name: "one", Value: &one, Access: data.In}, data.Item{Name: "size", Value: size, Access: data.In}, data.Item{Name: "added", Value: added, Access: data.In}), s.Close())
		if slab[7] != 400.5 || !slices.Equal(size, []int32{5, 4, 2}) || n == 1 && (one != 42 || added[4] != 4) || string(note[:7]) != "grüße" {
			t.Errorf("%s: got %v, %d, %v, %v, %q; want a slab that ends with 400.5, the size [5 4 2], 42 and 4 at its end where n is 1 (it is %d), and %q", file, slab, one, size, added, note, n, "grüße")
		}
	}
	s, err = start(t, dir, series, nil, data.Documented)
	must(t, err)
	writeSeries(t, s, 2, 4)
	must(t, s.Close())
	contains(t, dump(t, path), "time = UNLIMITED ; // (5 currently)", "time = 0, 0.5, 1, 1.5, 2 ;", "added = 0, 1, 2, 3, 4 ;", `string field:note = "grüße" ;`, "field:last = 4 ;", "one = 42 ;")
}

const texts = `
import netCDF4, sys
with netCDF4.Dataset(sys.argv[1], "w") as f:
    f.createDimension("n", 3)
    f.createDimension("t", None)
    names = f.createVariable("names", str, ("n",))
    names[0], names[2] = "alpha", "größe"
    log = f.createGroup("run").createVariable("log", str, ("t", "n"), zlib=False)
    log[2, 1] = "entry"
    f.createVariable("one", str, ())[...] = "a text"
`

// TestTexts reads variables with texts of variable length into arrays of characters, as far as there is room.
func TestTexts(t *testing.T) {
	python := need.Python(t, "netCDF4")
	dir := t.TempDir()
	if out, err := exec.Command(python, "-c", texts, filepath.Join(dir, "a.nc")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s, err := start(t, dir, `
data:
  names: {type: array, subtype: char, size: [3, 7]}
  last: {type: array, subtype: char, size: [2, 5]}
  one: {type: array, subtype: char, size: 8}
  short: {type: array, subtype: char, size: [3, 6]}
  part: {type: array, subtype: char, size: [3, 9], subsize: [3, 8], start: [0, 1]}
  letter: char
  number: {type: array, subtype: int, size: 3}
plugins:
  decl_netcdf:
    file: '@/a.nc'
    read:
      names:
      last: {variable: run/log, variable_selection: {start: [2, 0], subsize: [1, 2]}}
      one:
      short: {variable: names}
      part: {variable: names}
      letter: {variable: one}
      number: {variable: names}
`, nil, data.Documented)
	must(t, err)
	names, last, one := [21]byte{1}, [10]byte{1}, [8]byte{1}
	must(t, s.Expose("names", &names, data.In), s.Expose("last", &last, data.In), s.Expose("one", &one, data.In))
	if string(names[:]) != "alpha\x00\x00\x00\x00\x00\x00\x00\x00\x00größe" || string(last[:]) != "\x00\x00\x00\x00\x00entry" || string(one[:]) != "a text\x00\x00" {
		t.Errorf("got %q, %q, %q; want names[:] = %q, last[:] = %q and one[:] = %q", names, last, one, "alpha\x00\x00\x00\x00\x00\x00\x00\x00\x00größe", "\x00\x00\x00\x00\x00entry", "a text\x00\x00")
	}
	for name, want := range map[string]string{
		"short":  "`größe` has 7 bytes, but there is room for 6",
		"part":   "the file has a text of variable length: the datum cannot be a part of an array of characters",
		"letter": "the file has a text of variable length: the datum has to be an array of characters",
		"number": "variable `names` has elements of type variable-length string, and the datum 4-byte integer: they must be the same",
	} {
		memory := make([]byte, map[string]int{"short": 18, "part": 27, "letter": 1, "number": 12}[name])
		if err := s.Expose(name, memory, data.In); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	must(t, s.Close())
}

// TestCrashingRun is the run that TestKilledRun crashes, in a separate process.
func TestCrashingRun(t *testing.T) {
	dir := os.Getenv("PENTODE_CRASHING_RUN")
	if dir == "" {
		t.Skip("it is run by TestKilledRun")
	}
	s, err := start(t, dir, series, nil, data.Documented)
	must(t, err)
	for step := range int32(3) {
		writeSeries(t, s, step)
		fmt.Println("done", step)
	}
}

// TestKilledRun kills a run at each of its writes. libnetcdf must be able to read the whole file, and the next run
// must be able to continue it.
func TestKilledRun(t *testing.T) {
	need.Slow(t)
	strace := need.Program(t, "strace", "-qq", "-o", "/dev/null", "-e", "inject=pwrite64:error=EIO:when=65535", "true")
	ncdump := need.Program(t, "ncdump")
	stride := 7
	if need.FullSize() {
		stride = 1
	}
	for _, call := range []string{"pwrite64", "ftruncate", "renameat"} {
		n := 1
		for ; ; n += stride {
			dir := t.TempDir()
			cmd := exec.Command(strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace="+call, "-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n),
				os.Args[0], "-test.run=^TestCrashingRun$", "-test.count=1")
			cmd.Env = append(os.Environ(), "PENTODE_CRASHING_RUN="+dir, "GOMAXPROCS=1")
			out, err := cmd.Output()
			if err == nil {
				break // all calls have been tried
			}
			path := filepath.Join(dir, "2.nc")
			if _, err := os.Stat(path); err == nil {
				text, err := exec.Command(ncdump, path).CombinedOutput()
				if err != nil {
					t.Fatalf("%s %d: %v\n%s", call, n, err, text)
				}
				whole := strings.Join(strings.Fields(string(text)), " ")
				for step := range strings.Count(string(out), "done") {
					contains(t, whole, fmt.Sprintf("%d, %d, %d, %d", 100*step+4, 100*step+5, 100*step+6, 100*step+7))
				}
			}
			s, err := start(t, dir, series, nil, data.Documented)
			must(t, err)
			writeSeries(t, s, 0, 1, 2)
			must(t, s.Close())
			contains(t, dump(t, path), "time = 0, 0.5, 1 ;", "200, 201, 202, 203, 204, 205, 206, 207 ;")
		}
		if n == 1 {
			t.Errorf("no %s", call)
		}
	}
}
