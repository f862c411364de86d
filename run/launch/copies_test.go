package launch

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Copies have their own names, hosts, shares and ranks in the whole plan, and a program that waits for their common name waits for all.
func TestCopies(t *testing.T) {
	d := one("dmn", "prc")
	d.Processes = append(d.Processes, Process{Name: "q", Command: "q", Host: "localhost"})
	d.Visis = []Visi{{Name: "v", Command: "v"}}
	d.Settings = settingsOf(t, "d copies = 2", "p copies = 5", "p hosts = [n1, n2]", "p per-host = 3", "p cores = 2", "p gpus = [0, 1]", "q after = [p:finished]", "q hosts = [n1, n2]")
	p, found := NewPlan(d, Options{Host: nowhere})
	if len(found) > 0 {
		t.Fatalf("%v; want at most 0", found)
	}
	var got []string
	for _, n := range p.Nodes {
		line := n.ID + " on " + n.Host + " after " + strings.Join(edgeTexts(n.After), ",")
		for _, v := range n.Env {
			switch v.Name {
			case "PARADYN_NAME", "PARADYN_HOST", "PENTODE_COPY", "PENTODE_COPIES", "PENTODE_RANK", "PENTODE_SIZE", "CUDA_VISIBLE_DEVICES":
				line += " " + v.Value
			}
		}
		if n.Around.Cores != "" {
			line += " cores " + n.Around.Cores
		}
		got = append(got, line)
	}
	const all = "p.0:finished,p.1:finished,p.2:finished,p.3:finished,p.4:finished"
	want := []string{
		"d.0 on here after  d.0 here 0 2",
		"d.1 on here after  d.1 here 1 2",
		"p.0 on n1 after d.0,d.1 p.0 n1 0 5 0 7 0 cores 0,1",
		"p.1 on n1 after d.0,d.1 p.1 n1 1 5 1 7 1 cores 2,3",
		"p.2 on n1 after d.0,d.1 p.2 n1 2 5 2 7 0 cores 4,5",
		"p.3 on n2 after d.0,d.1 p.3 n2 3 5 3 7 0 cores 0,1",
		"p.4 on n2 after d.0,d.1 p.4 n2 4 5 4 7 1 cores 2,3",
		"q.0 on n1 after " + all + " q.0 n1 0 2 5 7",
		"q.1 on n2 after " + all + " q.1 n2 1 2 6 7",
		"v on here after q.0,q.1 v here",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestCopiesWrong(t *testing.T) {
	for _, c := range []struct {
		names    []string
		settings []string
		want     string
	}{
		{[]string{"a", "a.1"}, []string{"a copies = 2"}, "a copy of `a` and another program are both called `a.1`"},
		{[]string{"a"}, []string{"a per-host = 2"}, "`a` has `per-host`, but no hosts"},
		{[]string{"a"}, []string{"a copies = 5", "a hosts = [n1, n2]", "a per-host = 2"}, "5 copies of `a` do not fit on 2 hosts with 2 on each"},
		{[]string{"a"}, []string{"a hosts = [n1, n2]", "a per-host = 9000"}, "a plan cannot have 18000 copies of `a`"},
		{[]string{"a", "b"}, []string{"a copies = 10000", "b copies = 10000", "b after = [a]"}, "`b` and `a` have so many copies that a plan would have more than 4194304 pairs that wait for each other"},
	} {
		d := crewOf(c.names...)
		d.Settings = settingsOf(t, c.settings...)
		_, found := NewPlan(d, Options{Host: nowhere})
		if len(found) != 1 || found[0].Message != c.want || !FromSettings(found[0].Kind) {
			t.Errorf("%v: %v, want %s", c.settings, found, c.want)
		}
	}
}

// BenchmarkCopiesAfterCopies plans a thousand copies, each of which waits for a thousand others.
func BenchmarkCopiesAfterCopies(b *testing.B) {
	for b.Loop() {
		d := crewOf("a", "b")
		d.Settings = settingsOf(b, "a copies = 1000", "b copies = 1000", "b after = [a]")
		if _, found := NewPlan(d, Options{Host: nowhere}); len(found) > 0 {
			b.Fatalf("%v; want at most 0", found)
		}
	}
}
