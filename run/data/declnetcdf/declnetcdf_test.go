package declnetcdf_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/declnetcdf"
	"github.com/pentode-dev/pentode/run/data/hdf5"
	"github.com/pentode-dev/pentode/run/data/netcdf"
	"github.com/pentode-dev/pentode/run/data/plugin/serialize"
)

// start makes a store with the plugin; @ in the tree is replaced by a folder.
func start(t testing.TB, dir, spec string, log *bytes.Buffer, as data.Dialect) (*data.Store, error) {
	t.Helper()
	spec = strings.ReplaceAll("logging: {level: warn, pattern: '%v'}\n"+spec, "@", filepath.ToSlash(dir))
	if log == nil {
		log = new(bytes.Buffer)
	}
	return data.New(data.Tree(datatest.Tree(t, spec)), data.Options{
		Dialect: as, Plugins: []data.Plugin{declnetcdf.Plugin(nil)}, Host: data.Host{Console: log},
	})
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// dump returns the output of ncdump for a file, without meaningless blanks.
func dump(t testing.TB, path string, args ...string) string {
	t.Helper()
	out, err := exec.Command(need.Program(t, "ncdump"), append(args, path)...).CombinedOutput()
	if err != nil {
		t.Fatalf("ncdump: %v\n%s", err, out)
	}
	return strings.Join(strings.Fields(string(out)), " ")
}

func contains(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("no %q in\n%s", p, text)
		}
	}
}

// series is a typical tree: a field and its time, step by step, with everything that a file can have.
const series = `
metadata: {n: int, step: int, title: {type: array, subtype: char, size: 8}, limits: {type: array, subtype: float, size: 2}, got: int}
data:
  field: {type: array, subtype: double, size: ['$n + 2', '$n']}
  time: double
  letters: {type: array, subtype: char, size: [2, 3]}
  small: {type: array, subtype: uint8, size: 2}
  particle:
    type: struct
    +decl_netcdf.type: point
    members:
      - x: double
      - tag: char
      - cell: {type: struct, +decl_netcdf.type: cell, members: [i: int, j: {type: array, subtype: int16, size: 3}]}
  back: {type: array, subtype: float, size: [$n, $n]}
  sizes: {type: array, subtype: int, size: 3}
  times: int
plugins:
  decl_netcdf:
    - file: '@/${n}.nc'
      on_event: step
      when: $step < 5
      deflate: 2
      groups: {out: {attributes: {title: $title, limits: $limits, number: '2 * $n'}}, empty/deep: }
      variables:
        out/field:
          type: array
          subtype: float
          size: [0, '$n + 2', $n]
          dimensions: [time, y, 'x$n']
          chunking: [1, 2, 2]
          attributes: {units: K, last: $step, _FillValue: -1}
        time: {type: array, subtype: double, size: 0, dimensions: [time], deflate: 0, attributes: {units: {value: s}}}
      write:
        time: {variable: /time, variable_selection: {start: $step, subsize: 1}}
        field: {variable: out/field, variable_selection: {start: [$step, 0, 0], subsize: [1, '$n + 2', $n]}}
        letters: {when: $step = 0}
        small: {when: $step = 0, variable: 'deep/er/small${n}'}
        particle: {when: $step = 0}
    - file: '@/${n}.nc'
      on_event: back
      groups: {out: {attributes: {limits: $limits}}}
      variables: {out/field: {attributes: {units: $title, last: $got}}}
      read:
        back: {variable: out/field, variable_selection: {start: [2, 1, 0], subsize: [1, $n, $n]}}
        sizes: {size_of: out/field}
        times: {size_of: time}
        letters:
        small: {variable: deep/er/small2}
        particle: {}
`

type particle struct {
	X    float64
	Tag  byte
	_    [3]byte
	Cell struct {
		I int32
		J [3]int16
		_ [2]byte
	}
}

