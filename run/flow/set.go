package flow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
)

// A Change is one setting that Set is asked for, at one process that takes it.
type Change struct {
	Setting string `json:"setting"` // as it was asked for: `process:key`
	Process string `json:"process"` // who takes it: the process itself, or one inside a cluster
	Key     string `json:"key"`
	Old     string `json:"old"`
	New     string `json:"new"`
	Refused string `json:"refused,omitempty"` // why it is not taken
}

// SetOptions are how settings change.
type SetOptions struct {
	Preview  bool          // find out what would change, and change nothing
	WatchFor time.Duration // bring the old settings back where a process fails in this time
	MinShare float64       // or where one makes less than this share of the steps it made before
}

// A SetResult is what came of a Set.
type SetResult struct {
	Changes []Change `json:"changes"`
	Applied bool     `json:"applied"`           // the new settings hold
	Undone  string   `json:"undone,omitempty"`  // why the old ones hold again
	Crossed []string `json:"crossed,omitempty"` // processes that changed between two steps of their own: their rates are not known
}

// A RefusedError says why settings stay as they were.
type RefusedError struct{ Err error }

func (e *RefusedError) Error() string { return e.Err.Error() }
func (e *RefusedError) Unwrap() error { return e.Err }

// errPausedSet is the error of a Set that could not take effect.
var errPausedSet = errors.New("the run is paused, and settings change between two steps: resume it first")

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
// them, and `cluster:process:key` to the process inside.
//
// Set returns when all processes have changed, and with WatchFor when that time
// is over. When the context ends before, the change still goes on.
func (r *Run) Set(ctx context.Context, settings map[string]string, opt SetOptions) (SetResult, error) {
	if err := r.canSet(); err != nil {
		return SetResult{}, err
	}
	select {
	case r.setting <- struct{}{}:
	case <-ctx.Done():
		return SetResult{}, fmt.Errorf("another change of settings is under way: %w", ctx.Err())
	}
	result, configs, err := r.prepare(ctx, settings)
	if err != nil || opt.Preview {
		<-r.setting
		return result, err
	}
	type outcome struct {
		result SetResult
		err    error
	}
	over := make(chan outcome, 1)
	go func() {
		result.Changes = slices.Clone(result.Changes)
		err := r.apply(configs, opt, &result)
		<-r.setting
		over <- outcome{result, err}
	}()
	select {
	case o := <-over:
		return o.result, o.err
	case <-ctx.Done():
		return SetResult{}, fmt.Errorf("the change has not come to all processes yet, and goes on: %w", ctx.Err())
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
		return errPausedSet
	}
	return nil
}

// prepare finds the processes that settings are for and lets them judge.
func (r *Run) prepare(ctx context.Context, settings map[string]string) (SetResult, map[*proc]Config, error) {
	var result SetResult
	var first error
	configs := map[*proc]Config{}
	owners := map[*proc][]int{} // changes of each process
	for _, setting := range slices.Sorted(maps.Keys(settings)) {
		targets, err := r.address(setting, settings[setting])
		if err != nil {
			first = cmp.Or(first, err)
			result.Changes = append(result.Changes, Change{Setting: setting, New: settings[setting], Refused: err.Error()})
			continue
		}
		for _, t := range targets {
			p, old := t.proc, r.config(t.proc)
			if configs[p] == nil {
				configs[p] = maps.Clone(old)
				if configs[p] == nil {
					configs[p] = Config{}
				}
			}
			set := old[t.key]
			set.Value = settings[setting]
			configs[p][t.key] = set
			owners[p] = append(owners[p], len(result.Changes))
			result.Changes = append(result.Changes, Change{
				Setting: setting, Process: p.node.Name, Key: t.key, Old: Values{old, p.node.Type}.Value(t.key), New: set.Value,
			})
		}
	}
	if first == nil {
		if first = r.spread(configs); first != nil {
			for i := range result.Changes {
				result.Changes[i].Refused = first.Error()
			}
		}
	}
	if first != nil {
		return result, nil, &RefusedError{first}
	}
	answers := map[*proc]<-chan error{}
	for p, config := range configs {
		answers[p] = p.send(func() error { return p.judgeConfig(config) })
	}
	for _, p := range r.procs {
		if answers[p] == nil {
			continue
		}
		var err error
		select {
		case err = <-answers[p]:
		case <-ctx.Done():
			return result, nil, fmt.Errorf("process `%s` has not answered: it is in the middle of a step: %w", p.node.Name, ctx.Err())
		case <-r.done:
			return result, nil, ErrEnded
		}
		if errors.Is(err, ErrEnded) {
			err = fmt.Errorf("process `%s` has ended", p.node.Name)
		}
		if err == nil {
			continue
		}
		first = cmp.Or(first, err)
		var about *keyError
		for _, i := range owners[p] {
			if c := &result.Changes[i]; !errors.As(err, &about) || about.key == c.Key {
				c.Refused = err.Error()
			}
		}
	}
	if first != nil {
		return result, nil, &RefusedError{first}
	}
	return result, configs, nil
}

