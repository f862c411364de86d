package sprokit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
)

const timesCluster = `cluster times
  -- Multiplies.
  factor = 20
  -- By what.
  imap from number to multiply.factor1
  -- in
  omap from multiply.product to product
  -- out
process const :: const_number
  value[ro] = $CONFIG{times:factor}
process multiply :: multiplication
connect from const.number to multiply.factor2
`

// TestWorkers: the engine gets the scheduler that the file sets.
func TestWorkers(t *testing.T) {
	text := "config _scheduler\n  type = thread_pool\n  thread_pool:num_threads = 12\nprocess a :: orphan\n"
	c := New(Options{}).Parse(source.NewFile("in.pipe", text)).Resolve(&load.Env{Opener: source.Map{}, Dir: "."})
	if _, opt, err := modelOf(c).Pipeline(); err != nil || opt.Scheduler != "thread_pool" || opt.Workers != 12 {
		t.Errorf("%s with %d workers, want thread_pool with 12: %v", opt.Scheduler, opt.Workers, err)
	}
}

// TestPipeline runs pipelines, and checks the numbers they give or the error with its place.
func TestPipeline(t *testing.T) {
	defer golden.NothingRuns(t)
	for _, c := range []struct {
		name, text string
		numbers    string
		fails      string
	}{
		{"each instance has its own values", `
process a :: numbers
  end = 4
process twice :: times
  factor = 2
process more :: times
process out :: print_number
  output = out.txt
connect from a.number to twice.number
connect from twice.product to more.number
connect from more.product to out.number
`, "0 40 80 120", ""},
		{"scheduler and workers", `
config _scheduler
  type = thread_pool
  thread_pool:num_threads = 2
process a :: numbers
  end = 3
process out :: print_number
  output = out.txt
connect from a.number to out.number
`, "0 1 2", ""},
		{"a global key", `
config _global
  end = 2
process a :: numbers
process out :: print_number
  output = out.txt
connect from a.number to out.number
`, "0 1", ""},
		{"a type that lives elsewhere", "process a :: far_away\n", "", "in.pipe:1:9: process `a` has the unknown type `far_away`"},
		{"values that do not go together", "process a :: numbers\n  end = 0\nprocess s :: sink\nconnect from a.number to s.sink\n", "", "in.pipe:2:3: process `a`: key `end` is 0"},
		{"a process that refuses", "process a :: numbers\nprocess o :: print_number\n  output = no/folder/here\nconnect from a.number to o.number\n", "", "in.pipe:3:3: process `o` cannot be set up"},
		{"no number of workers", "config _scheduler\n  thread_pool:num_threads = all\nprocess a :: orphan\n", "", "in.pipe:2:3: `all` is not a number of workers"},
		{"a cluster", timesCluster, "", "a cluster runs only as a part of a pipeline"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			text := strings.TrimPrefix(c.text, "\n")
			files := source.Map{"in.pipe": text, "times.cluster": timesCluster}
			config := New(Options{}).Parse(source.NewFile("in.pipe", text)).Resolve(&load.Env{Opener: files, Dir: dir})
			p, opt, err := modelOf(config).Pipeline()
			if err == nil {
				opt.Dir = dir
				err = p.Run(t.Context(), opt)
			}
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("the error is %v, want %s", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			out, err := os.ReadFile(filepath.Join(dir, "out.txt"))
			if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != c.numbers {
				t.Errorf("the numbers are %s, want %s", got, c.numbers)
			}
		})
	}
}
