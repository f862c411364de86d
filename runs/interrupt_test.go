package runs

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// stubbornRun is a run that ends only in the way that heeds names.
type stubbornRun struct {
	heeds string // stop or abort
	err   error  // the error with which it ends
	done  chan struct{}

	mu   sync.Mutex
	told []string
	next func() // called after each request to end
}

func (r *stubbornRun) Done() <-chan struct{} { return r.done }
func (r *stubbornRun) Wait() error           { return r.err }
func (r *stubbornRun) Stop()                 { r.tell("stop") }
func (r *stubbornRun) Abort()                { r.tell("abort") }

func (r *stubbornRun) tell(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = append(r.told, what)
	if what == r.heeds {
		close(r.done)
	} else {
		r.next()
	}
}

// TestInterrupts: the first interrupt asks a run to end, the second ends it, and a third does nothing more. Only an end that they requested counts as
// interrupted.
func TestInterrupts(t *testing.T) {
	need.Slow(t)
	failed := errors.New("it has failed")
	for _, c := range []struct {
		name    string
		signals int
		heeds   string
		err     error // of the run
		want    error
		told    string
	}{
		{"one is heeded", 1, "stop", flow.ErrStopped, ErrInterrupted, "stop"},
		{"two are heeded", 2, "abort", flow.ErrStopped, ErrInterrupted, "stop abort"},
		{"two are not heeded", 3, "nothing", nil, ErrInterrupted, "stop abort"},
		{"it fails meanwhile", 1, "stop", failed, failed, "stop"},
		{"it finishes meanwhile", 1, "stop", nil, nil, "stop"},
		{"stopped by another", 0, "", flow.ErrStopped, flow.ErrStopped, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, ask := context.WithCancel(t.Context())
			defer ask()
			abort, stopping := make(chan struct{}), 0
			i := newInterrupts(ctx, abort, func(e Event) {
				if e == (Stopping{}) {
					stopping++
				}
			})
			defer i.close()
			signals := []func(){ask, func() { close(abort) }, func() {}}
			run := &stubbornRun{heeds: c.heeds, err: c.err, done: make(chan struct{})}
			left := c.signals
			run.next = func() {
				if left > 0 {
					left--
					signals[c.signals-left-1]()
				}
			}
			if c.signals == 0 {
				close(run.done)
			} else {
				run.next()
			}
			err := i.wait(run)
			if err != c.want {
				t.Errorf("it ends with %v, want %v", err, c.want)
			}
			if have := strings.Join(run.told, " "); have != c.told {
				t.Errorf("it was told to %s, want %s", have, c.told)
			}
			if want := min(c.signals, 1); stopping != want {
				t.Errorf("it is said %d times that the run stops, want %d", stopping, want)
			}
		})
	}
}

// TestInterruptedSetup: a signal during the set-up of processes ends the run at once; a later signal does not affect the start.
func TestInterruptedSetup(t *testing.T) {
	pipeline := func() *flow.Pipeline {
		p := flow.New(catalog.Standard())
		p.AddProcess("src", "numbers", pipe.Set("end", "1000000000000"))
		p.AddProcess("snk", "sink", nil)
		p.Connect("src.number", "snk.sink")
		return p
	}
	options := flow.Options{Stdin: strings.NewReader(""), Stdout: io.Discard}
	nothing := func(Event) {}
	i := newInterrupts(t.Context(), nil, nothing)
	run, err := i.start(pipeline().Start, options)
	if err != nil {
		t.Fatal(err)
	}
	i.cancel()
	if err := run.Wait(); err == nil {
		t.Error("the run does not end with its context")
	}
	broken := flow.New(catalog.Standard())
	broken.AddProcess("src", "nothing", nil)
	if run, err := i.start(broken.Start, options); run != nil || err == nil || errors.Is(err, ErrInterrupted) {
		t.Errorf("a pipeline that cannot begin: %v, %v", run, err)
	}
	waiting := catalog.Standard()
	entered := make(chan struct{})
	if err := waiting.Add(&pipe.Type{Name: "waits", New: func() pipe.Process { return &waits{entered} }}); err != nil {
		t.Fatal(err)
	}
	p := flow.New(waiting)
	p.AddProcess("a", "waits", nil)
	ctx, ask := context.WithCancel(t.Context())
	i = newInterrupts(ctx, nil, nothing)
	defer i.close()
	go func() {
		<-entered
		ask()
	}()
	if run, err := i.start(p.Start, options); run != nil || !errors.Is(err, ErrInterrupted) {
		t.Errorf("%v, %v", run, err)
	}
	if i.ctx.Err() == nil {
		t.Error("the run was not ended")
	}
	i = newInterrupts(t.Context(), nil, nothing)
	if i.close(); i.ctx.Err() == nil {
		t.Error("what began in the run's time goes on after it")
	}
}

// waits takes until the end of its run to set up.
type waits struct{ entered chan struct{} }

func (w *waits) Setup(s *flow.Setup) error {
	close(w.entered)
	<-s.Context().Done()
	return s.Context().Err()
}

func (w *waits) Step(pipe.Step) error { return nil }
