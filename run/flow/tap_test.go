package flow_test

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// told is a source that pushes given data, and a consumer that takes one datum whenever the test allows it.
type told struct {
	run  *flow.Run
	give chan flow.Datum
	take chan struct{}
	took chan struct{}
}

// tell starts a pipeline whose consumer has a second input. Without data there, the consumer waits between two steps.
func tell(t *testing.T, opt ...string) *told {
	t.Helper()
	g := &told{give: make(chan flow.Datum), take: make(chan struct{}), took: make(chan struct{})}
	var out, gate *flow.Out
	var in, key *flow.In
	source := &pipe.Type{Name: "told", Out: []pipe.Port{{Name: "datum", Type: pipe.AnyType, Flags: pipe.Required}}, New: func() pipe.Process {
		return &fake{setup: func(s *flow.Setup) error { out = s.Out("datum"); return nil }, step: func(s pipe.Step) error {
			d, ok := flow.Datum{}, false
			s.Await(func(ctx context.Context) {
				select {
				case d, ok = <-g.give:
				case <-ctx.Done():
				}
			})
			if !ok {
				s.Complete()
				return nil
			}
			out.Push(d)
			return nil
		}}
	}}
	lets := &pipe.Type{Name: "lets", Out: []pipe.Port{{Name: "go", Type: pipe.AnyType, Flags: pipe.Required}}, New: func() pipe.Process {
		return &fake{setup: func(s *flow.Setup) error { gate = s.Out("go"); return nil }, step: func(s pipe.Step) error {
			ok := false
			s.Await(func(ctx context.Context) {
				select {
				case _, ok = <-g.take:
				case <-ctx.Done():
				}
			})
			if !ok {
				s.Complete()
				return nil
			}
			gate.Push(flow.OfInt(1))
			return nil
		}}
	}}
	sink := &pipe.Type{Name: "takes", In: []pipe.Port{{Name: "datum", Type: pipe.AnyType, Flags: pipe.Required}, {Name: "go", Type: pipe.AnyType, Flags: pipe.Required}}, New: func() pipe.Process {
		return &fake{setup: func(s *flow.Setup) error { in, key = s.In("datum"), s.In("go"); return nil }, step: func(s pipe.Step) error {
			in.Take()
			key.Take()
			s.Await(func(ctx context.Context) {
				select {
				case g.took <- struct{}{}:
				case <-ctx.Done():
				}
			})
			return nil
		}}
	}}
	p := with(flow.New(catalog.Standard()), source, lets, sink)
	p.AddProcess("src", "told", nil)
	p.AddProcess("key", "lets", nil)
	p.AddProcess("snk", "takes", pipe.Set(opt...))
	p.Connect("src.datum", "snk.datum")
	p.Connect("key.go", "snk.go")
	run, err := p.Start(t.Context(), flow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { run.Abort(); _ = run.Wait() })
	g.run = run
	return g
}

func (g *told) push(values ...flow.Datum) {
	for _, v := range values {
		g.give <- v
	}
}

// eat lets the consumer take one datum.
func (g *told) eat() {
	g.take <- struct{}{}
	<-g.took
}

// sees waits until a tap has seen some data.
func sees(t *testing.T, tap *flow.Tap, number uint64) flow.Sample {
	t.Helper()
	for t.Context().Err() == nil {
		if s := tap.Newest(); s.Number >= number {
			return s
		}
		runtime.Gosched()
	}
	t.Fatal("the datum was not seen")
	return flow.Sample{}
}

func open(t *testing.T, run *flow.Run, port string) *flow.Tap {
	t.Helper()
	tap, err := run.Tap(port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tap.Close)
	return tap
}

func TestTapNewest(t *testing.T) {
	g := tell(t)
	tap := open(t, g.run, "snk.datum")
	if s := tap.Newest(); s.Number != 0 || s.Datum.IsData() {
		t.Errorf("before the first datum there is %v", s)
	}
	g.push(flow.OfInt(7))
	if s := sees(t, tap, 1); s.Datum.Int() != 7 || s.Stamp != 0 || s.From != "src.datum" || s.To != "snk.datum" {
		t.Errorf("the first datum is %+v, want s.Datum.Int() = 7, s.Stamp = 0, s.From = %q and s.To = %q", s, "src.datum", "snk.datum")
	}
	g.push(flow.OfText("eight"), flow.OfError("no nine"))
	if s := sees(t, tap, 3); s.Datum.Why() != "no nine" || s.Stamp != 2 {
		t.Errorf("the third datum is %+v, want s.Datum.Why() = %q and s.Stamp = 2", s, "no nine")
	}
	g.eat()
	if s := tap.Newest(); s.Number != 3 || s.Passed != 3 || s.Dropped != 0 {
		t.Errorf("what is taken is seen anew: %+v, want s.Number = 3, s.Passed = 3 and s.Dropped = 0", s)
	}
	if s := sees(t, open(t, g.run, "src.datum"), 3); s.To != "snk.datum" || s.Watched < 0 || s.Cost < 0 {
		t.Errorf("the edge of an output is %+v, want s.To = %q, s.Watched at least 0 and s.Cost at least 0", s, "snk.datum")
	}
	close(g.give) // the end is not a datum
	for !g.run.Stats().Processes[0].Done {
		runtime.Gosched()
	}
	if s := tap.Newest(); s.Number != 3 {
		t.Errorf("after the end there is %+v", s)
	}
}

