package flow_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func itoa(i int) string { return strconv.Itoa(i) }

// TestFailures checks that any failure in a process ends the run with an error that names the
// process, the step and the place, and that everything is closed.
func TestFailures(t *testing.T) {
	at := func(n int64, do func() error) func(pipe.Step, int64) error {
		return func(_ pipe.Step, i int64) error {
			if i == n {
				return do()
			}
			return nil
		}
	}
	var nothing []int
	cases := []struct {
		name string
		do   func() error
		want string
	}{
		{"error", func() error { return errors.New("the disk is tired") }, "t.pipe:4:1: process `bad` (bad) failed in step 4: the disk is tired"},
		{"panic", func() error { panic("boom") }, "t.pipe:4:1: process `bad` (bad) failed in step 4: it panicked: boom"},
		{"index", func() error { return errors.New(itoa(nothing[3])) }, "process `bad` (bad) failed in step 4: it panicked: runtime error: index out of range [3] with length 0"},
		{"cast", func() error { flow.OfText("x").Int(); return nil }, "failed in step 4: got a string where a whole number was expected"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			everyScheduler(t, func(t *testing.T, opt flow.Options) {
				p := with(build("c :: const_number\ns :: sink\na :: numbers end=1000000\nbad :: bad\nc.number -> s.sink\na.number -> bad.number\na.number -> t.sink\nt :: sink"), consumer("bad", at(3, c.do)))
				err := finish(t, start(t, p, opt))
				var step *flow.StepError
				if !errors.As(err, &step) {
					t.Fatalf("have %v", err)
				}
				if !strings.Contains(err.Error(), c.want) || step.Process != "bad" || step.Step != 4 || step.Span.String() != "t.pipe:4:1" {
					t.Errorf("have %v\nwant %s", err, c.want)
				}
			})
		})
	}
}

// TestFinalizeOnce checks that a process is finalized exactly once, however it ends, and that data
// it pushes then still arrive.
func TestFinalizeOnce(t *testing.T) {
	for _, end := range []string{"by itself", "by its input", "because its output has no consumer left"} {
		t.Run(end, func(t *testing.T) {
			everyScheduler(t, func(t *testing.T, opt flow.Options) {
				var final, seen atomic.Int64
				mid := &pipe.Type{Name: "mid", In: inNumber, Out: outNumber, New: func() pipe.Process {
					var in *flow.In
					var out *flow.Out
					return &fake{
						setup: func(s *flow.Setup) error { in, out = s.In("number"), s.Out("number"); return nil },
						step: func(s pipe.Step) error {
							n := in.Take()
							out.Push(n)
							if end == "by itself" && n.Int() == 5 {
								s.Complete()
							}
							return nil
						},
						final: func(pipe.Step) error { final.Add(1); out.Push(flow.OfInt(-1)); return nil },
					}
				}}
				last := consumer("last", func(s pipe.Step, n int64) error {
					seen.Add(n)
					if end == "because its output has no consumer left" && n == 3 {
						s.Complete()
					}
					return nil
				})
				n := "10"
				if end != "by its input" {
					n = "100000000"
				}
				p := with(build("a :: numbers end="+n+"\nm :: mid\nl :: last\na.number -> m.number\nm.number -> l.number"), mid, last)
				if err := finish(t, start(t, p, opt)); err != nil {
					t.Fatal(err)
				}
				want := map[string]int64{"by itself": 15 - 1, "by its input": 45 - 1, "because its output has no consumer left": 6}[end]
				if final.Load() != 1 || seen.Load() != want {
					t.Errorf("finalized %d times, sum %d, want %d", final.Load(), seen.Load(), want)
				}
			})
		})
	}
}

