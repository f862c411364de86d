package pdi_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/lang/pdi/calls"
)

// language treats the source files in the folder of a tree as the sources of its program.
var language = pdi.New(pdi.Options{Program: func(o source.Opener) *calls.Program {
	files, _ := o.(source.Map)
	s := calls.Sources{Paths: slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(path string) bool { return !calls.Reads(path) })}
	return s.Read(o)
}})

func TestGolden(t *testing.T) { golden.Run(t, language, "testdata") }

func TestCodes(t *testing.T) { golden.Codes(t, language, "testdata", "x.yml") }

func TestGoldenStyle(t *testing.T) { golden.Canonical(t, language, "canonical.yml") }

func Fuzz(f *testing.F) { golden.Fuzz(f, language, "testdata", "x.yml") }

func TestSplice(t *testing.T) { golden.Splice(t, language, "testdata", "x.yml") }

// TestSniff distinguishes trees from other YAML by values that no other program has, whatever their style.
func TestSniff(t *testing.T) {
	golden.Sniffs(t, language, map[string]bool{
		"metadata: {n: int}\n":                                                       true,
		"# a comment\n---\n  data:\n    x: int\n":                                    true,
		"{metadata: {n: int}, data: {x: int}}":                                       true,
		"{\n  \"metadata\": {\"n\": \"int\"}\n}\n":                                   true,
		"%YAML 1.2\n--- # tree\n!!map {\n  data: {x: int}\n}\n":                      true,
		"&tree\ndata: {x: int}\n":                                                    true,
		"? data\n: x: int\n":                                                         true,
		"logging: debug\n":                                                           false,
		"logging: debug\nserver: here\n":                                             false,
		"{\n  \"apiVersion\": \"v1\",\n  \"metadata\": {}\n}\n":                      false,
		"apiVersion: v1\nmetadata: {}\n":                                             false,
		"[metadata, data]\n":                                                         false,
		"metadata\n":                                                                 false,
		"":                                                                           false,
		"data:\n  x: double\n":                                                       true,
		"data:\n- x: double\n- y: int\n":                                             true,
		"{data: {x: {type: array, subtype: int, size: 3}}}":                          true,
		"metadata: {n: {type: integer}}\n":                                           true,
		"duration: 0.75\npdi:\n  metadata: {n: int}\n":                               true,
		"steps: 3\npdi:\n  metadata: {n: int}\n":                                     true,
		"steps: 3\nmetadata: {n: int}\n":                                             false,
		"types:\n- type: struct\n  +type: point\n  members: [x: double]\n":           true,
		"plugins:\n  decl_hdf5: x.h5\n":                                              true,
		"\ufeffmetadata:\n  n: int\nplugins:\n  json: {n: n.json}\n":                 true, // a byte order mark before the first key
		"plugins:\n  mpi:\ndata:\n  comm: MPI_Comm\n":                                true,
		"data:\n  x: {type: doubel}\n":                                               true,
		"site_name: docs\nplugins:\n- search\n- mermaid2: {type: array}\n":           false,
		"site_name: docs\nplugins:\n  search: {lang: en}\n":                          false,
		"name: build\non: push\njobs:\n  build: {runs-on: ubuntu, data: {x: int}}\n": false,
		"services:\n  web: {image: nginx}\ndata: {x: int}\n":                         false,
		"apiVersion: v1\nkind: ConfigMap\ndata: {x: int}\n":                          false,
		"data:\n  type: array\n":                                                     false,
		"data:\n  path: /var/lib\n  owner: me\n":                                     false,
		"types: [feature, fix]\n":                                                    false,
		"metadata:\n  name: x\n  labels: {type: web}\n":                              false,
		"logging: info\n":                                                            false,
		"data\n":                                                                     false,
		"types:\n  my_int: int\n":                                                    true,
	})
}

