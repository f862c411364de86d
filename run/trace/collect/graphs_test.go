//go:build linux

package collect

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// taskGraph holds the tasks of a trace.
type taskGraph struct {
	made      []uint64 // in the order of their creation
	parent    map[uint64]uint64
	implicit  map[uint64]bool
	begun     map[uint64]uint64 // when each first ran
	completed map[uint64]uint64 // when each was completed
	edges     [][2]uint64       // dependences
	announced map[uint64]uint64 // how many dependences each task declared at its creation
}

// graphOf reads the tasks of a trace, and checks that each is made and completed once.
func (b *testBed) graphOf(dir string) *taskGraph {
	b.t.Helper()
	g := &taskGraph{parent: map[uint64]uint64{}, implicit: map[uint64]bool{}, begun: map[uint64]uint64{}, completed: map[uint64]uint64{}, announced: map[uint64]uint64{}}
	const complete = 1 // the status of a completed task
	created := map[uint64]uint64{}
	for _, stream := range b.read(dir) {
		for _, o := range stream {
			number := func(name string) uint64 { return fieldsOf(&o)[name].Number }
			switch agent.Records[o.Event].Name {
			case "implicit_task_begin":
				g.implicit[number("task_id")] = true
			case "task_create":
				id := number("task_id")
				if created[id] != 0 || id == 0 {
					b.t.Errorf("the task %d is made twice, or has no number", id)
				}
				created[id], g.parent[id] = o.Time, number("parent_task_id")
			case "task_schedule":
				prior, next := number("prior_task_id"), number("next_task_id")
				if first, ok := g.begun[next]; !ok || o.Time < first {
					g.begun[next] = o.Time
				}
				if number("prior_task_status") == complete {
					if g.completed[prior] != 0 {
						b.t.Errorf("the task %d is completed twice", prior)
					}
					g.completed[prior] = o.Time
				}
			case "dependences":
				g.announced[number("task_id")] = number("ndeps")
			case "task_dependence":
				g.edges = append(g.edges, [2]uint64{number("source_task_id"), number("sink_task_id")})
			}
		}
	}
	g.made = slices.SortedFunc(maps.Keys(created), func(a, b uint64) int { return int(created[a]) - int(created[b]) })
	return g
}

// shape returns the dependences by the indexes of their tasks: `0>1 0>2`.
func (g *taskGraph) shape() string {
	var list []string
	for _, e := range g.edges {
		list = append(list, fmt.Sprintf("%d>%d", slices.Index(g.made, e[0]), slices.Index(g.made, e[1])))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// generations returns the number of tasks at each depth.
func (g *taskGraph) generations() string {
	counts := map[int]int{}
	for _, id := range g.made {
		depth := 0
		for up := g.parent[id]; !g.implicit[up] && depth < len(g.made); up = g.parent[up] {
			depth++
		}
		counts[depth]++
	}
	var list []string
	for _, depth := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, fmt.Sprint(counts[depth]))
	}
	return strings.Join(list, " ")
}

// allOfOpenMP returns the options to trace every OpenMP event.
func (b *testBed) allOfOpenMP() Options {
	b.t.Helper()
	events := trace.Events{}
	d, _ := b.catalog.Domain("OpenMP")
	for _, e := range b.catalog.Domains()[d].Events {
		events[e.Name] = trace.Toggle{On: true}
	}
	p, err := trace.Compile(b.catalog, &trace.Config{Domains: map[string]trace.DomainLayer{"OpenMP": {Events: events}}})
	if err != nil {
		b.t.Fatal(err)
	}
	o := b.options(p)
	o.Audit = false
	return o
}

func newGraphs(t *testing.T) *testBed {
	t.Helper()
	clang := need.Program(t, "clang", "--version")
	b := &testBed{t: t, catalog: pinsight.Builtin().Catalog}
	b.compile("graphs.c", clang, "-fopenmp", "-lpthread")
	b.build(agent.Options{Compiler: need.Compiler(t, "gcc"), Flags: unoptimized(t)})
	return b
}

