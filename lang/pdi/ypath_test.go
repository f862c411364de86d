package pdi

import (
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/data"
)

// A path leads to the part it names: a key, an item, or the key or value of an entry by its number.
func TestYPath(t *testing.T) {
	tree := New(Options{}).Parse(source.NewFile("a.yml", "one: first\nlist: [p, q, r]\ndeep: {k1: v1, k2: v2}\n")).Resolve(&load.Env{})
	m, ok := lang.Model[*Model](tree)
	if !ok {
		t.Fatal("this is no tree")
	}
	for path, want := range map[string]string{
		"one": "first", ".one": "first", ".list[0]": "p", ".list[2]": "r", "{0}": "one", "<0>": "first", "{1}": "list",
		".deep{1}": "k2", ".deep<1>": "v2", ".deep.k1": "v1", "<2><0>": "v1", "<1>[1]": "q", "<2>{0}": "k1",
	} {
		got, err := ypath(m.main().doc, path)
		if err != nil || got.Text != want {
			t.Errorf("%s leads to %q, %v; want %q", path, got.Text, err, want)
		}
	}
	for _, path := range []string{".none", "[0]", ".list[3]", ".list[-1]", ".deep{2}", ".deep<2>", ".list[1", ".list[x]", ".one.two"} {
		if got, err := ypath(m.main().doc, path); err == nil {
			t.Errorf("%s leads to %q, want one", path, got.Text)
		}
	}
	// The original reader reports how far it came.
	for path, want := range map[string]string{
		"..one":      "Key `' not found in (ROOT)\n",
		"none":       "Key `none' not found in (ROOT)\n",
		".deep.no":   "Key `no' not found in (ROOT).deep\n",
		"deep.no":    "Key `no' not found in (ROOT)deep\n",
		".one.two":   "Expected mapping, found scalar (ROOT).one\n",
		".list[0].x": "Expected mapping, found scalar (ROOT).list[0]\n",
	} {
		_, err := ypath(m.main().doc, path)
		if got := data.UpstreamText(err); got != want {
			t.Errorf("%s is reported as %q, want %q", path, got, want)
		}
	}
}
