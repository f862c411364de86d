package flow

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A Pipeline is a graph and the registry of its process types. It can be started again when its run has
// ended; every run makes new processes.
type Pipeline struct {
	Graph    pipe.Graph
	Registry *pipe.Registry

	mu      sync.Mutex
	current *Run
}

// New returns an empty pipeline.
func New(r *pipe.Registry) *Pipeline { return &Pipeline{Registry: r} }

// AddProcess adds a process. Check and Start find out whether it can run.
func (p *Pipeline) AddProcess(name, typ string, config pipe.Config) {
	p.Graph.AddProcess(name, typ, config)
}

// Connect connects an output to an input, each written `process.port`. Later options override earlier ones.
func (p *Pipeline) Connect(from, to string, options ...pipe.EdgeOptions) {
	p.Graph.Connect(from, to, options...)
}

// Check reports all problems of the pipeline, without running anything.
func (p *Pipeline) Check() problem.List { return pipe.Check(&p.Graph, p.Registry) }

// Fingerprint returns a fingerprint of the pipeline, the scheduler and the number of workers.
func (p *Pipeline) Fingerprint(opt Options) fingerprint.Sum {
	return p.Graph.Fingerprint(p.Registry, opt.Scheduler, opt.Workers)
}

// ErrRunning is returned by Start if the pipeline is already running.
var ErrRunning = errors.New("the pipeline runs already")

// Start checks the graph, makes the processes, sets them up and starts them. If this is not possible, the
// error is a problem.List. The run ends when its data end, on Run.Stop, or when the context ends.
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
	plan, found := pipe.Resolve(&p.Graph, p.Registry.Running())
	r, err := Start(ctx, plan, found, opt)
	if err == nil {
		p.current = r
	}
	return r, err
}

// Start starts a resolved pipeline. It was resolved with the types of Registry.Running; found are the
// problems that were reported.
func Start(ctx context.Context, resolved *pipe.Plan, found problem.List, opt Options) (*Run, error) {
	plan, problems := resolved, slices.Clip(found) // the caller may share both with others
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

// Probe reports what the processes of a plan need and this machine does not have. Each missing item is
// reported once, at the first process that needs it. Probe may run programs to find out; it sets up no
// process.
func Probe(ctx context.Context, plan *pipe.Plan, opt Options) (list problem.List) {
	var host pipe.Host
	opt.host(&host)
	log := slog.New(slog.DiscardHandler)
	site := pipe.MainSite
	if opt.Part != nil {
		site = opt.Part.Site
	}
	said := map[string]bool{}
	for i := range plan.Nodes {
		n := &plan.Nodes[i]
		if n.Type == nil || n.Type.Probe == nil || n.Site() != site { // another site may be another machine
			continue
		}
		env := pipe.NewEnv(ctx, plan, n, &host, log)
		err := n.Type.Probe(&env)
		if err == nil || said[err.Error()] {
			continue
		}
		said[err.Error()] = true
		p := pipe.NewProblem(&n.Node, pipe.CannotRun, "process `%s` cannot run here: %v", n.Name, err)
		if at, ok := pipe.KeyOf(err); ok {
			p.Subject.Key, p.Span, p.Severity = at.Key, cmp.Or(at.Span, p.Span), at.Severity
		}
		if p.Severity == problem.Warning {
			p.Message = "process `" + n.Name + "`: " + err.Error()
		}
		list = append(list, p)
	}
	return list
}
