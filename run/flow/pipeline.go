package flow

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"

	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/recording"
	"github.com/pentode-dev/pentode/run/handoff"
)

// A Pipeline is a graph with the types it is made of. It can be started again
// when a run has ended; every run makes its processes anew.
type Pipeline struct {
	Graph    pipe.Graph
	Registry *pipe.Registry

	mu      sync.Mutex
	current *Run
}

// New makes an empty pipeline.
func New(r *pipe.Registry) *Pipeline { return &Pipeline{Registry: r} }

// AddProcess adds a process. Check and Start find out whether it can run.
func (p *Pipeline) AddProcess(name, typ string, config pipe.Config) {
	p.Graph.AddProcess(name, typ, config)
}

// Connect adds a connection from an output `process.port` to an input. Later
// options win over earlier ones.
func (p *Pipeline) Connect(from, to string, options ...pipe.EdgeOptions) {
	p.Graph.Connect(from, to, options...)
}

// Check reports everything that is wrong, without running anything.
func (p *Pipeline) Check() problem.List { return pipe.Check(&p.Graph, p.Registry) }

// Fingerprint returns the fingerprint of the pipeline run under these options.
func (p *Pipeline) Fingerprint(opt Options) fingerprint.Sum {
	return p.Graph.Fingerprint(p.Registry, opt.Scheduler, opt.Workers)
}

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

// ErrRunning is the error of a second Start while a run goes on.
var ErrRunning = errors.New("the pipeline runs already")

// Start checks the graph, makes and sets up the processes, and lets them run.
// The error of a graph or a process that cannot run is a problem.List. The run ends by
// itself, with Run.Stop, or with the context.
func (p *Pipeline) Start(ctx context.Context, opt Options) (*Run, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current != nil {
		select {
		case <-p.current.done:
		default:
			return nil, ErrRunning
		}
	}
	resolved, problems := pipe.Resolve(&p.Graph, p.Registry.Running())
	plan := resolved
	if !problems.HasErrors() {
		plan = Replicated(plan)
		if opt.Part != nil {
			plan = opt.Part.Cut(plan)
		}
	}
	if problems = append(problems, pipe.Unrunnable(plan)...); !problems.HasErrors() {
		problems = append(problems, Probe(ctx, plan, opt)...)
	}
	if problems.HasErrors() {
		return nil, problems
	}
	r, err := newRun(ctx, plan, resolved, problems, opt)
	if err != nil {
		return nil, err
	}
	p.current = r
	r.launch()
	return r, nil
}

// Run starts the pipeline and waits for its end.
func (p *Pipeline) Run(ctx context.Context, opt Options) error {
	r, err := p.Start(ctx, opt)
	if err != nil {
		return err
	}
	return r.Wait()
}
