package runs

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// claimed makes the folder of a traced program, with the files of a trace.
func claimed(t *testing.T, out string) (string, error) {
	t.Helper()
	dir, err := claimTrace(out, "bin/wave", "")
	if err == nil {
		err = os.MkdirAll(filepath.Join(dir, "ctf"), 0o777)
	}
	return dir, err
}

// In a run, the trace of an earlier run is replaced; other folders of that name stay, and the programs of one process get different folders.
func TestTraceOut(t *testing.T) {
	t.Chdir(t.TempDir())
	results := filepath.Join(t.TempDir(), "results")
	t.Setenv(outVariable, results)
	if err := os.MkdirAll(filepath.Join(results, "mine", "ctf"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ run, out, want string }{
		{"one", "", "wave-trace"},
		{"one", "", "wave-trace-2"},
		{"two", "", "wave-trace"},
		{"two", "a/b", "a/b"},
		{"two", "a/b", "a/b-2"},
		{"three", "a/b", "a/b"},
		{"three", "mine", "mine-2"}, // no run has written that folder
	} {
		t.Setenv(runVariable, c.run)
		if got, err := claimed(t, c.out); err != nil || got != filepath.Join(results, c.want) {
			t.Errorf("run %s, --output %q: %s, %v; want %s", c.run, c.out, got, err, c.want)
		}
	}
	given := filepath.Join(t.TempDir(), "given")
	if got, err := claimed(t, given); err != nil || got != given {
		t.Errorf("an absolute name: %s, %v", got, err)
	}
}

// Outside a run, a requested folder must not exist, and a default folder is always new.
func TestTraceOutAlone(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(outVariable, "")
	if _, err := claimed(t, "a"); err != nil {
		t.Fatal(err)
	}
	var exists *Misfit
	if _, err := claimed(t, "a"); !errors.As(err, &exists) || exists.What != "`a` exists already" {
		t.Errorf("a folder that is there: %v", err)
	}
	const programs = 20
	got := map[string]bool{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for range programs {
		all.Go(func() {
			out, err := claimed(t, "")
			mu.Lock()
			defer mu.Unlock()
			if got[out] = true; err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(got) != programs {
		t.Errorf("%d programs that begin in one second have %d folders, want %v", programs, len(got), programs)
	}
}
