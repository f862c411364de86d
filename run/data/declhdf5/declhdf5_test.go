package declhdf5_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/declhdf5"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// start makes a store with the plugin; @ in the tree is replaced by a folder.
func start(t testing.TB, dir, spec string, log *bytes.Buffer) (*data.Store, error) {
	t.Helper()
	spec = strings.ReplaceAll("logging: {level: warn, pattern: '%v'}\n"+spec, "@", filepath.ToSlash(dir))
	if log == nil {
		log = new(bytes.Buffer)
	}
	return data.New(data.Tree(datatest.Tree(t, spec)), data.Options{
		Plugins: []data.Plugin{declhdf5.Plugin(nil)},
		Host:    data.Host{Console: log},
	})
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// dump returns the output of h5dump, the reference implementation's tool, for a file, without meaningless blanks.
func dump(t *testing.T, path string, args ...string) string {
	t.Helper()
	out, err := exec.Command(need.Program(t, "h5dump"), append(args, path)...).CombinedOutput()
	if err != nil {
		t.Fatalf("h5dump: %v\n%s", err, out)
	}
	return strings.Join(strings.Fields(string(out)), " ")
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("no %q in\n%s", p, text)
		}
	}
}

// field is a typical tree: a field with a border of ghost cells, written step by step.
const field = `
metadata: {width: int, height: int, iter: int, title: {type: array, subtype: char, size: 12}}
data:
  main_field: {type: array, subtype: double, size: [$width, $height]}
plugins:
  decl_hdf5:
    file: '@/data-${width}.h5'
    on_event: newiter
    when: '$iter > 0 & $iter < 4'
    datasets:
      'data/.*': {type: array, subtype: float, size: [4, '$width - 2', '$height - 2'], +decl_hdf5.chunking: [1, 2, 3]}
    deflate: 6
    write:
      main_field:
        - dataset: data/array
          memory_selection: {size: ['$width - 2', '$height - 2'], start: [1, 1]}
          dataset_selection: {size: [1, '$width - 2', '$height - 2'], start: [$iter, 0, 0]}
          attributes: {cells: ($width - 2) * ($height - 2), unit: K, name: $title, last: $iter, note: 'step ${iter:03d}'}
        - {dataset: whole, when: $iter = 3}
      title: {attribute: 'data#title'}
`

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	s, err := start(t, dir, field, nil)
	must(t, err)
	width, height := int32(4), int32(5)
	title := [12]byte{'h', 'e', 'a', 't'}
	must(t, s.Expose("width", &width, data.Out), s.Expose("height", &height, data.Out), s.Expose("title", &title, data.Out))
	values := make([]float64, 20)
	for iter := range int32(6) {
		for i := range values {
			values[i] = float64(100*int(iter) + i)
		}
		must(t, s.Expose("iter", &iter, data.Out), s.MultiExpose("newiter", data.Item{Name: "main_field", Value: values, Access: data.Out}))
	}
	must(t, s.Close())
	text := dump(t, filepath.Join(dir, "data-4.h5"), "-p")
	contains(t, text,
		`GROUP "data" { ATTRIBUTE "title" { DATATYPE H5T_STRING { STRSIZE 5; STRPAD H5T_STR_NULLTERM;`,
		`(0): "heat"`,
		`DATASET "array" { DATATYPE H5T_IEEE_F32LE DATASPACE SIMPLE { ( 4, 2, 3 ) / ( 4, 2, 3 ) } STORAGE_LAYOUT { CHUNKED ( 1, 2, 3 )`,
		"COMPRESSION DEFLATE { LEVEL 6 }",
		"(0,0,0): 0, 0, 0, (0,1,0): 0, 0, 0,",
		"(1,0,0): 106, 107, 108, (1,1,0): 111, 112, 113,",
		"(3,0,0): 306, 307, 308, (3,1,0): 311, 312, 313",
		`ATTRIBUTE "cells" { DATATYPE H5T_STD_I64LE DATASPACE SCALAR DATA { (0): 6 }`,
		`ATTRIBUTE "last" { DATATYPE H5T_STD_I32LE DATASPACE SCALAR DATA { (0): 3 }`,
		`ATTRIBUTE "unit" { DATATYPE H5T_STRING { STRSIZE 2;`,
		`(0): "step 003"`,
		`DATASET "whole" { DATATYPE H5T_IEEE_F64LE DATASPACE SIMPLE { ( 4, 5 ) / ( 4, 5 ) }`,
		"(0,0): 300, 301, 302, 303, 304,",
	)
}

