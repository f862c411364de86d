//go:build linux

package collect

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// Threads are numbered in the order in which they run Python, and sections use these numbers.
func TestPythonThreads(t *testing.T) {
	b, interpreters := newPython(t)
	for _, interpreter := range interpreters {
		config := pythonConfig()
		config.Regions = []trace.RegionEntry{{
			Match: trace.Match{Name: "step", Domain: trace.Python},
			Units: trace.Constraints{{Domain: trace.Python, Kind: "thread", Set: trace.NewSet(trace.Span{Lo: 1, Hi: 2})}},
		}}
		dir, _, _ := b.python(config, nil, interpreter, filepath.Join("testdata", "python", "threads.py"))
		got := map[string]int{}
		for _, stream := range pythonEvents(b.read(dir)) {
			for _, e := range stream {
				if e.kind == "function_begin" && (e.name == "step" || e.name == "worker") {
					got[fmt.Sprintf("%s %d", e.name, e.thread)]++
				}
			}
		}
		want := map[string]int{"step 1": 3, "step 2": 4, "worker 0": 1, "worker 1": 1, "worker 2": 1, "worker 3": 1}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s; want nothing", interpreter, diff)
		}
	}
}

// Modules and sections select the traced functions, wherever they are defined.
func TestPythonModules(t *testing.T) {
	need.Slow(t)
	b, interpreters := newPython(t)
	own := func(m trace.Match) []trace.RegionEntry {
		return []trace.RegionEntry{{Match: m, RegionLayer: trace.RegionLayer{Rate: trace.RateLayer{Max: trace.Number{Value: 1, Set: true}}}}}
	}
	for _, interpreter := range interpreters {
		known := knownName(interpreter)
		for _, c := range []struct {
			modules []string
			regions []trace.RegionEntry
			want    string
		}{
			{nil, nil, "imported.py:<module> imported.py:own imported.py:shared"},
			{[]string{"helper"}, nil, "helper.py:<module> helper.py:double helper.py:shared"},
			{[]string{"help*", "__main__"}, nil, "helper.py:<module> helper.py:double helper.py:shared imported.py:<module> imported.py:own imported.py:shared"},
			{[]string{"json.decode?"}, nil, "decoder.py:<module> decoder.py:JSONDecodeError decoder.py:JSONDecoder decoder.py:JSONDecoder.__init__ decoder.py:JSONDecoder.decode decoder.py:JSONDecoder.raw_decode"},
			{[]string{"none"}, own(trace.Match{Name: "shared"}), "helper.py:shared imported.py:shared"},
			{[]string{"none"}, own(trace.Match{Name: "shared", Domain: trace.Python, File: "helper.py"}), "helper.py:shared"},
			{[]string{"none"}, own(trace.Match{Name: "shared", File: "imp"}), "imported.py:shared"},
			{[]string{"none"}, own(trace.Match{Name: "shared", Domain: "MPI"}), ""},
		} {
			config := pythonConfig(c.modules...)
			config.Regions = c.regions
			dir, _, collector := b.python(config, nil, interpreter, "-B", filepath.Join("testdata", "python", "imported.py"))
			seen := map[string]bool{}
			for _, stream := range pythonEvents(b.read(dir)) {
				for _, e := range stream {
					seen[filepath.Base(e.file)+":"+e.name] = true
				}
			}
			want := map[string]bool{}
			for _, function := range strings.Fields(c.want) {
				file, name, _ := strings.Cut(function, ":")
				want[file+":"+known(name)] = true
			}
			if diff := cmp.Diff(want, seen); diff != "" {
				t.Errorf("%s, modules %q, sections %v: %s; want nothing", interpreter, c.modules, c.regions, diff)
			}
			if met := len(collector.Unmet) == 0; met != (c.want != "" || c.regions == nil) {
				t.Errorf("%s, sections %v: unmet are %v; want %v", interpreter, c.regions, collector.Unmet, (c.want != "" || c.regions == nil))
			}
		}
	}
}

// policyProgram writes a program that runs functions of two modules on three threads. It returns the
// program's path and the ids of its functions in a trace.
func policyProgram(t *testing.T) (script string, regions map[uint64]trace.Region) {
	t.Helper()
	dir := t.TempDir()
	const body = `
def leaf(n):
    return len("x" * n)

def tree(n):
    return leaf(n) if n == 0 else tree(n - 1) + leaf(n)

def items(n):
    for i in range(n):
        yield leaf(i)

class Model:
    def step(self, n):
        return sum(items(n))
`
	programs := map[string]string{
		"part.py": body,
		"main.py": "import sys, threading\nsys.path.insert(0, " + fmt.Sprintf("%q", dir) + ")\nimport part\n" + body + `
def worker(n):
    for i in range(n):
        tree(i % 4)
        part.tree(i % 3)
        Model().step(i % 3)
        part.Model().step(1)

worker(6)
for n in (5, 7):
    t = threading.Thread(target=worker, args=(n,))
    t.start()
    t.join()
`,
	}
	regions = map[uint64]trace.Region{}
	for file, text := range programs {
		path := filepath.Join(dir, file)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		module := map[string]string{"part.py": "part", "main.py": "__main__"}[file]
		add := func(line int, name string) {
			regions[trace.NameHash(fmt.Sprintf("%s:%d:%s", path, line, name))] = trace.Region{Name: name, File: file, Module: module}
		}
		add(1, "<module>")
		for i, line := range strings.Split(text, "\n") {
			if name, ok := strings.CutPrefix(line, "def "); ok {
				name, _, _ = strings.Cut(name, "(")
				add(i+1, name)
			}
			if line == "class Model:" {
				add(i+1, "Model")
			}
			if strings.HasPrefix(line, "    def step") {
				add(i+1, "Model.step")
				add(i+1, "step")
			}
		}
	}
	return filepath.Join(dir, "main.py"), regions
}

