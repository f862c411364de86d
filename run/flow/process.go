package flow

import "context"

// A Process does the work of one type. Its life:
//
//  1. Type.New makes it, once for every run.
//  2. Setup, if it has one, reads its configuration and keeps its ports.
//     Nothing runs yet; an error here means that nothing will.
//  3. Step is called again and again, never twice at a time, and only when
//     the required inputs hold data (Type.Level changes that); where none is
//     required, when one of the inputs has something. It takes from
//     its inputs and pushes to its outputs; both wait when they must.
//  4. Between two steps Prepare, if it has one, judges new values of tunable
//     keys, Reconfigure, if it has one, gets them, and Flush, if it has one, that
//     a flush went by. Where the inputs are not checked before a step, new values
//     may also come when the step first takes something: read them after that.
//  5. The process ends when a required input is complete, or all inputs are,
//     when no consumer of its required outputs is left, or when it calls Step.Complete.
//     Finalize, if it has one, then runs exactly once.
//  6. Close, if it has one, runs after everything, also after a failure or
//     when a Setup failed, to give back files and children.
//
// An error from any of these, or a panic, ends the run with an error that
// names the process; the other processes are stopped.
type Process interface {
	Step(*Step) error
}

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
	Flush(*Step) error
}

// Finalizer is a process with something left to do at its end. It may still
// push.
type Finalizer interface {
	Finalize(*Step) error
}

// Closer is a process that holds something.
type Closer interface {
	Close() error
}
