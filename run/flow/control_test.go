package flow_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// fake is a process whose methods are given as functions.
type fake struct {
	setup  func(*flow.Setup) error
	step   func(pipe.Step) error
	final  func(pipe.Step) error
	flush  func(pipe.Step) error
	retune func(*flow.Setup) error
	closed func() error
}

func (f *fake) Setup(s *flow.Setup) error {
	if f.setup != nil {
		return f.setup(s)
	}
	return nil
}
func (f *fake) Step(s pipe.Step) error { return f.step(s) }
func (f *fake) Finalize(s pipe.Step) error {
	if f.final != nil {
		return f.final(s)
	}
	return nil
}
func (f *fake) Flush(s pipe.Step) error {
	if f.flush != nil {
		return f.flush(s)
	}
	return nil
}
func (f *fake) Reconfigure(s *flow.Setup) error {
	if f.retune != nil {
		return f.retune(s)
	}
	return nil
}
func (f *fake) Close() error {
	if f.closed != nil {
		return f.closed()
	}
	return nil
}

var (
	inNumber  = []pipe.Port{{Name: "number", Type: "integer", Flags: pipe.Required}}
	outNumber = []pipe.Port{{Name: "number", Type: "integer", Flags: pipe.Required}}
)

// retune sets keys of a process.
func retune(r *flow.Run, process string, values map[string]string) error {
	settings := map[string]string{}
	for key, value := range values {
		settings[process+":"+key] = value
	}
	_, err := r.Set(context.Background(), settings, flow.SetOptions{})
	return err
}

// with adds types to the registry of a pipeline and returns the pipeline.
func with(p *flow.Pipeline, types ...*pipe.Type) *flow.Pipeline {
	for _, t := range types {
		if err := p.Registry.Add(t); err != nil {
			panic(err)
		}
	}
	return p
}

// consumer returns a type that calls do for each number it gets.
func consumer(name string, do func(s pipe.Step, n int64) error) *pipe.Type {
	return &pipe.Type{Name: name, In: inNumber, New: func() pipe.Process {
		var in *flow.In
		return &fake{
			setup: func(s *flow.Setup) error { in = s.In("number"); return nil },
			step:  func(s pipe.Step) error { return do(s, in.Take().Int()) },
		}
	}}
}

// inBubble runs f in a synctest bubble, so that a test can wait until all goroutines are blocked.
func inBubble(f func(t *testing.T, opt flow.Options)) func(t *testing.T, opt flow.Options) {
	return func(t *testing.T, opt flow.Options) {
		synctest.Test(t, func(t *testing.T) { f(t, opt) })
	}
}

// TestPauseResume checks that a run can be paused while processes wait for edges, makes no steps
// while it is paused, and delivers all data in the end.
func TestPauseResume(t *testing.T) {
	everyScheduler(t, inBubble(func(t *testing.T, opt flow.Options) {
		var count atomic.Int64
		reached, goOn := make(chan bool), make(chan bool)
		p := with(build("a :: numbers end=200\ns :: slow\na.number -> s.number capacity=2"),
			consumer("slow", func(pipe.Step, int64) error {
				if count.Add(1) == 10 {
					reached <- true
					<-goOn
				}
				return nil
			}))
		r := start(t, p, opt)
		<-reached
		if err := r.Pause(); err != nil {
			t.Fatal(err)
		}
		if err := r.Pause(); !errors.Is(err, flow.ErrPaused) {
			t.Errorf("second pause: %v", err)
		}
		goOn <- true
		synctest.Wait() // until all goroutines are blocked
		if got := count.Load(); got != 10 {
			t.Errorf("%d steps while paused, want 10", got-10)
		}
		if err := r.Resume(); err != nil {
			t.Fatal(err)
		}
		if err := r.Resume(); !errors.Is(err, flow.ErrNotPaused) && !errors.Is(err, flow.ErrEnded) {
			t.Errorf("second resume: %v", err)
		}
		if err := finish(t, r); err != nil {
			t.Fatal(err)
		}
		if count.Load() != 200 {
			t.Errorf("%d numbers arrived, want 200", count.Load())
		}
		if err := r.Pause(); !errors.Is(err, flow.ErrEnded) {
			t.Errorf("pause after the end: %v", err)
		}
	}))
}

