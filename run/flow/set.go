package flow

import (
	"context"
	"errors"
	"fmt"
	"iter"
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
		return judge.Prepare(&Setup{p.env.With(c), p})
	}
	return nil
}

// configure gives a process a configuration; it runs in the process itself.
func (p *proc) configure(c pipe.Config) error {
	follower := p.impl.(Reconfigurer) // judgeConfig has seen to it
	if err := guarded(func() error { return follower.Reconfigure(&Setup{p.env.With(c), p}) }); err != nil {
		return err
	}
	p.mail.mu.Lock()
	p.node.Config = c
	p.mail.mu.Unlock()
	return nil
}

// config is the configuration that a process has now.
func (p *proc) config() pipe.Config {
	p.mail.mu.Lock()
	defer p.mail.mu.Unlock()
	return p.node.Config
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