// writeSeries runs the steps of the series.
func writeSeries(t testing.TB, s *data.Store, steps ...int32) {
	t.Helper()
	n, limits := int32(2), [2]float32{-1.5, 2.5}
	must(t, s.Expose("n", &n, data.Out), s.Expose("title", &[8]byte{'h', 'e', 'a', 't'}, data.Out), s.Expose("limits", &limits, data.Out))
	p := particle{X: 1.25, Tag: 'p'}
	p.Cell.I, p.Cell.J = 7, [3]int16{1, -2, 3}
	for _, step := range steps {
		field := make([]float64, 8)
		for i := range field {
			field[i] = float64(100*int(step) + i)
		}
		time := float64(step) / 2
		must(t, s.Expose("step", &step, data.Out), s.MultiExpose("step",
			data.Item{Name: "field", Value: field, Access: data.Out}, data.Item{Name: "time", Value: &time, Access: data.Out},
			data.Item{Name: "letters", Value: &[6]byte{'a', 'b', 'c', 'd', 0, 'f'}, Access: data.Out}, data.Item{Name: "small", Value: &[2]byte{3, 200}, Access: data.Out},
			data.Item{Name: "particle", Value: &p, Access: data.Out}))
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	log := new(bytes.Buffer)
	s, err := start(t, dir, series, log, data.Documented)
	must(t, err)
	writeSeries(t, s, 0, 1, 3, 7)
	must(t, s.Close())
	if log.Len() > 0 {
		t.Errorf("it says %s; want at most 0", log)
	}
	path := filepath.Join(dir, "2.nc")
	contains(t, dump(t, path),
		"types: compound cell { int i ; short j(3) ; }; // cell compound point { double x ; char tag ; cell cell ; }; // point",
		"time = UNLIMITED ; // (4 currently)",
		`double time(time) ; time:units = "s" ;`, "time = 0, 0.5, _, 1.5 ;",
		"char letters(letters_0, letters_1) ;", `letters = "abc", "d\000f" ;`,
		`point particle ;`, `particle = {1.25, "p", {7, {1, -2, 3}}} ;`,
		"group: empty { group: deep { } // group deep } // group empty",
		"ubyte small2(small2_0) ;", "small2 = 3, 200 ;",
		"dimensions: y = 4 ; x2 = 2 ;", "float field(time, y, x2) ; field:_FillValue = -1.f ; field:units = \"K\" ; field:last = 3 ;",
		`// group attributes: :title = "heat" ; :limits = -1.5f, 2.5f ; :number = 4LL ;`,
		"field = 0, 1, 2, 3, 4, 5, 6, 7, 100, 101, 102, 103, 104, 105, 106, 107, _, _, _, _, _, _, _, _, 300, 301, 302, 303, 304, 305, 306, 307 ;",
	)
	contains(t, dump(t, path, "-hs"), "field:_ChunkSizes = 1, 2, 2 ;", "field:_DeflateLevel = 2 ;", `field:_Shuffle = "true" ;`, `small2:_DeflateLevel = 2 ;`,
		`:_Format = "netCDF-4" ;`, `:_NCProperties = "version=2,pentode=1" ;`)
	if strings.Contains(dump(t, path, "-hs"), "time:_DeflateLevel") {
		t.Error("`time` is compressed")
	}
}

// TestAsync checks that a background thread writes the same as the program's thread, that its warnings and errors come with a later
// call, and that reading waits for it.
func TestAsync(t *testing.T) {
	once, behind := t.TempDir(), t.TempDir()
	for dir, async := range map[string]string{once: "", behind: "      async: {buffers: 3}\n"} {
		tree := strings.Replace(series, "      when: $step < 5\n", async+"      when: $step < 5\n", 1) + "    - {file: '@/${n}.nc', on_event: count, read: {times: {size_of: time}}}\n"
		s, err := start(t, dir, tree, nil, data.Documented)
		must(t, err)
		writeSeries(t, s, 0, 1, 3, 4)
		times := int32(0)
		must(t, s.MultiExpose("count", data.Item{Name: "times", Value: &times, Access: data.In}))
		if times != 5 {
			t.Errorf("%d times, want 5", times)
		}
		must(t, s.Close())
	}
	if got, want := dump(t, filepath.Join(behind, "2.nc")), dump(t, filepath.Join(once, "2.nc")); got != want {
		t.Errorf("got %s\nexpected %s", got, want)
	}
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a.nc"), []byte("CDF\x01"), 0o666))
	s, err := start(t, dir, "data: {i: int}\nplugins: {decl_netcdf: {file: '@/a.nc', async: , write: [i]}}", nil, data.Documented)
	must(t, err)
	i := int32(3)
	must(t, s.Expose("i", &i, data.Out))
	err = s.Close()
	if err == nil || !strings.Contains(err.Error(), "an earlier step: cannot write `"+dir+"/a.nc`: it is a classic netCDF file") {
		t.Errorf("got %v", err)
	}
}

func TestReadBack(t *testing.T) {
	dir := t.TempDir()
	s, err := start(t, dir, series, nil, data.Documented)
	must(t, err)
	writeSeries(t, s, 0, 2)
	back, sizes, times := make([]float32, 4), [3]int32{}, int32(0)
	letters, small, p := [6]byte{}, [2]byte{}, particle{}
	limits, title, got := [2]float32{}, [8]byte{}, int32(0)
	must(t, s.MultiExpose("back",
		data.Item{Name: "limits", Value: &limits, Access: data.InOut}, data.Item{Name: "title", Value: &title, Access: data.InOut},
		data.Item{Name: "got", Value: &got, Access: data.InOut},
		data.Item{Name: "back", Value: back, Access: data.In}, data.Item{Name: "sizes", Value: &sizes, Access: data.In}, data.Item{Name: "times", Value: &times, Access: data.In},
		data.Item{Name: "letters", Value: &letters, Access: data.In}, data.Item{Name: "small", Value: &small, Access: data.In}, data.Item{Name: "particle", Value: &p, Access: data.In}))
	if want := []float32{202, 203, 204, 205}; !slices.Equal(back, want) {
		t.Errorf("got %v, expected %v", back, want)
	}
	if sizes != [3]int32{3, 4, 2} || times != 3 || string(letters[:]) != "abcd\x00f" || small != [2]byte{3, 200} || p.X != 1.25 || p.Cell.J != [3]int16{1, -2, 3} || p.Tag != 'p' {
		t.Errorf("got %v, %d, %q, %v, %v; want [3 4 2], 3, %q, [3 200] and a particle with 1.25, [1 -2 3] and p", sizes, times, letters, small, p, "abcd\x00f")
	}
	if limits != [2]float32{-1.5, 2.5} || string(title[:2]) != "K\x00" || got != 2 {
		t.Errorf("attributes: %v, %q, %d; want %v, %q first, and 2", limits, title, got, [2]float32{-1.5, 2.5}, "K\x00")
	}
	must(t, s.Close())
}

// TestShare checks that, without an event, a datum is written when it is shared for reading, and read when it is shared for writing.
func TestShare(t *testing.T) {
	dir := t.TempDir()
	s, err := start(t, dir, `
metadata: {on: int}
data: {x: {type: array, subtype: int, size: 2}}
plugins:
  decl_netcdf:
    - {file: '@/a.nc', when: $on, write: x}
    - {file: '@/a.nc', read: [x]}
`, nil, data.Documented)
	must(t, err)
	x, on := [2]int32{1, 2}, int32(1)
	must(t, s.Expose("on", &on, data.Out), s.Expose("x", &x, data.Out))
	on, x = 0, [2]int32{3, 4}
	must(t, s.Expose("on", &on, data.Out), s.Expose("x", &x, data.Out))
	x = [2]int32{}
	must(t, s.Expose("x", &x, data.In), s.Close())
	if x != [2]int32{1, 2} {
		t.Errorf("got %v, want %v", x, [2]int32{1, 2})
	}
	contains(t, dump(t, filepath.Join(dir, "a.nc")), "int x(x_0) ;", "x = 1, 2 ;")
}

// TestRefused checks that errors are reported when the tree is loaded, or when the operation is executed.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	classic := filepath.Join(dir, "classic.nc")
	must(t, os.WriteFile(classic, []byte("CDF\x01\x00\x00\x00\x00"), 0o666))
	h, err := netcdf.Create(filepath.Join(dir, "there.nc"))
	must(t, err)
	_, _, err = netcdf.Define(h, "y", netcdf.Shape{Type: hdf5.IEEE(8), Dimensions: []netcdf.Dimension{{Name: "d", Size: 3}}})
	must(t, err, h.Close())
	for config, want := range map[string]string{
		"{write: x}":                         "the key `file` is missing",
		"{file: '@/a.nc', groups: {a//b: }}": "`` is not a netCDF name: it is empty",
		"{file: '@/a.nc', groups: {g: {attributes: {DIMENSION_LIST: 1}}}}":                           "netCDF itself writes the attribute `DIMENSION_LIST`: give yours another name",
		"{file: '@/a.nc', timeout: 0}":                                                               "`timeout` is 0: expected a number of seconds above 0 and below a million",
		"{file: '@/a.nc', deflate: 10, write: x}":                                                    "variable `x`: `deflate` is 10: it goes from 0 to 9",
		"{file: '@/a.nc', variables: {x: {dimensions: [a, b]}}, write: x}":                           "variable `x`: its type has 1 dimensions, but `dimensions` names 2",
		"{file: '@/a.nc', variables: {x: {chunking: [1, 1]}}, write: x}":                             "`chunking` has 2 dimensions, the variable 1",
		"{file: '@/a.nc', variables: {x: {chunking: 0}}, write: x}":                                  "`chunking` is 0: a chunk has at least one element in each dimension",
		"{file: '@/a.nc', write: {x: {variable: a/+}}}":                                              "`+` is not a netCDF name",
		"{file: '@/a.nc', write: long}":                                                              "variable `long`: netCDF has no type for `real` of 16 bytes",
		"{file: '@/a.nc', write: raw}":                                                               "variable `raw`: netCDF has no type for `byte`",
		"{file: '@/a.nc', write: pair}":                                                              "netCDF has no type for a tuple: make it a record, whose members have names",
		"{file: '@/a.nc', write: {named: {variable: r}}}":                                            "`/r` is not a dataset but a group or a type: no variable can have this name",
		"{file: '@/a.nc', write: rec}":                                                               "a record needs a name in netCDF files: give its type the attribute `+decl_netcdf.type: NAME`",
		"{file: '@/a.nc', variables: {x: {attributes: {a: $deep}}}, write: x}":                       "attribute `a`: a netCDF attribute has at most one dimension",
		"{file: '@/a.nc', variables: {x: {attributes: {a: $named}}}, write: x}":                      "attribute `a`: a netCDF attribute is a number, an array of numbers or a text",
		"{file: '@/classic.nc', write: x}":                                                           "it is a classic netCDF file (CDF-1), which is not supported: convert it with `nccopy -k nc4`",
		"{file: '@/there.nc', variables: {x: {dimensions: d}}, write: x}":                            "variable `x`: dimension `d` has 3 elements in the file, not 2",
		"{file: '@/there.nc', write: {x: {variable: y, variable_selection: {start: 2}}}}":            "does not fit",
		"{file: '@/a.nc', when: $none, write: x}":                                                    "the condition of `x`: ",
		"{file: '@/a.nc', variables: {c: {type: char, attributes: {_FillValue: ab}}}, write: {c: }}": "`_FillValue` is `ab`: expected one character",
		"{file: '@/a.nc', variables: {named: {attributes: {_FillValue: 1}}}, write: named}":          "a record has no `_FillValue`",
	} {
		if err := refused(t, dir, config, data.Out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", config, err, want)
		}
	}
	for config, want := range map[string]string{
		"{file: '@/none.nc', read: x}":                    "no such file",
		"{file: '@/classic.nc', read: x}":                 "it is a classic netCDF file (CDF-1)",
		"{file: '@/there.nc', read: x}":                   "variable `x` does not exist",
		"{file: '@/there.nc', read: {x: {variable: d}}}":  "variable `d` does not exist",
		"{file: '@/there.nc', read: {x: {variable: y}}}":  "variable `y` has elements of type 8-byte float, and the datum 4-byte integer: they must be the same",
		"{file: '@/there.nc', groups: {g: }, read: x}":    "group `g`: `g` does not exist in `/`",
		"{file: '@/there.nc', read: {x: {size_of: y}}}":   "`y` has 1 dimensions, but there is room for 2",
		"{file: '@/there.nc', read: {x: {size_of: nix}}}": "variable `nix` does not exist",
	} {
		if err := refused(t, dir, config, data.In); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", config, err, want)
		}
	}
}

