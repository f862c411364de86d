package flow_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A tag is a datum that records the settings with which it was computed: the lowest and the highest value of the key `mark`
// on its way.
type tag struct{ n, low, high int64 }

// tagger is a process that records its setting in the data that pass through it.
type tagger struct {
	mark int64
	n    int64
	ins  []*flow.In
	outs []*flow.Out
	take int
	push int
	last bool
	seen *seen
}

// seen records what has arrived at the end of a pipeline.
type seen struct {
	count atomic.Int64
	wrong chan string

	timed  bool
	before time.Time
	gap    atomic.Int64 // the longest time between two data, in ns
}

func (s *seen) time() {
	now := time.Now()
	if gap := int64(now.Sub(s.before)); !s.before.IsZero() && gap > s.gap.Load() {
		s.gap.Store(gap)
	}
	s.before = now
}

func (s *seen) report(format string, args ...any) {
	select {
	case s.wrong <- fmt.Sprintf(format, args...):
	default:
	}
}

func (g *tagger) Setup(s *flow.Setup) error {
	g.ins, g.outs = s.Ins(), s.Outs()
	return g.Reconfigure(s)
}

func (g *tagger) Prepare(s *flow.Setup) error {
	if s.Int("mark") < 0 {
		return errors.New("mark must not be negative")
	}
	return nil
}

func (g *tagger) Reconfigure(s *flow.Setup) error {
	g.mark = s.Int("mark")
	if g.mark == 13 {
		return errors.New("13 brings bad luck")
	}
	return nil
}

func (g *tagger) Step(s pipe.Step) error {
	t := tag{g.n, g.mark, g.mark}
	for _, in := range g.ins {
		for range g.take {
			d := flow.As[tag](in.Take())
			t.n, t.low, t.high = d.n, min(t.low, d.low), max(t.high, d.high)
		}
	}
	if g.mark == 666 {
		return errors.New("the beast")
	}
	if g.last {
		if t.low != t.high {
			g.seen.report("datum %d was computed with settings from %d to %d", t.n, t.low, t.high)
		}
		if g.seen.timed {
			g.seen.time()
		}
		if have := g.seen.count.Add(1); t.n != have-1 {
			g.seen.report("datum %d came as number %d", t.n, have-1)
		}
	}
	for _, out := range g.outs {
		for i := range g.push {
			d := t
			if g.push > 1 {
				d.n = t.n/int64(g.push)*int64(g.push) + int64(i)
			}
			out.Push(flow.Of(d))
		}
	}
	g.n++
	return nil
}

// taggers returns the tagger types, which differ in what they take and push.
func taggers(s *seen) []*pipe.Type {
	keys := []pipe.Key{{Name: "mark", Kind: pipe.Int, Default: "0", Tunable: true}}
	any := func(n int64) []pipe.Port {
		return []pipe.Port{{Name: "<any>", Type: "tag", Flags: pipe.Required, Freq: pipe.Times(n)}}
	}
	return []*pipe.Type{
		{Name: "tags", Keys: keys, Out: any(1), New: func() pipe.Process { return &tagger{push: 1} }},
		{Name: "tagged", Keys: keys, In: any(1), Out: any(1), New: func() pipe.Process { return &tagger{take: 1, push: 1} }},
		{Name: "pairs", Keys: keys, In: any(2), Out: any(1), New: func() pipe.Process { return &tagger{take: 2, push: 1} }},
		{Name: "twice", Keys: keys, In: any(1), Out: any(2), New: func() pipe.Process { return &tagger{take: 1, push: 2} }},
		{Name: "last", Keys: keys, In: any(1), New: func() pipe.Process { return &tagger{take: 1, last: true, seen: s} }},
	}
}

// steered is a pipeline with two sources, branches, rates and turns.
const steered = `a :: tags
b :: tags
x :: tagged
dist :: distribute
v :: tagged
w :: tagged
coll :: collate
k :: tagged
y :: pairs
z :: twice
j :: tagged
end :: last
a.o -> x.i
x.o -> dist.src/t
dist.dist/t/0 -> v.i
dist.dist/t/1 -> w.i
dist.status/t -> coll.status/t
v.o -> coll.coll/t/0
w.o -> coll.coll/t/1
a.o -> y.i
y.o -> z.i
coll.res/t -> k.i
k.o -> j.a
z.o -> j.b
b.o -> j.c capacity=3
j.o -> end.i`

