package pipe

import (
	"context"
	"log/slog"
)

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
	Step(Step) error
}

// A Step is what a process sees of the engine while it works.
type Step interface {
	// Number counts the steps from 1.
	Number() uint64
	// Complete ends the process after this step: Finalize runs, and its consumers
	// get the end.
	Complete()
	// Context ends when the process must stop waiting for something outside the
	// pipeline.
	Context() context.Context
	// Reads says that the process reads a file, as Env.Reads does.
	Reads(path string)
	// Log is where the process writes what people should see.
	Log() *slog.Logger

	// Await calls f, which waits for something outside the pipeline, without
	// keeping other processes from running. f must return when the context ends.
	Await(f func(context.Context))
	// AwaitProgram does the same for a program that does the work of
	// the step: the process counts as busy meanwhile.
	AwaitProgram(f func(context.Context))
	// Rest waits until Handle.Wake is called or the process is asked for something
	// else; it may also return without a reason. A step that rested looks again at
	// what it waits for, or returns: it is called again.
	Rest()

	// Another reports whether the data of one more step wait at every connected
	// input, so that a process may take them along with those of this step. It
	// never waits, and gives a process that is asked for something else its turn
	// between two steps. The process calls Count for each step that it makes.
	Another() bool
	// Count counts a further step, made with data that Another found.
	Count()
	// Mark tells the receiving end of an edge that the marker has come from the other
	// site, after everything that it has forwarded.
	Mark()
}
