package sprokit_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// withAlgorithms returns the language with two algorithms, one of which contains the other.
func withAlgorithms(t *testing.T) *lang.Language {
	return sprokit.New(sprokit.Options{Types: algorithms(t)})
}

func algorithms(t *testing.T) *pipe.Registry {
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
	return r
}

// TestCompleteAlgorithms: names of algorithms and the keys of the chosen ones are offered at any depth.
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

// TestDescribeAlgorithms: hovering describes an algorithm and its keys.
func TestDescribeAlgorithms(t *testing.T) {
	const text = "process s\n  :: sharpener\n  filter:type = sharpen\n  filter:sharpen:radius = 4\n  filter:sharpen:inner:type = other\n  filter:sharpen:inner:blur:x = 1\n"
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
		"blur":    "algorithm `blur` for `my_filter`", // the name of a block
	} {
		if !strings.Contains(said[at], want) {
			t.Errorf("%s: have %q, want %q", at, said[at], want)
		}
	}
}

// TestComplete: if the catalogues are complete, a name that they do not have is wrong; otherwise it is unknown.
func TestComplete(t *testing.T) {
	const text = "process s\n  :: sharpener\n  filter:type = other\nprocess u\n  :: unheard_of\nconnect from s.image\n        to   u.image\n"
	for _, c := range []struct {
		complete bool
		unread   string // the role of an algorithm whose name is unknown
		want     []string
	}{
		{false, "", []string{"warning sprokit/unknown-algorithm other", "warning sprokit/unknown-type unheard_of"}},
		{true, "", []string{"error sprokit/unknown-algorithm other", "error sprokit/unknown-type unheard_of"}},
		{true, `"role": "your_filter", `, []string{"error sprokit/unknown-algorithm other", "error sprokit/unknown-type unheard_of"}},
		{true, `"role": "my_filter", `, []string{"warning sprokit/unknown-algorithm other", "error sprokit/unknown-type unheard_of"}},
		{true, " ", []string{"warning sprokit/unknown-algorithm other", "error sprokit/unknown-type unheard_of"}}, // of any role
	} {
		types := algorithms(t)
		types.Complete = c.complete
		if c.unread != "" {
			if err := catalog.AddTypes(types, strings.NewReader(`[{"unread": "fancy", `+c.unread+`"origin": "register.cxx"}]`)); err != nil {
				t.Fatal(err)
			}
		}
		l := sprokit.New(sprokit.Options{Types: types})
		var have []string
		for _, d := range l.Parse(source.NewFile("a.pipe", text)).Resolve(&load.Env{}).Diagnostics() {
			have = append(have, d.Severity.String()+" "+d.Code.ID+" "+d.Span.Text())
			if says := strings.Contains(d.Message, "unless class `fancy`, which `register.cxx` registers"); says != (c.complete && strings.HasPrefix(have[len(have)-1], "warning")) {
				t.Errorf("unread %q: %s; want %v", c.unread, d.Message, (c.complete && strings.HasPrefix(have[len(have)-1], "warning")))
			}
		}
		if !slices.Equal(have, c.want) {
			t.Errorf("complete %v, unread %q: have %q, want %q", c.complete, c.unread, have, c.want)
		}
	}
}

// TestAlgorithmDefaults: a key that no file sets has the default of the chosen algorithm.
func TestAlgorithmDefaults(t *testing.T) {
	f := source.NewFile("a.pipe", "process s\n  :: sharpener\n  filter:type = sharpen\n")
	entry, ok := withAlgorithms(t).Parse(f).Resolve(&load.Env{}).Value("s:filter:sharpen:radius")
	if !ok || entry.Value != "3" || !strings.Contains(entry.Steps[0].Note, "of algorithm `sharpen`") {
		t.Errorf("have %+v, %v, want 3, of algorithm `sharpen`", entry, ok)
	}
}

// TestAlgorithmSymbols: a name has one symbol where it is chosen and as the name of its block, through blocks, macros and includes. For another role
// it has another symbol.
func TestAlgorithmSymbols(t *testing.T) {
	files := source.Map{
		"a.pipe": "include a.conf\nprocess s\n  :: sharpener\n  filter:type = sharpen\n  block filter:sharpen\n    radius = 4\n    inner:type = blur\n    inner:blur:x = 1\n  endblock\n  relativepath filter:sharpen:inner:blur:file = x\n  filter:sharpen = 3\n",
		"a.conf": "config s:filter:sharpen\n  radius = 3\nconfig s\n  block filter\n    sharpen:inner:type = $CONFIG{s:filter:sharpen:radius}\n  endblock\n",
	}
	env := &load.Env{Opener: files}
	f, err := files.Open("a.pipe")
	if err != nil {
		t.Fatal(err)
	}
	c := withAlgorithms(t).Parse(f).Resolve(env)
	found := map[string][]string{}
	for _, o := range c.Occurrences() {
		if strings.HasPrefix(o.Symbol, "algorithm ") {
			found[o.Symbol] = append(found[o.Symbol], o.Span.String()+" "+o.Span.Text())
		}
	}
	want := map[string][]string{
		"algorithm my_filter sharpen": {"a.conf:1:17 sharpen", "a.conf:5:5 sharpen", "a.conf:5:43 sharpen", "a.pipe:4:17 sharpen", "a.pipe:5:16 sharpen", "a.pipe:10:23 sharpen"},
		"algorithm my_filter blur":    {"a.pipe:7:18 blur", "a.pipe:8:11 blur", "a.pipe:10:37 blur"},
		"algorithm my_filter 3":       {"a.conf:5:26 $CONFIG{s:filter:sharpen:radius}"},
	}
	if !reflect.DeepEqual(found, want) {
		t.Errorf("have %q\nwant %q", found, want)
	}
}
