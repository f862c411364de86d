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

// A Host has what the processes of a run share: where they read and write files, and shared values.
type Host struct {
	Dir     string          // names of files to read are relative to this folder; empty means the current one
	Out     string          // names of files to write are relative to this folder; empty means Dir
	Fenced  bool            // refuse to write files outside of Out
	Seal    *seal.Maker     // adds to each result file a record of what produced it; nil: no record
	Ledger  *outfile.Ledger // gets an entry for each complete result file; may be nil
	Program string          // the program to run if a process has the command `pentode`; empty: search PATH

	mu     sync.Mutex
	shared map[any]any
}

// An Env gives a process what it needs before its ports exist: its settings, and the folders and values they
// refer to.
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

// Name returns the name of the process.
func (e *Env) Name() string { return e.node.Name }

// Log returns the log for messages to the user.
func (e *Env) Log() *slog.Logger { return e.log }

// Context returns a context that ends when the process must stop waiting for something outside the pipeline.
func (e *Env) Context() context.Context { return e.ctx }

// Values returns the settings of the process.
func (e *Env) Values() Values { return Values{e.config, e.node.Type} }

// Value returns the value of a key, or its default.
func (e *Env) Value(key string) string { return e.Values().Value(key) }

// Int returns the value of a key of kind Int or Unsigned.
func (e *Env) Int(key string) int64 { return e.Values().Int(key) }

// Float returns the value of a key of kind Double or Float.
func (e *Env) Float(key string) float64 { return e.Values().Float(key) }

// Bool returns the value of a key of kind Bool.
func (e *Env) Bool(key string) bool { return e.Values().Bool(key) }

// Config returns the whole configuration of the process. It must not be changed.
func (e *Env) Config() Config { return e.config }

// Errorf makes an error about a key's value.
func (e *Env) Errorf(key, format string, args ...any) error {
	return e.Values().Errorf(key, format, args...)
}

// Path returns the path of a file to read, from its name in the configuration.
func (e *Env) Path(name string) string {
	if name == "" || filepath.IsAbs(name) || e.host.Dir == "" {
		return name
	}
	return filepath.Join(e.host.Dir, name)
}

// Folder returns the folder of the file that declares the process. If no file declares it, Folder returns the
// folder in which the pipeline reads files.
func (e *Env) Folder() string { return cmp.Or(e.node.Folder(), e.Path(".")) }

// Results returns the folder for files that the process writes. A file gets its name there when it is
// complete.
func (e *Env) Results() outfile.Folder {
	h := e.host
	return outfile.Folder{Dir: cmp.Or(h.Out, h.Dir), Fenced: h.Fenced && h.Out != "", Seal: h.Seal.By(e.node.Name), Ledger: h.Ledger}
}

// Reads records that the process reads a file. If another run has written this file, the records in the
// results of this run name that run.
func (e *Env) Reads(path string) { e.host.Seal.Reads(path) }

// Program returns the path of the running Pentode program, or "" if it is not known.
func (e *Env) Program() string { return e.host.Program }

// Shared returns a value that all processes of a run share. The first call with a key makes the value by
// calling first.
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

// CarriesArrays reports whether any edge of the process carries arrays.
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