// refused shares data with the plugin and returns the first error.
func refused(t *testing.T, dir, config string, access data.Access) error {
	os.Remove(filepath.Join(dir, "a.nc"))
	s, err := start(t, dir, `
metadata: {deep: {type: array, subtype: int, size: [1, 2]}, named: {type: struct, +decl_netcdf.type: r, members: [a: int]}}
data:
  x: {type: array, subtype: int, size: 2}
  c: char
  long: {type: real, kind: 16}
  raw: byte
  pair: {type: tuple, elements: [int, int]}
  rec: {type: record, buffersize: 4, members: {a: {disp: 0, type: int}}}
  none: int
plugins: {decl_netcdf: `+config+`}
`, nil, data.Documented)
	if err != nil {
		return err
	}
	defer s.Close()
	if access == data.In {
		return s.Expose("x", &[2]int32{}, data.In)
	}
	long, raw, number := [16]byte{}, byte(1), int32(1)
	for _, one := range []func() error{
		func() error { return s.Expose("deep", &[2]int32{}, data.Out) }, func() error { return s.Expose("named", &struct{ A int32 }{}, data.Out) },
		func() error { return s.Expose("x", &[2]int32{1, 2}, data.Out) }, func() error { return s.Expose("c", &raw, data.Out) },
		func() error { return s.Expose("long", &long, data.Out) }, func() error { return s.Expose("raw", &raw, data.Out) },
		func() error { return s.Expose("pair", &struct{ A, B int32 }{}, data.Out) }, func() error { return s.Expose("rec", &struct{ A int32 }{number}, data.Out) },
	} {
		if err := one(); err != nil {
			return err
		}
	}
	return nil
}

