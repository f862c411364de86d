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

// SetOptions configure a change of settings.
type SetOptions struct {
	Preview  bool          // report what would change, without changing anything
	WatchFor time.Duration // for this time after the change, restore the old settings if a process fails
	MinShare float64       // during WatchFor, also restore them if a process makes fewer steps than this share of the steps it made before
}

// A SetResult is the result of a Set.
type SetResult struct {
	Changes []pipe.Change `json:"changes"`
	Applied bool          `json:"applied"`           // the new settings are in effect
	Undone  string        `json:"undone,omitempty"`  // why the old settings were restored; empty if they were not
	Crossed []string      `json:"crossed,omitempty"` // processes that changed at a step not aligned with the others, because their rates are not known
}

// ErrPausedSet is returned by Set if the run is paused: a change takes effect between two steps, and a paused
// run makes none.
var ErrPausedSet = errors.New("the run is paused, and settings change between two steps: resume it first")

// errPart is returned by Set on one site of a run with several sites: settings must change on all sites
// together.
var errPart = errors.New("the settings of a run on several sites change on all of them: change them at its coordinator")

// Set gives new values to tunable keys while the pipeline runs: to all of the named keys or to none. settings
// maps `process:key` to a value.
//
// First, every process that gets new values judges them. If one refuses, nothing changes, and the error is a
// *RefusedError. Then the change passes through the pipeline from its sources: every datum is computed
// entirely with the old settings or entirely with the new ones, whatever the rates of the processes are. A
// process that takes data at no fixed rate is an exception: it changes between any two of its steps, and the
// result names it.
//
// A cluster passes values of its tunable keys on to the keys of its inner processes that are mapped to them;
// `cluster:process:key` sets a key of an inner process. All copies of a replicated process change together.
//
// Set returns when all processes have changed and, with WatchFor, when that time has passed. If the context
// ends first, Set returns but the change still takes effect.
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
		return SetResult{}, fmt.Errorf("the change has not reached all processes yet, and continues: %w", ctx.Err())
	}
}

// beginSet waits until no other change is pending.
func (r *Run) beginSet(ctx context.Context) error {
	if err := r.canSet(); err != nil {
		return err
	}
	select {
	case r.setting <- struct{}{}: // no other change is in progress, so it does not matter whether ctx has ended
		return nil
	default:
	}
	select {
	case r.setting <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("another change of settings is in progress: %w", ctx.Err())
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

// judgeConfig asks the process whether it would accept a configuration. It runs in the goroutine of the
// process.
func (p *proc) judgeConfig(c pipe.Config) error {
	if _, ok := p.impl.(Reconfigurer); !ok {
		return fmt.Errorf("process `%s` cannot change its settings while it runs", p.node.Name)
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

// configure gives the process a new configuration. It runs in the goroutine of the process.
func (p *proc) configure(c pipe.Config) error {
	follower := p.impl.(Reconfigurer) // judgeConfig has checked that it implements Reconfigurer
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

// config returns the current configuration of a process.
func (p *proc) config() pipe.Config {
	p.mail.mu.Lock()
	defer p.mail.mu.Unlock()
	return p.settings
}

// configOf returns the current configuration of a process of the pipeline. All its copies have the same one.
func (r *Run) configOf(process string) pipe.Config {
	for p := range r.named(process) {
		return p.config()
	}
	return nil
}

// Tunable lists the keys of a process that can change during a run. It lists none for a process inside a
// cluster: such keys change through the cluster's keys.
func (r *Run) Tunable(process string) []pipe.Tunable {
	list := r.resolved.Tunable(process, r.configOf)
	pending := r.pending(process)
	for i := range list {
		_, key, _ := strings.Cut(list[i].Setting, ":")
		list[i].Pending = slices.Contains(pending, key)
	}
	return list
}

// pending lists those keys of a process whose new values its program has not taken yet.
func (r *Run) pending(process string) []string {
	for p := range r.named(process) {
		if waits, ok := p.impl.(Pender); ok {
			return waits.Pending()
		}
	}
	return nil
}

// named returns the running processes that belong to one process of the pipeline: the process itself, or all
// its copies.
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

// A Revision is a change of settings in progress. It goes through these phases, which all sites of a run
// enter together:
//
//	Revise ─▶ Hold ─▶ Pass ─▶ Watch ─▶ Close
//	            └───────┴─ Return ─▶ Hold ─▶ Pass ─▶ Close
//
// Revise asks every process whether it accepts the change. Hold makes the sources wait at the place where
// they could insert the marker, until all have reported how far they are. Pass sends the marker through the
// pipeline. Return makes the next Hold and Pass restore the old settings.
type Revision struct {
	Changes []pipe.Change // with the process that refuses, if any
	Crossed []string      // see SetResult

	run     *Run
	opt     SetOptions
	configs map[*proc]pipe.Config // the next configurations
	before  map[*proc]pipe.Config
	watch   *watch // nil: nothing is watched
	transit *transit
}

// Revise lets the processes that run here judge changes of settings. If one refuses, the error is a
// *RefusedError. Otherwise no other change begins before Close.
func (r *Run) Revise(ctx context.Context, changes []pipe.Change, opt SetOptions) (*Revision, error) {
	if err := r.beginSet(ctx); err != nil {
		return nil, err
	}
	return r.revise(ctx, changes, opt)
}

// revise does the work of Revise when no other change is pending.
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

// judge asks every affected process whether it takes its new settings.
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

// Hold begins the change. It returns when every source here has reported how far it is, counted in periods of
// each clock it follows. The sources then wait for Pass.
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

// Pass releases the marker once the sources have reached these periods. It returns when all processes have
// changed. refusal is why the old settings must be restored, if a process that had agreed refuses after all;
// err is set if the run ended first.
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
	v.Crossed = v.transit.inexact
	return v.transit.refusal, nil
}

// Loosen makes all markers passable. The coordinator calls it when it sees that all sites stand still.
func (r *Run) Loosen() {
	if t := r.transit.Load(); t != nil && t.loosen() {
		r.pokeAll()
	}
}

// Watch observes the run for the time set in the options, and returns why the old settings must be restored,
// or nil. It returns early if the context ends.
func (v *Revision) Watch(ctx context.Context) error {
	if v.watch == nil {
		return nil
	}
	return v.watch.over(ctx)
}

// Return makes the next Hold and Pass restore the old settings.
func (v *Revision) Return() { v.configs, v.watch = v.before, nil }

// Close ends the change, so that another one may begin.
func (v *Revision) Close() {
	if v.watch != nil {
		v.watch.end()
	}
	<-v.run.setting
}

// apply lets the new settings pass through the pipeline, and restores the old ones if it must.
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
		return fmt.Errorf("%w; and the old settings could not be restored: %w", why, again)
	}
	result.Undone = why.Error()
	return &pipe.RefusedError{Err: why}
}

// pass takes the change through a run on a single site.
func (v *Revision) pass(result *SetResult) (refusal, err error) {
	clocks, err := v.Hold()
	if err != nil {
		return nil, err
	}
	refusal, err = v.Pass(clocks)
	result.Crossed = v.Crossed
	return refusal, err
}
