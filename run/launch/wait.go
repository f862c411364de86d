package launch

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
)

// lookEvery is the pause between two checks of a run.
const lookEvery = 50 * time.Millisecond

// NeverError explains why the awaited state will never be reached.
type NeverError string

func (e NeverError) Error() string { return string(e) }

// WaitReady returns when the programs of a run, or the named one, are ready or have ended with success. It returns a NeverError if one has failed or
// the run is over, and the error of the context if that ends first.
func WaitReady(ctx context.Context, d *state.Dir, node string) error {
	return look(ctx, d, node, func(phase string, nodes []Status) (bool, error) {
		ready := true
		for _, n := range nodes {
			switch {
			case n.State == Declared, n.State == Skipped && n.View != "", n.State == Running, n.State == Ended && !n.Exit.Failed():
			case n.State == Ended && phase == "running" && n.Next.IsZero() && n.Exit.Failed():
				return false, NeverError(fmt.Sprintf("`%s` has failed", n.ID))
			case n.State == Skipped:
				return false, NeverError(fmt.Sprintf("`%s` was not started: %s", n.ID, n.Note))
			default:
				ready = false
			}
		}
		if !ready && phase != "running" {
			return false, NeverError(fmt.Sprintf("run `%s` is %s", d.Run.ID, phase))
		}
		return ready, nil
	})
}

// WaitEnd returns when a run, or the named program, has ended, with its exit code. It returns a NeverError if the supervisor has died, because then
// nothing records how the run ended.
func WaitEnd(ctx context.Context, d *state.Dir, node string) (code int, err error) {
	err = look(ctx, d, node, func(phase string, nodes []Status) (bool, error) {
		switch {
		case phase == "abandoned":
			return false, NeverError(fmt.Sprintf("the supervisor of run `%s` has died", d.Run.ID))
		case phase == "over" && node == "":
			result, err := ReadResult(d)
			code = result.Code
			return err == nil, nil // the result is written last
		case node == "":
			return false, nil
		}
		n := nodes[0]
		if n.State == Skipped || n.State == Declared && phase == "over" {
			return false, NeverError(fmt.Sprintf("`%s` was not started", n.ID))
		}
		code = n.Exit.Status()
		return n.State == Ended, nil
	})
	return code, err
}

// look checks a run repeatedly until wanted returns true or an error.
func look(ctx context.Context, d *state.Dir, node string, wanted func(phase string, nodes []Status) (bool, error)) error {
	for {
		begin := time.Now()
		phase, nodes, err := Observe(ctx, d)
		if err == nil {
			if node != "" {
				nodes = slices.DeleteFunc(nodes, func(n Status) bool { return n.ID != node })
			}
			if done, err := wanted(phase, nodes); done || err != nil {
				return err
			}
		}
		// A supervisor that is about to end may not answer; the next check will show it.
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(max(lookEvery, 10*time.Since(begin))): // a check of thousands of programs would keep the supervisor from starting them
		}
	}
}

// commandBeside returns a command that starts in the same way as the node: on its host, in its folder, with its variables.
func (s *Supervisor) commandBeside(node string, argv []string) (Command, error) {
	var c Command
	if len(argv) == 0 {
		return c, fmt.Errorf("there is no command to start")
	}
	err := s.each(node, func(j *job) {
		n := *j.Node
		n.Argv, n.Around.Stdin = argv, ""
		// With the mark of the node, it would become part of the node.
		n.Env = slices.DeleteFunc(slices.Clone(n.Env), func(v Var) bool { return v.Name == "PENTODE_NODE" })
		if ssh, ok := n.Starter.(SSH); ok {
			c = Command{Argv: ssh.plain(&n)} // without the lifeline, which uses standard input
			return
		}
		c = n.Starter.Command(&n)
	})
	return c, err
}

// Beside returns a command that runs like a node of a run: on its host, in its folder, with its variables. It does not belong to the node: it lives
// and ends independently, at the latest with the run.
func Beside(ctx context.Context, d *state.Dir, node string, argv []string) (*exec.Cmd, error) {
	var c Command
	if err := Ask(ctx, d, MethodCommand, Request{Node: node, Argv: argv}, &c); err != nil {
		return nil, err
	}
	file, err := c.find()
	if err != nil {
		return nil, err
	}
	return &exec.Cmd{Path: file, Args: c.Argv, Env: environ(c.Env), Dir: c.Dir}, nil
}