// TestDevFull checks that a failed write to a file fails the run.
func TestDevFull(t *testing.T) {
	need.File(t, "/dev/full")
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		for _, n := range []string{"5", "1000000"} {
			p := build("a :: numbers end=" + n + "\nout :: print_number output=/dev/full\na.number -> out.number")
			err := finish(t, start(t, p, opt))
			var step *flow.StepError
			if !errors.As(err, &step) || step.Process != "out" || !strings.Contains(err.Error(), "t.pipe:2:1: process `out`") || !strings.Contains(err.Error(), "no space left on device") {
				t.Errorf("have %v", err)
			}
		}
	})
}

// TestStaticText checks that the error about a static port with a wrong value names its key, even
// if only the process knows the required type.
func TestStaticText(t *testing.T) {
	typ := &pipe.Type{Name: "loose", In: []pipe.Port{{Name: "level", Type: pipe.AnyType, Flags: pipe.Static}}, New: func() pipe.Process {
		var in *flow.In
		return &fake{
			setup: func(s *flow.Setup) error { in = s.In("level"); return nil },
			step:  func(s pipe.Step) error { in.Take().Int(); s.Complete(); return nil },
		}
	}}
	err := finish(t, start(t, with(build("a :: loose static/level=abc"), typ), flow.Options{}))
	if want := "key `static/level` gives port `level` the text `abc`"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("have %v\nwant %s", err, want)
	}
}

// TestSetupFails checks that the run does not begin if a process refuses its configuration, and
// that opened resources are closed.
func TestSetupFails(t *testing.T) {
	var closed atomic.Int64
	holder := &pipe.Type{Name: "holder", Out: outNumber, New: func() pipe.Process {
		return &fake{step: func(pipe.Step) error { return nil }, closed: func() error { closed.Add(1); return nil }}
	}}
	broken := &pipe.Type{Name: "broken", Out: outNumber, New: func() pipe.Process { panic("no way") }}
	careless := &pipe.Type{Name: "careless", In: []pipe.Port{{Name: "number", Type: "integer"}}, Out: outNumber, New: func() pipe.Process {
		return &fake{setup: func(s *flow.Setup) error { s.Out("number"); s.In("number"); s.In("nmber"); return nil }}
	}}
	// returns a type whose setup uses undeclared names and ignores the errors
	asks := func(name string, ask func(*flow.Setup)) *pipe.Type {
		return &pipe.Type{Name: name, Out: outNumber, Keys: []pipe.Key{{Name: "rate", Kind: pipe.Int}}, New: func() pipe.Process {
			return &fake{setup: func(s *flow.Setup) error { s.Out("number"); s.Int("rate"); ask(s); return nil }}
		}}
	}
	out := asks("asks_out", func(s *flow.Setup) { s.Out("nowhere").Push(flow.OfInt(1)) })
	key := asks("asks_key", func(s *flow.Setup) { s.Int("raet") })
	cases := []struct{ text, want string }{
		{"a :: careless\ns :: sink\na.number -> s.sink", "process `a` cannot be set up: type `careless` declares no input port `nmber`; did you mean `number`?"},
		{"a :: asks_out\ns :: sink\na.number -> s.sink", "process `a` cannot be set up: type `asks_out` declares no output port `nowhere`"},
		{"a :: asks_key\ns :: sink\na.number -> s.sink", "process `a` cannot be set up: type `asks_key` declares no key `raet`; did you mean `rate`?"},
		{"a :: broken\ns :: sink\na.number -> s.sink", "t.pipe:1:1: process `a` cannot be set up: it panicked: no way"},
		{"a :: numbers start=5 end=5\ns :: sink\na.number -> s.sink", "t.pipe:1:1: process `a`: key `end` is 5, but must be larger than key `start`, which is 5"},
		{"a :: numbers\nk :: skip skip=1 offset=2\ns :: sink\na.number -> k.input\nk.output -> s.sink", "but must be from 0 to 1"},
		{"a :: holder\nout :: print_number output=/nowhere/at/all\na.number -> out.number", "t.pipe:2:1: process `out` cannot be set up: the file `/nowhere/at/all` cannot be written: no such file or directory"},
		{"a :: numbers\nd :: zmq_transport_receive\ns :: sink", "type `zmq_transport_receive` needs a KWIVER serializer or transport"},
	}
	for _, c := range cases {
		p := with(build(c.text), holder, broken, careless, out, key)
		_, err := p.Start(context.Background(), flow.Options{})
		var list problem.List
		if !errors.As(err, &list) || !strings.Contains(strings.Join(texts(list), "\n"), c.want) {
			t.Errorf("have %v\nwant %s", err, c.want)
		}
	}
	if closed.Load() != 1 {
		t.Errorf("closed %d times, want 1", closed.Load())
	}
	if _, err := build("a :: numbers\ns :: sink\na.number -> s.sink").Start(context.Background(), flow.Options{Scheduler: "thread_pol"}); err == nil || !strings.Contains(err.Error(), "did you mean `thread_pool`?") {
		t.Errorf("have %v", err)
	}
}