// TestReadBack reads what TestWrite writes: a step, its size and its attributes.
func TestReadBack(t *testing.T) {
	dir := t.TempDir()
	s, err := start(t, dir, field, nil)
	must(t, err)
	width, height, iter := int32(4), int32(5), int32(2)
	title := [12]byte{'h', 'e', 'a', 't'}
	values := make([]float64, 20)
	for i := range values {
		values[i] = float64(i)
	}
	must(t, s.Expose("width", &width, data.Out), s.Expose("height", &height, data.Out), s.Expose("iter", &iter, data.Out), s.Expose("title", &title, data.Out),
		s.MultiExpose("newiter", data.Item{Name: "main_field", Value: values, Access: data.Out}), s.Close())

	s, err = start(t, dir, `
data:
  step: {type: array, subtype: double, size: [4, 4], start: [1, 0], subsize: [2, 3]}
  dims: {type: array, subtype: int64, size: 3}
  cells: int
  title: {type: array, subtype: char, size: 8}
  wrong: {type: array, subtype: double, size: 7}
plugins:
  decl_hdf5:
    - file: '@/data-4.h5'
      on_event: load
      read:
        step: {dataset: data/array, dataset_selection: {size: [1, 2, 3], start: [2, 0, 0]}, attributes: {cells: $cells}}
        dims: {size_of: data/array}
        title: {attribute: 'data#title'}
    - file: '@/data-4.h5'
      read: {wrong: {dataset: data/array}}
    - file: '@/none.h5'
      on_event: missing
      read: [cells]
`, nil)
	must(t, err)
	step := make([]float64, 16)
	for i := range step {
		step[i] = -1
	}
	var dims [3]int64
	var cells int32
	var name [8]byte
	must(t, s.MultiExpose("load",
		data.Item{Name: "step", Value: step, Access: data.In},
		data.Item{Name: "dims", Value: &dims, Access: data.In},
		data.Item{Name: "cells", Value: &cells, Access: data.In},
		data.Item{Name: "title", Value: &name, Access: data.In}))
	if want := []float64{-1, -1, -1, -1, 6, 7, 8, -1, 11, 12, 13, -1, -1, -1, -1, -1}; !slices.Equal(step, want) {
		t.Errorf("step is %v, want %v", step, want)
	}
	if dims != [3]int64{4, 2, 3} || cells != 6 || string(name[:5]) != "heat\x00" {
		t.Errorf("dims %v, cells %d, title %q; want dims = %v, cells = 6 and name[:5] = %q", dims, cells, name, [3]int64{4, 2, 3}, "heat\x00")
	}
	if err := s.Expose("wrong", make([]float64, 7), data.In); err == nil || !strings.Contains(err.Error(), "`wrong`: the selection in memory has 7 elements, the selection in the dataset 24") {
		t.Errorf("got %v", err)
	}
	must(t, s.Share("cells", &cells, data.In))
	if err := s.Event("missing"); data.StatusOf(err) != data.StatusSystem || !strings.Contains(err.Error(), "none.h5`: no such file or directory") {
		t.Errorf("got %v", err)
	}
}

