package flow

import (
	"context"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Setter is a process that wants its ports and configuration.
type Setter interface {
	Setup(*Setup) error
}

// Preparer is a process that judges new values of tunable keys before it gets
// them, where Type.Judge, which sees only the settings, cannot. The setup has the new
// values. Prepare has no effect; an error refuses them, and then nothing changes in
// the whole pipeline.
type Preparer interface {
	Prepare(*Setup) error
}

// Reconfigurer is a process that follows changes of tunable keys. What it can
// refuse it should refuse in Prepare: when it gets the values, others have
// theirs already, and an error here brings the old ones back everywhere.
type Reconfigurer interface {
	Reconfigure(*Setup) error
}

// Waiter is a source that waits for something outside the pipeline before it makes a
// step. It does so between its steps: meanwhile it can be asked to judge settings, to change,
// to pause and to end.
type Waiter interface {
	Ready() bool          // whether Step need not wait
	Wait(context.Context) // until it is ready, in a goroutine of its own
}

// Pender is a process whose settings go on to a program, which takes them when it likes. Other
// goroutines ask for the keys whose values it has not taken yet.
type Pender interface {
	Pending() []string
}

// Flusher is a process that keeps state which a flush ends.
type Flusher interface {
	Flush(pipe.Step) error
}

// Finalizer is a process with something left to do at its end. It may still
// push.
type Finalizer interface {
	Finalize(pipe.Step) error
}

// Closer is a process that holds something.
type Closer interface {
	Close() error
}
