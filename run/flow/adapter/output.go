package adapter

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func outputType() *pipe.Type {
	return &pipe.Type{
		Name:      "output_adapter",
		Doc:       "Passes the data that reach it to the embedding program; it has the ports that are connected.",
		In:        []pipe.Port{{Name: "<any>", Type: pipe.AnyType, Flags: pipe.Required, Doc: "One member of each set received."}},
		Keys:      []pipe.Key{{Name: "wait_on_queue_full", Kind: pipe.Bool, Default: "TRUE", Doc: "Whether to wait when the program does not fetch; otherwise the oldest set is dropped."}},
		Level:     pipe.CheckSync,
		Embedding: true,
		Needs:     "an embedding program that receives from it: adapter.Start in Go, EmbeddedPipeline in Python",
	}
}

// An Output receives data from one run of a pipeline.
type Output struct {
	sets   chan Set
	served atomic.Bool // a run has ended and closed sets
}

// NewOutput returns an output that holds up to capacity sets which the program has not received
// yet.
func NewOutput(capacity int) *Output { return &Output{sets: make(chan Set, max(1, capacity))} }

// Receive returns the next set. It returns false when the run or the context has ended. A set may
// contain empty and error data.
func (o *Output) Receive(ctx context.Context) (Set, bool) {
	select {
	case s, ok := <-o.sets:
		return s, ok
	case <-ctx.Done():
		return nil, false
	}
}

// Type returns the process type that sends to this output. An Output serves one run; in a second
// run the setup fails.
func (o *Output) Type() *pipe.Type {
	t := outputType()
	t.Needs = ""
	t.New = func() pipe.Process { return &fetcher{output: o} }
	return t
}

type fetcher struct {
	output *Output
	ins    []*flow.In
	wait   bool
}

func (f *fetcher) Setup(s *flow.Setup) error {
	f.ins, f.wait = s.Ins(), s.Bool("wait_on_queue_full")
	if f.output.served.Load() {
		return errors.New("its adapter.Output has served a run already: make a new one for each run")
	}
	return nil
}

func (f *fetcher) Step(s pipe.Step) error {
	set := make(Set, len(f.ins))
	for _, in := range f.ins {
		d := in.Take()
		if d.Kind() == flow.CompleteKind {
			s.Complete()
			return nil
		}
		set[in.Name()] = d
	}
	for {
		select {
		case f.output.sets <- set:
			return nil
		default:
		}
		if f.wait {
			sent := false
			s.Await(func(ctx context.Context) {
				select {
				case f.output.sets <- set:
					sent = true
				case <-ctx.Done():
				}
			})
			if sent {
				return nil
			}
			return s.Context().Err()
		}
		select {
		case <-f.output.sets:
		default:
		}
	}
}

// Close tells the receiving program that no more sets will come.
func (f *fetcher) Close() error {
	if !f.output.served.Swap(true) {
		close(f.output.sets)
	}
	return nil
}
