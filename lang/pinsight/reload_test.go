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

// TestReloadFile merges a file into a running engine: its RESET and REMOVE
// reach what an earlier file set.
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

func model(t *testing.T, name, text string) *pinsight.Model {
	t.Helper()
	c := language.Parse(source.NewFile(name, text)).Resolve(&load.Env{})
	if found := c.Diagnostics(); found.HasErrors() {
		t.Fatal(found[0].Message)
	}
	m, ok := lang.Model[*pinsight.Model](c)
	if !ok {
		t.Fatal("no model")
	}
	return m
}
