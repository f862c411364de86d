package pipe

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/seal"
)

// A Host is what the processes of a run have in common: where they read and
// write, and values that they share.
type Host struct {
	Dir     string          // folder that names of files to read are relative to; empty means the current one
	Out     string          // folder that names of files to write are relative to; empty means Dir
	Fenced  bool            // nothing is written outside of Out
	Seal    *seal.Maker     // lets results say what made them; nil: they do not
	Ledger  *outfile.Ledger // is told of complete results; may be nil
	Program string          // the path of this program, which `pentode` means as a command of a process; empty: the one in PATH

	mu     sync.Mutex
	shared map[any]any
}

// An Env is what a process finds before it has ports: its settings, and what they refer to.
type Env struct {
	plan   *Plan
	node   *PlanNode
	config Config
	host   *Host
	log    *slog.Logger
	ctx    context.Context
}

// NewEnv returns the environment of a process of a plan. The context ends when the process
// must stop waiting for something outside the pipeline.
func NewEnv(ctx context.Context, plan *Plan, node *PlanNode, host *Host, log *slog.Logger) Env {
	return Env{plan: plan, node: node, config: node.Config, host: host, log: log, ctx: ctx}
}

// With returns the same environment with other settings.
func (e *Env) With(config Config) *Env {
	c := *e
	c.config = config
	return &c
}

// Name is the name of the process.
func (e *Env) Name() string { return e.node.Name }

// Log is where the process writes what people should see.
func (e *Env) Log() *slog.Logger { return e.log }

// Context ends when the process must stop waiting for something outside the
// pipeline.
func (e *Env) Context() context.Context { return e.ctx }

// Values are the settings of the process.
func (e *Env) Values() Values { return Values{e.config, e.node.Type} }

// Value is the value of a key, or its default.
func (e *Env) Value(key string) string { return e.Values().Value(key) }

// Int is the value of a key of kind Int or Unsigned.
func (e *Env) Int(key string) int64 { return e.Values().Int(key) }

// Float is the value of a key of kind Double or Float.
func (e *Env) Float(key string) float64 { return e.Values().Float(key) }

// Bool is the value of a key of kind Bool.
func (e *Env) Bool(key string) bool { return e.Values().Bool(key) }

// Config is the whole configuration of the process. It must not be changed.
func (e *Env) Config() Config { return e.config }

// Errorf makes an error about a key's value.
func (e *Env) Errorf(key, format string, args ...any) error {
	return e.Values().Errorf(key, format, args...)
}

// Path is where a file is that the configuration names for reading.
func (e *Env) Path(name string) string {
	if name == "" || filepath.IsAbs(name) || e.host.Dir == "" {
		return name
	}
	return filepath.Join(e.host.Dir, name)
}

// Folder is the folder of the file which declares the process, or, if no file does, the one in
// which the pipeline reads its files.
func (e *Env) Folder() string { return cmp.Or(e.node.Folder(), e.Path(".")) }

// Results is where files go that the configuration names for writing. They appear
// when they are complete.
func (e *Env) Results() outfile.Folder {
	h := e.host
	return outfile.Folder{Dir: cmp.Or(h.Out, h.Dir), Fenced: h.Fenced && h.Out != "", Seal: h.Seal.By(e.node.Name), Ledger: h.Ledger}
}

// Reads says that the process reads a file. If that is the result of another run, what this one writes says so.
func (e *Env) Reads(path string) { e.host.Seal.Reads(path) }

// Program is the path of this program, or empty if it is not known.
func (e *Env) Program() string { return e.host.Program }

// Shared is a value that the processes of one run have in common. The first
// that asks for a key makes it.
func (e *Env) Shared(key any, first func() any) any {
	h := e.host
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.shared == nil {
		h.shared = map[any]any{}
	}
	if _, ok := h.shared[key]; !ok {
		h.shared[key] = first()
	}
	return h.shared[key]
}

// CarriesArrays reports whether an edge of the process carries arrays.
func (e *Env) CarriesArrays() bool {
	for _, ports := range [][]PlanPort{e.node.In, e.node.Out} {
		for _, port := range ports {
			for _, i := range port.Edges {
				if IsArray(e.plan.Edges[i].Type) {
					return true
				}
			}
		}
	}
	return false
}