// TestTexts reads texts of variable length, as other programs write them, into arrays of characters.
func TestTexts(t *testing.T) {
	python := need.Python(t, "h5py")
	dir := t.TempDir()
	const write = "import h5py, sys\nwith h5py.File(sys.argv[1], 'w') as f: f['names'] = ['alpha', 'größe', '']"
	if out, err := exec.Command(python, "-c", write, filepath.Join(dir, "a.h5")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s, err := start(t, dir, "data: {names: {type: array, subtype: char, size: [2, 8]}}\n"+
		"plugins: {decl_hdf5: {file: '@/a.h5', read: {names: {dataset_selection: {start: 1, size: 2}}}}}", nil)
	must(t, err)
	names := [16]byte{15: 1}
	must(t, s.Expose("names", &names, data.In), s.Close())
	if string(names[:]) != "größe\x00"+strings.Repeat("\x00", 8) {
		t.Errorf("got %q, want %v", names, "größe\x00"+strings.Repeat("\x00", 8))
	}
}

// TestTypes shares and writes a value of every kind.
func TestTypes(t *testing.T) {
	dir := t.TempDir()
	s, err := start(t, dir, `
data:
  rec: {type: struct, members: [{c: char}, {v: {type: array, subtype: int16, size: [2, 3]}}, {in: {type: tuple, elements: [float, {d: double}]}}]}
  one: uint16
  recs: {type: array, size: 2, subtype: {type: record, buffersize: 12, members: {b: {disp: 8, type: int}, a: {disp: 2, type: int8}}}}
  raw: byte
  p: {type: pointer, subtype: int}
plugins: {decl_hdf5: {file: '@/t.h5', fletcher: 1, write: [rec, one, recs, raw, p, 'one#raw']}}
`, nil)
	must(t, err)
	rec := struct {
		c byte
		v [6]int16
		f float32
		d float64
	}{7, [6]int16{1, 2, 3, 4, 5, 6}, 1.5, -2.5}
	one := uint16(65535)
	recs := make([]byte, 24)
	recs[2], recs[8], recs[14], recs[20] = 1, 2, 3, 4
	raw := byte(9)
	must(t, s.Expose("rec", &rec, data.Out), s.Expose("one", &one, data.Out), s.Expose("recs", recs, data.Out), s.Expose("raw", &raw, data.Out))
	if err := s.Expose("p", make([]byte, 8), data.Out); data.StatusOf(err) != data.StatusType || !strings.Contains(err.Error(), "use the plugin `serialize`") {
		t.Errorf("got %v", err)
	}
	must(t, s.Close())
	contains(t, dump(t, filepath.Join(dir, "t.h5")),
		`DATASET "one" { DATATYPE H5T_STD_U16LE DATASPACE SCALAR DATA { (0): 65535 }`,
		`ATTRIBUTE "raw" { DATATYPE H5T_OPAQUE`,
		`H5T_STD_U8LE "c"; H5T_ARRAY { [2][3] H5T_STD_I16LE } "v"; H5T_COMPOUND { H5T_IEEE_F32LE "0"; H5T_IEEE_F64LE "d"; } "in";`,
		"(0): { 7, [ 1, 2, 3, 4, 5, 6 ], { 1.5, -2.5 } }",
		`DATASET "recs" { DATATYPE H5T_COMPOUND { H5T_STD_I32LE "b"; H5T_STD_I8LE "a"; } DATASPACE SIMPLE { ( 2 ) / ( 2 ) } DATA { (0): { 2, 1 }, (1): { 4, 3 } }`,
	)
}

func TestPolicy(t *testing.T) {
	for _, c := range []struct {
		policy string
		want   string // the dataset afterwards, or the error
		log    string
	}{
		{"write_into", "(0): 7, 8 ", ""},
		{"write_into_and_warn", "(0): 7, 8 ", "already exists: it is written into"},
		{"skip", "(0): 1, 2, 3 ", ""},
		{"skip_and_warn", "(0): 1, 2, 3 ", "already exists: nothing is written"},
		{"error", "already exists, and its collision policy is `error`", ""},
		{"replace", "( 2 ) / ( 2 )", ""},
		{"replace_and_warn", "( 2 ) / ( 2 )", "already exists: it is replaced"},
	} {
		t.Run(c.policy, func(t *testing.T) {
			dir := t.TempDir()
			spec := "metadata: {n: int}\ndata: {v: {type: array, subtype: int, size: $n}}\nplugins: {decl_hdf5: {file: '@/v.h5', write: {v: {collision_policy: %s}}}}"
			var log bytes.Buffer
			s, err := start(t, dir, fmt.Sprintf(spec, c.policy), &log)
			must(t, err)
			n := int32(3)
			must(t, s.Expose("n", &n, data.Out), s.Expose("v", []int32{1, 2, 3}, data.Out))
			n = 2
			must(t, s.Expose("n", &n, data.Out))
			err = s.Expose("v", []int32{7, 8}, data.Out)
			if c.policy == "error" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v", err)
				}
				return
			}
			must(t, err)
			want := c.want
			if strings.HasPrefix(c.policy, "write") {
				want = "(0): 7, 8, 3 "
			}
			contains(t, dump(t, filepath.Join(dir, "v.h5")), want)
			if (c.log == "") != (log.Len() == 0) || !strings.Contains(log.String(), c.log) {
				t.Errorf("log: %s; want %q in it, and nothing where that is empty", log.String(), c.log)
			}
		})
	}
	dir := t.TempDir()
	for i, policy := range []string{"error", "error", "skip", "replace"} {
		s, err := start(t, dir, "data: {v: int, w: int}\nplugins: {decl_hdf5: {file: '@/f.h5', collision_policy: "+policy+", write: [v, w]}}", nil)
		must(t, err)
		v := int32(i)
		if err := s.Expose("v", &v, data.Out); (err != nil) != (i == 1) {
			t.Errorf("%d %s: %v", i, policy, err)
		}
	}
	contains(t, dump(t, filepath.Join(dir, "f.h5")), "(0): 3")
}

