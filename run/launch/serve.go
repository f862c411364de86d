package launch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// The methods a supervisor serves at its socket.
const (
	MethodStatus  = "status"  // []Status
	MethodEvents  = "events"  // a stream of Update
	MethodLogs    = "logs"    // a stream of []byte
	MethodStop    = "stop"    // stops a node or the whole run; a request to stop the run is answered with its Result after the run has ended
	MethodRestart = "restart" // no answer
	MethodSignal  = "signal"  // no answer
	MethodCommand = "command" // a Command that starts Argv in the same way as the node
)

// Request holds the parameters of all methods.
type Request struct {
	Node   string `json:"node,omitempty"`   // empty: the whole run
	Signal string `json:"signal,omitempty"` // as ParseSignal reads it
	Kill   bool   `json:"kill,omitempty"`   // stop without a grace period

	Grace  time.Duration `json:"grace,omitempty"`  // stop: how long each program may take to end; 0: the grace of the run
	Follow bool          `json:"follow,omitempty"` // logs: continue until the run is over
	Argv   []string      `json:"argv,omitempty"`   // command: what to run
}

// Update is an event of a run, with the number of events that a slow reader has missed before it.
type Update struct {
	state.Event
	Lost int `json:"lost,omitempty"`
}

func (s *Supervisor) methods() control.Methods {
	return control.Methods{
		MethodStatus: control.Answer(func(context.Context, Request) ([]Status, error) { return s.Status(), nil }),
		MethodStop:   control.Answer(func(_ context.Context, r Request) (any, error) { return s.stopAndWait(r) }),
		MethodRestart: control.Answer(func(_ context.Context, r Request) (any, error) {
			if r.Node == "" {
				return nil, errors.New("a restart needs the name of a node")
			}
			return nil, s.Restart(r.Node)
		}),
		MethodSignal: control.Answer(func(_ context.Context, r Request) (any, error) {
			sig, err := ParseSignal(r.Signal)
			if err != nil {
				return nil, err
			}
			return nil, s.Signal(r.Node, sig)
		}),
		MethodCommand: control.Answer(func(_ context.Context, r Request) (Command, error) {
			if r.Node == "" {
				return Command{}, errors.New("a command needs the name of the node beside which it runs")
			}
			return s.commandBeside(r.Node, r.Argv)
		}),
		MethodEvents: control.Stream(func(ctx context.Context, _ Request, send func(Update) error) error {
			return s.feed.Follow(ctx, func(e state.Event, lost int) error { return send(Update{e, lost}) })
		}),
		MethodLogs: control.Stream(func(ctx context.Context, r Request, send func([]byte) error) error {
			return s.opt.State.Logs(ctx, sender(send), state.Query{Node: r.Node, Follow: r.Follow})
		}),
	}
}

// sender is an io.Writer that sends to a stream of bytes.
type sender func([]byte) error

func (s sender) Write(p []byte) (int, error) {
	if err := s(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// stopAndWait stops one node, or stops the run and waits until it is over.
func (s *Supervisor) stopAndWait(r Request) (any, error) {
	if r.Grace > 0 {
		s.hasten(r.Node, r.Grace)
	}
	switch {
	case r.Node != "" && r.Kill:
		return nil, s.KillNode(r.Node)
	case r.Node != "":
		return nil, s.StopNode(r.Node)
	case r.Kill:
		s.Kill()
	default:
		s.Stop(0)
	}
	<-s.known
	return s.result, nil
}

// Ask calls a method of the supervisor of a run. It stores the answer in result, which may be nil. If the supervisor has died, the error says so.
func Ask(ctx context.Context, d *state.Dir, method string, r Request, result any) error {
	err := control.Call(ctx, d.Socket(), method, r, result)
	switch {
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("the supervisor of run `%s` (process %d) does not answer: it may be paused", d.Run.ID, d.Run.Supervisor.Pid)
	case !errors.Is(err, control.ErrNoServer):
		return err
	case d.Over():
		return fmt.Errorf("run `%s` is over: it has no supervisor", d.Run.ID)
	case d.Supervised():
		return fmt.Errorf("the supervisor of run `%s` (process %d) does not answer", d.Run.ID, d.Run.Supervisor.Pid)
	}
	return fmt.Errorf("the supervisor of run `%s` has died; `pentode stop %s` ends what it left", d.Run.ID, d.Run.ID)
}

// Observe returns the phase of a run (running, over, abandoned) and the status of its nodes: from its supervisor, from the result that it left, or,
// if the supervisor has died, from the journal.
func Observe(ctx context.Context, d *state.Dir) (phase string, nodes []Status, err error) {
	result, err := ReadResult(d)
	switch {
	case err == nil:
		return "over", result.Nodes, nil
	case d.Supervised():
		err := Ask(ctx, d, MethodStatus, Request{}, &nodes)
		return "running", nodes, err
	}
	if phase = "abandoned"; d.Over() {
		phase = "over"
	}
	nodes, err = Recorded(d)
	return phase, nodes, err
}

// StopRun ends a run from outside: through its supervisor, or, if the supervisor has died, by ending the processes that it left, which StopRun
// returns.
func StopRun(ctx context.Context, d *state.Dir, grace time.Duration) (left []state.Process, err error) {
	if d.Supervised() {
		err := control.Call(ctx, d.Socket(), MethodStop, Request{Grace: grace}, nil)
		switch {
		case !errors.Is(err, control.ErrNoServer):
			return nil, err
		case d.Over():
			return nil, nil
		}
		if d.Supervised() {
			return nil, fmt.Errorf("the supervisor of run `%s` (process %d) does not answer: end it first", d.Run.ID, d.Run.Supervisor.Pid)
		}
	}
	if grace == 0 {
		grace = defaultGrace
	}
	return d.Cleanup(ctx, grace)
}