func texts(list problem.List) []string {
	var s []string
	for _, p := range list {
		s = append(s, p.Error())
	}
	return s
}

// TestDrops checks that an edge that does not block drops and counts data, while flushes and the
// complete still arrive.
func TestDrops(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		var got atomic.Int64
		p := with(build("a :: numbers end=2000\ns :: slow _non_blocking=2\na.number -> s.number"),
			consumer("slow", func(pipe.Step, int64) error {
				got.Add(1)
				time.Sleep(5 * time.Microsecond) // to be slower than its producer
				return nil
			}))
		r := start(t, p, opt)
		if err := finish(t, r); err != nil {
			t.Fatal(err)
		}
		e := r.Stats().Edges[0]
		if e.Dropped == 0 || e.Pushed != 2000 || e.Taken != uint64(got.Load()) || e.Capacity != 2 || e.High > 2 {
			t.Errorf("have %+v, got %d, want some dropped, 2000 pushed, as many taken as got, and at most 2 in the edge", e, got.Load())
		}
		balanced(t, r.Stats())
	})
}

// TestGrowth checks that the smallest full edge grows, with a warning, if all processes wait for
// each other.
func TestGrowth(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		// greedy takes all data from one port before it takes any from the other.
		greedy := &pipe.Type{Name: "greedy", Level: pipe.CheckNone, New: func() pipe.Process {
			var a, b *flow.In
			return &fake{
				setup: func(s *flow.Setup) error { a, b = s.In("a"), s.In("b"); return nil },
				step: func(s pipe.Step) error {
					for a.Take().IsData() {
					}
					n := 0
					for b.Take().IsData() {
						n++
					}
					if n != 100 {
						return errors.New("lost some: " + itoa(n))
					}
					s.Complete()
					return nil
				},
			}
		}, In: []pipe.Port{{Name: "a", Type: "integer", Flags: pipe.Required}, {Name: "b", Type: "integer", Flags: pipe.Required}}}
		p := with(build("x :: numbers end=100\ng :: greedy\nx.number -> g.a capacity=4\nx.number -> g.b capacity=3"), greedy)
		r := start(t, p, opt)
		if err := finish(t, r); err != nil {
			t.Fatal(err)
		}
		w := r.Warnings()
		if len(w) != 1 || w[0].Kind != pipe.EdgeGrown || w[0].Span.String() != "t.pipe:4:1" {
			t.Errorf("warnings %v, want len(w) = 1, w[0].Kind = %v and w[0].Span.String() = %q", texts(w), pipe.EdgeGrown, "t.pipe:4:1")
		}
		balanced(t, r.Stats())
	})
}

// TestDeadlock checks that a run in which no process can ever continue fails, with an error that
// names the waiting processes.
func TestDeadlock(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		loop := &pipe.Type{Name: "loop", Level: pipe.CheckNone, In: []pipe.Port{{Name: "in", Type: "integer", Flags: pipe.Required | pipe.NoDep}}, Out: outNumber, New: func() pipe.Process {
			var in *flow.In
			return &fake{setup: func(s *flow.Setup) error { in = s.In("in"); return nil }, step: func(pipe.Step) error { in.Take(); return nil }}
		}}
		p := with(build("a :: loop\nb :: loop\na.number -> b.in\nb.number -> a.in"), loop)
		err := finish(t, start(t, p, opt))
		var dead *flow.DeadlockError
		if !errors.As(err, &dead) || !strings.Contains(err.Error(), "`a` waits at port `in` for `b`") {
			t.Errorf("have %v", err)
		}
	})
}

