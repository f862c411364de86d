package pdi_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang/pdi"
)

// generic returns the values that a YAML parser without knowledge of PDI reads from a tree.
func generic(text string) (any, error) {
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		return nil, err
	}
	return plain(v), nil
}

// plain writes keys as strings, as in JSON.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = plain(x)
		}
	case map[any]any:
		o := map[string]any{}
		for k, x := range v {
			o[fmt.Sprint(k)] = plain(x)
		}
		return o
	case []any:
		for i, x := range v {
			v[i] = plain(x)
		}
	}
	return v
}

// formCodes are the findings that a schema can report too.
var formCodes = []string{
	"pdi/unknown-section", "pdi/unknown-key", "pdi/unknown-type-key", "pdi/missing-key", "pdi/wrong-shape", "pdi/unknown-word", "pdi/unknown-plugin", "pdi/merge-key",
	"pdi/bad-include", "pdi/layout", "pdi/unknown-type",
}

// formFindings returns the findings of our checker about the form of a tree.
func formFindings(path, text string) (found, unknown diag.List) {
	for _, d := range language.Parse(source.NewFile(path, text)).Resolve(&load.Env{Opener: source.Map{}, Dir: "."}).Diagnostics() {
		if slices.Contains(formCodes, d.Code.ID) {
			found = append(found, d)
		}
		if pdi.UnknownKey(d) {
			unknown = append(unknown, d)
		}
	}
	return found, unknown
}

// TestJSONSchemaTakesTrees: the schema accepts every tree of the repository and the corpus whose form our checker accepts.
func TestJSONSchemaTakesTrees(t *testing.T) {
	s := golden.JSONSchema(t, language)
	judged := 0
	judge := func(path, text string) {
		v, err := generic(text)
		if err != nil || v == nil {
			return // the generic parser cannot read it
		}
		if found, _ := formFindings(path, text); len(found) > 0 {
			return
		}
		judged++
		if err := s.Validate(v); err != nil {
			t.Errorf("%s is refused, want it accepted: %v", path, err)
		}
	}
	root := golden.Root(t)
	var trees []string
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "node_modules" || e.Name() == ".git"):
			return fs.SkipDir
		}
		if ext := filepath.Ext(path); !e.IsDir() && (ext == ".yml" || ext == ".yaml") {
			text, err := os.ReadFile(path)
			if err == nil && language.Sniffs(string(text)) {
				name, _ := filepath.Rel(root, path)
				trees = append(trees, filepath.ToSlash(name))
				judge(name, string(text))
			}
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if judged < 10 || !slices.Contains(trees, "examples/heat/heat.yml") {
		t.Errorf("%d trees were judged, want ten or more, examples/heat/heat.yml among them: %v", judged, trees)
	}
	for _, c := range golden.Cases(t, "testdata") {
		if f := c.Config(language).Document.File; filepath.Ext(f.Path()) == ".yml" {
			judge(c.Name, f.Text())
		}
	}
	golden.Corpus(t, "pdi", func(t *testing.T, set golden.Set) {
		for _, c := range golden.List[corpusTree](t, set, "outcomes.json") {
			if c.Outcome == "OK" {
				judge(c.File, set.Text(t, c.File))
			}
		}
	})
	t.Logf("%d trees are accepted", judged)
}