// TestStop checks that a graceful stop processes the data in the pipeline, even if the run is
// paused.
func TestStop(t *testing.T) {
	for _, paused := range []bool{false, true} {
		everyScheduler(t, func(t *testing.T, opt flow.Options) {
			var sent, got, final atomic.Int64
			src := &pipe.Type{Name: "endless", Out: outNumber, New: func() pipe.Process {
				var out *flow.Out
				return &fake{
					setup: func(s *flow.Setup) error { out = s.Out("number"); return nil },
					step:  func(pipe.Step) error { out.Push(flow.OfInt(sent.Add(1))); return nil },
					final: func(pipe.Step) error { final.Add(1); return nil },
				}
			}}
			p := with(build("a :: endless\np :: pass\ns :: count\na.number -> p.pass\np.pass -> s.number"), src,
				consumer("count", func(pipe.Step, int64) error { got.Add(1); return nil }))
			r := start(t, p, opt)
			golden.Until(t, "the pipeline is in full swing", func() bool { return got.Load() > 100 })
			if paused {
				r.Pause()
			}
			r.Stop()
			r.Stop()
			if err := finish(t, r); !errors.Is(err, flow.ErrStopped) {
				t.Fatalf("wait after stop: %v", err)
			}
			if err := r.Wait(); !errors.Is(err, flow.ErrStopped) {
				t.Errorf("second wait: %v", err)
			}
			if sent.Load() != got.Load() || final.Load() != 1 {
				t.Errorf("sent %d, got %d, finalized %d times, want as many got as sent, and finalized once", sent.Load(), got.Load(), final.Load())
			}
			r.Stop()
			r.Abort()
		})
	}
}

// TestAbort checks that an abort interrupts processes that wait in the middle of a step.
func TestAbort(t *testing.T) {
	everyScheduler(t, inBubble(func(t *testing.T, opt flow.Options) {
		block := make(chan struct{})
		var closed atomic.Int64
		stuck := &pipe.Type{Name: "stuck", In: inNumber, New: func() pipe.Process {
			return &fake{
				step: func(s pipe.Step) error {
					s.Await(func(ctx context.Context) {
						select {
						case <-block:
						case <-ctx.Done():
						}
					})
					return nil
				},
				closed: func() error { closed.Add(1); return nil },
			}
		}}
		for _, way := range []string{"abort", "context", "deadline"} {
			ctx, cancel := context.WithCancel(context.Background())
			if way == "deadline" {
				ctx, cancel = context.WithTimeout(context.Background(), 5*time.Millisecond)
			}
			p := with(build("a :: numbers end=100000\ns :: stuck\na.number -> s.number"), stuck)
			r, err := p.Start(ctx, opt)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait() // until the process is in the middle of a step
			switch way {
			case "abort":
				r.Abort()
			case "context":
				cancel()
			}
			err = finish(t, r)
			if late := errors.Is(err, context.DeadlineExceeded); !errors.Is(err, flow.ErrStopped) || late != (way == "deadline") {
				t.Errorf("%s: %v", way, err)
			}
			cancel()
		}
		if closed.Load() != 3 {
			t.Errorf("closed %d times, want 3", closed.Load())
		}
	}))
}

// TestAnyOrder calls all methods from many goroutines in any order.
func TestAnyOrder(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		for round := range 20 {
			p := build("c :: const_number value=3\na :: numbers end=100000000\nm :: multiplication\ns :: sink\nt :: tuned\nc.number -> m.factor1\na.number -> m.factor2 capacity=3\nm.product -> s.sink\nm.product -> t.number")
			with(p, &pipe.Type{Name: "tuned", In: inNumber, Keys: []pipe.Key{{Name: "k", Kind: pipe.Int, Tunable: true}}, New: func() pipe.Process {
				var in *flow.In
				return &fake{setup: func(s *flow.Setup) error { in = s.In("number"); return nil }, step: func(pipe.Step) error { in.Take(); return nil }}
			}})
			r := start(t, p, opt)
			var wait sync.WaitGroup
			for g := range 4 {
				rnd := rand.New(rand.NewPCG(uint64(round), uint64(g)))
				wait.Go(func() {
					for range 20 {
						switch rnd.IntN(5) {
						case 0:
							r.Pause()
						case 1:
							r.Resume()
						case 2:
							r.Stats()
						case 3:
							r.Warnings()
						}
					}
				})
			}
			if round%2 == 0 {
				wait.Go(func() { retune(r, "t", map[string]string{"k": "4"}) })
			}
			if round%4 == 1 {
				wait.Go(r.Abort)
			}
			wait.Go(r.Stop)
			r.Stop()
			finish(t, r)
			wait.Wait()
			balanced(t, r.Stats())
		}
	})
}