// TestKnownPrograms: for programs with known events, durations and task graphs, the trace has exactly these:
// how often something happened, how long it took by the program's own clock, which task made each task,
// which tasks had to wait for which, and when each ran and was completed.
func TestKnownPrograms(t *testing.T) {
	need.Slow(t)
	b := newGraphs(t)
	for _, c := range []struct {
		kind        string
		counts      string // parallel regions, worksharing, masked regions, tasks, locks taken, the program's own regions, marks
		generations string // of tasks
		edges       string
	}{
		{"chain", "1 3 0 5 0 1 0", "5", "0>1 1>2 2>3 3>4"},
		{"diamond", "1 3 0 4 0 1 0", "4", "0>1 0>2 1>3 2>3"},
		{"tree", "1 3 0 14 0 1 0", "2 4 8", ""},
		{"at_once", "1 3 0 3 0 1 0", "3", ""},
		{"taskloop", "1 4 0 4 0 1 0", "4", ""},
		{"loops", "1 18 3 0 0 1 0", "", ""},
		{"sections", "1 3 0 0 0 1 0", "", ""},
		{"critical", "1 0 0 0 15 1 0", "", ""},
		{"nested", "3 0 0 0 0 1 0", "", ""},
		{"recursion", "0 0 0 0 0 4 4", "", ""},
		{"threads", "0 0 0 0 0 21 0", "", ""},
	} {
		t.Run(c.kind, func(t *testing.T) {
			b.t = t
			dir, measured := b.known(c.kind)
			g := b.graphOf(dir)
			if g.generations() != c.generations || g.shape() != c.edges {
				t.Errorf("%s tasks with the dependences %s, want %s with %s", g.generations(), g.shape(), c.generations, c.edges)
			}
			g.check(t)
			begun := count(b.read(dir))
			counts := fmt.Sprint(begun["parallel_begin"], begun["work_begin"], begun["masked_begin"], begun["task_create"], begun["mutex_acquired"], begun["region_begin"], begun["mark"])
			if counts != c.counts {
				t.Errorf("the counts are %s, want %s", counts, c.counts)
			}
			b.durations(dir, measured)
		})
	}
}

// known runs one of the programs. It returns its trace and the program's own measurements: for each
// execution of a region, the name, and the nanoseconds within and around the execution.
func (b *testBed) known(kind string) (dir string, measured [][]string) {
	b.t.Helper()
	dir = filepath.Join(b.t.TempDir(), "trace")
	var out strings.Builder
	if code, _, err := Run(context.Background(), b.allOfOpenMP(), Program{Args: []string{b.program, kind}, Library: b.library, Dir: dir, Host: "node", Out: &out, Err: os.Stderr}); err != nil || code != 0 {
		b.t.Fatalf("the program ended with %d, %v", code, err)
	}
	for line := range strings.Lines(out.String()) {
		measured = append(measured, strings.Fields(line))
	}
	return dir, measured
}

// durations compares the durations of regions in a trace with the program's measurements. Each region has one thread.
func (b *testBed) durations(dir string, measured [][]string) {
	b.t.Helper()
	recording, err := recorded.Open(dir)
	if err != nil {
		b.t.Fatal(err)
	}
	took := map[string][]int64{}
	err = recording.Walk(recorded.Handler{Leave: func(_ *recorded.Thread, f *recorded.Frame, end int64, whole bool, _ *recorded.Event) error {
		if f.Kind.Name == "pentode:region_begin" && whole {
			took[f.Name] = append(took[f.Name], end-f.Begin)
		}
		return nil
	}})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, m := range measured {
		within, err := strconv.ParseFloat(m[1], 64)
		around, wrong := strconv.ParseFloat(m[2], 64)
		if err != nil || wrong != nil || len(took[m[0]]) == 0 {
			b.t.Fatalf("%q is not in %v", m, took)
		}
		// The two clocks differ by less than one per cent.
		if have := float64(took[m[0]][0]); have < 0.99*within-2000 || have > 1.01*around+2000 {
			b.t.Errorf("%s took %.0f ns in the trace, and between %s and %s by the program's clock", m[0], have, m[1], m[2])
		}
		took[m[0]] = took[m[0]][1:]
	}
	for name, left := range took {
		if len(left) > 0 {
			b.t.Errorf("%s has %d executions more in the trace", name, len(left))
		}
	}
}

// check checks that all tasks ran, and that each ran after the tasks it depends on.
func (g *taskGraph) check(t *testing.T) {
	t.Helper()
	for i, id := range g.made {
		if begun, done := g.begun[id], g.completed[id]; begun == 0 || done <= begun {
			t.Errorf("the task %d began at %d and was done at %d, want begun other than 0 and done more than %v", i, begun, done, begun)
		}
		if parent := g.parent[id]; !g.implicit[parent] && !slices.Contains(g.made, parent) {
			t.Errorf("the task %d was made by %d, which is none", i, parent)
		}
	}
	for _, e := range g.edges {
		if g.begun[e[1]] < g.completed[e[0]] || g.announced[e[1]] == 0 {
			t.Errorf("a task with %d dependences began at %d, and the one that it depends on was done at %d; want g.begun[e[1]] at least %v and g.announced[e[1]] other than 0", g.announced[e[1]], g.begun[e[1]], g.completed[e[0]], g.completed[e[0]])
		}
	}
}

