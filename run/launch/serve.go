package launch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pentode-dev/pentode/run/launch/control"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// The verbs a supervisor answers at its socket.
const (
	VerbStatus   = "status"
	VerbStop     = "stop"
	VerbKill     = "kill"
	VerbRestart  = "restart"
	VerbSignal   = "signal"
	VerbPause    = "pause"
	VerbContinue = "continue"
)

// handle answers one request of another terminal. A stop is answered when
// the run is over.
func (s *Supervisor) handle(ctx context.Context, r control.Request) (any, error) {
	switch r.Verb {
	case VerbStatus:
		return s.Status(), nil
	case VerbStop:
		if r.Node != "" {
			return nil, s.StopNode(r.Node)
		}
		s.Stop(0)
		<-s.known
		return s.result, nil
	case VerbKill:
		s.Kill()
		<-s.known
		return s.result, nil
	case VerbRestart:
		if r.Node == "" {
			return nil, errors.New("a restart needs the name of a node")
		}
		return nil, s.Restart(r.Node)
	case VerbSignal:
		sig, err := ParseSignal(r.Signal)
		if err != nil {
			return nil, err
		}
		return nil, s.Signal(r.Node, sig)
	case VerbPause:
		return nil, s.Pause(r.Node)
	case VerbContinue:
		return nil, s.Continue(r.Node)
	}
	return nil, fmt.Errorf("`%s` is not something a run can do", r.Verb)
}

// Ask sends a request to the supervisor of a run. The reply goes to result,
// which may be nil. Where the supervisor has died, the error says so.
func Ask(ctx context.Context, d *state.Dir, r control.Request, result any) error {
	err := control.Call(ctx, d.Socket(), r, result)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("the supervisor of run `%s` (process %d) does not answer: it may be paused", d.Run.ID, d.Run.Supervisor.Pid)
	}
	if errors.Is(err, control.ErrNobody) {
		if d.Supervised() && !d.Over() {
			return fmt.Errorf("the supervisor of run `%s` (process %d) does not answer", d.Run.ID, d.Run.Supervisor.Pid)
		}
		if !d.Over() {
			return fmt.Errorf("the supervisor of run `%s` has died; `pentode launch stop %s` ends what it left", d.Run.ID, d.Run.ID)
		}
		return fmt.Errorf("run `%s` is over: nobody supervises it", d.Run.ID)
	}
	return err
}

// StopRun ends a run from outside: through its supervisor, or, where that has
// died, by ending what it left. cleaned is how many processes were left.
func StopRun(ctx context.Context, d *state.Dir, grace time.Duration) (cleaned int, err error) {
	if d.Supervised() {
		err := control.Call(ctx, d.Socket(), control.Request{Verb: VerbStop}, nil)
		switch {
		case !errors.Is(err, control.ErrNobody):
			return 0, err
		case d.Over():
			return 0, nil
		}
		if d.Supervised() {
			return 0, fmt.Errorf("the supervisor of run `%s` (process %d) does not answer: end it first", d.Run.ID, d.Run.Supervisor.Pid)
		}
	}
	if grace == 0 {
		grace = defaultGrace
	}
	return d.Cleanup(ctx, grace)
}