func TestConfigErrors(t *testing.T) {
	for _, c := range []struct{ config, want string }{
		{"{write: [v]}", "the key `file` is missing"},
		{"x", "expected a mapping with the key `file`, found `x`"},
		{"{file: f, wrte: [v]}", "unknown key `wrte`: the keys are `file`, `on_event`, `when`"},
		{"{file: f, write: {v: {data_set: x}}}", "unknown key `data_set`: the keys are `dataset`"},
		{"{file: f, collision_policy: maybe}", "expected a collision policy, one of `skip`, `skip_and_warn`, `error`"},
		{"{file: f, write: {v: {attribute: 'x#y', dataset: z}}}", "only `when` is allowed next to `attribute`"},
		{"{file: f, write: {v: {size_of: z}}}", "unknown key `size_of`: the keys are `dataset`"},
		{"{file: f, read: {v: {nix: z}}}", "`collision_policy`, `attribute`, `size_of`"},
		{"{file: f, datasets: {'(': int}}", "`(` is not a regular expression"},
		{"{file: f, datasets: {a: nosuch}}", "unknown type `nosuch`"},
		{"{file: '$'}", "while loading plugin `decl_hdf5`"},
	} {
		_, err := start(t, t.TempDir(), "data: {v: int}\nplugins: {decl_hdf5: "+c.config+"}", nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.config, err, c.want)
		}
	}
}

// TestSizeOfIsRead checks that only `read` accepts `size_of`. Under `write` it is an unknown key, as in the original program, and
// the message does not list it.
func TestSizeOfIsRead(t *testing.T) {
	_, err := start(t, t.TempDir(), "data: {v: int}\nplugins: {decl_hdf5: {file: f, write: {v: {size_of: z}}}}", nil)
	if want := "while loading plugin `decl_hdf5', Unknown key for HDF5 dataset configuration: `size_of'"; data.UpstreamText(err) != want {
		t.Errorf("upstream's words for `size_of` under `write` are %q, want %q", data.UpstreamText(err), want)
	}
	if _, keys, _ := strings.Cut(err.Error(), "there are"); strings.Contains(keys, "size_of") {
		t.Errorf("the keys of `write` have `size_of`: %v", err)
	}
}

// TestNoChunks checks that an empty list of chunks means no chunks.
func TestNoChunks(t *testing.T) {
	dir := t.TempDir()
	s, err := start(t, dir, "data: {v: {type: array, subtype: int, size: 2}}\nplugins: {decl_hdf5: {file: '@/f.h5', write: {v: {chunking: []}}}}", nil)
	must(t, err)
	must(t, s.Expose("v", []int32{7, 8}, data.Out), s.Close())
	contains(t, dump(t, filepath.Join(dir, "f.h5")), "(0): 7, 8")
}

