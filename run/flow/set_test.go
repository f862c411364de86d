package flow_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestSet checks that tunable keys change between steps and that changes of other keys are
// refused.
func TestSet(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		var value atomic.Value
		inStep := atomic.Bool{}
		typ := &pipe.Type{
			Name: "tuned", Out: outNumber,
			Keys: []pipe.Key{{Name: "level", Kind: pipe.Int, Default: "1", Tunable: true}, {Name: "fixed", Kind: pipe.Int}},
			New: func() pipe.Process {
				var out *flow.Out
				return &fake{
					setup: func(s *flow.Setup) error { out = s.Out("number"); value.Store(s.Value("level")); return nil },
					step: func(pipe.Step) error {
						inStep.Store(true)
						out.Push(flow.OfInt(1))
						inStep.Store(false)
						return nil
					},
					retune: func(s *flow.Setup) error {
						if inStep.Load() {
							t.Error("reconfigured within a step")
						}
						if s.Int("level") < 0 {
							return errors.New("level must not be negative")
						}
						if s.Int("level") == 5 {
							s.Int("levle") // the type does not declare it
						}
						value.Store(s.Value("level"))
						return nil
					},
				}
			},
		}
		p := with(build("a :: tuned marked=1\ns :: sink\na.number -> s.sink"), typ)
		p.Graph.Processes[0].Config["frozen"] = pipe.Setting{Value: "1", ReadOnly: true, Tunable: true}
		p.Graph.Processes[0].Config["marked"] = pipe.Setting{Value: "1", Tunable: true}
		r := start(t, p, opt)
		for _, c := range []struct{ key, value, want string }{
			{"level", "7", ""}, {"level", "x", "does not fit"}, {"level", "-1", "must not be negative"}, {"level", "5", "declares no key `levle`"}, {"level", "8", ""},
			{"fixed", "1", "not tunable"}, {"frozen", "2", "read-only"}, {"marked", "2", "has no key `marked`"}, {"lvel", "2", "did you mean `level`?"},
		} {
			err := retune(r, "a", map[string]string{c.key: c.value})
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s = %s: %v, want %q", c.key, c.value, err, c.want)
			}
		}
		if v := value.Load(); v != "8" {
			t.Errorf("level is %v, want %q", v, "8")
		}
		if err := retune(r, "b", map[string]string{"level": "7"}); err == nil || !strings.Contains(err.Error(), "there is no process `b`") {
			t.Errorf("an unknown process: %v", err)
		}
		r.Pause()
		if err := retune(r, "a", map[string]string{"level": "9"}); err == nil || !strings.Contains(err.Error(), "resume it first") {
			t.Errorf("while it is paused: %v", err)
		}
		r.Stop()
		finish(t, r)
		if v := value.Load(); v != "8" {
			t.Errorf("level is %v, want %q", v, "8")
		}
		if err := retune(r, "a", map[string]string{"level": "9"}); !errors.Is(err, flow.ErrEnded) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// TestStartAgain checks that two runs of the same plan do not share their settings.
