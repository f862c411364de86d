package adapter

import (
	"context"
	"errors"
	"sync"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func inputType() *pipe.Type {
	return &pipe.Type{
		Name:      "input_adapter",
		Doc:       "Feeds a pipeline with the data that the embedding program sends; it has the ports that are connected.",
		Out:       []pipe.Port{{Name: "<any>", Type: pipe.AnyType, Flags: pipe.Required, Doc: "One member of each set sent."}},
		Embedding: true,
		Needs:     "an embedding program that sends to it: adapter.Start in Go, EmbeddedPipeline in Python",
	}
}

// An Input sends data into one pipeline.
type Input struct {
	sets  chan Set
	close sync.Once
	end   chan struct{}
}

// NewInput returns an input that holds up to capacity sets which the pipeline has not taken yet.
func NewInput(capacity int) *Input {
	return &Input{sets: make(chan Set, max(1, capacity)), end: make(chan struct{})}
}

// ErrClosed is returned by Send after Close.
var ErrClosed = errors.New("the input has been closed")

// Send passes a set to the pipeline. It waits while the input holds as many sets as its capacity.
// Ports that are not in the set get an empty datum.
func (in *Input) Send(ctx context.Context, s Set) error {
	select {
	case <-in.end:
		return ErrClosed
	default:
	}
	select {
	case in.sets <- s:
		return nil
	case <-in.end:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends the input. The pipeline still gets the sets that were sent before.
func (in *Input) Close() { in.close.Do(func() { close(in.end) }) }

// Type returns the process type that this input feeds.
func (in *Input) Type() *pipe.Type {
	t := inputType()
	t.Needs = ""
	t.New = func() pipe.Process { return &feeder{input: in} }
	return t
}

type feeder struct {
	input *Input
	outs  []*flow.Out
}

func (f *feeder) Setup(s *flow.Setup) error {
	f.outs = s.Outs()
	return nil
}

func (f *feeder) Step(s pipe.Step) error {
	set, ok := f.next(s)
	if !ok {
		s.Complete()
		return nil
	}
	for _, out := range f.outs {
		out.Push(set[out.Name()])
	}
	return nil
}

func (f *feeder) next(s pipe.Step) (set Set, ok bool) {
	select {
	case set := <-f.input.sets:
		return set, true
	default:
	}
	s.Await(func(ctx context.Context) {
		select {
		case set = <-f.input.sets:
			ok = true
		case <-ctx.Done():
		case <-f.input.end:
			select { // first the sets that were sent before the end
			case set = <-f.input.sets:
				ok = true
			default:
			}
		}
	})
	return set, ok
}
