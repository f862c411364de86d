package suite

import (
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/launch"
)

// Pipeline is a pipeline of the run, in the environment in which it runs.
type Pipeline struct {
	Config  *lang.Config
	Model   *sprokit.Model
	Plan    *pipe.Plan
	By      []*Program // the programs that run it; empty if the folder has no plan
	Exposes []*Expose
}

// Expose is a process that feeds a specification tree.
type Expose struct {
	Node *pipe.PlanNode
	Spec source.Span // where the tree is named
	Path string
	Tree *lang.Config // nil if it cannot be read
}

// pipelines resolves every pipeline that the plan names, each once, in the environment of the first process that runs it.
func (r *Run) pipelines() {
	byPath := map[string]*Pipeline{}
	for _, p := range r.Programs {
		if p.Pipe == nil {
			continue
		}
		path := r.path(p.Pipe.Text)
		if known := byPath[path]; known != nil {
			known.By = append(known.By, p)
			continue
		}
		d, err := r.workspace.Open(path)
		if err != nil {
			continue // reported by the checks of the plan
		}
		env := r.workspace.EnvOf(d)
		env.Lookup = r.lookup(p.Node, env.Lookup)
		if made := r.pipeline(d.Resolve(env)); made != nil {
			made.By = []*Program{p}
			byPath[path] = made
		}
	}
	if c := r.Starts(); c != nil && c == r.Configs[Flow] {
		r.pipeline(c)
	}
}

// lookup returns the environment of a node: the variables of the plan, then the outside variables.
func (r *Run) lookup(n *launch.Node, outside func(string) (string, bool)) func(string) (string, bool) {
	set := map[string]string{"PENTODE_OUT": "", "PARADYN_TUNABLES": ""}
	for _, v := range n.Env {
		set[v.Name] = v.Value
	}
	return func(name string) (string, bool) {
		if value, ok := set[name]; ok {
			return value, true
		}
		return outside(name)
	}
}

func (r *Run) pipeline(c *lang.Config) *Pipeline {
	m, ok := lang.Model[*sprokit.Model](c)
	if !ok {
		return nil
	}
	p := &Pipeline{Config: c, Model: m, Plan: &pipe.Plan{}}
	r.Pipelines = append(r.Pipelines, p)
	if _, err := m.Options(); err == nil {
		p.Plan, _ = m.Plan()
	}
	for i := range p.Plan.Nodes {
		n := &p.Plan.Nodes[i]
		if n.Type == nil || n.Type.Name != exposeName || n.Config["spec"].Value == "" {
			continue
		}
		e := &Expose{Node: n, Spec: p.setting(n, "spec")}
		e.Path = beside(c.Document.File.Path(), n.Config["spec"].Value)
		e.Tree, _ = r.open(filepath.Clean(e.Path), "pdi") // the checks report a tree that cannot be read
		p.Exposes = append(p.Exposes, e)
	}
	return p
}

// setting returns the position of a setting of a process: its value, if the pipeline itself sets it.
func (p *Pipeline) setting(n *pipe.PlanNode, key string) source.Span {
	if s, ok := p.Model.Lookup(n.Name + ":" + key); ok && !s.Span().IsZero() {
		return s.ValueSpan()
	}
	return p.key(n, key)
}

// key returns the position of a setting's name.
func (p *Pipeline) key(n *pipe.PlanNode, key string) source.Span {
	if at := n.Config[key].Span; !at.IsZero() {
		return at
	}
	return p.process(n)
}

// process returns the position of a process's name; for a process inside a cluster, the position of the cluster.
func (p *Pipeline) process(n *pipe.PlanNode) source.Span {
	outer, _, _ := strings.Cut(n.Name, "/")
	for i := range p.Model.Processes {
		if p.Model.Processes[i].Name == outer {
			return p.Model.Processes[i].Span()
		}
	}
	return p.top()
}

// top returns where the pipeline names its first process.
func (p *Pipeline) top() source.Span {
	if len(p.Model.Processes) > 0 {
		return p.Model.Processes[0].Span()
	}
	return top(p.Config)
}

// last returns where the pipeline names the process with the largest index.
func (p *Pipeline) last() source.Span {
	if n := len(p.Plan.Nodes); n > 0 {
		return p.process(&p.Plan.Nodes[n-1])
	}
	return p.top()
}

// path returns the path of a file in the run's folder.
func (r *Run) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(r.Dir, name)
}

// beside returns the path of a file that another file names.
func beside(file, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(file), name)
}
