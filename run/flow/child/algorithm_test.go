package child

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
)

// TestAlgorithmic: a type without an algorithm stays as it is. One with an algorithm
// runs, and only the key of that says more.
func TestAlgorithmic(t *testing.T) {
	plain := &flow.Type{Name: "plain", Needs: "a GPU", Keys: []flow.Key{{Name: "size", Kind: flow.Int}}}
	if got := Algorithmic(plain); got != plain {
		t.Errorf("%+v", got)
	}
	declared := &flow.Type{Name: "detector", Needs: "a detection algorithm",
		In:   []flow.Port{{Name: "number", Type: "integer", Flags: flow.Required}},
		Keys: []flow.Key{{Name: "size", Kind: flow.Int, Doc: "Pixels."}, {Name: "detector", Kind: flow.Algo, Doc: "What detects."}},
	}
	got := Algorithmic(declared)
	if got.New == nil || got.Needs != "" || got.Keys[0].Doc != "Pixels." || got.Keys[1].Doc != "What detects; python takes a class of yours, command a program." {
		t.Errorf("%+v", got)
	}
	if declared.New != nil || declared.Needs == "" || declared.Keys[1].Doc != "What detects." {
		t.Errorf("the declaration has changed: %+v", declared)
	}
	for _, c := range []struct {
		config flow.Config
		want   string
	}{
		{flow.Set("detector:type", "darknet"), "`darknet` is no algorithm of this program, which needs a detection algorithm; `detector:type = python` with `detector:python:class` takes a class of yours"},
		{flow.Set("detector:type", "python"), "key `detector:python:class` has no value: expected MODULE.CLASS"},
		{flow.Set("detector:type", "python", "detector:python:class", "a.B", "detector:python:interpreter", "no-python-anywhere"), "another one in `detector:python:interpreter`, `detector:python:venv` or PENTODE_PYTHON"},
		{flow.Set("detector:type", "command"), "key `detector:command:command` names no program: "},
		{flow.Set("detector:type", "command", "detector:command:command", "no-such-program-anywhere"), "no-such-program-anywhere"},
	} {
		_, err := flowtest.Feed(got, c.config, flowtest.Data{"number": ints(1)}, nil, 1, flow.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("have %v\nwant %s", err, c.want)
		}
	}
}

// TestAlgorithmPrints: what the program of an algorithm prints is in the log of the run.
func TestAlgorithmPrints(t *testing.T) {
	typ := Algorithmic(&flow.Type{Name: "detector", Needs: "a detection algorithm",
		In:   []flow.Port{{Name: "number", Type: "integer", Flags: flow.Required}},
		Keys: []flow.Key{{Name: "detector", Kind: flow.Algo}},
	})
	var log golden.Buffer
	opt := flow.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}
	config := flow.Set("detector:type", "command", "detector:command:command", "sh -c 'echo I will not work; exit 3'")
	if _, err := flowtest.Feed(typ, config, flowtest.Data{"number": ints(1)}, nil, 1, opt); err == nil {
		t.Error("a program that has ended works")
	}
	if !strings.Contains(log.String(), "I will not work") {
		t.Errorf("log:\n%s", log.String())
	}
}