func TestStartAgain(t *testing.T) {
	began := make(chan string, 2)
	typ := &pipe.Type{
		Name: "tuned", Out: outNumber, Keys: []pipe.Key{{Name: "level", Kind: pipe.Int, Tunable: true}},
		New: func() pipe.Process {
			var out *flow.Out
			return &fake{
				setup:  func(s *flow.Setup) error { out = s.Out("number"); began <- s.Value("level"); return nil },
				step:   func(pipe.Step) error { out.Push(flow.OfInt(1)); return nil },
				retune: func(*flow.Setup) error { return nil },
			}
		},
	}
	p := with(build("a :: tuned level=1\ns :: sink\na.number -> s.sink"), typ)
	plan, found := pipe.Resolve(&p.Graph, p.Registry.Running())
	for range 2 {
		r, err := flow.Start(t.Context(), plan, found, flow.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if level := <-began; level != "1" {
			t.Errorf("the run begins with level %s, expected 1 as the plan says", level)
		}
		if err := retune(r, "a", map[string]string{"level": "2"}); err != nil {
			t.Error(err)
		}
		if now := r.Tunable("a"); len(now) != 1 || now[0].Value != "2" {
			t.Errorf("the run has %v, expected level 2", now)
		}
		r.Stop()
		finish(t, r)
	}
}

// TestExpect runs upstream's test of reconfiguration.
func TestExpect(t *testing.T) {
	p := build("e :: expect tunable=old expect=new")
	r := start(t, p, flow.Options{})
	if err := retune(r, "e", map[string]string{"tunable": "other"}); err == nil {
		t.Error("a wrong value was accepted")
	}
	if err := retune(r, "e", map[string]string{"tunable": "new"}); err != nil {
		t.Error(err)
	}
	r.Stop()
	finish(t, r)
}

// TestSetCluster checks that a cluster passes new values to its inner processes, and that
// their keys cannot be set directly.
func TestSetCluster(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		var mu sync.Mutex
		got := map[string]string{}
		tuned := &pipe.Type{
			Name: "tuned",
			Keys: []pipe.Key{{Name: "level", Kind: pipe.Int, Default: "1", Tunable: true}, {Name: "own", Kind: pipe.Int, Tunable: true}, {Name: "fixed", Kind: pipe.Int}},
			New: func() pipe.Process {
				return &fake{
					step: func(pipe.Step) error { return nil },
					retune: func(s *flow.Setup) error {
						mu.Lock()
						got[s.Name()] = s.Value("level") + " " + s.Value("own")
						mu.Unlock()
						return nil
					},
				}
			},
		}
		inner := &pipe.Type{
			Name: "inner", Keys: []pipe.Key{{Name: "depth", Kind: pipe.Int, Tunable: true}},
			Cluster: &pipe.Cluster{
				Processes: []pipe.Node{{Name: "x", Type: "tuned"}},
				Keys:      map[string][]pipe.KeyRef{"depth": {{Process: "x", Key: "level"}}},
			},
		}
		outer := &pipe.Type{
			Name: "outer",
			Keys: []pipe.Key{{Name: "factor", Kind: pipe.Int, Tunable: true}, {Name: "still", Kind: pipe.Int}, {Name: "loose", Kind: pipe.Int, Tunable: true}},
			Cluster: &pipe.Cluster{
				Processes: []pipe.Node{{Name: "a", Type: "tuned"}, {Name: "b", Type: "inner"}},
				Keys:      map[string][]pipe.KeyRef{"factor": {{Process: "a", Key: "level"}, {Process: "b", Key: "depth"}}, "still": {{Process: "a", Key: "fixed"}}},
			},
		}
		r := start(t, with(build("c :: outer factor=2 still=3\np :: tuned"), tuned, inner, outer), opt)
		for _, c := range []struct{ process, key, value, want string }{
			{"c", "factor", "7", ""},
			{"c", "a:own", "5", ""},
			{"c", "factor", "x", "`x` does not fit key `factor` of cluster `c`: expected a whole number"},
			{"c", "still", "4", "key `still` of cluster `c` cannot change while it runs"},
			{"c", "fcator", "4", "did you mean `factor`?"},
			{"c", "loose", "4", "nothing inside cluster `c` follows its key `loose`"},
			{"c", "a:level", "4", "key `a:level` of cluster `c` follows its key `factor` and cannot be set"},
			{"c", "a:fixed", "4", "follows its key `still`"},
			{"c", "a:lvel", "4", "did you mean `level`?"},
			{"c/a", "level", "4", "process `c/a` is inside cluster `c`: set the keys of the cluster"},
			{"c/b/x", "level", "4", "process `c/b/x` is inside cluster `c`"},
			{"d", "level", "4", "there is no process `d`"},
		} {
			err := retune(r, c.process, map[string]string{c.key: c.value})
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s %s = %s: %v, want %q", c.process, c.key, c.value, err, c.want)
			}
		}
		if err := retune(r, "c", map[string]string{"factor": "8", "b:x:own": "6"}); err != nil {
			t.Error(err)
		}
		r.Stop()
		finish(t, r)
		if got["c/a"] != "8 5" || got["c/b/x"] != "8 6" || got["p"] != "" {
			t.Errorf("have %v, want got[\"c/a\"] = %q, got[\"c/b/x\"] = %q and got[\"p\"] = nothing", got, "8 5", "8 6")
		}
	})
}
