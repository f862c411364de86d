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

// Options are how to run a pipeline. The zero value is a good choice.
type Options struct {
	Scheduler string          // one of Schedulers; empty means DefaultScheduler
	Workers   int             // of thread_pool; 0 means one for each core
	Dir       string          // folder that names of files to read are relative to; empty means the current one
	Out       string          // folder that names of files to write are relative to; empty means Dir
	Fenced    bool            // nothing is written outside of Out
	Seal      *seal.Maker     // lets results say what made them; nil: they do not
	Ledger    *outfile.Ledger // is told of results that are complete; nil: none is
	Program   string          // the path of this program, which `pentode` means as a command of a process; empty: the one in PATH
	Log       *slog.Logger
	Stdin     io.Reader
	Stdout    io.Writer
	Name      string           // of the pipeline in its trace
	Trace     io.Writer        // gets a Chrome trace of the whole run
	TraceSize int64            // bytes of events that a trace holds, the newest; 0: any number. Trace must be an io.WriterAt for it
	Filter    recording.Filter // decides what of it is written; nil: everything
	// FailOnErrors lets a run that ends otherwise well fail where data were errors.
	FailOnErrors bool
	// ErrorDatum is called for each datum that is an error, where it was made, from several
	// goroutines; nil: only the count and the first reasons are kept.
	ErrorDatum func(ErrorDatum)

	Part *pipe.Part // what of the pipeline runs here; nil: all of it

	Gate *handoff.Gate // where programs come that hand their data over; nil: none does

	// Ready is called when all processes are set up, and Log has what was found
	// wrong with the pipeline. The run begins when it returns nil, and does not begin
	// with its error.
	Ready func(context.Context) error
}

// host fills in what the processes of the run have in common.
func (o *Options) host(h *pipe.Host) {
	h.Dir, h.Out, h.Fenced, h.Seal, h.Ledger, h.Program = o.Dir, o.Out, o.Fenced, o.Seal, o.Ledger, o.Program
}

func (o *Options) name() string { return cmp.Or(o.Name, "pipeline") }
