package flow

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
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

// AddProcess adds a process. Whether it can be is found out by Check or Start.
func (p *Pipeline) AddProcess(name, typ string, config Config, place string) {
	p.Graph.Processes = append(p.Graph.Processes, Node{Name: name, Type: typ, Config: config, Place: place})
}

// Connect adds a connection from an output `process.port` to an input.
func (p *Pipeline) Connect(from, to string, edge EdgeOptions, place string) {
	p.Graph.Connections = append(p.Graph.Connections, Connection{From: ParsePortRef(from), To: ParsePortRef(to), Edge: edge, Place: place})
}

// Check reports everything that is wrong, without running anything.
func (p *Pipeline) Check() []Problem { return Check(&p.Graph, p.Registry) }

// Options say how to run a pipeline. The zero value is a good choice.
type Options struct {
	Scheduler string // one of Schedulers; empty means DefaultScheduler
	Workers   int    // of thread_pool; 0 means one for each core
	Dir       string // folder that names of files to read are relative to; empty means the current one
	Out       string // folder that names of files to write are relative to; empty means Dir
	Log       *slog.Logger
	Stdin     io.Reader
	Stdout    io.Writer
	Trace     io.Writer // gets a Chrome trace of the whole run
	Filter    Filter    // decides what of it is written; nil: everything
}

// ErrRunning is the error of a second Start while a run goes on.
var ErrRunning = errors.New("the pipeline runs already")

// Start checks the graph, makes and sets up the processes, and lets them run.
// A graph or a process that cannot run gives a *SetupError. The run ends by
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
	plan, problems := Resolve(&p.Graph, p.Registry)
	problems = append(problems, unrunnable(plan)...)
	if Errors(problems) {
		return nil, &SetupError{problems}
	}
	r, err := newRun(ctx, plan, problems, opt)
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

// unrunnable reports processes whose type is only declared.
func unrunnable(plan *Plan) []Problem {
	var list []Problem
	for i := range plan.Nodes {
		n := &plan.Nodes[i]
		if n.Type != nil && n.Type.New == nil {
			p := atNode(&n.Node, CannotRun, "process `%s` cannot run here", n.Name)
			p.Help = n.Type.Missing()
			list = append(list, p)
		}
	}
	return list
}
