package pdi_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// completions lists what may be written at the mark `^`: the label, the text it replaces if any, and `~` if it comes after the others.
func completions(text string) []string {
	offset := strings.IndexByte(text, '^')
	f := source.NewFile("in.yml", text[:offset]+text[offset+1:])
	var got []string
	for _, c := range language.Parse(f).Resolve(load.NewEnv()).Complete(f, offset) {
		s := c.Label
		if c.Insert != "" {
			s = c.Insert
		}
		if c.Later {
			s += "~"
		}
		if c.Replace.Len() > 0 {
			s += " for " + c.Replace.Text()
		}
		got = append(got, s)
	}
	return got
}

// TestCompleteAll checks all completions at some places, in their order.
func TestCompleteAll(t *testing.T) {
	const names = "metadata: {n: int}\ndata: {x: double}\n"
	const file = names + "plugins:\n  decl_hdf5:\n    file: a\n"
	for _, c := range []struct{ text, want string }{
		{"# da^\n", ""},
		{"data:\n  x: int # ^\n", ""},
		{"da^\n", "types: ~ for da,metadata: ~ for da,data: ~ for da,plugins: ~ for da,logging: ~ for da,seal: ~ for da,plugin_path: ~ for da,include: ~ for da"},
		{"metadata: {n: int}\n^\n", "types: ~,data: ~,plugins: ~,logging: ~,seal: ~,plugin_path: ~,include: ~"},
		{"pdi:\n  metadata: {n: int}\n  ^\n", "types: ~,data: ~,plugins: ~,logging: ~,seal: ~,plugin_path: ~,include: ~"},
		{"plugins:\n  ^\n", "decl_hdf5:,decl_netcdf:,flow:~,json:,mpi:~,pycall:~,serialize:,set_value:,timer:,trace:,user_code:"},
		{"plugins:\n  mpi:\n  json:\n    a: b\n  ^\n", "decl_hdf5:,decl_netcdf:,flow:~,pycall:~,serialize:,set_value:,timer:,trace:,user_code:"},
		{"plugins:\n  nosuch:\n    ^\n", ""},
		{"plugins:\n  decl_hdf5:\n  - file: x.h5\n  - ^\n", "file: ,on_event: ~,when: ~,communicator: ~,timeout: ~,datasets: ~,collision_policy: ~,deflate: ~,fletcher: ~,async: ~,subfiling: ~,write: ~,read: ~,logging: ~"},
		{"plugins:\n  decl_hdf5:\n  - file: x.h5\n    when: 1 # always\n    ^\n", "on_event: ~,communicator: ~,timeout: ~,datasets: ~,collision_policy: ~,deflate: ~,fletcher: ~,async: ~,subfiling: ~,write: ~,read: ~,logging: ~"},
		{"plugins:\n  decl_hdf5:\n    collision_policy: ^\n", "skip,skip_and_warn,error,write_into,write_into_and_warn,replace,replace_and_warn"},
		{"plugins:\n  trace:\n    ^\n", "logging: ~"},
		{file + "    write: ^\n", "n,x"},
		{file + "    write: [n, ^\n", "n,x"},
		{file + "    write:\n      ^\n", "n: ,x: ,n,x"},
		{file + "    write:\n    - ^\n", "n: ,x: ,n,x"},
		{file + "    write:\n    - n\n    - ^\n", "n: ,x: ,n,x"},
		{"data:\n  x:\n    type: struct\n    members:\n    - a: int\n    - b:\n        type: array\n        ^\n", "size: ,subtype: ,subsize: ~,start: ~"},
		{"plugins:\n  decl_hdf5:\n  - file: a\n  - file: b\n    write:\n      x:\n        dataset: a\n  - file: c\n    deflate: 3\n    ^\n", "on_event: ~,when: ~,communicator: ~,timeout: ~,datasets: ~,collision_policy: ~,fletcher: ~,async: ~,subfiling: ~,write: ~,read: ~,logging: ~"},
		{file + "    write:\n      x:\n        dataset: a\n        whe^\n", "when: ~ for whe,communicator: ~ for whe,memory_selection: ~ for whe,dataset_selection: ~ for whe,attributes: ~ for whe,chunking: ~ for whe,deflate: ~ for whe,fletcher: ~ for whe,mpio: ~ for whe,collision_policy: ~ for whe,attribute: ~ for whe"},
		{file + "    when: $^\n", "n,x~"},
		{file + "    when: ${n^\n", "n for n,x~ for n"},
		{file + "    when: ${n} b^\n", ""},
		{names + "types:\n  y: {type: array, subtype: int, size: [$^]}\n", "n"},
		{"data:\n  x: {ty^}\n", ""},
		{"data:\n  x: {type: array, size: ^}\n", ""},
		{"data:\n  x: {type: array ^}\n", ""},
		{"data:\n  x: {type: array, subtype: [ in^}\n", ""},
		{"data:\n  x:\n    type: struct\n    members:\n      - ^\n", ""},
		{"data:\n  x:\n    type: tuple\n    elements:\n      - type: int\n        ^\n", "disp: ~"},
		{"data:\n  x:\n    nosuch:\n      ^\n", ""},
		{"data:\n  x: int\n\n  # a name\n  ^\n", ""},
		{"data:\r\n  x:\r\n    type: array\r\n    ^\r\n", "size: ,subtype: ,subsize: ~,start: ~"},
		{"data:\n  x:\n    type: array # of what\n    \"size\": 3\n    ^\n", "subtype: ,subsize: ~,start: ~"},
		{"logging: ^\n", "trace,debug,info,warn,error,off"},
		{"logging:\n  level: de^\n", "trace for de,debug for de,info for de,warn for de,error for de,off for de"},
		{"logging:\n  ^\n", "level: ~,pattern: ~,output: ~,trace,debug,info,warn,error,off"},
		{"plugins:\n  decl_hdf5:\n    on_event: ^\n  set_value:\n    on_event:\n      go:\n      - share: [n: 3]\n      stop: []\n  trace: {}\n", "go,stop"},
		{"- ^\n", ""},
		{"-^\n", ""},
	} {
		if got := strings.Join(completions(c.text), ","); got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestCompleteTypes checks where the name of a type is offered, and which names.
func TestCompleteTypes(t *testing.T) {
	const (
		scalar  = "a type of the language"
		mapping = "one that needs keys"
		own     = "one of the tree"
	)
	for _, c := range []struct {
		text string
		want string
	}{
		{"types: {own: int}\ndata:\n  x: ^\n", scalar + ", " + own},
		{"types: {own: int}\ndata:\n  x: \"o^\n", scalar + ", " + own},
		{"types: {own: int}\ndata:\n  x:\n    type: ^\n", scalar + ", " + mapping + ", " + own},
		{"types: {own: int}\ndata:\n  x: {type: ^}\n", scalar + ", " + mapping + ", " + own},
		{"types: {own: int}\ndata:\n  x: {type: array, subtype: ^}\n", scalar + ", " + own},
		{"types: {own: int}\ndata:\n  x:\n    type: array\n    subtype: ^\n", scalar + ", " + own},
		{"types: {own: int}\ndata:\n  x:\n    type: array\n    subtype:\n      ^\n", scalar + ", " + own},
		{"types: {own: int}\ndata:\n  x:\n    type: struct\n    members:\n      - a: ^\n", scalar + ", " + own},
		{"types: {own: int}\ndata:\n  x:\n    type: record\n    members:\n      a:\n        ^\n", scalar + ", " + own},
		{"types: {own: int}\ndata:\n  x:\n    type: tuple\n    elements:\n      - ^\n", scalar + ", " + own},
		{"types:\n  own:\n    type: ^\n", scalar + ", " + mapping},
		{"types:\n  own:\n    type: array\n    subtype: ^\n", scalar},
		{"types:\n  own: int\n  other: ^\n", scalar + ", " + own},
		{"\"data\":\n  'x': ^\n", scalar},
		{"data:\n  x:\n    type: array\n    size: ^\n", ""},
		{"plugins:\n  trace:\n    type: ^\n", ""},
	} {
		var got []string
		list := strings.Join(completions(c.text), ",") + ","
		for what, name := range map[string]string{scalar: "double", mapping: "array", own: "own"} {
			if strings.Contains(","+list, ","+name+",") || strings.Contains(","+list, ","+name+" for ") {
				got = append(got, what)
			}
		}
		if diff := cmp.Diff(strings.Count(c.want, ",")+min(1, len(c.want)), len(got)); diff != "" {
			t.Errorf("%q offers %q, want %s", c.text, got, c.want)
		}
		for _, what := range got {
			if !strings.Contains(c.want, what) {
				t.Errorf("%q offers %q, want %s", c.text, got, c.want)
			}
		}
	}
}

// TestCompleteInclude offers the trees beside a file.
func TestCompleteInclude(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.yml", "b.yaml", "c.txt", "in.yml"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{"include: ": "a.yml b.yaml", "include: [a.yml, ": "a.yml b.yaml", "data:\n  include: ": ""} {
		f := source.NewFile(filepath.Join(dir, "in.yml"), text)
		var got []string
		for _, c := range language.Parse(f).Resolve(load.NewEnv()).Complete(f, f.Len()) {
			if strings.Contains(c.Label, ".") {
				got = append(got, c.Label)
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: have %q, want %q", text, s, want)
		}
	}
}

const described = `logging: debug
metadata: {n: int, late: {type: array, subtype: int, size: $n}}
types:
  point: {type: struct, members: [{x: char}, {y: double}]}
  rec:
    type: record
    buffersize: 24
    members:
      a: {disp: 0, type: int32}
      b: {disp: 16, type: double}
data:
  p: point
  q: {type: array, subtype: int, size: 3}
  r: {type: struct, members: [{x: char}, {y: int16}, {z: point}]}
  broken: {type: array, subtype: nosuch, size: 3}
plugins:
  decl_hdf5:
    file: out_${n}.h5
    on_event: go
    write: [p]
  nosuch:
`

// TestDescribe describes names, with their size and layout if they are known.
func TestDescribe(t *testing.T) {
	f := source.NewFile("a.yml", described)
	c := language.Parse(f).Resolve(&load.Env{})
	got := map[string]string{}
	for _, o := range c.Occurrences() {
		if text := o.Span.Text(); o.Symbol != "" {
			got[string(o.Kind)+" "+text] = c.Describe(o)
		}
	}
	const point = "16 bytes, aligned to 8\n\n| offset | size | member |\n|---|---|---|\n| 0 | 1 | `x` |\n| 1 | 7 | *unused* |\n| 8 | 8 | `y` |\n"
	for name, want := range map[string]string{
		"section logging":  "`logging`: string\n\nThe log: a level, or a mapping.",
		"datum n":          "metadata `n`: `int`\n\n4 bytes, aligned to 4",
		"datum late":       "metadata `late`\n\nIts size depends on `n`.",
		"datum p":          "datum `p`: `struct point`\n\n" + point,
		"datum q":          "datum `q`: `array int [3]`\n\n12 bytes, aligned to 4",
		"datum r":          "datum `r`: `struct`\n\n24 bytes, aligned to 8\n\n| offset | size | member |\n|---|---|---|\n| 0 | 1 | `x` |\n| 1 | 1 | *unused* |\n| 2 | 2 | `y` |\n| 4 | 4 | *unused* |\n| 8 | 16 | `z` |\n| 8 | 1 | `x` |\n| 9 | 7 | *unused* |\n| 16 | 8 | `y` |\n",
		"datum broken":     "datum `broken`",
		"type point":       "type `point`: `struct point`\n\n" + point,
		"type rec":         "type `rec`: `record rec`\n\n24 bytes, aligned to 8\n\n| offset | size | member |\n|---|---|---|\n| 0 | 4 | `a` |\n| 4 | 12 | *unused* |\n| 16 | 8 | `b` |\n",
		"type int":         "type `int`",
		"type array":       "type `array`\n\nA potentially multi-dimensional array in C order.",
		"plugin decl_hdf5": "plugin `decl_hdf5`\n\nWrites and reads HDF5 files: a file, or a list of files. It runs everywhere.",
		"plugin nosuch":    "",
		"event go":         "event `go`",
		"key file":         "`file`\n\nThe file.",
		"member x":         "",
	} {
		if got[name] != want {
			t.Errorf("%s\n got %q\nwant %q", name, got[name], want)
		}
	}
	if got := c.Describe(lang.Occurrence{Symbol: "type nosuch"}); got != "" {
		t.Errorf("a name that nothing declares is %q", got)
	}
}

// TestDescribeLong shows only the beginning of a large layout.
func TestDescribeLong(t *testing.T) {
	var members []string
	for i := range 60 {
		members = append(members, fmt.Sprintf("{m%d: int}", i))
	}
	f := source.NewFile("a.yml", "types:\n  t: {type: struct, members: ["+strings.Join(members, ", ")+"]}\n")
	c := language.Parse(f).Resolve(&load.Env{})
	got := c.Describe(lang.Occurrence{Symbol: "type t"})
	if n := strings.Count(got, "`m"); n != 40 || !strings.Contains(got, "240 bytes") {
		t.Errorf("%d members are shown:\n%s\nwant n = 40 and %q in got", n, got, "240 bytes")
	}
}

// TestHints shows the offsets of members in the given file.
func TestHints(t *testing.T) {
	f := source.NewFile("a.yml", described)
	c := language.Parse(f).Resolve(&load.Env{})
	var got []string
	for h := range c.Hints(f) {
		got = append(got, h.At.String()+" "+h.At.Text()+" "+h.Text)
	}
	want := []string{"a.yml:4:36 x at 0", "a.yml:4:47 y at 8", "a.yml:9:7 a at 0", "a.yml:10:7 b at 16", "a.yml:14:32 x at 0", "a.yml:14:43 y at 2", "a.yml:14:55 z at 8"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	n := 0
	for range c.Hints(f) {
		if n++; n == 3 {
			break
		}
	}
	for h := range c.Hints(source.NewFile("a.yml", "")) {
		t.Errorf("another file has the hint %s, want none", h.Text)
	}
}

// TestQuotedNames: the span of a name is the text between its quotes; for an empty name it includes the quotes.
func TestQuotedNames(t *testing.T) {
	f := source.NewFile("in.yml", "data: {'x': int, '': int}\n")
	var got []string
	for _, o := range language.Parse(f).Resolve(&load.Env{Opener: source.Map{}}).Occurrences() {
		if o.Def {
			got = append(got, o.Span.Text())
		}
	}
	if want := "x ''"; strings.Join(got, " ") != want {
		t.Errorf("have %q, want %s", got, want)
	}
}

// TestFixedNames: the words of the language, its types and plugins, and included files cannot be renamed.
func TestFixedNames(t *testing.T) {
	const text = "include: a.yml\ntypes: {t: {type: int}}\nmetadata: {n: t}\ndata: {x: {type: array, subtype: char, size: $n}}\nplugins:\n  decl_hdf5: {file: a.h5, on_event: e, write: [x]}\n  mpi: {}\n"
	f := source.NewFile("in.yml", text)
	var fixed, free []string
	for _, o := range language.Parse(f).Resolve(&load.Env{Opener: source.Map{"a.yml": ""}}).Occurrences() {
		if o.Symbol == "" && o.Kind != lang.Path {
			continue
		}
		symbol := o.Span.Text()
		if o.Fixed {
			fixed = append(fixed, symbol)
		} else {
			free = append(free, symbol)
		}
	}
	if diff := cmp.Diff("include, a.yml, types, type, int, metadata, data, type, array, subtype, char, size, plugins, decl_hdf5, file, on_event, write, mpi", strings.Join(fixed, ", ")); diff != "" {
		t.Errorf("fixed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("t, n, t, x, n, e, x", strings.Join(free, ", ")); diff != "" {
		t.Errorf("others (-want +got):\n%s", diff)
	}
}
