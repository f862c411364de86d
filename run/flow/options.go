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

// Options configure a run of a pipeline. The zero value is a good choice.
type Options struct {
	Scheduler string          // one of the names that Schedulers returns; empty means DefaultScheduler
	Workers   int             // number of workers of thread_pool; 0 means one for each core
	Dir       string          // names of files to read are relative to this folder; empty means the current one
	Out       string          // names of files to write are relative to this folder; empty means Dir
	Fenced    bool            // refuse to write files outside of Out
	Seal      *seal.Maker     // adds to each result file a record of what produced it; nil: no record
	Ledger    *outfile.Ledger // gets an entry for each complete result file; nil: no entries
	Program   string          // the program to run if a process has the command `pentode`; empty: search PATH
	Log       *slog.Logger
	Stdin     io.Reader
	Stdout    io.Writer
	Name      string           // name of the pipeline in its trace
	Trace     io.Writer        // gets a Chrome trace of the whole run
	TraceSize int64            // if not 0, the trace keeps only the newest events, up to this many bytes; Trace must then be an io.WriterAt
	Filter    recording.Filter // decides which events are written to the trace; nil: all
	// FailOnErrors makes a run fail if any process sent error data, even if all processes ended well.
	FailOnErrors bool
	// ErrorDatum is called for each error datum, for the process that made it, from several goroutines. If it
	// is nil, a run keeps only the number of error data and the first reasons.
	ErrorDatum func(ErrorDatum)

	Part *pipe.Part // the part of the pipeline that runs here; nil: all of it

	Gate *handoff.Gate // accepts connections of programs that hand over their data; nil if there are none

	// Ready is called when all processes are set up and the problems of the pipeline are logged. The run
	// begins when Ready returns nil, and fails if it returns an error.
	Ready func(context.Context) error
}

// host fills in the options that the processes of the run share.
func (o *Options) host(h *pipe.Host) {
	h.Dir, h.Out, h.Fenced, h.Seal, h.Ledger, h.Program = o.Dir, o.Out, o.Fenced, o.Seal, o.Ledger, o.Program
}

func (o *Options) name() string { return cmp.Or(o.Name, "pipeline") }
