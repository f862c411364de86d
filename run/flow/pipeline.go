package flow

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/handoff"
)

// A Pipeline is a graph with the types it is made of. It can be started again
// when a run has ended; every run makes its processes anew.
type Pipeline struct {
	Graph    Graph
	Registry *Registry

	mu      sync.Mutex
	current *Run
}

// New makes an empty pipeline.
func New(r *Registry) *Pipeline { return &Pipeline{Registry: r} }

// AddProcess adds a process. Check and Start find out whether it can run.
func (p *Pipeline) AddProcess(name, typ string, config Config) {
	p.Graph.Processes = append(p.Graph.Processes, Node{Name: name, Type: typ, Config: config})
}

// Connect adds a connection from an output `process.port` to an input. Later
// options win over earlier ones.
func (p *Pipeline) Connect(from, to string, options ...EdgeOptions) {
	c := Connection{From: ParsePortRef(from), To: ParsePortRef(to)}
	for _, o := range options {
		c.Edge = o.over(c.Edge)
	}
	p.Graph.Connections = append(p.Graph.Connections, c)
}

// Check reports everything that is wrong, without running anything.
func (p *Pipeline) Check() problem.List { return Check(&p.Graph, p.Registry) }

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
	Name      string    // of the pipeline in its trace
	Trace     io.Writer // gets a Chrome trace of the whole run
	TraceSize int64     // bytes of events that a trace holds, the newest; 0: any number. Trace must be an io.WriterAt for it
	Filter    Filter    // decides what of it is written; nil: everything
	// FailOnErrors lets a run that ends otherwise well fail where data were errors.
	FailOnErrors bool
	// ErrorDatum is called for each datum that is an error, where it was made, from several
	// goroutines; nil: only the count and the first reasons are kept.
	ErrorDatum func(ErrorDatum)

	Part *Part // what of the pipeline runs here; nil: all of it

	Gate *handoff.Gate // where programs come that hand their data over; nil: none does

	// Ready is called when all processes are set up, and Log has what was found
	// wrong with the pipeline. The run begins when it returns nil, and does not begin
	// with its error.
	Ready func(context.Context) error
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
	plan, found := Resolve(&p.Graph, p.Registry.Running())
	r, err := Start(ctx, plan, found, opt)
	if err == nil {
		p.current = r
	}
	return r, err
}

// Start lets a pipeline run that is resolved, with the types of Registry.Running; found are the
// problems that resolving it has reported.
func Start(ctx context.Context, resolved *Plan, found problem.List, opt Options) (*Run, error) {
	plan, problems := resolved, slices.Clip(found) // both may be shared
	if !problems.HasErrors() {
		plan = plan.WithReplicas()
		if opt.Part != nil {
			plan = opt.Part.cut(plan)
		}
	}
	if problems = append(problems, Unrunnable(plan)...); !problems.HasErrors() {
		problems = append(problems, Probe(ctx, plan, opt)...)
	}
	if problems.HasErrors() {
		return nil, problems
	}
	r, err := newRun(ctx, plan, resolved, problems, opt)
	if err != nil {
		return nil, err
	}
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

// Embedding are the processes of a plan behind which the program stands that embeds the pipeline.
// They are among the Unrunnable ones where there is no such program.
func Embedding(plan *Plan) (nodes []*PlanNode) {
	for i := range plan.Nodes {
		if n := &plan.Nodes[i]; n.Type != nil && n.Type.Embedding && n.Type.New == nil {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// Unrunnable reports the processes of a plan that can be checked, but not run here: of a type
// that is only declared, or with settings that need what is not part of this program.
func Unrunnable(plan *Plan) (list problem.List) {
	for i := range plan.Nodes {
		n := &plan.Nodes[i]
		switch {
		case n.Type == nil:
		case n.Type.New == nil:
			p := newProblem(&n.Node, CannotRun, "process `%s` cannot run here", n.Name)
			p.Expected = n.Type.Missing()
			list = append(list, p)
		case n.Type.Lacks != nil:
			err := n.Type.Lacks(Values{n.Config, n.Type})
			if err == nil {
				continue
			}
			p := newProblem(&n.Node, CannotRun, "process `%s` cannot run here: %v", n.Name, err)
			var k *keyError
			if errors.As(err, &k) {
				p.Subject.Key, p.Span = k.key, cmp.Or(k.span, p.Span)
			}
			list = append(list, p)
		}
	}
	return list
}
