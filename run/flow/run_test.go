package flow_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func TestMain(m *testing.M) { golden.Main(m) }

// build makes a pipeline of lines like
//
//	a :: numbers start=1 end=4
//	a.number -> out.number
func build(text string) *flow.Pipeline {
	p := flow.New(catalog.Standard())
	text = strings.TrimSpace(text)
	file, at := source.NewFile("t.pipe", text), 0
	for line := range strings.SplitSeq(text, "\n") {
		span := file.Span(at, at+len(line))
		at = min(at+len(line)+1, len(text))
		f := strings.Fields(line)
		switch {
		case len(f) >= 3 && f[1] == "::":
			var kv []string
			for _, s := range f[3:] {
				k, v, _ := strings.Cut(s, "=")
				kv = append(kv, k, v)
			}
			p.AddProcess(f[0], f[2], pipe.Set(kv...))
			p.Graph.Processes[len(p.Graph.Processes)-1].Span = span
		case len(f) >= 3 && f[1] == "->":
			var opt pipe.EdgeOptions
			if len(f) == 4 {
				var n int
				fmt.Sscanf(f[3], "capacity=%d", &n)
				opt = pipe.Capacity(n)
			}
			p.Connect(f[0], f[2], opt)
			p.Graph.Connections[len(p.Graph.Connections)-1].Span = span
		}
	}
	return p
}

// finish waits for the end of the run. It fails the test if the run hangs, but not if the machine
// is slow.
func finish(t *testing.T, r *flow.Run) error {
	t.Helper()
	for before, began := uint64(0), time.Now(); ; {
		select {
		case <-r.Done():
			return r.Wait()
		case <-time.After(golden.Patience):
		}
		figures, steps := r.Stats(), uint64(0)
		for i := range figures.Processes {
			steps += figures.Processes[i].Steps
		}
		if steps == before || time.Since(began) > 5*time.Minute {
			r.Abort()
			t.Fatalf("hangs; figures: %.10000s", fmt.Sprintf("%+v", figures))
		}
		before = steps
	}
}

func everyScheduler(t *testing.T, f func(t *testing.T, opt flow.Options)) {
	for _, s := range flow.Schedulers() {
		t.Run(s, func(t *testing.T) { f(t, flow.Options{Scheduler: s, Dir: t.TempDir()}) })
	}
}

func start(t *testing.T, p *flow.Pipeline, opt flow.Options) *flow.Run {
	t.Helper()
	r, err := p.Start(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestNothingComesIn checks that a process which passes on its input ends if it has no input.
func TestNothingComesIn(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		r := start(t, build("f :: flow_dependent\ng :: tagged_flow_dependent"), opt)
		if err := finish(t, r); err != nil {
			t.Error(err)
		}
	})
}

