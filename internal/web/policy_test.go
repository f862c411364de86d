package web

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

const policed = `[OpenMP.default]
    omp_task_create = off

[MPI.default]
    MPI.rank = (0-63)

[Lexgion.default]
    tracing_rate = 10

[Lexgion(0x4010bd)] : OpenMP.default, MPI.default : MPI.rank(0-3)
    OpenMP.omp_work = on
    trace_starts_at = 20
    max_num_traces = 200
    tracing_rate = 5
`

// TestPolicyView: the view shows what is traced where and how often, and the lines that decide it, for any number
// of units.
func TestPolicyView(t *testing.T) {
	s, dir := newPage(t, map[string]string{"a.pinsight": policed, "b.pipe": adjustable}, nil)
	path := filepath.Join(dir, "a.pinsight")
	policy := func(want int, query ...string) (a policyAnswer) {
		t.Helper()
		return answered(t, &a, ask(s, "GET", address("policy", append([]string{"path", path}, query...)...), "", nil), want)
	}
	row := func(a policyAnswer, region, event string) string {
		for _, e := range a.Traced {
			if strings.HasPrefix(e.Region, region) && strings.Contains(" "+strings.Join(e.Events, " ")+" ", " "+event+" ") {
				var lines []string
				for _, l := range e.Lines {
					lines = append(lines, fmt.Sprintf("%s:%d", filepath.Base(l.Path), l.Line))
				}
				return fmt.Sprint(strings.Join(e.Units, " or "), "; ", e.Often, "; ", strings.Join(lines, " "), " ", e.Whole)
			}
		}
		return "none"
	}
	a := policy(200, "unit", "MPI.rank=0-1048575")
	for _, c := range []struct{ region, event, want string }{
		{"Lexgion(0x4010bd)", "omp_work", "MPI.rank(0-3); 1 in 5, from number 20 on, at most 200;"},
		{"Lexgion(0x4010bd)", "omp_task_create", "none"},
		{"all other", "MPI_Send", "MPI.rank(0-63); 1 in 10;"},
	} {
		got := row(a, c.region, c.event)
		if !strings.HasPrefix(got, c.want) || c.want != "none" && !strings.HasSuffix(got, " true") {
			t.Errorf("%s %s: %s, want %s", c.region, c.event, got, c.want)
		}
	}
	if got := row(a, "Lexgion(0x4010bd)", "omp_work"); !strings.Contains(got, "a.pinsight:11") || !strings.Contains(got, "a.pinsight:14") {
		t.Errorf("the event and the rate of the region are decided by %s; want %q in got and %q in got", got, "a.pinsight:11", "a.pinsight:14")
	}
	if got := row(policy(200, "unit", "MPI.rank=2-9"), "Lexgion(0x4010bd)", "omp_work"); !strings.HasPrefix(got, "MPI.rank(2-3);") {
		t.Errorf("of fewer units: %s", got)
	}
	for _, unit := range []string{"MPI.rank", "MPI.rnk=1", "=", "MPI.rank=9-1", "MPI.rank=0-99999999999", "x=" + strings.Repeat("1,", 3000)} {
		if w := ask(s, "GET", address("policy", "path", path, "unit", unit), "", nil); w.Code != 400 || w.Body.Len() > 500 {
			t.Errorf("%.40q: %d %.200s, want w.Code = 400 and w.Body.Len() at most 500", unit, w.Code, w.Body)
		}
	}
	for path, code := range map[string]int{filepath.Join(dir, "b.pipe"): 422, "/etc/passwd": 404, "": 404} {
		if w := ask(s, "GET", address("policy", "path", path), "", nil); w.Code != code {
			t.Errorf("%s: %d %s; want %v", path, w.Code, w.Body, code)
		}
	}
}