// TestWorkPairs: the end of a worksharing or masked region has the address of its begin, also if it is nested in another.
func TestWorkPairs(t *testing.T) {
	b := newGraphs(t)
	for kind, want := range map[string]int{"loops": 3*2*3 + 3, "taskloop": 3 + 1} { // all threads meet a single
		dir, _ := b.run(b.allOfOpenMP(), kind)
		pairs := 0
		for _, stream := range b.read(dir) {
			var open []uint64
			for _, o := range stream {
				what, end := strings.CutSuffix(agent.Records[o.Event].Name, "_end")
				if what = strings.TrimSuffix(what, "_begin"); what != "work" && what != "masked" {
					continue
				}
				begun := fieldsOf(&o)[what+"_begin_codeptr"].Number
				if !end {
					open = append(open, begun)
					continue
				}
				if n := len(open); n == 0 || open[n-1] != begun {
					t.Fatalf("%s: a region ended that was begun at %#x; open are %#x, want n other than 0 and open[n-1] = %v", kind, begun, open, begun)
				}
				open = open[:len(open)-1]
				pairs++
			}
			if len(open) > 0 {
				t.Errorf("%s: %#x did not end", kind, open)
			}
		}
		if pairs != want {
			t.Errorf("%s: %d worksharing and masked regions, want %d", kind, pairs, want)
		}
	}
}

// TestTargets: if a runtime has devices, the trace has them, with everything that runs on them or is copied
// to them. A configuration may use the older names of the events.
func TestTargets(t *testing.T) {
	gcc := need.Compiler(t, "gcc")
	b := &testBed{t: t, catalog: pinsight.Builtin().Catalog}
	b.compile("targets.c", gcc, "-I", "testdata", "-ldl")
	b.build(agent.Options{Compiler: need.Compiler(t, "gcc"), Flags: unoptimized(t)})
	whole := func(dir string) (list []string, targets map[uint64]int) {
		targets = map[uint64]int{}
		for _, stream := range b.read(dir) {
			for _, o := range stream {
				name, f := agent.Records[o.Event].Name, fieldsOf(&o)
				if id, ok := f["target_id"]; ok {
					targets[id.Number]++
				}
				switch name {
				case "device_initialize":
					name += fmt.Sprintf(" %d %s", f["device"].Number, f["type"].Text)
				case "device_load":
					name += fmt.Sprintf(" %d %d", f["module"].Number, f["bytes"].Number)
				case "target_map":
					name += fmt.Sprintf(" %d %d", f["items"].Number, f["bytes"].Number)
				case "target_data_op_begin":
					name += fmt.Sprintf(" %d to %d of device %d", f["bytes"].Number, f["dest"].Number, f["dest_device"].Number)
				case "target_submit_begin":
					name += fmt.Sprintf(" %d", f["teams"].Number)
				}
				list = append(list, name)
			}
		}
		return list, targets
	}
	dir, _ := b.run(b.allOfOpenMP(), "1")
	list, targets := whole(dir)
	want := "device_initialize 3 gpu of a test, device_load 7 4096, target_begin, target_map 2 800, target_data_op_begin 800 to 32 of device 3, target_data_op_end, " +
		"target_submit_begin 4, target_submit_end, target_end, device_unload, device_finalize"
	if got := strings.Join(list, ", "); got != want {
		t.Errorf("the trace has\n%s, want\n%s", got, want)
	}
	if len(targets) != 1 || targets[0] != 0 {
		t.Errorf("one target region has the numbers %v, want len(targets) = 1 and targets[0] = 0", targets)
	}
	p, err := trace.Compile(b.catalog, &trace.Config{Domains: map[string]trace.DomainLayer{"OpenMP": {Events: trace.Events{"omp_target": {On: true}}}}})
	if err != nil {
		t.Fatal(err)
	}
	o := b.options(p)
	o.Audit = false
	dir, _ = b.run(o, "2")
	if list, targets = whole(dir); strings.Join(list, " ") != "target_begin target_end target_begin target_end" || len(targets) != 2 {
		t.Errorf("of two target regions the trace has %v with the numbers %v, want strings.Join(list, \" \") = %q and len(targets) = 2", list, targets, "target_begin target_end target_begin target_end")
	}
}
