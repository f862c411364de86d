package pdi_test

import (
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pdi"
)

var language = pdi.New(pdi.Options{})

func TestGolden(t *testing.T) { golden.Run(t, language, "testdata") }

func TestCodes(t *testing.T) { golden.Codes(t, language, "testdata", "x.yml") }

func TestGoldenStyle(t *testing.T) { golden.Canonical(t, language, "canonical.yml") }

func Fuzz(f *testing.F) { golden.Fuzz(f, language, "testdata", "x.yml") }

func TestSplice(t *testing.T) { golden.Splice(t, language, "testdata", "x.yml") }

// TestSniff tells trees from other YAML, whatever their style.
func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		"metadata: {n: int}\n":                                  true,
		"# a comment\n---\n  data:\n    x: int\n":               true,
		"{metadata: {n: int}, data: {x: int}}":                  true,
		"{\n  \"metadata\": {\"n\": \"int\"}\n}\n":              true,
		"%YAML 1.2\n--- # tree\n!!map {\n  data: {x: int}\n}\n": true,
		"&tree\ndata: {x: int}\n":                               true,
		"? data\n: x: int\n":                                    true,
		"logging: debug\n":                                      true,
		"logging: debug\nserver: here\n":                        false,
		"{\n  \"apiVersion\": \"v1\",\n  \"metadata\": {}\n}\n": false,
		"apiVersion: v1\nmetadata: {}\n":                        false,
		"[metadata, data]\n":                                    false,
		"metadata\n":                                            false,
		"":                                                      false,
	} {
		if got := language.Sniffs(text); got != want {
			t.Errorf("%q looks like a tree: %v, want %v", text, got, want)
		}
	}
}

// TestEditKeepsLineBreaks adds keys to files whose lines end as on Windows.
func TestEditKeepsLineBreaks(t *testing.T) {
	for _, c := range []struct{ text, key, want string }{
		{"data:\r\n  x: int\r\n", "data.y", "data:\r\n  x: int\r\n  y: int\r\n"},
		{"data:\r\n  x: int", "data.y", "data:\r\n  x: int\r\n  y: int"},
		{"data: {x: int}\r\n", "metadata.n", "data: {x: int}\r\nmetadata: {n: int}\r\n"},
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