// TestOperationErrors checks the errors of operations and their places. The file has a dataset of four integers with an attribute,
// and z is a number that was never given a value.
func TestOperationErrors(t *testing.T) {
	v := [4]int32{1, 2, 3, 4}
	for _, c := range []struct{ config, want string }{
		{"write: {v: {dataset: 'x$z'}}", "`v`: `z` was never given a value"},
		{"write: {v: {attribute: 'x$z#y'}}", "`z` was never given a value"},
		{"write: {v: {attribute: 'v'}}", "`v`: `v` does not name an attribute: write `object#attribute`"},
		{"write: {v: {attribute: 'v#'}}", "`v`: `v#` does not name an attribute: write `object#attribute`"},
		{"write: {v: {attribute: 'v/w#a'}}", "`v`: `/v` is not a group"},
		{"write: {v: {dataset: 'v/w'}}", "`v`: `/v` is not a group"},
		{"write: {v: {dataset: n, memory_selection: {size: [2, 2]}}}", "`v`: the memory selection has 2 dimensions, the datum 1"},
		{"write: {v: {dataset: n, memory_selection: {size: 5}}}", "`v`: the memory selection takes 5 elements from element 0 on in dimension 0, which has 4 elements"},
		{"write: {v: {dataset: n, memory_selection: {size: 1, start: 4}}}", "`v`: the memory selection takes 1 elements from element 4 on in dimension 0, which has 4 elements"},
		{"write: {v: {dataset: n, memory_selection: {size: -1}}}", "`v`: the size of a selection is -1, which is negative"},
		{"write: {v: {dataset: n, memory_selection: {size: $z}}}", "`v`: `z` was never given a value"},
		{"write: {v: {dataset: n, memory_selection: {size: 1, start: -1}}}", "`v`: the start of a selection is -1, which is negative"},
		{"write: {v: {dataset: n, dataset_selection: {size: 4}}}", "`v`: dataset `n` does not exist: a `dataset_selection` needs its type in `datasets`"},
		{"write: {v: {dataset_selection: {size: 3}}}, collision_policy: write_into", "`v`: the selection in memory has 4 elements, the selection in the dataset 3"},
		{"write: {v: {dataset_selection: {size: 4, start: 1}}}, collision_policy: write_into", "`v`: `/v`: selection of 4 from 1 on does not fit in dimension 0, which has 4"},
		{"write: {v: {dataset_selection: {size: $z}}}, collision_policy: write_into", "`v`: `z` was never given a value"},
		{"write: {v: {dataset_selection: {start: -1}}}, collision_policy: write_into", "`v`: the start of a selection is -1, which is negative"},
		{"write: {v: {dataset: n, chunking: [2, 2]}}", "`v`: `chunking` has 2 dimensions, the dataset 1"},
		{"write: {v: {dataset: n, chunking: [-2]}}", "`v`: the chunk of a selection is -2, which is negative"},
		{"write: {v: {dataset: n, deflate: 10}}", "`v`: `deflate` is 10: it goes from 0 to 9, or -1 for none"},
		{"write: {v: {dataset: n, deflate: -2}}", "`v`: `deflate` is -2: it goes from 0 to 9, or -1 for none"},
		{"write: {v: {dataset: n, deflate: $z}}", "`v`: `z` was never given a value"},
		{"write: {v: {dataset: n, fletcher: $z}}", "`v`: `z` was never given a value"},
		{"write: {v: {dataset: n, attributes: {a: $z}}}", "`v`: attribute `a`: there is no value to be read now"},
		{"write: {v: {dataset: n, attributes: {a: 'x${z}'}}}", "`v`: attribute `a`: `z` was never given a value"},
		{"write: {v: {dataset: nn}}, datasets: {'n+': int, 'n*': int}", "`v`: dataset `nn` matches 2 regular expressions in `datasets`, `n+`, `n*`: keep only one of them, or add the exact name"},
		{"write: {v: {dataset: n}}, datasets: {n: {type: array, subtype: int, size: $z}}", "`v`: `z` was never given a value"},
		{"write: {v: {dataset: n}}, datasets: {n: {type: array, subtype: int, size: [2, 3]}}", "`v`: the selection in memory has 4 elements, the selection in the dataset 6"},
		{"write: [v], collision_policy: error", "already exists, and its collision policy is `error`"},
		{"read: {v: {dataset: none}}", "`v`: `none` does not exist in `/`"},
		{"read: {v: {dataset: 'x$z'}}", "`v`: `z` was never given a value"},
		{"read: {v: {dataset: v, dataset_selection: {size: 4, start: 1}}}", "`v`: `/v`: selection of 4 from 1 on does not fit in dimension 0, which has 4"},
		{"read: {v: {dataset: v, dataset_selection: {size: $z}}}", "`v`: `z` was never given a value"},
		{"read: {v: {dataset: v, attributes: {a: 3}}}", "`v`: attribute `a`: expected a reference to the datum to read into, like `$a`"},
		{"read: {v: {dataset: v, attributes: {a: $w}}}", "`v`: attribute `a`: `w` is not shared"},
		{"read: {v: {dataset: v, attributes: {b: $v}}}", "`v`: attribute `b`: attribute `b` does not exist on `/v`"},
		{"read: {v: {attribute: 'x$z#a'}}", "`v`: `z` was never given a value"},
		{"read: {v: {attribute: 'v'}}", "`v`: `v` does not name an attribute: write `object#attribute`"},
		{"read: {v: {attribute: 'none#a'}}", "`v`: `none` does not exist in `/`"},
		{"read: {v: {attribute: 'v#none'}}", "`v`: attribute `none` does not exist on `/v`"},
		{"read: {v: {attribute: 'v#a'}}", "`v`: the attribute has 1 elements, the datum 4"},
		{"read: {v: {size_of: none}}", "`v`: `none` does not exist in `/`"},
		{"read: {v: {size_of: 'x$z'}}", "`v`: `z` was never given a value"},
		{"read: {v: {size_of: v}}", "`v`: `v` has 1 dimensions, but there is room for 4"},
		{"read: {d: {size_of: v}}", "`d`: the size of a dataset needs an integer, or an array of them, not a double"},
	} {
		dir := t.TempDir()
		s, err := start(t, dir, "data: {v: {type: array, subtype: int, size: 4}}\nplugins: {decl_hdf5: {file: '@/f.h5', write: {v: {attributes: {a: 7}}}}}", nil)
		must(t, err)
		must(t, s.Expose("v", &v, data.Out), s.Close())
		s, err = start(t, dir, "metadata: {z: int}\ndata: {v: {type: array, subtype: int, size: 4}, w: int, d: double}\nplugins: {decl_hdf5: {file: '@/f.h5', on_event: go, "+c.config+"}}", nil)
		if err != nil {
			t.Errorf("%s: %v", c.config, err)
			continue
		}
		d := 0.5
		must(t, s.Share("v", &v, data.InOut), s.Share("d", &d, data.InOut))
		if err := s.Event("go"); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.config, err, c.want)
		}
		must(t, s.Reclaim("v"), s.Reclaim("d"), s.Close())
	}
}

