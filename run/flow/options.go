package flow

import (
	"cmp"
	"context"
	"io"
	"log/slog"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/recording"
	"github.com/pentode-dev/pentode/run/handoff"
)

// Options say how to run a pipeline. The zero value is a good choice.
type Options struct {
	Scheduler string          // one of Schedulers; empty means DefaultScheduler
	Workers   int             // of thread_pool; 0 means one for each core
	Dir       string          // names of files to read are relative to this folder; empty means the current one
	Out       string          // names of files to write are relative to this folder; empty means Dir
	Fenced    bool            // nothing is written outside of Out
	Seal      *seal.Maker     // records in results what made them; nil: not recorded
	Ledger    *outfile.Ledger // notes complete results; nil: not noted
	Program   string          // the program that the command `pentode` of a process runs; empty: the one in PATH
	Log       *slog.Logger
	Stdin     io.Reader
	Stdout    io.Writer
	Name      string           // of the pipeline in its trace
	Trace     io.Writer        // gets a Chrome trace of the whole run
	TraceSize int64            // if not 0, the trace keeps only the newest events, up to this many bytes; Trace must then be an io.WriterAt
	Filter    recording.Filter // decides which events are written; nil: all
	// FailOnErrors makes a run fail if data were errors, even if it ends well otherwise.
	FailOnErrors bool
	// ErrorDatum is called for each error datum, at the process that made it, from several goroutines. If it
	// is nil, only the count and the first reasons are kept.
	ErrorDatum func(ErrorDatum)

	Part *pipe.Part // the part of the pipeline that runs here; nil: all of it

	Gate *handoff.Gate // programs that hand over their data connect here; nil: none do

	// Ready is called after all processes are set up and Log has received the problems found in the pipeline.
	// The run begins when Ready returns nil; if Ready returns an error, the run fails with it.
	Ready func(context.Context) error
}

// host fills in what the processes of the run have in common.
func (o *Options) host(h *pipe.Host) {
	h.Dir, h.Out, h.Fenced, h.Seal, h.Ledger, h.Program = o.Dir, o.Out, o.Fenced, o.Seal, o.Ledger, o.Program
}

func (o *Options) name() string { return cmp.Or(o.Name, "pipeline") }
