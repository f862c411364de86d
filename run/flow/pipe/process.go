package pipe

import (
	"context"
	"log/slog"
)

// A Process does the work of one type. Its life:
//
//  1. Type.New makes it, once for every run.
//  2. Setup, if it has one, reads its configuration and keeps its ports.
//     No process runs yet; if a Setup fails, none will.
//  3. Step is called again and again, never concurrently, and only when the
//     required inputs have data (Type.Level changes that). If no input is
//     required, it is called when any input has data. It takes from its inputs
//     and pushes to its outputs; both may wait.
//  4. Between two steps, optional methods are called: Prepare checks new values
//     of tunable keys, Reconfigure gets them, and Flush is called when a flush
//     arrives. If the inputs are not checked before a step, new values may also
//     arrive when the step takes its first datum; read the values after that.
//  5. The process ends when a required input is complete, when all inputs are,
//     when its required outputs have no consumer left, or when it calls
//     Step.Complete. Finalize, if it has one, then runs exactly once.
//  6. Close, if it has one, runs last, also after a failure or a failed Setup,
//     to release files and child processes.
//
// An error from any of these, or a panic, ends the run with an error that
// names the process; the other processes are stopped.
type Process interface {
	Step(Step) error
}

// A Step gives a process access to the engine during a step.
type Step interface {
	// Number returns the number of the current step, from 1.
	Number() uint64
	// Complete ends the process after this step. Finalize is then called, and the outputs are
	// completed.
	Complete()
	// Context returns a context that ends when the process must stop waiting for something outside
	// the pipeline.
	Context() context.Context
	// Reads records that the process reads a file, as Env.Reads does.
	Reads(path string)
	// Log returns the log for messages to the user.
	Log() *slog.Logger

	// Await calls f, which waits for something outside the pipeline, without
	// keeping other processes from running. f must return when the context ends.
	Await(f func(context.Context))
	// AwaitProgram is Await for an f that waits for a program which does the work of the step. The
	// process counts as busy during the call.
	AwaitProgram(f func(context.Context))
	// Rest waits until Handle.Wake is called or the engine needs the process. It may also return
	// for no reason. After Rest, a step must check its condition again, or return and be called
	// again.
	Rest()

	// Another reports, without waiting, whether every connected input has the data of one more
	// step. The process may then make that step within this one, and must call Count for it.
	// Another returns false if the engine has a request to the process, because requests are
	// handled between steps.
	Another() bool
	// Count counts one more step, whose data Another has found.
	Count()
	// Mark is called by a process that receives data from another site when the marker of a change
	// has arrived and all data before it were forwarded.
	Mark()
}
