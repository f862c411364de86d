package runs_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/runs"
)

// asked is a process type that counts how often a pipeline with it is resolved: resolving asks it once about its output.
func asked(resolved *atomic.Int64) *pipe.Type {
	return &pipe.Type{
		Name: "asked", Out: []pipe.Port{{Name: "number", Type: "integer", Flags: pipe.Required}},
		New: func() pipe.Process { return noNumbers{} },
		Tell: func(string, pipe.Values, func(string) pipe.Facts) (pipe.Facts, error) {
			resolved.Add(1)
			return pipe.Facts{}, nil
		},
	}
}

type noNumbers struct{}

func (noNumbers) Step(s pipe.Step) error {
	s.Complete()
	return nil
}

// TestResolvedOnce: a pipeline is resolved once in a run, for checks, record, trace and engine together.
func TestResolvedOnce(t *testing.T) {
	for name, run := range map[string]func(dir, pipe string, o runs.Options) error{
		"file": func(dir, pipe string, o runs.Options) error {
			c, err := o.Workspace.Config(pipe)
			if err != nil {
				return err
			}
			o.Pipeline.Trace, o.Pipeline.Policy = "trace.json", filepath.Join(dir, "in.pinsight")
			_, err = runs.Pipeline(context.Background(), c, o)
			return err
		},
		"folder": func(dir, _ string, o runs.Options) error {
			folder, err := runs.OpenFolder(o.Workspace, dir)
			if err != nil {
				return err
			}
			_, err = runs.Folder(context.Background(), folder, o)
			return err
		},
		"dry run": func(_, pipe string, o runs.Options) error {
			c, err := o.Workspace.Config(pipe)
			if err != nil {
				return err
			}
			_, _, err = runs.PlanPipeline(c, o)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_STATE_HOME", t.TempDir())
			t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
			dir := t.TempDir()
			path := filepath.Join(dir, "in.pipe")
			for name, text := range map[string]string{
				path:                              "process a :: asked\nprocess w :: print_number\n  output = out.txt\nconnect from a.number to w.number\n",
				filepath.Join(dir, "in.pinsight"): "[Flow.default]\n",
			} {
				if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var resolved atomic.Int64
			w, err := runs.Own{Types: []*pipe.Type{asked(&resolved)}}.Workspace()
			if err != nil {
				t.Fatal(err)
			}
			err = run(dir, path, runs.Options{
				Workspace: w, Results: filepath.Join(dir, "out"), Seal: true,
				Record: &runs.Recording{Paths: []string{path}},
			})
			if err != nil {
				t.Fatal(err)
			}
			if n := resolved.Load(); n != 1 {
				t.Errorf("the pipeline was resolved %d times, want once", n)
			}
		})
	}
}

// reads counts how often each file is opened.
type reads struct {
	source.Opener
	mu    sync.Mutex
	times map[string]int
}

func (r *reads) Open(path string) (*source.File, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times[filepath.Base(path)]++
	return r.Opener.Open(path)
}

// TestReadOnce: a run uses the trees and policies that the check of its folder has read.
func TestReadOnce(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	dir := t.TempDir()
	for name, text := range map[string]string{
		"in.pipe":     "process a :: numbers\n  end = 3\nprocess e :: expose\n  spec = tree.yml\nconnect from a.number to e.n\n",
		"tree.yml":    "pdi:\n  metadata:\n    n: int\n",
		"in.pinsight": "[Flow.default]\n",
		"other.yml":   "pdi:\n  metadata:\n    m: int\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := runs.NewWorkspace()
	r := &reads{Opener: w.Env.Opener, times: map[string]int{}}
	w.Env.Opener = r
	folder, err := runs.OpenFolder(w, dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runs.Folder(t.Context(), folder, runs.Options{Workspace: w, Results: filepath.Join(dir, "out")}); err != nil {
		t.Fatal(err)
	}
	for name, n := range r.times {
		if n != 1 {
			t.Errorf("`%s` was opened %d times, want once", name, n)
		}
	}
	if len(r.times) != 4 {
		t.Errorf("%d files were opened, want 4: %v", len(r.times), r.times)
	}
}