// spread refuses changes of processes that are connected with other sites: a
// marker does not go there.
func (r *Run) spread(configs map[*proc]Config) error {
	part := r.layout().part
	for p := range configs {
		for _, q := range r.procs {
			if q.node.link && part[q.id] == part[p.id] {
				return fmt.Errorf("process `%s` is connected with processes on other sites, where the change cannot take effect at the same datum", p.node.Name)
			}
		}
	}
	return nil
}

// judgeConfig lets a process say whether it would take a configuration; it runs
// in the process itself.
func (p *proc) judgeConfig(c Config) error {
	if _, ok := p.impl.(Reconfigurer); !ok {
		return fmt.Errorf("process `%s` does not follow changes while it runs", p.node.Name)
	}
	if judge := p.node.Type.Judge; judge != nil {
		err := judge(Values{c, p.node.Type})
		if warning := (*keyError)(nil); err != nil && !(errors.As(err, &warning) && warning.severity == problem.Warning) {
			return err
		}
	}
	if judge, ok := p.impl.(Preparer); ok {
		return judge.Prepare(&Setup{p, c})
	}
	return nil
}

// configure gives a process a configuration; it runs in the process itself.
func (p *proc) configure(c Config) error {
	follower := p.impl.(Reconfigurer) // judgeConfig has seen to it
	if err := guarded(func() error { return follower.Reconfigure(&Setup{p, c}) }); err != nil {
		return err
	}
	p.mail.mu.Lock()
	p.node.Config = c
	p.mail.mu.Unlock()
	return nil
}

// config is the configuration that a process has now.
func (r *Run) config(p *proc) Config {
	p.mail.mu.Lock()
	defer p.mail.mu.Unlock()
	return p.node.Config
}

// apply lets the new settings go through the pipeline, and brings the old ones
// back where that must be.
func (r *Run) apply(configs map[*proc]Config, opt SetOptions, result *SetResult) error {
	before := map[*proc]Config{}
	for p := range configs {
		before[p] = r.config(p)
	}
	var w *watch
	if opt.WatchFor > 0 {
		w = r.newWatch(opt)
	}
	why, err := r.pass(configs, w, result)
	if err == nil && why == nil && w != nil {
		why = w.over()
	}
	switch {
	case err != nil:
		return err
	case why == nil:
		result.Applied = true
		return nil
	}
	if again, err := r.pass(before, nil, result); err != nil {
		return err
	} else if again != nil {
		return fmt.Errorf("%w; and the old settings did not come back: %w", why, again)
	}
	result.Undone = why.Error()
	return &RefusedError{why}
}

// pass lets a change go through the pipeline. It returns the refusal of a
// process that had agreed, and an error when the run ended before.
func (r *Run) pass(configs map[*proc]Config, w *watch, result *SetResult) (refusal, err error) {
	t := &transit{run: r, settings: configs, watch: w, done: make(chan struct{})}
	parts := map[int]bool{}
	for p := range configs {
		parts[r.layout().part[p.id]] = true
	}
	r.transit.Store(t)
	defer r.transit.Store(nil)
	t.begin(parts)
	select {
	case <-t.done:
	case <-r.done:
		return nil, ErrEnded
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	result.Crossed = t.unexact
	return t.refusal, nil
}

func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("it panicked: %v", v)
		}
	}()
	return f()
}
