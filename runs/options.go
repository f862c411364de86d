package runs

import (
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/plugin"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/record"
	"github.com/pentode-dev/pentode/runs/traced"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// Options are the options of a run. The zero value runs with all languages, reads no input and writes no output.
type Options struct {
	Workspace *workspace.Workspace // reads the files; nil: one with all languages
	Host      suite.Host           // answers the questions of a folder check about this machine

	In     io.Reader       // standard input of pipelines and programs; nil: empty
	Out    io.Writer       // their standard output; nil: dropped
	Log    io.Writer       // messages of plugins and other processes of a run; nil: dropped
	Recent func() []string // the newest lines of the log, for other programs; nil: they get none
	Events func(Event)     // called from several goroutines; may be nil
	Abort  <-chan struct{} // closed after the context has ended: the run ends at once

	Results      string // the folder for results; empty: for a folder NAME-out, else PENTODE_OUT, else the current folder
	AllowOutside bool   // results may be written outside of it

	Pipeline PipelineOptions
	Plan     PlanOptions
	Trace    traced.Options

	Program Program // how this program is started again
	Version string  // must be the same for all sites of a run

	Record   *Recording // how to record the run; nil: not recorded
	recorder *recorder

	Seal  bool        // results get a seal with their origin
	seals *seal.Maker // nil: no seals

	ledger *outfile.Ledger // notes results; may be nil
	files  *suite.Run      // the files of the run that were read; nil: none
}

// filled returns the options with defaults for fields that are not set.
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

// found reports findings; errors among them prevent the run.
func (o *Options) found(list diag.List) error {
	if list.HasErrors() {
		return &Refusal{list}
	}
	if len(list) > 0 {
		o.Events(Found{list})
	}
	return nil
}

// NewWorkspace returns a workspace with all languages, whose pipelines may have the process types of Types.
func NewWorkspace() *workspace.Workspace {
	return workspace.New(all.Languages(all.Options{Sprokit: sprokit.Options{Types: Types()}}), load.NewEnv())
}

// Own is what a Go program adds to the languages.
type Own struct {
	Types     []*pipe.Type     // process types
	Providers []*pipe.Provider // that `_instrumentation:type` of a process may name
	Plugins   []data.Plugin    // of the data store
}

// Options returns the options of the languages with these additions. It returns an error if a name is already used.
func (own Own) Options() (all.Options, error) {
	o := all.Options{Sprokit: sprokit.Options{Types: Types()}, PDI: pdi.Options{Plugins: own.Plugins}}
	for _, t := range own.Types {
		if err := o.Sprokit.Types.Add(t); err != nil {
			return o, err
		}
	}
	for _, p := range own.Providers {
		if err := o.Sprokit.Types.AddProvider(p); err != nil {
			return o, err
		}
	}
	return o, plugin.Check(own.Plugins)
}

// Workspace returns a workspace with all languages and these additions.
func (own Own) Workspace() (*workspace.Workspace, error) {
	o, err := own.Options()
	if err != nil {
		return nil, err
	}
	return workspace.New(all.Languages(o), load.NewEnv()), nil
}

// Types returns the process types of every pipeline: those of the engine, and those that connect it to the other engines.
func Types() *pipe.Registry {
	types := catalog.Standard()
	if err := types.Add(suite.ExposeType(nil)); err != nil {
		panic(err) // the lists are ours, so names never clash
	}
	return types
}

// A Refusal is the error of a run that was not started because its files have errors.
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

// A Misfit is the error of options that do not fit the run.
type Misfit struct {
	What   string
	Option string // the field of Options to change
}

func (m *Misfit) Error() string { return m.What + " (Options." + m.Option + ")" }

// PipelineOptions are the options for running a pipeline.
type PipelineOptions struct {
	Scheduler string // empty: the scheduler named in the file
	Dir       string // folder of relative file names, and of results if no folder of results is named; empty: the current folder
	Trace     string // the file for the trace of the run; empty: none
	TraceSize int64  // how many of the newest bytes to keep; 0: 256 MB, negative: all
	Policy    string // a trace configuration that selects what is written to the trace
	NoControl bool   // other programs cannot control it

	FailOnErrors bool   // a run with error data fails
	ErrorsTo     string // the file for error data, one JSON object per line; empty: none

	Local bool          // run every site on this machine, each in its own process
	Site  string        // run only the processes of this site
	NATS  string        // the server that the sites share
	Run   string        // the name under which the sites meet there; empty: the name of the file
	Wait  time.Duration // how long to wait for the other sites; 0: a minute
}

// PlanOptions are the options for starting and ending the programs of a launch plan.
type PlanOptions struct {
	Launch launch.Options
	Reach  string // the host by which sites on other machines reach this machine; empty: its name
	Sites  bool   // the plan must start sites of a pipeline

	Grace     time.Duration // between asking to end and killing; 0: ten seconds
	KeepGoing bool          // leave out definitions with errors, and continue when a program fails
	Logs      state.Rotation
	Hangup    launch.Hangup
	Colour    bool // names of programs in colour
}

// Recording describes the command that started a run, for its record.
type Recording struct {
	Paths   []string        // what the command runs
	Command []string        // a command that does the same in Folder; nil: the command of Options.Program, in the current folder
	Folder  string          // the folder of Command
	Asked   func() []string // returns the names of the variables that were looked up for its files; may be nil
}

// beneath returns path relative to dir; an empty dir is the current folder.
func beneath(dir, path string) string {
	if dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// recorder collects the record of a live run. A nil recorder does nothing.
type recorder struct {
	record.Record
	store  record.Store
	here   string // the current folder, to which relative file names refer
	keep   int
	texts  map[string]string      // by hash
	seen   map[string]bool        // paths of files
	before map[string]fs.FileInfo // the content of the folder of results before the run
	hidden *strings.Replacer      // removes secrets from texts

	unsteered bool // the run could not be registered, so it cannot be recorded either; this was already reported
}

// newID returns a name for the run: the name of its record if it has one.
func (o *Options) newID(now time.Time) string {
	if o.recorder != nil {
		return o.recorder.ID
	}
	return state.NewID(now)
}

// outVariable tells a process of a plan where its results go, and outsideVariable that they may go elsewhere.
const (
	outVariable     = "PENTODE_OUT"
	outsideVariable = "PENTODE_ALLOW_OUTSIDE"
)

// runVariable has the name of the run to which a process belongs.
const runVariable = "PENTODE_RUN"

// KeptRuns is how many finished runs are kept, with their logs and records, unless the project sets another number.
const KeptRuns = 50

// StoppedCode is the exit code of a run that was stopped: the code that shells report for SIGINT.
const StoppedCode = 130