// TestUpstreamErrors checks errors of configurations against the original program's messages.
func TestUpstreamErrors(t *testing.T) {
	datatest.UpstreamErrors(t, golden.Root(t), []data.Plugin{declhdf5.Plugin(nil)}, func(tree string) bool { return strings.Contains(tree, "decl_hdf5") })
}

// TestWhen checks that a condition without a value skips the operation with a warning in the log.
func TestWhen(t *testing.T) {
	dir := t.TempDir()
	var log bytes.Buffer
	s, err := start(t, dir, "metadata: {go: int}\ndata: {v: int}\nplugins: {decl_hdf5: {file: '@/v.h5', write: {v: {when: $nosuch}}}}", &log)
	must(t, err)
	v := int32(1)
	must(t, s.Expose("v", &v, data.Out), s.Close())
	if !strings.Contains(log.String(), "`v` is skipped: its condition has no value") {
		t.Errorf("log: %s; want %q in it", log.String(), "`v` is skipped: its condition has no value")
	}
	if _, err := os.Stat(filepath.Join(dir, "v.h5")); err == nil {
		t.Error("the file was made")
	}
}

// TestUpstreamText checks that texts in attributes are written as numbers in upstream's dialect, because the original program reads
// no strings.
func TestUpstreamText(t *testing.T) {
	dir := t.TempDir()
	tree := "data: {d: int, s: {type: array, subtype: char, size: 6}}\nplugins:\n  decl_hdf5:\n" +
		"    - {file: " + dir + "/f.h5, on_event: w, write: {d: {attributes: {unit: km}}, s: {attribute: 'd#name'}}}\n" +
		"    - {file: " + dir + "/f.h5, on_event: r, read: {s: {attribute: 'd#name'}}}\n"
	for dialect, want := range map[data.Dialect][]string{
		data.Upstream: {
			`ATTRIBUTE "name" { DATATYPE H5T_STD_U8LE DATASPACE SIMPLE { ( 6 ) / ( 6 ) } DATA { (0): 97, 98, 99, 0, 0, 0 } }`,
			`ATTRIBUTE "unit" { DATATYPE H5T_STD_U8LE DATASPACE SIMPLE { ( 3 ) / ( 3 ) } DATA { (0): 107, 109, 0 } }`,
		},
		data.Documented: {`ATTRIBUTE "name" { DATATYPE H5T_STRING`, `ATTRIBUTE "unit" { DATATYPE H5T_STRING`},
	} {
		s, err := data.New(data.Tree(datatest.Tree(t, tree)), data.Options{
			Dialect: dialect, Plugins: []data.Plugin{declhdf5.Plugin(nil)}, Host: data.Host{Console: new(bytes.Buffer)},
		})
		must(t, err)
		text := []byte("abc\x00\x00\x00")
		must(t, s.Share("d", make([]byte, 4), data.InOut), s.Share("s", text, data.InOut), s.Event("w"))
		clear(text)
		must(t, s.Event("r"))
		if string(text) != "abc\x00\x00\x00" {
			t.Errorf("read back %q, want %q", text, "abc\x00\x00\x00")
		}
		must(t, s.Close())
		contains(t, dump(t, dir+"/f.h5"), want...)
		must(t, os.Remove(dir+"/f.h5"))
	}
}

