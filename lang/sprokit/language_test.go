package sprokit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
)

// language knows the standard types, and one with a static port.
var language = sprokit.New(sprokit.Options{Types: types(), Machine: func() sprokit.Machine {
	return sprokit.Machine{
		Hostname: "node7", Domain: "node7.lab", OS: "Linux", Description: "Linux 6.1", Platform: "x86_64", Version: "#1",
		TotalMemory: 2048, FreeMemory: 1024, TotalVirtual: 4096, FreeVirtual: 3072, Processors: 8, PID: 4711,
	}
}})

func types() *flow.Registry {
	r := catalog.Standard()
	err := r.Add(&flow.Type{Name: "scaled", Doc: "Takes numbers and a factor.", In: []flow.Port{
		{Name: "number", Type: "integer", Flags: flow.Required},
		{Name: "factor", Type: "integer", Flags: flow.Static},
	}})
	if err != nil {
		panic(err)
	}
	return r
}

func TestGolden(t *testing.T) { golden.Run(t, language, "testdata") }

func TestCodes(t *testing.T) { golden.Codes(t, language, "testdata", "x.pipe") }

func TestGoldenStyle(t *testing.T) {
	golden.Canonical(t, language, "canonical.pipe")
	golden.Canonical(t, language, "canonical.cluster")
}

func Fuzz(f *testing.F) { golden.Fuzz(f, language, "testdata", "x.pipe", "x.cluster") }

func TestSplice(t *testing.T) {
	golden.Splice(t, language, "testdata", "x.pipe")
	golden.Splice(t, language, "testdata", "x.cluster")
}

// TestCompleteConnect: behind `connect` comes the side, behind the side a port.
func TestCompleteConnect(t *testing.T) {
	const before = "process a\n  :: numbers\nprocess s\n  :: sink\n"
	for text, want := range map[string]string{"connect ": "from", "connect fr": "from", "connect from a": "a", "connect from a.": "number", "connect from a.number to s.": "sink"} {
		f := source.NewFile("a.pipe", before+text)
		var got []string
		for _, c := range language.Parse(f).Resolve(&load.Env{}).Complete(f, f.Len()) {
			got = append(got, c.Label)
		}
		if !slices.ContainsFunc(got, func(label string) bool { return strings.HasSuffix(label, want) }) {
			t.Errorf("%q: have %q, want %s among them", text, got, want)
		}
	}
}
