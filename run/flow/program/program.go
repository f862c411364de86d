// Package program is the process type `program`: the entry of data that a simulation
// hands to a pipeline, and the exit of settings that it takes from there.
//
//	simulation: PDI_event ──▶ plugin flow ──▶ run/handoff ──▶ program ──▶ colormap ──▶ …
//	                              ▲                             │
//	                              └──────── knobs:dt = 0.1 ◀────┘
//
// A step of the process is what the simulation hands over at one moment: the data of an
// event, or one datum that is shared.
package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff"
)

// Name is what pipelines call the type.
const Name = "program"

// Types lists it.
func Types() []*pipe.Type {
	return []*pipe.Type{{
		Name: Name,
		Doc: "Brings the data of a program that calls PDI into the pipeline: its plugin `flow` names the pipeline and what it hands over. " +
			"Each output is called like the datum that it brings; what the program hands over at one event is one step.",
		Out: []pipe.Port{{Name: "<any>", Type: pipe.AnyType, Flags: pipe.Required, Freq: pipe.UnknownFreq, Doc: "The datum of that name."}},
		Keys: []pipe.Key{
			{Name: "rank", Kind: pipe.Unsigned, Default: "0", Doc: "The process of an MPI program whose data these are, where a launch plan starts the pipeline. A pipeline that a program has started has the data of that process."},
			{Name: "knobs", Kind: pipe.Any, Tunable: true, Doc: "Numbers for the program: `knobs:NAME` becomes its metadatum NAME at its next event."},
		},
		Judge: judge,
		New:   func() pipe.Process { return &program{} },
	}}
}

type program struct {
	meet func(context.Context) (*handoff.Taker, error)
	outs []*flow.Out

	mu     sync.Mutex // the program comes while the process is asked for something else
	taker  *handoff.Taker
	failed error
	to     []*flow.Out // by datum of the program; nil: it is not used
	values pipe.Values // that the program gets when it comes
	told   map[string]string
	unseen []string // the keys that changed since the program looked
}

func (p *program) Setup(s *flow.Setup) (err error) {
	gate := s.Gate()
	if gate == nil {
		return errors.New("it has the data of a program, and none has started this pipeline: start the program whose specification tree names the pipeline behind `plugins.flow.pipeline`, or a launch plan with both")
	}
	p.values, p.outs = s.Values(), s.Outs()
	if p.meet, err = gate.Expect(int(s.Int("rank"))); err != nil {
		return s.Errorf("rank", "%w", err)
	}
	return nil
}

// Ready reports whether a step is there, or the end.
func (p *program) Ready() bool {
	taker, err := p.met()
	return err != nil || taker != nil && taker.Ready()
}

func (p *program) met() (*handoff.Taker, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taker, p.failed
}

// Wait waits for the program, and then for its data.
func (p *program) Wait(ctx context.Context) {
	taker, err := p.met()
	if taker == nil && err == nil {
		taker, err = p.meet(ctx)
		if ctx.Err() != nil {
			if taker != nil {
				taker.Close()
			}
			return
		}
		p.mu.Lock()
		if err == nil {
			err = p.welcome(taker)
		}
		p.taker, p.failed = taker, err
		p.mu.Unlock()
	}
	if err == nil {
		taker.Wait(ctx)
	}
}

// welcome compares what the program hands over with what the pipeline uses. Both sides learn
// what does not fit.
func (p *program) welcome(taker *handoff.Taker) error {
	h := &taker.Hello
	wants := []string{}
	p.to = make([]*flow.Out, len(h.Data))
	err := func() error {
		for _, out := range p.outs {
			i := slices.Index(h.Data, out.Name())
			if i < 0 {
				return unknown(fmt.Sprintf("the program `%s` hands no `%s` over", h.Program, out.Name()), out.Name(), h.Data)
			}
			p.to[i] = out
			wants = append(wants, out.Name())
		}
		return p.tell(taker, p.values)
	}()
	if err != nil {
		taker.Refuse(err.Error())
		return err
	}
	return taker.Accept(wants)
}

// unknown adds to the error about a name which there are.
func unknown(text, name string, names []string) error {
	if near, ok := problem.Nearest(name, names); ok {
		return errors.New(text + "; " + problem.DidYouMean(near))
	}
	if len(names) == 0 {
		return errors.New(text + ": there is nothing of the kind")
	}
	return errors.New(text + "; there are `" + strings.Join(names, "`, `") + "`")
}

// Step pushes what the program has handed over.
func (p *program) Step(s pipe.Step) error {
	taker, err := p.met()
	if err != nil {
		return err
	}
	err = taker.Next(func(item handoff.Item) {
		if out := p.to[item.Index]; out != nil {
			out.Push(datum(item))
		}
	})
	switch {
	case errors.Is(err, io.EOF):
		s.Complete()
		return nil
	case errors.Is(err, handoff.ErrLost):
		s.Log().Warn(fmt.Sprintf("the program `%s` ended without PDI_finalize: what it had not handed over is lost", taker.Hello.Program))
		s.Complete()
		return nil
	case err != nil:
		return fmt.Errorf("what the program `%s` hands over cannot be read: %w", taker.Hello.Program, err)
	}
	return nil
}

// Close leaves the program alone.
func (p *program) Close() error {
	if taker, _ := p.met(); taker != nil {
		taker.Close()
	}
	return nil
}
