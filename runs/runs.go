// Package runs carries out what files say: a run folder, a launch plan, a
// pipeline on one machine or on several sites, a traced program.
//
//	folder ──Folder──▶ check ──┬─ plan ──────Plan──────▶ programs ──┐
//	                           └─ pipeline ──Pipeline──▶ engine ────┼──▶ Result
//	                                            sites ──▶ engines ──┘
//	program ──Trace──▶ tracer ──▶ TraceResult
//
// A run is given its files by a workspace, and everything else by Options. While
// it goes on it calls Options.Events with values of the types below Event, and at
// its end it returns a Result. Nothing is printed: what programs and plugins write
// goes to Options.Out and Options.Log.
//
// The end of the context stops a run in good order: what is under way is
// finished. Options.Abort then ends it at once.
//
// Read options and events first, then recorder, register and seal, which know nothing of what runs; then pipeline with what
// it is given (stores, policy, handoff, letters) and its sites; plan, with plan_sites; folder and traced on top.
package runs

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/launch"
)

// Result is how a run of files ended.
type Result struct {
	Findings diag.List      // about the files, also where they have refused the run
	Began    bool           // it was under way
	Led      bool           // it was one site, and its leader reports how the run ended
	Stats    flow.Stats     // of a pipeline
	Plan     *launch.Result // of a plan; nil: it has no programs
	Results  string         // of a folder: where its results are; empty: nothing was started
	Made     []Made         // what the run has written there
}

// A Failure is the error of a pipeline that was started and failed.
type Failure struct {
	Findings diag.List // where in its file, if that is known
	Err      error
}

func (f *Failure) Error() string { return f.Err.Error() }

func (f *Failure) Unwrap() error { return f.Err }

// ErrInterrupted is the error of a pipeline that its context stopped. One that was
// stopped in another way, through Began.Run or by another program, has only
// flow.ErrStopped.
var ErrInterrupted = fmt.Errorf("a signal has come: %w", flow.ErrStopped)