// TestSerialized checks that records made by the plugin `serialize` keep their names.
func TestSerialized(t *testing.T) {
	dir := t.TempDir()
	s, err := data.New(data.Tree(datatest.Tree(t, strings.ReplaceAll(`
logging: off
data:
  list:
    type: struct
    +decl_netcdf.type: list
    members: [n: int, first: {type: struct, +decl_netcdf.type: item, members: [x: int]}]
plugins:
  serialize: {list: flat}
  decl_netcdf: {file: '@/a.nc', write: flat}
`, "@", filepath.ToSlash(dir)))), data.Options{Plugins: []data.Plugin{declnetcdf.Plugin(nil), serialize.Plugin()}})
	must(t, err)
	must(t, s.Expose("list", &[2]int32{3, 4}, data.Out), s.Close())
	contains(t, dump(t, filepath.Join(dir, "a.nc")), "compound item { int x ; }; // item compound list { int n ; item first ; }; // list", "flat = {3, {4}} ;")
}

// TestUpstream checks that in upstream's dialect the plugin reads bytes as characters, has no large unsigned numbers, ignores
// variables that are not a mapping, and checks only the file's condition at an event.
func TestUpstream(t *testing.T) {
	dir := t.TempDir()
	log := new(bytes.Buffer)
	s, err := start(t, dir, `
data: {x: int, y: uint32, z: int8, u: uint8}
plugins:
  decl_netcdf:
    - {file: '@/a.nc', on_event: go, variables: {x: float}, variable: {x: float}, write: {x: {when: 0}, z: {}, u: }}
    - {file: '@/b.nc', write: y}
`, log, data.Upstream)
	must(t, err)
	x, y, z := int32(3), uint32(4), int8('z')
	must(t, s.MultiExpose("go", data.Item{Name: "x", Value: &x, Access: data.Out}, data.Item{Name: "z", Value: &z, Access: data.Out}, data.Item{Name: "u", Value: &z, Access: data.Out}))
	err = s.Expose("y", &y, data.Out)
	if err == nil || !strings.Contains(data.UpstreamText(err), "Decl_netcdf plugin: Unsupported unsigned scalar datatype") {
		t.Errorf("got %v", err)
	}
	must(t, s.Close())
	contains(t, log.String(), "unknown key `variable` is ignored: the keys are `file`")
	contains(t, dump(t, filepath.Join(dir, "a.nc")), "int x ; char z ; char u ;", "x = 3 ;", `z = "z" ;`)
}
