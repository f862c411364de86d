package flow_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestProbe: a requirement that the machine lacks prevents the run from starting, or is a warning
// in its log. It is probed before any process is made, and reported once; a check does not probe.
func TestProbe(t *testing.T) {
	for _, c := range []struct {
		name  string
		probe func(*pipe.Env) error
		site  string
		fails string
		logs  string
	}{
		{"lacks", func(*pipe.Env) error { return errors.New("there is no oven") }, "", "process `a` cannot run here: there is no oven", ""},
		{"warns", func(s *pipe.Env) error { return s.Values().Warnf("k", "the oven is cold") }, "", "", "process `a`: the oven is cold"},
		{"elsewhere", func(*pipe.Env) error { return errors.New("there is no oven") }, "kitchen", "", ""},
		{"has", func(*pipe.Env) error { return nil }, "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			made, asked := 0, 0
			numbers, _ := catalog.Standard().Lookup("numbers")
			typ := *numbers
			typ.Name = "oven"
			typ.Keys = append(typ.Keys[:len(typ.Keys):len(typ.Keys)], pipe.Key{Name: "k", Kind: pipe.String})
			typ.New = func() pipe.Process { made++; return numbers.New() }
			typ.Probe = func(s *pipe.Env) error {
				if asked++; made > 0 {
					t.Error("a process was made before")
				}
				return c.probe(s)
			}
			registry := catalog.Standard().Clone()
			if err := registry.Add(&typ); err != nil {
				t.Fatal(err)
			}
			p := flow.New(registry)
			for _, name := range []string{"a", "b"} {
				config := pipe.Set("start", "0", "end", "2")
				if c.site != "" {
					config[pipe.SiteKey] = pipe.Setting{Value: c.site}
				}
				p.AddProcess(name, "oven", config)
				p.AddProcess(name+"sink", "sink", nil)
				p.Connect(name+".number", name+"sink.sink")
			}
			if p.Check(); asked > 0 {
				t.Error("a check asks the machine")
			}
			var log bytes.Buffer
			err := p.Run(t.Context(), flow.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			said, want := "", 2
			if err != nil {
				said = err.Error()
			}
			if c.fails != "" {
				want = 0
			}
			if made != want || strings.Contains(said, "`b`") || !strings.Contains(said, c.fails) || (err != nil) != (c.fails != "") {
				t.Errorf("%d processes were made, and the error is %v", made, err)
			}
			if !strings.Contains(log.String(), c.logs) || strings.Contains(log.String(), "`b`") {
				t.Errorf("the log is\n%s\nwant %q in log.String() and no %q in log.String()", &log, c.logs, "`b`")
			}
		})
	}
}