// randomPython returns a configuration about the functions of that program.
func randomPython(r *rand.Rand) *trace.Config {
	events := func() trace.Events {
		list := trace.Events{}
		for _, e := range []string{"pysysmon_py_start", "pysysmon_py_return", "pysysmon_c_start", "pysysmon_c_return", "pysysmon_import"} {
			if r.IntN(3) == 0 {
				list[e] = trace.Toggle{On: r.IntN(3) > 0}
			}
		}
		return list
	}
	number := func(below int) trace.Number { return trace.Number{Value: uint32(r.IntN(below)), Set: r.IntN(2) == 0} }
	layer := func() trace.RegionLayer {
		l := trace.RegionLayer{Rate: trace.RateLayer{Start: number(4), Max: number(8), Every: number(4)}, Events: map[string]trace.Events{}}
		if r.IntN(2) == 0 {
			l.Events[trace.Python] = events()
		}
		return l
	}
	units := func() trace.Constraints {
		return trace.Constraints{{Domain: trace.Python, Kind: "thread", Set: trace.NewSet(trace.Span{Lo: uint32(r.IntN(2)), Hi: uint32(1 + r.IntN(2))})}}
	}
	config := pythonConfig([][]string{nil, {"*"}, {"p*"}, {"__main__", "part"}, {"none"}, {"threading"}}[r.IntN(6)]...)
	domain := config.Domains[trace.Python]
	domain.Events = events()
	if r.IntN(8) == 0 {
		domain.Mode = trace.Standby + trace.Mode(r.IntN(3))
	}
	if r.IntN(6) == 0 {
		domain.Limits = units()
	}
	config.Domains[trace.Python] = domain
	if r.IntN(3) == 0 {
		config.PerDomain = map[string]trace.RegionLayer{trace.Python: layer()}
	}
	if r.IntN(2) == 0 {
		config.Default = layer()
	}
	for range r.IntN(2) {
		config.Units = append(config.Units, trace.UnitLayer{Domain: trace.Python, Target: units(), Events: events()})
	}
	for range r.IntN(5) {
		m := trace.Match{Name: []string{"leaf", "tree", "items", "Model.step", "worker"}[r.IntN(5)]}
		if r.IntN(2) == 0 {
			m.Domain = trace.Python
		}
		if r.IntN(3) == 0 {
			m.File = []string{"part.py", "main.py", "part", "m"}[r.IntN(4)]
		}
		e := trace.RegionEntry{Match: m, RegionLayer: layer(), Removed: r.IntN(8) == 0}
		if r.IntN(2) == 0 {
			e.Units = units()
		}
		config.Regions = append(config.Regions, e)
	}
	return config
}

// Every decision about a function is the same as the engine's, and so as `trace decide`'s.
func TestPythonDecides(t *testing.T) {
	b, interpreters := newPython(t)
	script, regions := policyProgram(t)
	for _, interpreter := range interpreters {
		decided := 0
		need.Rounds(t, 4, func(t *testing.T, round int) {
			b.t = t
			config := randomPython(rand.New(rand.NewPCG(3, uint64(round))))
			dir, _, _ := b.python(config, func(o *Options) { o.Audit = true }, interpreter, "-B", script)
			p, err := trace.Compile(b.catalog, config)
			if err != nil {
				t.Fatal(err)
			}
			b.regions = regions
			decided += b.replay(ownRegions(b.read(dir), regions), p)
			if t.Failed() {
				t.Fatalf("policy %d: %+v", round, config)
			}
		})
		if decided == 0 {
			t.Errorf("%s: nothing was decided", interpreter)
		}
	}
}

// ownRegions keeps the events of a trace that are about these functions: decisions, begins and ends.
func ownRegions(streams [][]ctf.Occurrence, regions map[uint64]trace.Region) [][]ctf.Occurrence {
	const codeID = 3
	var own [][]ctf.Occurrence
	for _, stream := range streams {
		own = append(own, slices.DeleteFunc(slices.Clone(stream), func(o ctf.Occurrence) bool {
			r := agent.Records[o.Event]
			region := uint64(0)
			switch {
			case o.Event == agent.AuditRecord && o.Fields[auditStep].Number == stepUnit:
				return false
			case o.Event == agent.AuditRecord:
				region = o.Fields[auditRegion].Number
			case r.Family == agent.Python && strings.HasPrefix(r.Name, "function_"):
				region = o.Fields[codeID].Number
			}
			_, known := regions[region]
			return !known
		}))
	}
	return own
}
