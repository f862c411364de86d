// Package program has the process type `program`, which connects a running simulation to a
// pipeline. The simulation hands its data to the pipeline and takes settings from it.
//
//	simulation: PDI_event ──▶ plugin flow ──▶ run/handoff ──▶ program ──▶ colormap ──▶ …
//	                              ▲                             │
//	                              └──────── knobs:dt = 0.1 ◀────┘
//
// Each step pushes the data that the simulation hands over at one time: the data of an event, or a
// single shared datum.
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

// Name is the name of the type in pipelines.
const Name = "program"

// Types lists the process type.
func Types() []*pipe.Type {
	return []*pipe.Type{{
		Name: Name,
		Doc: "Brings the data of a program that calls PDI into the pipeline. The program's plugin `flow` names the pipeline and the data to hand over. " +
			"Each output has the name of a datum; the data of one event make one step.",
		Out: []pipe.Port{{Name: "<any>", Type: pipe.AnyType, Flags: pipe.Required, Freq: pipe.UnknownFreq, Doc: "The datum of the same name."}},
		Keys: []pipe.Key{
			{Name: "rank", Kind: pipe.Unsigned, Default: "0", Doc: "Rank of the MPI process whose data come in, if a launch plan starts the pipeline. A pipeline started by a program gets the data of the process that started it."},
			{Name: "knobs", Kind: pipe.Any, Tunable: true, Doc: "Numbers for the program: `knobs:NAME` becomes its metadatum NAME at its next event."},
		},
		Judge: judge,
		New:   func() pipe.Process { return &program{} },
	}}
}

type program struct {
	meet func(context.Context) (*handoff.Taker, error)
	outs []*flow.Out

	mu     sync.Mutex // needed because the program may connect during other method calls
	taker  *handoff.Taker
	failed error
	to     []*flow.Out // output for each datum of the program; nil: the datum is not used
	values pipe.Values // the settings to send when the program connects
	told   map[string]string
	unseen []string // keys that have changed since the program last read them
}

func (p *program) Setup(s *flow.Setup) (err error) {
	gate := s.Gate()
	if gate == nil {
		return errors.New("it needs the data of a program, but no program has started this pipeline: start the program whose specification tree names the pipeline in `plugins.flow.pipeline`, or a launch plan with both")
	}
	p.values, p.outs = s.Values(), s.Outs()
	if p.meet, err = gate.Expect(int(s.Int("rank"))); err != nil {
		return s.Errorf("rank", "%w", err)
	}
	return nil
}

// Ready reports whether Step can run without waiting: there are data, or there will be no more.
func (p *program) Ready() bool {
	taker, err := p.met()
	return err != nil || taker != nil && taker.Ready()
}

func (p *program) met() (*handoff.Taker, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taker, p.failed
}

// Wait waits until the program has connected and has handed over data.
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

// welcome checks whether the program hands over the data that the pipeline uses. If not, the
// program and the pipeline both get an error.
func (p *program) welcome(taker *handoff.Taker) error {
	h := &taker.Hello
	wants := []string{}
	p.to = make([]*flow.Out, len(h.Data))
	err := func() error {
		for _, out := range p.outs {
			i := slices.Index(h.Data, out.Name())
			if i < 0 {
				return unknown(fmt.Sprintf("the program `%s` does not hand over `%s`", h.Program, out.Name()), out.Name(), h.Data)
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

// unknown returns an error about an unknown name that lists the known names.
func unknown(text, name string, names []string) error {
	if near, ok := problem.Nearest(name, names); ok {
		return errors.New(text + "; " + problem.DidYouMean(near))
	}
	if len(names) == 0 {
		return errors.New(text + ": there are none")
	}
	return errors.New(text + "; there are `" + strings.Join(names, "`, `") + "`")
}

// Step pushes the data that the program has handed over.
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
		s.Log().Warn(fmt.Sprintf("the program `%s` ended without PDI_finalize: data that it had not handed over are lost", taker.Hello.Program))
		s.Complete()
		return nil
	case err != nil:
		return fmt.Errorf("the data of the program `%s` cannot be read: %w", taker.Hello.Program, err)
	}
	return nil
}

// Close disconnects from the program.
func (p *program) Close() error {
	if taker, _ := p.met(); taker != nil {
		taker.Close()
	}
	return nil
}