// TestFeedback checks that a pipeline with a loop through an input that does not wait can run and
// stop.
func TestFeedback(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		var rounds atomic.Int64
		work := &pipe.Type{Name: "work", Level: pipe.CheckNone,
			In:  []pipe.Port{{Name: "in", Type: "__feedback", Flags: pipe.Required}},
			Out: []pipe.Port{{Name: "out", Type: "__feedback", Flags: pipe.Required}},
			New: func() pipe.Process {
				var in *flow.In
				var out *flow.Out
				return &fake{setup: func(s *flow.Setup) error { in, out = s.In("in"), s.Out("out"); return nil }, step: func(s pipe.Step) error {
					d := in.Take()
					if rounds.Add(1) == 100 || d.Kind() == flow.CompleteKind {
						s.Complete()
						return nil
					}
					out.Push(d)
					return nil
				}}
			}}
		p := with(build("f :: feedback\nw :: work\nf.output -> w.in\nw.out -> f.input"), work)
		if err := finish(t, start(t, p, opt)); err != nil {
			t.Fatal(err)
		}
		if rounds.Load() < 100 {
			t.Errorf("%d rounds, want at least 100", rounds.Load())
		}
	})
}

// TestFailedRunLeavesPartialFiles checks that the file of a failed or aborted run keeps its
// temporary name and its content.
func TestFailedRunLeavesPartialFiles(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // makes it likely that a message from another goroutine arrives too late
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		p := with(build("a :: numbers start=1 end=100000\nw :: print_number output=boom.txt\nv :: text_write file_name=text.txt\nx :: fails\na.number -> w.number\na.number -> v.text\na.number -> x.number"),
			consumer("fails", func(_ pipe.Step, n int64) error {
				if n == 50000 {
					return errors.New("boom")
				}
				return nil
			}))
		if err := finish(t, start(t, p, opt)); err == nil {
			t.Error("it does not fail")
		}
		for _, name := range []string{"boom.txt", "text.txt"} {
			if _, err := os.Stat(filepath.Join(opt.Dir, name)); err == nil {
				t.Errorf("%s has its name, want one", name)
			}
			if text, err := os.ReadFile(filepath.Join(opt.Dir, name+".partial")); err != nil || !strings.HasPrefix(string(text), "1\n2\n") {
				t.Errorf("%s.partial is %.20q, %v", name, text, err)
			}
		}
	})
}

// TestWrittenSoon checks that data are in the file soon after they were written, even if no more
// data follow.
func TestWrittenSoon(t *testing.T) {
	need.Slow(t)
	p := with(build("a :: once\nw :: print_number output=n.txt\na.number -> w.number"), &pipe.Type{Name: "once",
		Out: []pipe.Port{{Name: "number", Type: "integer", Flags: pipe.Required}}, New: func() pipe.Process {
			var out *flow.Out
			return &fake{setup: func(s *flow.Setup) error { out = s.Out("number"); return nil }, step: func(s pipe.Step) error {
				if s.Number() == 1 {
					out.Push(flow.OfInt(7))
					return nil
				}
				s.Await(func(ctx context.Context) { <-ctx.Done() })
				return nil
			}}
		}})
	dir := t.TempDir()
	r := start(t, p, flow.Options{Dir: dir})
	defer r.Wait()
	defer r.Abort()
	golden.Until(t, "the number is written", func() bool {
		text, _ := os.ReadFile(filepath.Join(dir, "n.txt.partial"))
		return string(text) == "7\n"
	})
}