// TestTapWaiting opens a tap after the data were pushed.
func TestTapWaiting(t *testing.T) {
	g := tell(t)
	first := open(t, g.run, "snk.datum")
	g.push(flow.OfInt(1), flow.OfInt(2), flow.OfInt(3))
	sees(t, first, 3) // they wait for the consumer, which waits at its second input
	if !g.run.Stats().Edges[0].Watched {
		t.Error("the figures do not say that somebody looks")
	}
	first.Close()
	first.Close()
	if g.run.Stats().Edges[0].Watched {
		t.Error("the figures say that somebody looks")
	}
	if s := sees(t, open(t, g.run, "snk.datum"), 1); s.Datum.Int() != 3 || s.Stamp != 2 {
		t.Errorf("the newest that waits is %+v, want s.Datum.Int() = 3 and s.Stamp = 2", s)
	}
}

// TestTapDropped watches a full edge: a dropped datum never appears on the edge.
func TestTapDropped(t *testing.T) {
	g := tell(t, "_non_blocking", "2")
	tap := open(t, g.run, "snk.datum")
	g.push(flow.OfInt(1), flow.OfInt(2), flow.OfInt(3), flow.OfInt(4))
	for tap.Newest().Dropped < 2 {
		runtime.Gosched()
	}
	if s := tap.Newest(); s.Number != 2 || s.Datum.Int() != 2 || s.Passed != 2 {
		t.Errorf("the newest is %+v, want s.Number = 2, s.Datum.Int() = 2 and s.Passed = 2", s)
	}
}

// TestTapFrees uses the garbage collector to check that an array is kept only while a tap is open.
func TestTapFrees(t *testing.T) {
	g := tell(t)
	push := func() weak.Pointer[tensor.Tensor] {
		array := tensor.New(tensor.Float64, 8)
		g.push(flow.Of(array))
		return weak.Make(array)
	}
	kept := func(p weak.Pointer[tensor.Tensor]) bool {
		for range 20 { // until no stack refers to it any more
			runtime.GC()
			if p.Value() == nil {
				return false
			}
			g.push(flow.OfInt(0)) // the registers of the producer hold another datum
			g.eat()
		}
		return true
	}
	alone := push()
	g.eat()
	if kept(alone) {
		t.Error("a datum is kept although nobody looks")
	}
	tap, other := open(t, g.run, "snk.datum"), open(t, g.run, "src.datum")
	looked := push()
	number := sees(t, tap, 1).Number
	g.eat()
	runtime.GC()
	if looked.Value() == nil || tap.Newest().Number != number {
		t.Error("a datum is not kept although somebody looks")
	}
	tap.Close()
	runtime.GC()
	if looked.Value() == nil {
		t.Error("a datum is not kept for who looks besides")
	}
	other.Close()
	if kept(looked) { // the taps themselves are held by the clean-up of the test
		t.Error("a datum is kept although nobody looks any more")
	}
	if _, err := g.run.Tap("nothing.at_all"); err == nil || !strings.Contains(err.Error(), "no edge of the run begins or ends at a port `nothing.at_all`") {
		t.Errorf("an unknown port gives %v", err)
	}
}

// TestTapAnyTime opens and closes taps while data flow, under every scheduler; the result does not change.
func TestTapAnyTime(t *testing.T) {
	for _, scheduler := range flow.Schedulers() {
		t.Run(scheduler, func(t *testing.T) {
			const n = 2_000
			p := flow.New(catalog.Standard())
			p.AddProcess("src", "numbers", pipe.Set("end", strconv.Itoa(n)))
			p.AddProcess("mid", "pass", nil)
			p.AddProcess("snk", "take_number", nil)
			p.Connect("src.number", "mid.pass")
			p.Connect("mid.pass", "snk.number")
			run, err := p.Start(context.Background(), flow.Options{Scheduler: scheduler})
			if err != nil {
				t.Fatal(err)
			}
			var lookers sync.WaitGroup
			for i := range 3 {
				lookers.Go(func() {
					for over := false; !over; {
						select {
						case <-run.Done():
							over = true
						default:
						}
						if err := lookOnce(run, []string{"mid.pass", "snk.number"}[i%2]); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			if err := run.Wait(); err != nil {
				t.Error(err)
			}
			lookers.Wait()
			for _, e := range run.Stats().Edges {
				if e.Pushed != n || e.Taken != n {
					t.Errorf("edge %s → %s: %d pushed, %d taken; want e.Pushed = %v and e.Taken = %v", e.From, e.To, e.Pushed, e.Taken, n, n)
				}
			}
		})
	}
}

// lookOnce opens a tap and checks that what it sees advances.
func lookOnce(run *flow.Run, port string) error {
	tap, err := run.Tap(port)
	if err != nil {
		return err
	}
	defer tap.Close()
	last := flow.Stamp(-1)
	for range 10 {
		s := tap.Newest()
		if s.Number == 0 {
			continue
		}
		if s.Stamp < last || s.Datum.Int() != int64(s.Stamp) {
			return fmt.Errorf("number %d with stamp %d was seen after stamp %d", s.Datum.Int(), s.Stamp, last)
		}
		if s.Passed < s.Number {
			return fmt.Errorf("%d data were seen of %d that have passed", s.Number, s.Passed)
		}
		last = s.Stamp
	}
	return nil
}
