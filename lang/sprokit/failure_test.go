package sprokit

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestFailure: the error of a run is shown at the place that caused it.
func TestFailure(t *testing.T) {
	types := catalog.Standard()
	for _, typ := range []*pipe.Type{
		{Name: "panics", In: []pipe.Port{{Name: "in", Type: pipe.AnyType, Flags: pipe.Required}}, New: func() pipe.Process { return panics{} }},
		{Name: "declared", In: []pipe.Port{{Name: "in", Type: pipe.AnyType, Flags: pipe.Required}}, Needs: "another program"},
	} {
		if err := types.Add(typ); err != nil {
			t.Fatal(err)
		}
	}
	const feed = "process a :: numbers\n  end = 3\n"
	for _, c := range []struct{ name, text, code, place, message string }{
		{"the name of the process that failed", feed + "process p :: panics\nconnect from a.number to p.in\n",
			"sprokit/step-failed", "in.pipe:3:9", "process `p` (panics) failed in step 1: it panicked: no"},
		{"the key that does not serve", feed + "process p :: exec\n  command = /no/such/program\nconnect from a.number to p.in\n",
			"sprokit/setup-failed", "in.pipe:4:3", "process `p` cannot be set up: the program `/no/such/program` cannot be started: no such file or directory"},
		{"a type without a program", feed + "process p :: declared\nconnect from a.number to p.in\n",
			"sprokit/cannot-run", "in.pipe:3:9", "process `p` cannot run here"},
		{"what checks find too", feed + "process p :: sink\nconnect from a.nubmer to p.sink\n",
			"sprokit/unknown-port", "in.pipe:4:1", "process `a` has no output port `nubmer`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := modelOf(configOf(types, c.text))
			pipeline, _, err := m.Pipeline()
			if err != nil {
				t.Fatal(err)
			}
			err = pipeline.Run(context.Background(), flow.Options{})
			list := m.Failure(err)
			i := slices.IndexFunc(list, func(d *diag.Diagnostic) bool { return d.Code.ID == c.code })
			if i < 0 {
				t.Fatalf("no %s is shown of %v", c.code, err)
			}
			if d := list[i]; d.Severity != diag.Error || d.Span.String() != c.place || d.Message != c.message {
				t.Errorf("have %s %s %s\nwant %s %s %s", d.Span, d.Code.ID, d.Message, c.place, c.code, c.message)
			}
		})
	}
	if list := modelOf(configOf(types, feed)).Failure(errors.New("another")); list != nil {
		t.Errorf("the pipeline gets the blame: %v, want none", list[0].Message)
	}
}

// TestFindings: running a pipeline requires its types.
func TestFindings(t *testing.T) {
	c := configOf(catalog.Standard(), "process a :: nubmers\nprocess s :: sink\nconnect from a.number to s.sink\n")
	if found, _ := Findings(c); c.Diagnostics().HasErrors() || !found.HasErrors() {
		t.Error("an unknown type is a warning for a check and an error for a run")
	}
}

type panics struct{}

func (panics) Step(pipe.Step) error { panic("no") }

func configOf(types *pipe.Registry, text string) *lang.Config {
	env := &load.Env{Opener: source.Map{"in.pipe": text}, Dir: ".", Lookup: os.LookupEnv}
	return New(Options{Types: types}).Parse(source.NewFile("in.pipe", text)).Resolve(env)
}

func modelOf(c *lang.Config) *Model {
	m, _ := lang.Model[*Model](c)
	return m
}
