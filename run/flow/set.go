package flow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// SetOptions are how settings change.
type SetOptions struct {
	Preview  bool          // find out what would change, and change nothing
	WatchFor time.Duration // bring the old settings back where a process fails in this time
	MinShare float64       // or where one makes less than this share of the steps it made before
}

// A SetResult is what came of a Set.
type SetResult struct {
	Changes []pipe.Change `json:"changes"`
	Applied bool          `json:"applied"`           // the new settings hold
	Undone  string        `json:"undone,omitempty"`  // why the old ones hold again
	Crossed []string      `json:"crossed,omitempty"` // processes that changed between two steps of their own: their rates are not known
}

// ErrPausedSet is the error of a Set that could not take effect.
var ErrPausedSet = errors.New("the run is paused, and settings change between two steps: resume it first")

// errPart is the error of a Set on one site of a run.
var errPart = errors.New("the settings of a run on several sites change on all of them: ask who coordinates it")

// Set gives tunable keys new values while the pipeline runs, all of them or
// none. A setting is named `process:key`.
//
// Every process that gets values first judges them; if one refuses, nothing
// changes, and the error is a *RefusedError. Then the change goes through the
// pipeline from its sources: every datum is computed wholly with the old settings
// or wholly with the new ones, whatever the rates. A process that takes data
// as it likes changes between two of its steps; the result names it.
//
// A cluster hands what its tunable keys get to the keys inside that follow
// them, and `cluster:process:key` to the process inside. All copies of a process
// with replicas change together.
//
// Set returns when all processes have changed, and with WatchFor when that time
// is over. When the context ends before, the change still goes on.
func (r *Run) Set(ctx context.Context, settings map[string]string, opt SetOptions) (SetResult, error) {
	if r.opt.Part != nil {
		return SetResult{}, errPart
	}
	if err := r.beginSet(ctx); err != nil {
		return SetResult{}, err
	}
	changes, err := r.resolved.Address(settings, r.configOf)
	result := SetResult{Changes: changes}
	if err != nil {
		<-r.setting
		return result, err
	}
	v, err := r.revise(ctx, changes, opt)
	if v != nil {
		result.Changes = v.Changes
	}
	if err != nil {
		return result, err
	}
	if opt.Preview {
		v.Close()
		return result, nil
	}
	type outcome struct {
		result SetResult
		err    error
	}
	over := make(chan outcome, 1)
	go func() {
		result := SetResult{Changes: slices.Clone(result.Changes)}
		err := v.apply(&result)
		for i := range result.Changes {
			c := &result.Changes[i]
			c.Pending = result.Applied && slices.Contains(r.pending(c.Process), c.Key)
		}
		v.Close()
		over <- outcome{result, err}
	}()
	select {
	case o := <-over:
		return o.result, o.err
	case <-ctx.Done():
		return SetResult{}, fmt.Errorf("the change has not come to all processes yet, and goes on: %w", ctx.Err())
	}
}

// beginSet waits until no other change is under way.
func (r *Run) beginSet(ctx context.Context) error {
	if err := r.canSet(); err != nil {
		return err
	}
	select {
	case r.setting <- struct{}{}: // there is none, however late the caller is
		return nil
	default:
	}
	select {
	case r.setting <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("another change of settings is under way: %w", ctx.Err())
	}
}

func (r *Run) canSet() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.hasEnded():
		return ErrEnded
	case r.stopping:
		return ErrStopping
	case r.paused:
		return ErrPausedSet
	}
	return nil
}

// judgeConfig lets a process say whether it would take a configuration; it runs
// in the process itself.
func (p *proc) judgeConfig(c pipe.Config) error {
	if _, ok := p.impl.(Reconfigurer); !ok {
		return fmt.Errorf("process `%s` does not follow changes while it runs", p.node.Name)
	}
	if judge := p.node.Type.Judge; judge != nil {
		err := judge(pipe.ValuesOf(c, p.node.Type))
		if at, _ := pipe.KeyOf(err); err != nil && at.Severity != problem.Warning {
			return err
		}
	}
	if judge, ok := p.impl.(Preparer); ok {
		setup := &Setup{Env: p.env.With(c), p: p}
		err := judge.Prepare(setup)
		return cmp.Or(setup.err, err)
	}
	return nil
}

// configure gives a process a configuration; it runs in the process itself.
func (p *proc) configure(c pipe.Config) error {
	follower := p.impl.(Reconfigurer) // judgeConfig has seen to it
	setup := &Setup{Env: p.env.With(c), p: p}
	err := guarded(func() error { return follower.Reconfigure(setup) })
	if err := cmp.Or(setup.err, err); err != nil {
		return err
	}
	p.mail.mu.Lock()
	p.settings = c
	p.mail.mu.Unlock()
	return nil
}

// config is the configuration that a process has now.
func (p *proc) config() pipe.Config {
	p.mail.mu.Lock()
	defer p.mail.mu.Unlock()
	return p.settings
}

// configOf is the configuration that a process of the pipeline has now; its copies
// have the same.
func (r *Run) configOf(process string) pipe.Config {
	for p := range r.named(process) {
		return p.config()
	}
	return nil
}

// Tunable lists the keys of a process that can change while it runs.
// A process inside a cluster has none: they change through the cluster.
func (r *Run) Tunable(process string) []pipe.Tunable {
	list := r.resolved.Tunable(process, r.configOf)
	pending := r.pending(process)
	for i := range list {
		_, key, _ := strings.Cut(list[i].Setting, ":")
		list[i].Pending = slices.Contains(pending, key)
	}
	return list
}

// pending are the keys of a process whose values its program has not taken yet.
func (r *Run) pending(process string) []string {
	for p := range r.named(process) {
		if waits, ok := p.impl.(Pender); ok {
			return waits.Pending()
		}
	}
	return nil
}

// named are the processes that run here under the name of one of the pipeline:
// itself, or its copies.
func (r *Run) named(process string) iter.Seq[*proc] {
	return func(yield func(*proc) bool) {
		for _, p := range r.procs {
			if p.node.Original() == process && !p.node.Helper && !p.node.Link && !yield(p) {
				return
			}
		}
	}
}

func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("it panicked: %v", v)
		}
	}()
	return f()
}

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
