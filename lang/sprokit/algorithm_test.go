package sprokit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow/catalog"
)

// withAlgorithms is the language with two algorithms, of which one has the other inside.
func withAlgorithms(t *testing.T) *lang.Language {
	t.Helper()
	r := catalog.Standard()
	err := catalog.AddTypes(r, strings.NewReader(`[
		{"type": "sharpener", "config": [["filter", "algo/my_filter"]], "out": [["image", "kwiver:image"]]},
		{"algorithm": "sharpen", "role": "my_filter", "doc": "Makes edges steep.",
		 "config": [["radius", "int", "3", "Pixels on each side."], ["inner", "algo/my_filter"]]},
		{"algorithm": "blur", "role": "my_filter"}]`))
	if err != nil {
		t.Fatal(err)
	}
	return sprokit.New(sprokit.Options{Types: r})
}

// TestCompleteAlgorithms: names of algorithms and the keys of the chosen ones are offered, in any depth.
func TestCompleteAlgorithms(t *testing.T) {
	l := withAlgorithms(t)
	const chosen = "process s\n  :: sharpener\n  filter:type = sharpen\n"
	for text, want := range map[string]string{
		"process s\n  :: sharpener\n  filter:type = ": "blur sharpen",
		chosen + "  ": "filter:sharpen:inner:type filter:sharpen:radius",
		chosen + "  filter:sharpen:inner:type = ":                                       "blur sharpen",
		chosen + "  block filter:sharpen\n    ":                                         "inner:type radius",
		chosen + "  filter:sharpen:inner:type = sharpen\n  filter:sharpen:radius=1\n  ": "filter:sharpen:inner:sharpen:inner:type filter:sharpen:inner:sharpen:radius",
	} {
		f := source.NewFile("a.pipe", text)
		var have []string
		for _, c := range l.Parse(f).Resolve(&load.Env{}).Complete(f, f.Len()) {
			if (c.Kind == lang.Key || c.Kind == lang.Word) && !strings.HasPrefix(c.Label, "_") {
				have = append(have, c.Label)
			}
		}
		slices.Sort(have)
		if strings.Join(have, " ") != want {
			t.Errorf("%q: have %q, want %s", text, have, want)
		}
	}
}

// TestDescribeAlgorithms: hovering tells what an algorithm and its keys are.
func TestDescribeAlgorithms(t *testing.T) {
	const text = "process s\n  :: sharpener\n  filter:type = sharpen\n  filter:sharpen:radius = 4\n  filter:sharpen:inner:type = other\n"
	f := source.NewFile("a.pipe", text)
	c := withAlgorithms(t).Parse(f).Resolve(&load.Env{})
	said := map[string]string{}
	for _, o := range c.Occurrences() {
		said[o.Span.Text()] += c.Describe(o)
	}
	for at, want := range map[string]string{
		"sharpen": "algorithm `sharpen` for `my_filter`\n\nMakes edges steep.\n\nKeys:\n- `radius`: Pixels on each side.\n- `inner`",
		"4":       "A key of algorithm `sharpen`.",
		"other":   "`filter:sharpen:inner:type` chooses an algorithm: sharpen, blur.",
	} {
		if !strings.Contains(said[at], want) {
			t.Errorf("%s: have %q, want %q", at, said[at], want)
		}
	}
}

// TestAlgorithmDefaults: what no file sets is the default of the chosen algorithm.
func TestAlgorithmDefaults(t *testing.T) {
	f := source.NewFile("a.pipe", "process s\n  :: sharpener\n  filter:type = sharpen\n")
	entry, ok := withAlgorithms(t).Parse(f).Resolve(&load.Env{}).Value("s:filter:sharpen:radius")
	if !ok || entry.Value != "3" || !strings.Contains(entry.Steps[0].Note, "of algorithm `sharpen`") {
		t.Errorf("have %+v, %v", entry, ok)
	}
}
