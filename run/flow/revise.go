package flow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A Revision is a change of settings on its way through a run, in steps that the
// sites of a pipeline take together:
//
//	Revise ─▶ Hold ─▶ Pass ─▶ Watch ─▶ Close
//	                    └───────┴─ Return ─▶ Hold ─▶ Pass ─▶ Close
//
// Revise lets every process judge. Hold lets the sources wait before they put the
// marker, until it is known how far each has come; Pass lets the marker go through
// the pipeline. Return makes the old settings those that the next Hold and Pass are for.
type Revision struct {
	Changes []pipe.Change // with who refuses
	Crossed []string      // see SetResult

	run     *Run
	opt     SetOptions
	configs map[*proc]pipe.Config // that come
	before  map[*proc]pipe.Config
	watch   *watch // nil: nothing is watched
	transit *transit
}

// Revise lets the processes that run here judge changes of settings. Where one refuses,
// the error is a *RefusedError. Otherwise no other change begins before Close.
func (r *Run) Revise(ctx context.Context, changes []pipe.Change, opt SetOptions) (*Revision, error) {
	if err := r.beginSet(ctx); err != nil {
		return nil, err
	}
	return r.revise(ctx, changes, opt)
}

// revise does the work of Revise when no other change is under way.
func (r *Run) revise(ctx context.Context, changes []pipe.Change, opt SetOptions) (*Revision, error) {
	v := &Revision{Changes: changes, run: r, opt: opt, configs: map[*proc]pipe.Config{}, before: map[*proc]pipe.Config{}}
	for _, c := range changes {
		for p := range r.named(c.Process) {
			if v.configs[p] == nil {
				v.before[p] = p.config()
				v.configs[p] = maps.Clone(v.before[p])
				if v.configs[p] == nil {
					v.configs[p] = pipe.Config{}
				}
			}
			set := v.configs[p][c.Key]
			set.Value = c.New
			v.configs[p][c.Key] = set
		}
	}
	if err := v.judge(ctx); err != nil {
		v.Close()
		return v, err
	}
	return v, nil
}

// judge asks every process that changes whether it takes its new settings.
func (v *Revision) judge(ctx context.Context) error {
	answers := map[*proc]<-chan error{}
	for p, config := range v.configs {
		answers[p] = p.send(func() error { return p.judgeConfig(config) })
	}
	var first error
	for _, p := range v.run.procs {
		if answers[p] == nil {
			continue
		}
		var err error
		select {
		case err = <-answers[p]:
		case <-ctx.Done():
			return fmt.Errorf("process `%s` has not answered: it is in the middle of a step: %w", p.node.Name, ctx.Err())
		case <-v.run.done:
			return ErrEnded
		}
		if errors.Is(err, ErrEnded) {
			err = fmt.Errorf("process `%s` has ended", p.node.Name)
		}
		if err == nil {
			continue
		}
		first = cmp.Or(first, err)
		about, isKey := pipe.KeyOf(err)
		for i := range v.Changes {
			if c := &v.Changes[i]; c.Process == p.node.Original() && (!isKey || about.Key == c.Key) {
				c.Refused = cmp.Or(c.Refused, err.Error())
			}
		}
	}
	if first != nil {
		return &pipe.RefusedError{Err: first}
	}
	return nil
}

// Hold begins the change. It returns when every source here has said how far it is,
// in periods of each clock that it goes by; sources wait there for Pass.
func (v *Revision) Hold() (clocks map[int]uint64, err error) {
	if v.opt.WatchFor > 0 && v.transit == nil {
		v.watch = v.run.newWatch(v.opt)
	}
	v.transit = &transit{run: v.run, settings: v.configs, watch: v.watch, held: make(chan struct{}), done: make(chan struct{})}
	v.run.transit.Store(v.transit)
	v.transit.begin(v.run.plan.PartsOf(v.Changes))
	select {
	case <-v.transit.held:
		return v.transit.periods(), nil
	case <-v.run.done:
		return nil, ErrEnded
	}
}

// Pass lets the marker go when the sources are as far as these periods say. It
// returns when all processes have changed: why the old settings must come back, if
// a process refused that had agreed, and an error when the run ended before.
func (v *Revision) Pass(clocks map[int]uint64) (refusal, err error) {
	v.transit.decide(clocks)
	defer v.run.transit.Store(nil)
	select {
	case <-v.transit.done:
	case <-v.run.done:
		return nil, ErrEnded
	}
	v.transit.mu.Lock()
	defer v.transit.mu.Unlock()
	v.Crossed = v.transit.unexact
	return v.transit.refusal, nil
}

// Loosen lets no marker hold a process any more; who sees that all sites stand still
// calls it.
func (r *Run) Loosen() {
	if t := r.transit.Load(); t != nil && t.loosen() {
		r.pokeAll()
	}
}

// Watch looks at the run for the time of the options, and returns why the old
// settings must come back, or nil. It ends early with the context.
func (v *Revision) Watch(ctx context.Context) error {
	if v.watch == nil {
		return nil
	}
	return v.watch.over(ctx)
}

// Return makes the old settings those that come next.
func (v *Revision) Return() { v.configs, v.watch = v.before, nil }

// Close ends the change: another one may begin.
func (v *Revision) Close() {
	if v.watch != nil {
		v.watch.end()
	}
	<-v.run.setting
}

// apply lets the new settings go through the pipeline, and brings the old ones
// back where that must be.
func (v *Revision) apply(result *SetResult) error {
	why, err := v.pass(result)
	if err == nil && why == nil {
		why = v.Watch(context.Background())
	}
	switch {
	case err != nil:
		return err
	case why == nil:
		result.Applied = true
		return nil
	}
	v.Return()
	if again, err := v.pass(result); err != nil {
		return err
	} else if again != nil {
		return fmt.Errorf("%w; and the old settings did not come back: %w", why, again)
	}
	result.Undone = why.Error()
	return &pipe.RefusedError{Err: why}
}

// pass takes the change through a run that is on one site.
func (v *Revision) pass(result *SetResult) (refusal, err error) {
	clocks, err := v.Hold()
	if err != nil {
		return nil, err
	}
	refusal, err = v.Pass(clocks)
	result.Crossed = v.Crossed
	return refusal, err
}
