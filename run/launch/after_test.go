package launch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// crewOf returns processes without a daemon, whose names are also their programs, and daemons for names that begin with `d`.
func crewOf(names ...string) Decls {
	var d Decls
	for _, name := range names {
		if strings.HasPrefix(name, "d") {
			d.Daemons = append(d.Daemons, Daemon{Name: name, Command: name, Host: "localhost"})
		} else {
			d.Processes = append(d.Processes, Process{Name: name, Command: name, Host: "localhost"})
		}
	}
	return d
}

func TestAfterOnStage(t *testing.T) {
	second := script{lives: time.Second}
	for _, c := range []struct {
		name     string
		scripts  map[string]script
		in       Decls
		settings []string
		r        RunOptions
		meddle   func(*Supervisor)
		code     int
		want     []string
		skipped  []string
	}{
		{
			name:     "one after the other, each when it may",
			scripts:  map[string]script{"a": second, "b": {lives: 2 * time.Second}, "c": second, "e": second},
			in:       crewOf("e", "c", "b", "a"),
			settings: []string{"b after = [a:succeeded]", "c after = [b]", "e after = [b:finished, c:finished]"},
			want:     []string{"0s start a", "1s start b", "1s start c", "3s start e"},
		},
		{
			name:     "a process that is ready by its line",
			scripts:  map[string]script{"a": {says: "wait\n", lives: 3 * time.Second}, "b": second},
			in:       crewOf("b", "a"),
			settings: []string{"a ready = alive:2s", "b after = [a:ready]"},
			want:     []string{"0s start a", "2s start b"},
		},
		{
			name:     "daemons after daemons end in the reverse order, a step at a time",
			scripts:  map[string]script{"d1": {deaf: true}, "p": second},
			in:       crewOf("d3", "d2", "d1", "p"),
			settings: []string{"d2 ready = none", "d2 after = [d3]", "d1 ready = none", "d1 after = [d2]", "d3 ready = none", "p after = [d1]"},
			r:        RunOptions{Grace: 5 * time.Second},
			want: []string{
				"0s start d3", "0s start d2", "0s start d1", "0s start p",
				"1s TERM to d1", "6s KILL to d1", "6s TERM to d2", "6s TERM to d3",
			},
		},
		{
			name:     "what has ended between two daemons keeps their order",
			scripts:  map[string]script{"d2": {deaf: true}, "a": second, "p": second},
			in:       crewOf("d1", "d2", "a", "p"),
			settings: []string{"d1 ready = none", "d2 ready = none", "a after = [d1]", "d2 after = [a:succeeded]", "p after = [d2]"},
			r:        RunOptions{Grace: 5 * time.Second},
			want:     []string{"0s start d1", "0s start a", "1s start d2", "1s start p", "2s TERM to d2", "7s KILL to d2", "7s TERM to d1"},
		},
		{
			name:     "a daemon that is after a process ends before it",
			in:       crewOf("d1", "a", "b"),
			settings: []string{"d1 ready = none", "d1 after = [a]", "b after = [d1]"},
			meddle:   func(s *Supervisor) { pass(time.Second); s.Stop(0) },
			want:     []string{"0s start a", "0s start d1", "0s start b", "1s TERM to b", "1s TERM to d1", "1s TERM to a"},
		},
		{
			name:     "processes are stopped in the reverse order",
			in:       crewOf("a", "b"),
			settings: []string{"a after = [b]"},
			meddle:   func(s *Supervisor) { pass(time.Second); s.Stop(0) },
			want:     []string{"0s start b", "0s start a", "1s TERM to a", "1s TERM to b"},
		},
		{
			name:     "what can never be is not waited for",
			scripts:  map[string]script{"a": {lives: time.Second, code: 3}, "b": second, "c": second, "e": second},
			in:       crewOf("a", "b", "c", "e"),
			settings: []string{"b after = [a:succeeded]", "c after = [b]", "e after = [a:finished]"},
			r:        RunOptions{KeepGoing: true},
			code:     3,
			want:     []string{"0s start a", "1s start e"},
			skipped:  []string{"process `b` is not started: `a` has not succeeded and never will", "process `c` is not started: `b` has not started and never will"},
		},
		{
			name:     "a process that is waited for and ends before it is ready has failed",
			scripts:  map[string]script{"a": second, "b": second},
			in:       crewOf("a", "b"),
			settings: []string{"a ready = line:^up", "b after = [a:ready]"},
			code:     1,
			want:     []string{"0s start a"},
			skipped:  []string{"process `b` is not started: the run has ended"},
		},
		{
			name:     "a daemon that is started again takes along what lives by it, and theirs",
			scripts:  map[string]script{"p": {lives: 10 * time.Second}},
			in:       crewOf("d1", "d2", "p"),
			settings: []string{"d1 ready = none", "d2 ready = none", "d2 after = [d1]", "p after = [d2]"},
			meddle: func(s *Supervisor) {
				pass(time.Second)
				_ = s.Restart("d1")
			},
			want: []string{
				"0s start d1", "0s start d2", "0s start p",
				"1s TERM to p", "1s TERM to d2", "1s TERM to d1",
				"1s start d1", "1s start d2", "1s start p",
				"11s TERM to d2", "11s TERM to d1",
			},
		},
		{
			name:     "one that must have ended first needs no daemon to live",
			scripts:  map[string]script{"d1": second, "p": {lives: 2 * time.Second}},
			in:       crewOf("d1", "p"),
			settings: []string{"d1 ready = none", "p after = [d1:succeeded]"},
			want:     []string{"0s start d1", "1s start p"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(c.scripts)
				c.in.Settings = settingsOf(t, c.settings...)
				var skipped []string
				c.r.Report = func(e state.Event) {
					if e.What == state.Skipped {
						skipped = append(skipped, e.Text)
					}
				}
				result := play(t, s, c.in, Options{}, c.r, c.meddle)
				if diff := cmp.Diff(c.want, s.log); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
				if diff := cmp.Diff(c.skipped, skipped); diff != "" {
					t.Errorf("skipped: -want +got\n%s", diff)
				}
				if result.Code != c.code {
					t.Errorf("code %d, want %d", result.Code, c.code)
				}
			})
		})
	}
}