// TestManyProcesses runs a pipeline of ten thousand processes.
func TestManyProcesses(t *testing.T) {
	need.Slow(t)
	const n = 10000
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		p := flow.New(catalog.Standard())
		p.AddProcess("src", "numbers", pipe.Set("end", "50"))
		last := "src.number"
		for i := range n - 2 {
			name := "p" + strings.Repeat("x", i%3) + string(rune('a'+i%26)) + itoa(i)
			p.AddProcess(name, "pass", nil)
			p.Connect(last, name+".pass")
			last = name + ".pass"
		}
		p.AddProcess("out", "print_number", pipe.Set("output", "OUT.txt"))
		p.Connect(last, "out.number")
		if err := finish(t, start(t, p, opt)); err != nil {
			t.Fatal(err)
		}
		if have := numbersOf(t, opt.Dir); have != repeated(50, 1) {
			t.Errorf("have %s, want %s", have, repeated(50, 1))
		}
	})
}

// optional is a process without required inputs.
type optional struct {
	ins   []*flow.In
	steps *atomic.Int64
	taken *atomic.Int64
}

func (o *optional) Setup(s *flow.Setup) error { o.ins = s.Ins(); return nil }

func (o *optional) Step(pipe.Step) error {
	o.steps.Add(1)
	for _, in := range o.ins {
		if in.Take().IsData() {
			o.taken.Add(1)
		}
	}
	return nil
}

// TestNothingRequired checks that a process without required inputs makes a step when data arrive,
// and ends when all its inputs have ended.
func TestNothingRequired(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		for text, want := range map[string][2]int64{
			"a :: numbers start=1 end=6\nu :: optional\na.number -> u.a":                                              {5, 5},
			"a :: numbers end=5\nb :: numbers end=200\nu :: optional\na.number -> u.a\nb.number -> u.b":               {200, 205},
			"a :: numbers start=1 end=2\nb :: numbers start=1 end=2\nu :: optional\na.number -> u.a\nb.number -> u.b": {1, 2},
			"a :: numbers end=200\ns :: skip skip=9\nu :: optional\na.number -> s.input\ns.output -> u.b\n":           {20, 20},
		} {
			var steps, taken atomic.Int64
			p := with(build(text), &pipe.Type{Name: "optional", In: []pipe.Port{{Name: "<any>", Type: "integer"}},
				New: func() pipe.Process { return &optional{steps: &steps, taken: &taken} }})
			if err := finish(t, start(t, p, opt)); err != nil {
				t.Errorf("%q: %v", text, err)
			}
			if got := [2]int64{steps.Load(), taken.Load()}; got != want {
				t.Errorf("%q: %v steps and data, want %v", text, got, want)
			}
		}
	})
}

// TestStopsTheHeedless checks that Stop also ends a process that ignores the end of its inputs.
func TestStopsTheHeedless(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		var steps, taken atomic.Int64
		p := with(build("a :: numbers start=1 end=6\nu :: heedless\na.number -> u.a"), &pipe.Type{Name: "heedless", Level: pipe.CheckNone,
			In: []pipe.Port{{Name: "a", Type: "integer"}}, New: func() pipe.Process { return &optional{steps: &steps, taken: &taken} }})
		r := start(t, p, opt)
		golden.Until(t, "five data are taken", func() bool { return taken.Load() >= 5 })
		r.Stop()
		if err := finish(t, r); err != nil && !errors.Is(err, flow.ErrStopped) {
			t.Error(err)
		}
	})
}
