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
// process types of Types.
func NewWorkspace() *workspace.Workspace {
	return workspace.New(all.Languages(all.Options{Sprokit: sprokit.Options{Types: Types()}}), load.NewEnv())
}

// Own is what a Go program adds to the languages.
type Own struct {
	Types     []*pipe.Type     // of processes
	Providers []*pipe.Provider // that `_instrumentation:type` of a process may name
	Plugins   []data.Plugin    // of the data store
}

// Options are the options of the languages with these additions. A name that is taken is an error.
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

// Workspace is a workspace with all languages and these additions.
func (own Own) Workspace() (*workspace.Workspace, error) {
	o, err := own.Options()
	if err != nil {
		return nil, err
	}
	return workspace.New(all.Languages(o), load.NewEnv()), nil
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

// A Misfit is the error of options that do not fit what is run.
type Misfit struct {
	What   string
	Option string // the field of Options that mends it
}

func (m *Misfit) Error() string { return m.What + " (Options." + m.Option + ")" }

// PipelineOptions is how a pipeline runs.
type PipelineOptions struct {
	Scheduler string // empty: as the file says
	Dir       string // where processes find files with a relative name, and leave theirs where no folder of results is named; empty: the current folder
	Trace     string // the file of what happened when; empty: none
	TraceSize int64  // the newest bytes that it keeps; 0: 256 MB, negative: all
	Policy    string // a trace configuration that says what of it is written
	NoControl bool   // other programs cannot steer it

	FailOnErrors bool   // a run with data that are errors has failed
	ErrorsTo     string // the file that takes them, a JSON object on each line; empty: none

	Local bool          // run every site on this machine, each in a process of its own
	Site  string        // run the processes of this site only
	NATS  string        // the server that the sites share
	Run   string        // the name under which the sites meet there; empty: that of the file
	Wait  time.Duration // for the other sites; 0: a minute
}

// PlanOptions is how the programs of a launch plan are started and ended.
type PlanOptions struct {
	Launch launch.Options
	Reach  string // the host by which sites on other machines reach this one; empty: its name
	Sites  bool   // the plan must start sites of a pipeline

	Grace     time.Duration // between asking to end and killing; 0: ten seconds
	KeepGoing bool          // leave out definitions with errors, and go on when a program fails
	Logs      state.Rotation
	Hangup    launch.Hangup
	Colour    bool // names of programs in colour
}

// Recording is what the record of a run says of the command that started it.
type Recording struct {
	Paths   []string        // what it runs
	Command []string        // that does the same in Folder; nil: that of Options.Program, in the current folder
	Folder  string          // of Command
	Asked   func() []string // names of the variables that were looked up for its files; nil: none were
}

// beneath is a path as seen from a folder; no folder is the current one.
func beneath(dir, path string) string {
	if dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// recorder gathers the record of a run while the run goes on. Nil keeps nothing.
type recorder struct {
	record.Record
	store  record.Store
	here   string // the current folder, where relative names of files begin
	keep   int
	texts  map[string]string      // by hash
	seen   map[string]bool        // paths of files
	before map[string]fs.FileInfo // what was in the folder of the results
	hidden *strings.Replacer      // takes secrets out of texts

	unsteered bool // the run could not be registered: why it cannot be recorded is said already
}

// newID is the name of a run, the one of its record where it has one.
func (o *Options) newID(now time.Time) string {
	if o.recorder != nil {
		return o.recorder.ID
	}
	return state.NewID(now)
}

// outVariable tells a process of a plan where its results go, and
// outsideVariable that they may go elsewhere.
const (
	outVariable     = "PENTODE_OUT"
	outsideVariable = "PENTODE_ALLOW_OUTSIDE"
)

// runVariable is the name of the run that a process is a part of.
const runVariable = "PENTODE_RUN"

// KeptRuns is how many finished runs are kept, with their logs and records, where the project says nothing.
const KeptRuns = 50

// StoppedCode is the exit code of a run that was stopped, as shells report SIGINT.
const StoppedCode = 130