// marks returns settings that set the key of all taggers.
func marks(mark int64) map[string]string {
	settings := map[string]string{}
	for _, name := range []string{"a", "b", "x", "v", "w", "k", "y", "z", "j", "end"} {
		settings[name+":mark"] = strconv.FormatInt(mark, 10)
	}
	return settings
}

func (s *seen) ok(t *testing.T) {
	t.Helper()
	select {
	case wrong := <-s.wrong:
		t.Errorf("%s; want every datum once, in order, and computed with the same settings throughout", wrong)
	default:
	}
}

// TestSetUnderLoad checks that no datum is lost while settings change again and again, and that none is computed with a
// mixture of old and new settings.
func TestSetUnderLoad(t *testing.T) {
	need.Slow(t)
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		changes := int64(60)
		if need.FullSize() && opt.Scheduler == flow.DefaultScheduler {
			changes = 2000
		}
		s := &seen{wrong: make(chan string, 1)}
		r := start(t, with(build(steered), taggers(s)...), opt)
		for i := range changes {
			mark := i%7 + 1
			result, err := r.Set(t.Context(), marks(mark), flow.SetOptions{})
			if err != nil || !result.Applied || len(result.Crossed) > 0 {
				t.Fatalf("change %d: %+v, %v", i, result, err)
			}
		}
		if s.count.Load() == 0 {
			t.Error("nothing came through")
		}
		r.Stop()
		if err := finish(t, r); !errors.Is(err, flow.ErrStopped) {
			t.Fatal(err)
		}
		s.ok(t)
	})
}

// TestSetRefused checks that nothing changes if one process refuses, and that the old settings are restored if a process
// refuses after it had agreed.
func TestSetRefused(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		s := &seen{wrong: make(chan string, 1)}
		r := start(t, with(build(steered), taggers(s)...), opt)
		bad := marks(5)
		bad["w:mark"] = "-1"
		result, err := r.Set(t.Context(), bad, flow.SetOptions{})
		var refused *pipe.RefusedError
		if !errors.As(err, &refused) || result.Applied || result.Undone != "" {
			t.Errorf("%+v, %v", result, err)
		}
		for _, c := range result.Changes {
			if (c.Refused != "") != (c.Process == "w") || c.Old != "0" {
				t.Errorf("%+v, want (c.Refused != \"\") = %v and c.Old = %q", c, (c.Process == "w"), "0")
			}
		}
		bad["w:mark"] = "13"
		result, err = r.Set(t.Context(), bad, flow.SetOptions{})
		if !errors.As(err, &refused) || result.Applied || !strings.Contains(result.Undone, "13 brings bad luck") {
			t.Errorf("%+v, %v", result, err)
		}
		result, err = r.Set(t.Context(), marks(7), flow.SetOptions{Preview: true})
		if err != nil || result.Applied || len(result.Changes) != 10 || result.Changes[0] != (pipe.Change{Setting: "a:mark", Process: "a", Key: "mark", Old: "0", New: "7"}) {
			t.Errorf("preview: %+v, %v", result, err)
		}
		r.Stop()
		finish(t, r)
	})
}

