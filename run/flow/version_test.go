package flow_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// camera returns a type of another program, in one of its versions.
func camera() *pipe.Type {
	return &pipe.Type{Name: "camera", Version: "Optics 2", Out: []pipe.Port{{Name: "image", Type: "integer", Flags: pipe.Required}},
		In:   []pipe.Port{{Name: "lens/<n>", Type: "integer", Flags: pipe.Required, Least: 2}},
		Keys: []pipe.Key{{Name: "rate", Kind: pipe.Int}}}
}

// TestVersion: using something that the declaration of one version lacks is a warning which says so; a run
// with a type of this program refuses it.
func TestVersion(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a port", "c :: camera\ns :: sink\nc.name -> s.sink", "the declaration of `camera` here, Optics 2, has no output `name`; `types import` reads yours"},
		{"an open port", "c :: camera", "the declaration of `camera` here, Optics 2, requires that its output `image` is connected; `types import` reads yours"},
		{"a group of ports", "c :: camera", "the declaration of `camera` here, Optics 2, requires more inputs `lens/<n>` than 0; `types import` reads yours"},
		{"a key", "c :: camera gain=1", "the declaration of `camera` here, Optics 2, has no key `gain`; `types import` reads yours"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := with(build(c.text), camera())
			list := p.Check()
			i := slices.IndexFunc(list, func(q *problem.Problem) bool { return q.Message == c.want })
			if i < 0 || list.HasErrors() {
				t.Errorf("have %s\nwant %q, and no error", strings.Join(texts(list), "\n"), c.want)
			}
			own := camera()
			own.New = staticType().New
			if _, err := with(build(c.text), own).Start(context.Background(), flow.Options{}); err == nil {
				t.Errorf("it runs, want one")
			}
		})
	}
	for text, what := range map[string]string{
		"c :: camera rate=fast":                     "a value that no version takes",
		"c :: camera\ns :: sink\nc.imgae -> s.sink": "a misspelt port",
	} {
		if list := with(build(text), camera()).Check(); !list.HasErrors() {
			t.Errorf("%s is no error", what)
		}
	}
}

// TestOptionalInput: data of an optional input need not belong to the data of the others.
func TestOptionalInput(t *testing.T) {
	hint := &pipe.Type{Name: "hinted", New: staticType().New,
		In: []pipe.Port{{Name: "number", Type: "integer", Flags: pipe.Required}, {Name: "hint", Type: pipe.AnyType}}}
	const text = "a :: numbers\np :: pass _non_blocking=2\nh :: hinted\na.number -> p.pass\na.number -> h.number\np.pass -> h.hint"
	if list := with(build(text), hint).Check(); len(list) > 0 {
		t.Errorf("have %v, want at most 0", texts(list))
	}
	hint.In[1].Flags = pipe.Required
	if list := with(build(text), hint).Check(); len(list) != 1 || list[0].Kind != pipe.MixedData {
		t.Errorf("two that it needs: have %v", texts(list))
	}
}

// TestOpenKeys: for a type whose keys were read from its sources, an unknown key is an info and a misspelt
// one a warning; a key of an algorithm's block is not reported.
func TestOpenKeys(t *testing.T) {
	open := camera()
	open.OpenKeys, open.In, open.Out = true, nil, nil
	list := with(build("c :: camera gain=1 filter:type=x raet=2"), open).Check()
	if len(list) != 2 || list[0].Severity != problem.Info || list[0].Subject.Key != "gain" || list[1].Severity != problem.Warning {
		t.Errorf("have %v, want len(list) = 2, list[0].Severity = %v, list[0].Subject.Key = %q and list[1].Severity = %v", texts(list), problem.Info, "gain", problem.Warning)
	}
}

// TestDeclare: checks follow the declaration of another program, a run uses the type of this one; the
// declaration of a version does not replace an exact declaration.
func TestDeclare(t *testing.T) {
	p := build("a :: numbers\nm :: lens\ns :: sink\na.number -> m.number\na.number -> m.extra\nm.number -> s.sink")
	lens := &pipe.Type{Name: "lens", Version: "Optics 1", New: staticType().New,
		In:  []pipe.Port{{Name: "number", Type: "integer"}, {Name: "lamp/<n>", Type: "integer"}},
		Out: []pipe.Port{{Name: "number", Type: "integer"}}}
	p = with(p, lens)
	if list := p.Check(); len(list) != 1 {
		t.Errorf("have %v, want 1", texts(list))
	}
	theirs := *lens
	theirs.Version, theirs.New = "Optics 2", nil
	theirs.In = []pipe.Port{{Name: "number", Type: "integer"}, {Name: "extra", Type: "integer"}}
	if err := p.Registry.Declare(&theirs); err != nil {
		t.Fatal(err)
	}
	if list := p.Check(); len(list) != 0 {
		t.Errorf("have %v, want 0", texts(list))
	}
	found, _ := p.Registry.Lookup("lens")
	if found.Runs() != lens {
		t.Error("the type of this program is lost")
	}
	if in, _ := found.FindIn("lamp/3"); in == nil {
		t.Error("a port that the pipeline names is lost: no program lists those")
	}
	_, err := p.Start(context.Background(), flow.Options{})
	if err == nil || !strings.Contains(err.Error(), "process `m` has no input port `extra`") {
		t.Errorf("a run says %v", err)
	}

	numbers := &pipe.Type{Name: "numbers", Version: "Optics 2"}
	if err := p.Registry.Declare(numbers); err != nil {
		t.Fatal(err)
	}
	if found, _ := p.Registry.Lookup("numbers"); found.Version != "" {
		t.Error("the declaration of a version replaced an exact type of this program")
	}
	numbers.Version = ""
	if err := p.Registry.Declare(numbers); err != nil {
		t.Fatal(err)
	}
	if found, _ := p.Registry.Lookup("numbers"); len(found.Out) > 0 || found.Runs() == nil {
		t.Errorf("an exact declaration counts for checks, and the type still runs: %+v", found)
	}
	later := &pipe.Type{Name: "numbers", Version: "Optics 3"}
	if err := p.Registry.Declare(later); err != nil {
		t.Fatal(err)
	}
	if found, _ := p.Registry.Lookup("numbers"); found.Version != "Optics 3" || found.Runs() == nil {
		t.Errorf("of two declarations the later counts: %+v, want found.Version = %q and found.Runs() not nil", found, "Optics 3")
	}
}

// The declaration of an imported type is complete: using a missing port is an error, and a misspelt key a
// warning, even if the list of keys may be incomplete.
func TestImported(t *testing.T) {
	imported := &pipe.Type{Name: "shout", Version: "sources", Origin: "sources/shout.py", OpenKeys: true,
		In: []pipe.Port{{Name: "text", Type: "string", Flags: pipe.Required}}, Keys: []pipe.Key{{Name: "times", Kind: pipe.Int}, {Name: "loudness", Kind: pipe.Int}}}
	for text, want := range map[string]string{
		"s :: shout":                    "error: input port `text` of process `s` must be connected",
		"s :: shout loudnes=3":          "warning: process type `shout` has no key `loudnes`",
		"s :: shout somethingelse=true": "info: process type `shout` has no key `somethingelse`",
	} {
		found := false
		for _, p := range with(build(text), imported).Check() {
			found = found || p.Severity.String()+": "+p.Message == want
			if strings.Contains(p.Message, "flow import") {
				t.Errorf("%q: %s; want no %q in it", text, p.Message, "flow import")
			}
		}
		if !found {
			t.Errorf("%q: %v, want %s", text, with(build(text), imported).Check(), want)
		}
	}
}
