package pinsight_test

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
)

const running = `[OpenMP.default]
    omp_work = off
    OpenMP.team = (0-4)
[OpenMP.thread(0-3)]
    omp_masked = off
[OpenMP.thread(7)]
    omp_masked = off
[Lexgion.default]
    tracing_rate = 4
[Lexgion(0x10)] : : MPI.rank(0)
    tracing_rate = 10
`

// TestReloadFile merges a file into a running engine: its RESET and REMOVE affect settings of an earlier file.
func TestReloadFile(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[MPI.default]\n MPI_Send = off", "`MPI.default` MPI_Send: now off (b:2:2)"},
		{
			"[RESET OpenMP.default]",
			"`OpenMP.default` omp_work: no longer off (a:2:5)\n`OpenMP.default` OpenMP.team: no longer (0-4) (a:3:5)",
		},
		{"[RESET Lexgion.default]\n[Lexgion.default]\n max_num_traces = 3", "`Lexgion.default` max_num_traces: now 3 (b:3:2)\n`Lexgion.default` tracing_rate: no longer 4 (a:9:5)"},
		{
			"[REMOVE OpenMP.thread(7)]",
			"`OpenMP.thread(7)`: no longer set (a:6:2)\n`OpenMP.thread(7)` omp_masked: no longer off (a:7:5)\n" +
				"`OpenMP` order of sections for units: no longer OpenMP.thread(0-3) OpenMP.thread(7)",
		},
		{
			"[REMOVE OpenMP.thread(*)]\n[OpenMP.thread(7)]\n omp_masked = off",
			"`OpenMP.thread(0-3)`: no longer set (a:4:2)\n`OpenMP.thread(0-3)` omp_masked: no longer off (a:5:5)\n" +
				"`OpenMP` order of sections for units: no longer OpenMP.thread(0-3) OpenMP.thread(7)",
		},
		{
			"[REMOVE Lexgion(0x10)]\n[Lexgion(0x10)]\n max_num_traces = 1",
			"`Lexgion(0x10)` max_num_traces: now 1 (b:3:2)\n`Lexgion(0x10)` MPI.rank: no longer (0) (a:10:21)\n`Lexgion(0x10)` tracing_rate: no longer 10 (a:11:5)",
		},
		{"[Lexgion(0x10)]\n max_num_traces = 1", "`Lexgion(0x10)` max_num_traces: now 1 (b:2:2)"},
	} {
		policy, err := model(t, "a", running).Policy()
		if err != nil {
			t.Fatal(err)
		}
		changes, err := trace.NewEngine(policy).Reload(model(t, "b", c.text).Layers(), trace.Merge)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, ch := range changes {
			lines = append(lines, ch.String())
		}
		if got := strings.Join(lines, "\n"); got != c.want {
			t.Errorf("%s\n got:\n%s\nwant:\n%s", c.text, got, c.want)
		}
	}
}

// An installed PInsight reads a file onto its current state: settings that the new file does not mention stay. Knobs stay in both dialects.
func TestReloadUpstream(t *testing.T) {
	a := "[OpenMP.default]\n omp_work = off\n[Lexgion(loop)]\n tracing_rate = 3\n[Lexgion(0x10)]\n tracing_rate = 4\n[Knob]\n size = 8\n"
	b := "[MPI.default]\n MPI_Send = off\n[Knob]\n depth = 2\n size = 9\n"
	first := upstream(t, "a", a)
	later := upstream(t, "b", b).Over(first)
	policy, err := first.Policy()
	if err != nil {
		t.Fatal(err)
	}
	engine := trace.NewEngine(policy)
	changes, err := engine.Reload(later.Layers(), trace.Replace)
	if err != nil {
		t.Fatal(err)
	}
	c := policy.Catalog()
	traced := func(domain, event string, r trace.Region) int {
		r.Domain, _ = c.Domain(domain)
		e, _ := c.Event(r.Domain, event)
		n := 0
		for range engine.Policy().Executions(r, e, nil, 12) {
			n++
		}
		return n
	}
	for _, want := range []struct {
		what string
		got  int
		want int
	}{
		{"an event that the new file does not mention", traced("OpenMP", "omp_work", trace.Region{Address: 0x20}), 0},
		{"an event that it switches off", traced("MPI", "MPI_Send", trace.Region{Address: 0x20}), 0},
		{"a region by address that it does not mention", traced("MPI", "MPI_Recv", trace.Region{Address: 0x10}), 3},
		{"a region by name, which each reading begins anew", traced("MPI", "MPI_Recv", trace.Region{Address: 0x30, Name: "loop"}), 12},
		{"knobs", len(later.Knobs()), 2},
		{"knobs in the documented dialect", len(model(t, "b", b).Over(model(t, "a", a)).Knobs()), 2},
	} {
		if want.got != want.want {
			t.Errorf("%s: %d, want %d", want.what, want.got, want.want)
		}
	}
	if len(changes) == 0 {
		t.Error("nothing changed")
	}
	if upstream(t, "b", b).Over(later) != later {
		t.Error("a file that has not changed was read again")
	}
}

func upstream(t *testing.T, name, text string) *pinsight.Model {
	t.Helper()
	return resolved(t, name, text, load.Upstream)
}

func model(t *testing.T, name, text string) *pinsight.Model {
	t.Helper()
	return resolved(t, name, text, load.Documented)
}

func resolved(t *testing.T, name, text string, dialect load.Dialect) *pinsight.Model {
	t.Helper()
	c := language.Parse(source.NewFile(name, text)).Resolve(&load.Env{Dialect: dialect})
	if found := c.Diagnostics(); found.HasErrors() {
		t.Fatalf("%s; want no errors", found[0].Message)
	}
	m, ok := lang.Model[*pinsight.Model](c)
	if !ok {
		t.Fatal("no model")
	}
	return m
}
