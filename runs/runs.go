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
package runs

import (
	"fmt"
	"io"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/runs/traced"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// Options is what a run needs besides its files. The zero value runs with all
// languages, reads no input and writes no output.
type Options struct {
	Workspace *workspace.Workspace // reads the files; nil: one with all languages
	Host      suite.Host           // what the check of a folder asks this machine

	In     io.Reader       // standard input of pipelines and programs; nil: empty
	Out    io.Writer       // their standard output; nil: dropped
	Log    io.Writer       // what plugins and other processes of a run say; nil: dropped
	Recent func() []string // the newest lines of the log, for other programs; nil: they get none
	Events func(Event)     // is called from several goroutines; nil: nothing is
	Abort  <-chan struct{} // closed after the context has ended: the run ends at once

	Results      string // the folder of what is written; empty: of a folder NAME-out, else PENTODE_OUT, else the current one
	AllowOutside bool   // results may lie outside of it

	Pipeline PipelineOptions
	Plan     PlanOptions
	Trace    traced.Options

	Program Program // how this program is started again
	Version string  // sites of one run have the same

	Record   *Recording // a record of the run is kept; nil: none is
	recorder *recorder

	Seal  bool        // results say what made them
	seals *seal.Maker // nil: they do not

	ledger *outfile.Ledger // is told of results; nil: none is
	files  *suite.Run      // those of the run that were read; nil: none were
}

// filled is the options with what a run takes where nothing is given.
func (o Options) filled() Options {
	if o.Workspace == nil {
		o.Workspace = NewWorkspace()
	}
	if o.In == nil {
		o.In = strings.NewReader("")
	}
	if o.Out == nil {
		o.Out = io.Discard
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	if o.Events == nil {
		o.Events = func(Event) {}
	}
	return o
}

func (o *Options) warn(format string, args ...any) {
	o.Events(Warning{fmt.Sprintf(format, args...)})
}

// found reports findings; those with errors refuse the run.
func (o *Options) found(list diag.List) error {
	if list.HasErrors() {
		return &Refusal{list}
	}
	if len(list) > 0 {
		o.Events(Found{list})
	}
	return nil
}

// NewWorkspace is a workspace with all languages, whose pipelines may have the
// process types of Types and the given ones.
func NewWorkspace(types ...*pipe.Type) *workspace.Workspace {
	known := Types()
	for _, t := range types {
		if err := known.Replace(t); err != nil {
			panic(err) // the list is a program's own
		}
	}
	return workspace.New(all.Languages(all.Options{Sprokit: sprokit.Options{Types: known}}), load.NewEnv())
}

// Types are the process types of every pipeline: those of the engine, and those
// that join it to the other engines.
func Types() *pipe.Registry {
	types := catalog.Standard()
	if err := types.Add(suite.ExposeType(nil)); err != nil {
		panic(err) // the lists are our own
	}
	return types
}

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

// A Refusal is the error of a run that was not started: its files have errors.
type Refusal struct{ Findings diag.List }

func (r *Refusal) Error() string {
	text := "the files have errors, and nothing is started"
	for _, d := range r.Findings {
		if d.Severity == diag.Error {
			return text + ": " + d.Span.String() + ": " + d.Message
		}
	}
	return text
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

// A Misfit is the error of options that do not fit what is run.
type Misfit struct {
	What   string
	Option string // the field of Options that mends it
}

func (m *Misfit) Error() string { return m.What + " (Options." + m.Option + ")" }
