package runs_test

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/runs"
)

// asked is a process type that counts how often a pipeline with it is resolved: resolving asks once what is known of an output.
func asked(resolved *atomic.Int64) *flow.Type {
	return &flow.Type{
		Name: "asked", Out: []flow.Port{{Name: "number", Type: "integer", Flags: flow.Required}},
		New: func() flow.Process { return noNumbers{} },
		Tell: func(string, flow.Values, func(string) flow.Facts) (flow.Facts, error) {
			resolved.Add(1)
			return flow.Facts{}, nil
		},
	}
}

type noNumbers struct{}

func (noNumbers) Step(s *flow.Step) error {
	s.Complete()
	return nil
}

// TestResolvedOnce: a pipeline is resolved once in a run, whoever needs to know it: checks, record, trace, engine.
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
			pipe := filepath.Join(dir, "in.pipe")
			for path, text := range map[string]string{
				pipe:                              "process a :: asked\nprocess w :: print_number\n  output = out.txt\nconnect from a.number to w.number\n",
				filepath.Join(dir, "in.pinsight"): "[Flow.default]\n",
			} {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var resolved atomic.Int64
			err := run(dir, pipe, runs.Options{
				Workspace: runs.NewWorkspace(asked(&resolved)), Results: filepath.Join(dir, "out"), Seal: true,
				Record: &runs.Recording{Paths: []string{pipe}},
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
