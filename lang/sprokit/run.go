package sprokit

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Pipeline returns the pipeline for the flow engine, and options with the scheduler that it selects. It returns an error for a cluster.
func (m *Model) Pipeline() (*flow.Pipeline, flow.Options, error) {
	opt, err := m.Options()
	if err != nil {
		return nil, opt, err
	}
	graph, _ := m.flowGraph()
	return &flow.Pipeline{Graph: *graph, Registry: m.Registry}, opt, nil
}

// Options returns how the pipeline is to be run, or why it cannot be run.
func (m *Model) Options() (opt flow.Options, err error) {
	switch {
	case m.Cluster != nil:
		return opt, errors.New("a cluster runs only as a part of a pipeline")
	case m.unbounded:
		return opt, errors.New("the clusters of this pipeline cannot be expanded")
	}
	if s, ok := m.Lookup(schedulerType); ok {
		opt.Scheduler = s.Value
	}
	if s, ok := m.Lookup(poolThreads); ok {
		n, err := strconv.ParseUint(s.Value, 10, 16)
		if err != nil {
			return opt, fmt.Errorf("%s: `%s` is not a number of workers", s.Span(), problem.Clip(s.Value, problem.Short))
		}
		opt.Workers = int(n)
	}
	return opt, nil
}

// resolved is the engine's view of a pipeline, computed once for a model and the types in its registry.
type resolved struct {
	once            sync.Once
	graph           *pipe.Graph
	plan            *pipe.Plan
	edges, problems problem.List // problems of the configuration of edges, and of the pipeline
}

func (m *Model) resolve() *resolved {
	r := m.resolved
	r.once.Do(func() {
		r.graph, r.edges = m.flowGraph()
		r.plan, r.problems = pipe.Resolve(r.graph, m.Registry)
	})
	return r
}

// Plan returns the resolved pipeline and its problems. The plan is shared: it must not be changed.
func (m *Model) Plan() (*pipe.Plan, problem.List) {
	r := m.resolve()
	return r.plan, r.problems
}

// with returns the model with other process types.
func (m *Model) with(types *pipe.Registry) *Model {
	own := *m
	own.Registry, own.resolved = types, &resolved{}
	return &own
}

// flowGraph returns the pipeline in the form that the engine checks and runs, and the problems with the configuration of its edges.
func (m *Model) flowGraph() (*pipe.Graph, problem.List) {
	g := &pipe.Graph{
		Processes:   make([]pipe.Node, 0, len(m.Processes)),
		Connections: make([]pipe.Connection, 0, len(m.Connections)),
	}
	for i := range m.Processes {
		p := &m.Processes[i]
		g.Processes = append(g.Processes, pipe.Node{Name: p.Name, Type: p.Type, Config: m.flowConfig(p), Span: p.Span()})
	}
	for i := range m.Connections {
		c := &m.Connections[i]
		g.Connections = append(g.Connections, pipe.Connection{From: pipe.PortRef(c.From), To: pipe.PortRef(c.To), Span: c.head()})
	}
	var problems problem.List
	for key, s := range m.of("_pipeline") {
		if strings.HasPrefix(key, "_edge") {
			if p := g.Edges.Set(key, s.Value, s.keySpan()); p != nil {
				problems = append(problems, p)
			}
		}
	}
	return g, problems
}

// flowConfig returns the configuration of one process. For a cluster, it includes the configuration of the processes inside, as `inner:key`.
func (m *Model) flowConfig(p *Process) pipe.Config {
	config := make(pipe.Config, len(m.byRoot[p.Name]))
	for key, s := range m.of(p.Name) {
		if s.is(localName) && !hasKey(m.typeOf(p, nil), key) {
			continue // not a key of the process, but a name for macros
		}
		config[key] = m.flow(s)
	}
	typ := m.typeOf(p, config)
	for _, i := range m.byRoot["_global"] {
		s := &m.settings[i]
		key := strings.TrimPrefix(s.Key, "_global:")
		if _, own := config[key]; !own && key != s.Key && hasKey(typ, key) {
			config[key] = m.flow(s)
		}
	}
	if p.Inside == nil {
		return config
	}
	inside := p.Inside.under(m)
	for i := range inside.Processes {
		inner := &inside.Processes[i]
		mappedKeys := map[string]bool{}
		for key, s := range inside.of(inner.Name) {
			mappedKeys[key] = s.is(mapped)
		}
		for key, s := range inside.flowConfig(inner) {
			if mappedKeys[key] {
				delete(config, inner.Name+":"+key)
			} else {
				config[inner.Name+":"+key] = s
			}
		}
	}
	return config
}

// flow converts a setting for the engine.
func (m *Model) flow(s *Setting) pipe.Setting {
	return pipe.Setting{Value: s.Value, Span: s.keySpan(), ReadOnly: s.is(readOnly), Tunable: s.is(tunable), Symbolic: m.symbols.of(s)}
}

// typeOf returns the type of a process, narrowed by its configuration, or nil if it is unknown.
func (m *Model) typeOf(p *Process, config pipe.Config) *pipe.Type {
	t, known := m.Registry.Lookup(p.Type)
	if !known {
		return nil
	}
	if t.Narrow != nil && config != nil {
		return cmp.Or(t.Narrow(&pipe.Node{Name: p.Name, Type: p.Type, Config: config, Span: p.Span()}), t)
	}
	return t
}

// hasKey reports whether a type has a key. A `_global:KEY` applies to all processes that have the key.
func hasKey(t *pipe.Type, key string) bool {
	if t == nil {
		return false
	}
	_, ok := t.KeyFor(key)
	return ok
}

// Fingerprint returns the fingerprint of the pipeline. It is the same for all processes of a run, wherever its folder is: values of SYSENV, and
// variables that the launcher sets for each process, are included by name and not by value, and folders by their path relative to the file.
func (m *Model) Fingerprint() (fingerprint.Sum, error) {
	symbolic := *m
	symbolic.symbols = &symbols{model: m, known: map[*Setting]symbolicValue{}}
	p, opt, err := symbolic.Pipeline()
	if err != nil {
		return fingerprint.Sum{}, err
	}
	return p.Fingerprint(opt), nil
}

// unread reports whether a key of `_pipeline` or `_scheduler` is one that the engine does not use. For other keys it returns false.
func unread(key string) bool {
	section, rest, _ := strings.Cut(key, ":")
	switch section {
	case "_pipeline":
		return !strings.HasPrefix(rest, "_edge")
	case "_scheduler":
		return key != schedulerType && key != poolThreads
	}
	return false
}