// numbersOf reads what print_number wrote.
func numbersOf(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "OUT.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

// TestPipelines runs pipelines based on upstream's own tests and known hazards. Each ends with the
// same numbers under every scheduler.
func TestPipelines(t *testing.T) {
	const out = "\nout :: print_number output=OUT.txt\n"
	cases := []struct{ name, text, want string }{
		{"numbers", "a :: numbers start=3 end=7" + out + "a.number -> out.number", "3 4 5 6"},
		{"an endless source ends with its consumer", "a :: numbers start=1 end=4\nc :: const_number value=5\nm :: multiplication" + out +
			"a.number -> m.factor1\nc.number -> m.factor2\nm.product -> out.number", "5 10 15"},
		{"the shorter input ends it", "a :: numbers start=1 end=4\nb :: numbers start=10 end=20\nm :: multiplication" + out +
			"a.number -> m.factor1\nb.number -> m.factor2\nm.product -> out.number", "10 22 36"},
		{"both branches of one port", "a :: numbers end=5\nm :: multiplication" + out +
			"a.number -> m.factor1\na.number -> m.factor2\nm.product -> out.number", "0 1 4 9 16"},
		{"pass chain", "a :: numbers end=5\np :: pass\nq :: pass" + out + "a.number -> p.pass\np.pass -> q.pass\nq.pass -> out.number", "0 1 2 3 4"},
		{"products wrap at 32 bits", "a :: numbers start=65536 end=65537\nm :: multiplication" + out +
			"a.number -> m.factor1\na.number -> m.factor2\nm.product -> out.number", "0"},
		{"cluster", "a :: numbers start=1 end=4\nmc :: multiplier_cluster factor=7" + out +
			"a.number -> mc.factor\nmc.product -> out.number", "7 14 21"},
		{"duplicate 0", "a :: numbers start=1 end=4\nd :: duplicate copies=0" + out + "a.number -> d.input\nd.duplicate -> out.number", "1 2 3"},
		{"duplicate 2", "a :: numbers start=1 end=4\nd :: duplicate copies=2" + out + "a.number -> d.input\nd.duplicate -> out.number", "1 1 1 2 2 2 3 3 3"},
		{"skip 1 of 6", "a :: numbers end=6\nk :: skip skip=1" + out + "a.number -> k.input\nk.output -> out.number", "0 2 4"},
		{"skip drops an incomplete group", "a :: numbers end=7\nk :: skip skip=2" + out + "a.number -> k.input\nk.output -> out.number", "0 3"},
		{"skip with offset", "a :: numbers end=10\nk :: skip skip=2 offset=2" + out + "a.number -> k.input\nk.output -> out.number", "2 5 8"},
		{"skip 0", "a :: numbers end=3\nk :: skip skip=0" + out + "a.number -> k.input\nk.output -> out.number", "0 1 2"},
		{"a capacity below the frequency is raised", "a :: numbers end=9\nk :: skip skip=2" + out + "a.number -> k.input capacity=1\nk.output -> out.number capacity=1", "0 3 6"},
		{"frequencies meet again", "a :: numbers start=1 end=5\nd :: duplicate copies=1\ne :: duplicate copies=2\nf :: duplicate copies=1\ng :: duplicate copies=2\nm :: multiplication" + out +
			"a.number -> d.input\nd.duplicate -> e.input\na.number -> g.input\ng.duplicate -> f.input\ne.duplicate -> m.factor1\nf.duplicate -> m.factor2\nm.product -> out.number",
			"1 1 1 1 1 1 4 4 4 4 4 4 9 9 9 9 9 9 16 16 16 16 16 16"},
		{"rates meet again in step", "a :: numbers end=8\nd :: duplicate copies=1\nk :: skip skip=1\nm :: multiplication" + out +
			"a.number -> d.input\nd.duplicate -> k.input\nk.output -> m.factor1\na.number -> m.factor2\nm.product -> out.number",
			"0 1 4 9 16 25 36 49"},
		{"distribute and collate", distribute + out + "c.res/num -> out.number", "0 1 2 3 4 5 6"},
		{"multiplexer ends with its first input", "a :: numbers end=3\nb :: numbers start=100 end=106\nm :: multiplexer" + out +
			"a.number -> m.x/1\nb.number -> m.x/2\nm.x -> out.number", "0 100 1 101 2 102"},
		{"multiplexer ends with its last input", "a :: numbers end=3\nb :: numbers start=100 end=106\nm :: multiplexer termination_policy=all" + out +
			"a.number -> m.x/1\nb.number -> m.x/2\nm.x -> out.number", "0 100 1 101 2 102 103 104 105"},
		{"heartbeats count steps", "a :: numbers end=5\nt :: take_number\ns :: sink" + out + "a.number -> t.number\na._heartbeat -> s.sink\nb :: numbers end=2\nb.number -> out.number", "0 1"},
		{"a small edge", "a :: numbers end=100\nd :: duplicate copies=4" + out + "a.number -> d.input capacity=1\nd.duplicate -> out.number capacity=1", repeated(100, 5)},
		{"an edge without limit", "a :: numbers end=500\np :: pass" + out + "a.number -> p.pass capacity=0\np.pass -> out.number capacity=0", repeated(500, 1)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			everyScheduler(t, func(t *testing.T, opt flow.Options) {
				r := start(t, build(c.text), opt)
				if err := finish(t, r); err != nil {
					t.Fatal(err)
				}
				if have := numbersOf(t, opt.Dir); have != c.want {
					t.Errorf("have %s\nwant %s", have, c.want)
				}
				balanced(t, r.Stats())
			})
		})
	}
}

const distribute = `
a :: numbers end=7
d :: distribute
p1 :: pass
p2 :: pass
c :: collate
a.number -> d.src/num
d.dist/num/1 -> p1.pass
d.dist/num/2 -> p2.pass
d.status/num -> c.status/num
p1.pass -> c.coll/num/1
p2.pass -> c.coll/num/2`

func repeated(n, times int) string {
	var s []string
	for i := range n {
		for range times {
			s = append(s, fmt.Sprint(i))
		}
	}
	return strings.Join(s, " ")
}

func balanced(t *testing.T, s flow.Stats) {
	t.Helper()
	for _, e := range s.Edges {
		if e.Pushed != e.Taken+e.Dropped+e.Left {
			t.Errorf("edge %s → %s: pushed %d, taken %d, dropped %d, left %d", e.From, e.To, e.Pushed, e.Taken, e.Dropped, e.Left)
		}
		if e.Capacity > 0 && e.High > uint64(e.Capacity) {
			t.Errorf("edge %s → %s held %d with capacity %d, want at most %v", e.From, e.To, e.High, e.Capacity, uint64(e.Capacity))
		}
	}
}

// TestRunAgain checks that a pipeline can run twice, but not twice at the same time.
func TestRunAgain(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		p := build("a :: numbers end=3\nout :: print_number output=OUT.txt\na.number -> out.number")
		for range 3 {
			if err := finish(t, start(t, p, opt)); err != nil {
				t.Fatal(err)
			}
			if have := numbersOf(t, opt.Dir); have != "0 1 2" {
				t.Fatalf("have %s; want %q", have, "0 1 2")
			}
		}
		q := build("c :: const_number\ns :: sink\nc.number -> s.sink")
		r := start(t, q, opt)
		if _, err := q.Start(context.Background(), opt); !errors.Is(err, flow.ErrRunning) {
			t.Errorf("second start: %v", err)
		}
		r.Stop()
		if err := finish(t, r); !errors.Is(err, flow.ErrStopped) {
			t.Errorf("wait after stop: %v", err)
		}
	})
}
