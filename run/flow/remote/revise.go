package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Plan returns the plan of the running pipeline.
func (c *Coordinator) Plan() *pipe.Plan { return c.options.Plan }

// Tunable lists the keys of a process that can change during a run.
func (c *Coordinator) Tunable(process string) []pipe.Tunable {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.options.Plan.Tunable(process, c.configOf)
}

// configOf returns the current configuration of a process. The caller holds mu.
func (c *Coordinator) configOf(process string) pipe.Config {
	if n := c.node(process); n != nil {
		return n.Config
	}
	return nil
}

func (c *Coordinator) node(process string) *pipe.PlanNode {
	nodes := c.options.Plan.Nodes
	if i := slices.IndexFunc(nodes, func(n pipe.PlanNode) bool { return n.Name == process }); i >= 0 {
		return &nodes[i]
	}
	return nil
}

// Set gives new values to tunable keys, on all sites or on none. It does the same as flow.Run.Set
// for a run on one site. The marker of the change travels between sites after the data that
// precede it.
func (c *Coordinator) Set(ctx context.Context, settings map[string]string, opt flow.SetOptions) (flow.SetResult, error) {
	select {
	case c.setting <- struct{}{}:
	case <-ctx.Done():
		return flow.SetResult{}, fmt.Errorf("another change of settings is in progress: %w", ctx.Err())
	}
	changes, err := c.address(settings)
	result := flow.SetResult{Changes: changes}
	if err == nil {
		err = c.judgeSettings(ctx, result.Changes, &opt)
	}
	if err != nil || opt.Preview {
		<-c.setting
		return result, err
	}
	type outcome struct {
		result flow.SetResult
		err    error
	}
	over := make(chan outcome, 1)
	c.stopped.Go(func() {
		result := flow.SetResult{Changes: slices.Clone(result.Changes)}
		err := c.apply(&result, opt)
		<-c.setting
		over <- outcome{result, err}
	})
	select {
	case o := <-over:
		return o.result, o.err
	case <-ctx.Done():
		return flow.SetResult{}, fmt.Errorf("the change has not reached all processes yet, and continues: %w", ctx.Err())
	}
}

// address finds the keys that the settings change.
func (c *Coordinator) address(settings map[string]string) ([]pipe.Change, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.order.Phase == Ended:
		return nil, flow.ErrEnded
	case c.order.Phase != Running:
		return nil, errors.New("the run has not begun: it waits for its sites")
	case c.order.Stop:
		return nil, flow.ErrStopping
	case c.order.Pause:
		return nil, flow.ErrPausedSet
	}
	return c.options.Plan.Address(settings, c.configOf)
}

// judgeSettings asks the processes on all sites whether they accept the changes, and notes the
// refusals in changes.
func (c *Coordinator) judgeSettings(ctx context.Context, changes []pipe.Change, opt *flow.SetOptions) error {
	answers, err := c.step(ctx, Revision{Stage: Judge, Changes: changes, Options: opt})
	for site, a := range answers {
		if a.Error != "" {
			err = errors.New(a.Error)
		}
		for i := range changes {
			ch := &changes[i]
			if a.Ended && slices.Contains(c.node(ch.Process).Sites(), site) {
				ch.Refused = fmt.Sprintf("process `%s` has ended", ch.Process)
			} else if i < len(a.Changes) && a.Changes[i].Refused != "" {
				ch.Refused = a.Changes[i].Refused
			}
		}
	}
	if i := slices.IndexFunc(changes, func(ch pipe.Change) bool { return ch.Refused != "" }); i >= 0 && err == nil {
		err = &pipe.RefusedError{Err: errors.New(changes[i].Refused)}
	}
	if err != nil || opt.Preview {
		_, _ = c.step(context.Background(), Revision{Stage: Close}) // an error means that the run has ended
	}
	return err
}

// apply makes the change on all sites. It restores the old settings if a process refuses or fails.
func (c *Coordinator) apply(result *flow.SetResult, opt flow.SetOptions) error {
	undo, err := c.pass(Hold, result)
	if err == nil && undo == "" && opt.WatchFor > 0 {
		var answers map[string]*Revised
		answers, err = c.step(context.Background(), Revision{Stage: Watch})
		undo = firstUndo(answers)
	}
	if err != nil {
		return err
	}
	again := ""
	if undo != "" {
		if again, err = c.pass(Return, result); err != nil {
			return err
		}
	}
	if _, err := c.step(context.Background(), Revision{Stage: Close}); err != nil {
		return err
	}
	switch {
	case again != "":
		return fmt.Errorf("%s; and the old settings could not be restored: %s", undo, again)
	case undo != "":
		result.Undone = undo
		return &pipe.RefusedError{Err: errors.New(undo)}
	}
	result.Applied = true
	c.take(result.Changes)
	return nil
}

// pass sends markers through the pipeline on all sites. undo is the reason why the old settings
// must be restored; it is empty if they need not be.
func (c *Coordinator) pass(hold Stage, result *flow.SetResult) (undo string, err error) {
	answers, err := c.step(context.Background(), Revision{Stage: hold})
	if err != nil {
		return "", err
	}
	clocks := map[int]uint64{}
	for _, a := range answers {
		for i, period := range a.Clocks {
			clocks[i] = max(clocks[i], period)
		}
	}
	if answers, err = c.step(context.Background(), Revision{Stage: Pass, Clocks: clocks}); err != nil {
		return "", err
	}
	result.Crossed = nil
	for _, site := range c.options.Sites {
		if a := answers[site]; a != nil {
			result.Crossed = append(result.Crossed, a.Crossed...)
		}
	}
	return firstUndo(answers), nil
}

func firstUndo(answers map[string]*Revised) string {
	for _, site := range slices.Sorted(maps.Keys(answers)) {
		if undo := answers[site].Undo; undo != "" {
			return undo
		}
	}
	return ""
}

// take stores settings that are now in effect in the plan.
func (c *Coordinator) take(changes []pipe.Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, ch := range changes {
		n := c.node(ch.Process)
		config := maps.Clone(n.Config)
		if config == nil {
			config = pipe.Config{}
		}
		set := config[ch.Key]
		set.Value = ch.New
		config[ch.Key] = set
		n.Config = config
	}
}

// step makes all sites carry out one step of a change, and returns their answers. Sites that have
// ended do not answer. While sites observe the run after a change, the first reason to undo it
// ends the step.
func (c *Coordinator) step(ctx context.Context, r Revision) (map[string]*Revised, error) {
	c.mu.Lock()
	c.steps++
	r.Step = c.steps
	c.order.Revision = &r
	c.tell()
	c.mu.Unlock()
	for {
		answers, all := c.answers(r.Step)
		if all || r.Stage == Watch && firstUndo(answers) != "" {
			return answers, nil
		}
		select {
		case <-c.heard:
		case <-c.done:
			return nil, flow.ErrEnded
		case <-ctx.Done():
			return nil, fmt.Errorf("a process has not answered: it is in the middle of a step: %w", ctx.Err())
		}
	}
}

// answers returns the answers to a step received so far. all is true if every site has answered.
func (c *Coordinator) answers(step uint64) (answers map[string]*Revised, all bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	answers, all = map[string]*Revised{}, true
	for site, m := range c.sites {
		switch {
		case m.Revised != nil && m.Revised.Step == step:
			answers[site] = m.Revised
		case m.Phase == Ended:
			answers[site] = &Revised{Ended: true}
		default:
			all = false
		}
	}
	return answers, all
}
