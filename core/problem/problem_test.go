package problem_test

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

func TestNearest(t *testing.T) {
	names := []string{"omp_task_create", "omp_task_schedule", "team", "thread", "on", "off"}
	for _, c := range []struct{ name, want string }{
		{"omp_taks_create", "omp_task_create"},
		{"OMP_Task_Create", "omp_task_create"},
		{"omp_task_shedule", "omp_task_schedule"},
		{"tread", "thread"},
		{"tema", "team"},
		{"omp_task_create", ""},
		{"xy", ""},
		{"something_else", ""},
		{"", ""},
	} {
		got, ok := problem.Nearest(c.name, names)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("Nearest(%q) = %q, %v; want %q", c.name, got, ok, c.want)
		}
	}
}

// TestNearestIsFree: Nearest does not allocate.
func TestNearestIsFree(t *testing.T) {
	names := []string{"omp_task_create", "omp_task_schedule", "team"}
	if n := testing.AllocsPerRun(100, func() { problem.Nearest("omp_taks_create", names) }); n > 0 {
		t.Errorf("%v allocations, want at most 0", n)
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"short", "short"},
		{strings.Repeat("é", 61), strings.Repeat("é", 60) + "…"},
		{strings.Repeat("é", 60), strings.Repeat("é", 60)},
		{"two\nlines\tand a tab", "two lines and a tab"},
		{"\x1b[31mred\xff\u202e", "\uFFFD[31mred\uFFFD\uFFFD"},
	} {
		if got := problem.Clip(c.text, problem.Short); got != c.want {
			t.Errorf("Clip(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestListAsError(t *testing.T) {
	at := source.NewFile("a.pipe", "x").Span(0, 1)
	list := problem.List{
		{Severity: problem.Warning, Message: "a warning"},
		{Message: "no port `imgae`", Span: at, Suggestion: "image", Expected: "not shown beside a suggestion"},
		{Message: "another"},
	}
	if err := list[:1].Err(); err != nil {
		t.Errorf("a warning is the error %v", err)
	}
	if got, want := list.Err().Error(), "a.pipe:1:1: no port `imgae`: did you mean `image`? (and 1 more)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestAdvise: the nearest name is offered, or else the other advice.
func TestAdvise(t *testing.T) {
	names := []string{"", "thread", "team"}
	for name, want := range map[string]string{"tread": "did you mean `thread`?", "THREAD": "did you mean `thread`?", "rank": "write a unit", "": "write a unit", "thread": "write a unit"} {
		if got := problem.Advise(name, names, "write a unit"); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	p := &problem.Problem{Message: "wrong", Expected: "a number"}
	if got := p.Error(); got != "wrong: a number" {
		t.Errorf("%s; want %q", got, "wrong: a number")
	}
	if got := (problem.List{{Severity: problem.Warning}, p}).Error(); got != "wrong: a number" {
		t.Errorf("one error: %s; want %q", got, "wrong: a number")
	}
}