// TestSetWatched checks that the old settings are restored if a process fails during the watch. Without a watch, the run
// ends.
func TestSetWatched(t *testing.T) {
	need.Slow(t)
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		s := &seen{wrong: make(chan string, 1)}
		r := start(t, with(build("a :: tags\nx :: tagged\ns :: sink\na.o -> x.i\nx.o -> s.sink"), taggers(s)...), opt)
		one := func(mark string, opt flow.SetOptions) (flow.SetResult, error) {
			return r.Set(t.Context(), map[string]string{"x:mark": mark}, opt)
		}
		result, err := one("666", flow.SetOptions{WatchFor: time.Minute})
		var failed *flow.StepError
		if !errors.As(err, &failed) || failed.Process != "x" || !strings.Contains(result.Undone, "the beast") || result.Applied {
			t.Errorf("%+v, %v", result, err)
		}
		// If a run gets no processor time for a tenth of a second, it makes no steps before or after the change; then try
		// again.
		until := func(mark string, share float64, holds func() bool) {
			for end := time.Now().Add(golden.Patience); ; {
				if result, err = one(mark, flow.SetOptions{WatchFor: 100 * time.Millisecond, MinShare: share}); holds() {
					return
				} else if time.Now().After(end) {
					t.Errorf("%+v, %v", result, err)
					return
				}
			}
		}
		until("1", 1e-9, func() bool { return err == nil && result.Applied && result.Changes[0].Old == "0" })
		until("2", 1e9, func() bool { return err != nil && strings.Contains(result.Undone, "steps in 100ms") })
		if stats := r.Stats(); stats.Processes[0].Done {
			t.Error("the run has ended")
		}
		if _, err = one("666", flow.SetOptions{}); err != nil && !errors.Is(err, flow.ErrEnded) {
			t.Error(err)
		}
		if err := finish(t, r); !errors.As(err, &failed) {
			t.Errorf("the run ended with %v", err)
		}
	})
}

// TestSetNowAndThen checks that nothing hangs if changes coincide with pauses, stops and ends in any order.
func TestSetNowAndThen(t *testing.T) {
	need.Slow(t)
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		for round := range 30 {
			s := &seen{wrong: make(chan string, 1)}
			r := start(t, with(build(steered), taggers(s)...), opt)
			over := make(chan bool)
			go func() {
				defer close(over)
				for mark := int64(1); ; mark = mark%7 + 1 {
					if _, err := r.Set(t.Context(), marks(mark), flow.SetOptions{}); errors.Is(err, flow.ErrEnded) || errors.Is(err, flow.ErrStopping) {
						return
					}
				}
			}()
			for range round % 5 {
				r.Pause()
				time.Sleep(100 * time.Microsecond) // so that the pause comes at any moment of a change
				r.Resume()
			}
			if round%3 == 0 {
				r.Abort()
			}
			r.Stop()
			finish(t, r)
			<-over
			s.ok(t)
		}
	})
}

// TestSetUnknownRates checks that a process which takes data at no fixed rate does not block a change, and that the result
// names it.
func TestSetUnknownRates(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		s := &seen{wrong: make(chan string, 1)}
		free := []pipe.Port{{Name: "<any>", Type: "tag", Flags: pipe.Required, Freq: pipe.UnknownFreq}}
		greedy := &pipe.Type{Name: "greedy", Level: pipe.CheckNone, In: free, New: func() pipe.Process {
			var ins []*flow.In
			return &fake{
				setup: func(s *flow.Setup) error { ins = s.Ins(); return nil },
				step: func(s pipe.Step) error {
					for range 3 {
						ins[0].Take()
					}
					if ins[1].Take().Kind() == flow.CompleteKind {
						s.Complete()
					}
					return nil
				},
			}
		}}
		r := start(t, with(build("a :: tags\nb :: tags\ng :: greedy\na.o -> g.a\nb.o -> g.b"), append(taggers(s), greedy)...), opt)
		for mark := range int64(10) {
			if result, err := r.Set(t.Context(), map[string]string{"a:mark": strconv.FormatInt(mark, 10), "b:mark": "1"}, flow.SetOptions{}); err != nil || !result.Applied {
				t.Fatalf("%+v, %v", result, err)
			}
		}
		r.Stop()
		finish(t, r)
	})
}

