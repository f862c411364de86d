// Package runs carries out runs: of a run folder, a launch plan, a pipeline
// on one machine or on several sites, or a traced program.
//
//	folder ──Folder──▶ check ──┬─ plan ──────Plan──────▶ programs ──┐
//	                           └─ pipeline ──Pipeline──▶ engine ────┼──▶ Result
//	                                            sites ──▶ engines ──┘
//	program ──Trace──▶ tracer ──▶ TraceResult
//
// A run gets its files from a workspace, and everything else from Options. During the run
// it calls Options.Events with values of the types below Event, and at the end it returns
// a Result. It prints nothing: output of programs and plugins goes to Options.Out and
// Options.Log.
//
// The end of the context stops a run in order: it finishes its current work. Closing
// Options.Abort then ends it at once.
//
// Read options and events first, then recorder, register and seal, which do not depend on the kind of run; then pipeline with its parts (stores,
// policy, handoff, error_file) and its sites; then plan with plan_sites; folder and traced come last.
package runs

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/launch"
)

// Result is how a run of files ended.
type Result struct {
	Findings diag.List      // about the files, even if they prevented the run
	Began    bool           // the run has started
	Led      bool           // it was one site, and its leader reports how the run ended
	Stats    flow.Stats     // of a pipeline
	Plan     *launch.Result // of a plan; nil: it has no programs
	Results  string         // the folder of the results, if a run folder was carried out; empty: nothing was started
	Made     []Made         // the files that the run has written there
}

// A Failure is the error of a pipeline that was started and failed.
type Failure struct {
	Findings diag.List // where in its file, if that is known
	Err      error
}

func (f *Failure) Error() string { return f.Err.Error() }

func (f *Failure) Unwrap() error { return f.Err }

// ErrInterrupted is the error of a pipeline that was stopped by its context. A pipeline that was stopped in another way, through Began.Run or by
// another program, returns only flow.ErrStopped.
var ErrInterrupted = fmt.Errorf("interrupted by a signal: %w", flow.ErrStopped)