// TestSetTwice reads a tree that sets an option for the file and again for one dataset. The log must say which of the two is used,
// but only for writes.
func TestSetTwice(t *testing.T) {
	var log bytes.Buffer
	dir := t.TempDir()
	s, err := start(t, dir, `
data: {x: {type: array, subtype: int, size: 100}, y: int}
plugins:
  decl_hdf5:
    - {file: '@/a.h5', deflate: 1, fletcher: 0, write: {x: {deflate: 9, fletcher: 1}, y: }}
    - {file: '@/b.h5', deflate: 1, on_event: never, write: [x]}
    - {file: '@/c.h5', on_event: never, write: {x: {deflate: 9}}}
`, &log)
	must(t, err)
	must(t, s.Expose("x", make([]int32, 100), data.Out), s.Close())
	if got, want := log.String(), "`deflate` is set for the file and for the dataset of `x`: the setting of the dataset counts\n"+
		"`fletcher` is set for the file and for the dataset of `x`: the setting of the dataset counts\n"; got != want {
		t.Errorf("log\n%s\nwant\n%s", got, want)
	}
	contains(t, dump(t, filepath.Join(dir, "a.h5"), "-p"), "COMPRESSION DEFLATE { LEVEL 9 }", "FLETCHER32")
}

// TestLocked checks that the error suggests `communicator` for processes of one program, and that locks are never turned off:
// without them, the processes would destroy each other's file.
func TestLocked(t *testing.T) {
	dir := t.TempDir()
	s, err := start(t, dir, "data: {v: int}\nplugins: {decl_hdf5: {file: '@/v.h5', write: [v]}}", nil)
	must(t, err)
	other, err := hdf5.Create(filepath.Join(dir, "v.h5"))
	must(t, err, other.Flush())
	v := int32(1)
	err = s.Expose("v", &v, data.Out)
	if err == nil || !strings.HasSuffix(err.Error(), "the processes of an MPI program need `communicator` to write one file") || strings.Contains(err.Error(), "FILE_LOCKING") {
		t.Error(err)
	}
	must(t, other.Close(), s.Expose("v", &v, data.Out), s.Close())
}