// Programs that wait for each other are refused by name, including edges from declarations.
func TestAfterCircle(t *testing.T) {
	for _, c := range []struct {
		in       Decls
		settings []string
		want     string
	}{
		{crewOf("a"), []string{"a after = [a]"}, "these programs wait for each other, so none can start: `a` after `a`"},
		{crewOf("a", "b", "c"), []string{"a after = [b]", "b after = [c:finished]", "c after = [a]"}, "these programs wait for each other, so none can start: `a` after `b` after `c` after `a`"},
		{one("dmn", "prc"), []string{"d after = [p:finished]"}, "these programs wait for each other, so none can start: `d` after `p` after `d`"},
		{crewOf("a"), []string{"a after = [bb]"}, "`a` is after `bb`, which the plan does not have"},
		{Decls{Visis: []Visi{{Name: "v", Command: "v"}}, Processes: []Process{{Name: "a", Command: "a"}}}, []string{"a after = [v]"}, "`a` is after `v`, which is started on request only"},
	} {
		c.in.Settings = settingsOf(t, c.settings...)
		_, found := NewPlan(c.in, Options{Host: nowhere})
		if len(found) != 1 || found[0].Message != c.want || found[0].Span.File == nil || !FromSettings(found[0].Kind) {
			t.Errorf("%v: %v, want %s", c.settings, found, c.want)
		}
	}
	var names, settings []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("a%d", i))
		settings = append(settings, fmt.Sprintf("a%d after = [a%d]", i, (i+1)%20))
	}
	d := crewOf(names...)
	d.Settings = settingsOf(t, settings...)
	if _, found := NewPlan(d, Options{Host: nowhere}); len(found) != 1 || !strings.HasSuffix(found[0].Message, "`a7` after 12 more after `a0`") {
		t.Errorf("%v; want len(found) = 1 and found[0].Message = %q at the end", found, "`a7` after 12 more after `a0`")
	}
}

// The nodes of a plan are in an order in which they can start, as close as possible to the order of the declarations.
func TestAfterOrder(t *testing.T) {
	d := crewOf("a", "b", "c", "e")
	d.Settings = settingsOf(t, "a after = c")
	p, found := NewPlan(d, Options{Host: nowhere})
	if len(found) > 0 {
		t.Fatalf("%v; want at most 0", found)
	}
	var ids []string
	for _, n := range p.Nodes {
		ids = append(ids, n.ID)
	}
	if !slices.Equal(ids, []string{"c", "a", "b", "e"}) {
		t.Errorf("got %v, want %v", ids, []string{"c", "a", "b", "e"})
	}
	if env := p.Nodes[1].Env; !slices.Contains(env, Var{"PENTODE_RANK", "0"}) {
		t.Errorf("the rank of a has changed: %v", env)
	}
}

// Other supervisors get the edges that they can express, and the other edges are reported as lost.
func TestAfterConverted(t *testing.T) {
	d := crewOf("a", "b", "c")
	d.Settings = settingsOf(t, "b after = [a:succeeded]", "c after = [a:started]")
	p, found := NewPlan(d, Options{Host: nowhere})
	if len(found) > 0 {
		t.Fatalf("%v; want at most 0", found)
	}
	for format, want := range map[string]string{
		"process-compose": "condition: process_completed_successfully",
		"systemd":         "node `b` starts without waiting for the end of `a`",
		"slurm":           "node `b` does not wait for `a:succeeded`",
	} {
		var out strings.Builder
		lost, err := p.Convert(format, Place{}, &out)
		for _, l := range lost {
			out.WriteString(l.Message + "\n")
		}
		if err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s lacks %q, %v\n%s", format, want, err, &out)
		}
	}
}