// TestJSONSchemaTakesConverted: the schema also accepts the output of `convert --to json`.
func TestJSONSchemaTakesConverted(t *testing.T) {
	s := golden.JSONSchema(t, language)
	for _, name := range []string{"examples/heat/heat.yml", "examples/parallel/heat.yml", "lang/pdi/canonical.yml"} {
		text, err := os.ReadFile(filepath.Join(golden.Root(t), name))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := language.Parse(source.NewFile(name, string(text))).Resolve(load.NewEnv()).Convert("json", &b); err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestJSONSchemaRefusesMisspelt plants a misspelt key at every place of some trees: the schema refuses each key that our checker reports.
func TestJSONSchemaRefusesMisspelt(t *testing.T) {
	s := golden.JSONSchema(t, language)
	refused := 0
	for _, name := range []string{"examples/heat/heat.yml", "examples/parallel/heat.yml", "lang/pdi/canonical.yml", "lang/pdi/testdata/every_key.yml"} {
		text, err := os.ReadFile(filepath.Join(golden.Root(t), name))
		if err != nil {
			t.Fatal(err)
		}
		var document yaml.Node
		if err := yaml.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		for _, key := range keys(&document) {
			right := key.Value
			for _, wrong := range []string{right[:1] + right[2:], right[1:2] + right[:1] + right[2:], right + "x"} {
				key.Value = wrong
				planted, err := yaml.Marshal(&document)
				if err != nil {
					t.Fatal(err)
				}
				v, err := generic(string(planted))
				if err != nil {
					t.Fatal(err)
				}
				found, unknown := formFindings(name, string(planted))
				switch err := s.Validate(v); {
				case len(unknown) > 0 && err == nil:
					t.Errorf("%s: with `%s` for `%s` it is accepted, want it refused: %s", name, wrong, right, unknown[0].Message)
				case len(found) == 0 && err != nil:
					t.Errorf("%s: with `%s` for `%s` it is refused, want it accepted: %v", name, wrong, right, err)
				case len(unknown) > 0:
					refused++
				}
			}
			key.Value = right
		}
	}
	if refused < 100 {
		t.Errorf("%d misspelt keys were refused, want a hundred or more", refused)
	}
}

// keys returns the keys of all mappings of a document that have two letters or more.
func keys(n *yaml.Node) (list []*yaml.Node) {
	for i, x := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && len(x.Value) > 1 && x.Value[0] != x.Value[1] {
			list = append(list, x)
		}
		list = append(list, keys(x)...)
	}
	return list
}

// TestJSONSchemaWords: a planted mistake of each kind is refused, and text that only looks like a mistake is accepted.
func TestJSONSchemaWords(t *testing.T) {
	s := golden.JSONSchema(t, language)
	for text, want := range map[string]bool{
		"metdata: {n: int}":                               false,
		"Data: {n: int}":                                  false,
		"duration: 0.75\ndata: {n: int}":                  true, // a section of another program
		"duration: 0.75\npdi: {data: {n: int}}":           true,
		"pdi: {dta: {n: int}}":                            false,
		"dta: 3\npdi: {data: {n: int}}":                   true, // outside of the tree
		"data: {n: {type: array, subtype: int, size: 3}}": true,
		"data: {n: {type: array, subtype: int, sise: 3}}": false,
		"data: {n: {type: array, subtype: {type: array, subtpye: int, size: 2}, size: 3}}": false,
		"data: {n: {type: particle, size: 3}}":                                             false, // a declared type has no keys here
		"data: {n: {type: particle, +unit: m}}":                                            true,
		"data: {n: {typ: int}}":                                                            false,
		"data: {n: {type: struct, members: [{a: int}, {b: double}]}}":                      true,
		"data: {n: {type: struct, members: [{a: int, b: double}]}}":                        false,
		"data: {n: {type: tuple, elements: [int, {a: {type: int, disp: 8}}]}}":             true,
		"data: {n: {type: tuple, elements: [int, {type: int, dips: 8}]}}":                  false,
		"data: {n: {type: record, buffersize: 8, members: {a: {disp: 0, type: int}}}}":     true,
		"data: {n: {type: record, buffersize: 8, members: {a: {type: int}}}}":              false,
		"logging: warn":                                    true,
		"logging: wran":                                    false,
		"logging: $level":                                  true,
		"logging: {output: {console: off}}":                true,
		"logging: {ouput: {console: off}}":                 false,
		"seal: true":                                       true,
		"plugins: {trace: }":                               true,
		"plugins: {decl_hdf: {file: a.h5}}":                false,
		"plugins: {of_my_own: {any: [1, 2]}}":              true,
		"plugins: {decl_hdf5: [{file: a.h5, write: [a]}]}": true,
		"plugins: {decl_hdf5: [{file: a.h5, wirte: [a]}]}": false,
		"plugins: {decl_hdf5: {file: a.h5, write: {a: {dataset_selecton: {}}}}}": false,
		"plugins: {decl_hdf5: {file: a.h5, collision_policy: Skip}}":             true,
		"plugins: {decl_hdf5: {file: a.h5, collision_policy: skop}}":             false,
		"plugins: {set_value: {on_init: [{expose: [{n: 3}]}]}}":                  true,
		"plugins: {set_value: {on_init: [{expos: [{n: 3}]}]}}":                   false,
	} {
		v, err := generic(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := s.Validate(v); (err == nil) != want {
			t.Errorf("%s: accepted is %v, want %v: %v", strings.ReplaceAll(text, "\n", "; "), err == nil, want, err)
		}
	}
}
