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
//     and pushes to its outputs; both wait if they must.
//  4. Between two steps, optional methods are called: Prepare judges new values
//     of tunable keys, Reconfigure gets them, and Flush is told of a flush. If
//     the inputs are not checked before a step, new values may also arrive when
//     the step first takes a datum: read them after that.
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

// A Step is what a process sees of the engine while it works.
type Step interface {
	// Number counts the steps from 1.
	Number() uint64
	// Complete ends the process after this step: Finalize runs, and its consumers get the end of
	// the data.
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
	// AwaitProgram does the same if f waits for a program that does the work of the step: the
	// process counts as busy meanwhile.
	AwaitProgram(f func(context.Context))
	// Rest waits until Handle.Wake is called or the engine needs the process; it may also return
	// without a reason. After Rest, a step checks again what it waits for, or returns and is called
	// again.
	Rest()

	// Another reports whether every connected input has the data of one more step, so that the
	// process may handle them in this step too. It never waits. It returns false if the engine has
	// a request to the process, which is served between two steps. The process calls Count for each
	// additional step that it makes.
	Another() bool
	// Count counts an additional step, made with data that Another found.
	Count()
	// Mark is called by the receiving end of an edge when the marker has come from the other site,
	// after all data before the marker were forwarded.
	Mark()
}