// TestFixesOfTypes: a fix is offered only for a word that is almost right.
func TestFixesOfTypes(t *testing.T) {
	for text, want := range map[string]string{
		"data: {x: {type: aray, subtype: int, size: 3}}\n":   "data: {x: {type: array, subtype: int, size: 3}}\n",
		"data: {x: {type: array, subtype: int, size: -3}}\n": "",
		"data: {x: {type: array, subtype: int}}\n":           "",
	} {
		f := source.NewFile("x.yml", text)
		list := language.Parse(f).Resolve(&load.Env{Opener: source.Map{}, Dir: "."}).Diagnostics()
		if len(list) != 1 {
			t.Errorf("%s: %d findings, want 1", text, len(list))
			continue
		}
		got := ""
		for _, x := range list[0].Fixes {
			e := x.Edits[0]
			got += text[:e.Span.Start] + e.Text + text[e.Span.End:]
		}
		if got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// TestEditKeepsLineBreaks adds keys to files with Windows line breaks.
func TestEditKeepsLineBreaks(t *testing.T) {
	for _, c := range []struct{ text, key, want string }{
		{"data:\r\n  x: int\r\n", "data.y", "data:\r\n  x: int\r\n  y: int\r\n"},
		{"data:\r\n  x: int", "data.y", "data:\r\n  x: int\r\n  y: int"},
		{"data: {x: int}\r\n", "metadata.n", "data: {x: int}\r\nmetadata: {n: int}\r\n"},
		{"{data: {x: int}}\n", "metadata.n", "{data: {x: int}, metadata: {n: int}}\n"},
		{"", "data.x", "data: {x: int}\n"},
		{"# nothing\r\n", "data.x", "# nothing\r\ndata: {x: int}\r\n"},
		{"data:\n  x: int\n", "data.y", "data:\n  x: int\n  y: int\n"},
	} {
		f := source.NewFile("in.yml", c.text)
		edited, err := language.Parse(f).Resolve(load.NewEnv()).Edit(lang.Assignment{Key: c.key, Value: "int"})
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := edited.Changes[0].Text; got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// TestEditKeepsEveryText sets texts that YAML could misinterpret, and reads them again: each is unchanged, and quoted only if necessary.
func TestEditKeepsEveryText(t *testing.T) {
	for _, c := range []struct{ value, want string }{
		{"plain", "plain"},
		{" blank", "' blank'"},
		{"it's", "'it''s'"},
		{"a: b", "'a: b'"},
		{"a:", "'a:'"},
		{"a:b", "a:b"},
		{"#no", "'#no'"},
		{"-", "'-'"},
		{"- x", "'- x'"},
		{"-x", "-x"},
		{"---", "'---'"},
		{"...", "'...'"},
		{"*alias", "'*alias'"},
		{"~", "'~'"},
		{"two\nlines", `"two\nlines"`},
		{"tab\tand \\\\ and \"", `"tab\tand \\\\ and \""`},
		{"\r", `"\r"`},
		{"\x1b[0m", `"\x1b[0m"`},
		{"\x7f", `"\x7f"`},
		{"\u0085", `"\x85"`},
		{"\u2028", `"\u2028"`},
		{"\u2029", `"\u2029"`},
		{"\ufeff", `"\ufeff"`},
		{"é and 😀\n", `"é and 😀\n"`},
	} {
		f := source.NewFile("in.yml", "plugins:\n  decl_hdf5:\n    file: old\n")
		edited, err := language.Parse(f).Resolve(load.NewEnv()).Edit(lang.Assignment{Key: "plugins.decl_hdf5.file", Value: c.value})
		if err != nil {
			t.Errorf("%q: %v", c.value, err)
			continue
		}
		text := edited.Changes[0].Text
		if want := "plugins:\n  decl_hdf5:\n    file: " + c.want + "\n"; text != want {
			t.Errorf("%q is written as %q, want %q", c.value, text, want)
		}
		again := language.Parse(source.NewFile("in.yml", text)).Resolve(load.NewEnv())
		for entry := range again.Values() {
			if entry.Key == "plugins.decl_hdf5.file" && entry.Value != c.value {
				t.Errorf("%q is read back as %q, want %v", c.value, entry.Value, c.value)
			}
		}
	}
}

// TestOutline lists sections and the names in them, and nothing deeper.
func TestOutline(t *testing.T) {
	for _, text := range []string{
		"data:\n  x: {type: struct, members: [{a: int}]}\n  y: double\nlogging: off\n",
		"pdi:\n  data:\n    x: {type: struct, members: [{a: int}]}\n    y: double\n  logging: off\n",
	} {
		var got []string
		var list func(symbols []lang.Symbol, indent string)
		list = func(symbols []lang.Symbol, indent string) {
			for _, s := range symbols {
				got = append(got, indent+s.Kind+" "+s.Name+" "+s.Detail)
				list(s.Children, indent+"  ")
			}
		}
		list(language.Parse(source.NewFile("in.yml", text)).Outline(), "")
		want := []string{"section data ", "  name x struct", "  name y double", "section logging off"}
		if !slices.Equal(got, want) {
			t.Errorf("%q: have %q, want %q", text, got, want)
		}
	}
}

// TestComplete checks the completions at the mark `^`.
func TestComplete(t *testing.T) {
	for text, want := range map[string]string{
		"metadata: {n: int}\nda^\n":               "data",
		"data:\n  x:\n    type: dou^\n":           "double",
		"data:\n  x: dou^\n":                      "double",
		"data:\n  x:\n    dou^\n":                 "double",
		"data:\n  x:\n    type: array\n    si^\n": "size",
		"data:\n  x:\n    ty^: 3\n":               "type",
		"metadata: {nx: int}\ndata: {x: {type: array, subtype: int, size: $n^}}\n": "nx",
	} {
		offset := strings.IndexByte(text, '^')
		f := source.NewFile("in.yml", text[:offset]+text[offset+1:])
		var got []string
		for _, c := range language.Parse(f).Resolve(load.NewEnv()).Complete(f, offset) {
			got = append(got, c.Label)
		}
		if !slices.Contains(got, want) {
			t.Errorf("%q: have %q, want %s among them", text, got, want)
		}
		// A key is expected if another key or a colon follows.
		if (want == "size" || want == "type") && slices.Contains(got, "double") {
			t.Errorf("%q: a type cannot stand here: %q", text, got)
		}
	}
}

// TestPlacesOfADatum: a datum is found wherever it is declared, read, written or named by an expression, so that renaming reaches all these places.
// An anchored value is found once.
func TestPlacesOfADatum(t *testing.T) {
	f := source.NewFile("a.yml", `metadata: {n: int}
data:
  x: &x {type: array, subtype: double, size: ['$n', 2]}
  y: *x
plugins:
  decl_hdf5:
    file: out_${n:03d}.h5
    write:
      x: {when: '$n > 0', attributes: {steps: $n}}
    read: [n]
  set_value:
    on_init:
    - share: [n: 3]
  serialize: {x: flat}
`)
	got := map[string]string{}
	for _, o := range language.Parse(f).Resolve(&load.Env{}).Occurrences() {
		if o.Kind == lang.Datum {
			if o.Def {
				got[o.Symbol] += " declared"
			}
			got[o.Symbol] += " " + strings.TrimPrefix(o.Span.String(), "a.yml:")
		}
	}
	want := map[string]string{
		pdi.DatumSymbol("n"):    " declared 1:12 3:49 7:17 9:19 9:48 10:12 13:15",
		pdi.DatumSymbol("x"):    " declared 3:3 9:7 14:15",
		pdi.DatumSymbol("y"):    " declared 4:3",
		pdi.DatumSymbol("flat"): " declared 14:18",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

// TestSetNewSection: a missing section is written with all keys that lead to the value, on a new line at the end.
func TestSetNewSection(t *testing.T) {
	for _, c := range []struct{ text, key, want string }{
		{"", "plugins.decl_hdf5.file", "plugins: {decl_hdf5: {file: a.h5}}\n"},
		{"", "plugins.decl_hdf5[0].file", "plugins: {decl_hdf5: [{file: a.h5}]}\n"},
		{"", "plugins.decl_hdf5[1].file", "there is no `plugins.decl_hdf5`"},
		{"# x", "plugins.decl_hdf5.file", "# x\nplugins: {decl_hdf5: {file: a.h5}}\n"},
		{"# x\n", "plugins.decl_hdf5.file", "# x\nplugins: {decl_hdf5: {file: a.h5}}\n"},
		{"metadata: {n: int}", "plugins.decl_hdf5.file", "metadata: {n: int}\nplugins: {decl_hdf5: {file: a.h5}}"},
		{"metadata: {n: int}\n", "plugins.decl_hdf5[0].file", "metadata: {n: int}\nplugins: {decl_hdf5: [{file: a.h5}]}\n"},
	} {
		edited, err := language.Parse(source.NewFile("in.yml", c.text)).Resolve(&load.Env{Opener: source.Map{}}).Edit(lang.Assignment{Key: c.key, Value: "a.h5"})
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case len(edited.Changes) > 0:
			got = edited.Changes[0].Text
		}
		if got != c.want {
			t.Errorf("%s in %q\n got %q\nwant %q", c.key, c.text, got, c.want)
		}
	}
}