// TestSetEnded checks that a process that has ended refuses changes, while the others continue.
func TestSetEnded(t *testing.T) {
	s := &seen{wrong: make(chan string, 1)}
	once := &pipe.Type{Name: "once", Keys: []pipe.Key{{Name: "k", Kind: pipe.Int, Tunable: true}}, New: func() pipe.Process {
		return &fake{step: func(s pipe.Step) error { s.Complete(); return nil }}
	}}
	r := start(t, with(build("a :: tags\ns :: sink\no :: once\na.o -> s.sink"), append(taggers(s), once)...), flow.Options{})
	for end := time.Now().Add(golden.Patience); !r.Stats().Processes[2].Done; {
		if time.Now().After(end) {
			t.Fatal("it does not end")
		}
	}
	result, err := r.Set(t.Context(), map[string]string{"a:mark": "1", "o:k": "2"}, flow.SetOptions{})
	if err == nil || result.Changes[1].Refused != "process `o` has ended" || result.Changes[0].Refused != "" {
		t.Errorf("%+v, %v", result, err)
	}
	r.Stop()
	finish(t, r)
}

// TestSetContext checks that a change takes effect even if the caller's context ends.
func TestSetContext(t *testing.T) {
	begin, goOn := make(chan bool), make(chan bool)
	slow := &pipe.Type{Name: "slow", Out: outNumber, Keys: []pipe.Key{{Name: "k", Kind: pipe.Int, Default: "1", Tunable: true}}, New: func() pipe.Process {
		var out *flow.Out
		return &fake{
			setup: func(s *flow.Setup) error { out = s.Out("number"); return nil },
			step: func(s pipe.Step) error {
				if s.Number() == 1 {
					begin <- true
					<-goOn
				}
				out.Push(flow.OfInt(1))
				return nil
			},
		}
	}}
	r := start(t, with(build("a :: slow\ns :: sink\na.number -> s.sink"), slow), flow.Options{})
	<-begin
	for _, wait := range append(make([]time.Duration, 20), 10*time.Millisecond) { // a caller that comes too late does not get the error of another change either
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		if _, err := r.Set(ctx, map[string]string{"a:k": "2"}, flow.SetOptions{}); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "in the middle of a step") {
			t.Errorf("after %v: %v", wait, err)
		}
		cancel()
	}
	goOn <- true
	if result, err := r.Set(t.Context(), map[string]string{"a:k": "3"}, flow.SetOptions{}); err != nil || result.Changes[0].Old != "1" {
		t.Errorf("%+v, %v", result, err)
	}
	r.Stop()
	finish(t, r)
}

// TestSetOnOneSite checks that settings cannot be changed on only one site of a run.
func TestSetOnOneSite(t *testing.T) {
	s := &seen{wrong: make(chan string, 1)}
	p := with(build("c :: tags\nd :: sink\nc.o -> d.sink"), taggers(s)...)
	r := start(t, p, flow.Options{Part: &pipe.Part{Site: pipe.MainSite}})
	if _, err := r.Set(t.Context(), map[string]string{"c:mark": "2"}, flow.SetOptions{}); err == nil || !strings.Contains(err.Error(), "change them at its coordinator") {
		t.Errorf("%v", err)
	}
	r.Stop()
	finish(t, r)
}

// TestSetOfCopies checks that all copies of a process change between the same two data.
func TestSetOfCopies(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		s := &seen{wrong: make(chan string, 1)}
		types := taggers(s)
		for _, typ := range types {
			typ.Stateless = typ.Name == "tagged"
		}
		r := start(t, with(build("a :: tags\nx :: tagged _replicas=3\nend :: last\na.o -> x.i\nx.o -> end.i"), types...), opt)
		for i := range 50 {
			mark := strconv.Itoa(i%7 + 1)
			result, err := r.Set(t.Context(), map[string]string{"a:mark": mark, "x:mark": mark, "end:mark": mark}, flow.SetOptions{})
			if err != nil || !result.Applied || len(result.Crossed) > 0 || len(result.Changes) != 3 {
				t.Fatalf("change %d: %+v, %v", i, result, err)
			}
			if keys := r.Tunable("x"); keys[0].Setting != "x:mark" || keys[0].Value != mark {
				t.Fatalf("%+v, want keys[0].Setting = %q and keys[0].Value = %v", keys, "x:mark", mark)
			}
		}
		r.Stop()
		finish(t, r)
		s.ok(t)
	})
}
