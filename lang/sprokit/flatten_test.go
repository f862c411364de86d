package sprokit

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// drawn returns a pipeline as the engine sees it, line by line, with the names that flattening gives to processes inside clusters.
func drawn(m *Model) []string {
	graph, _ := m.flowGraph()
	plan, _ := pipe.Resolve(graph, m.Registry)
	name := func(s string) string { return strings.ReplaceAll(s, "/", "__") }
	var lines []string
	for _, n := range plan.Nodes {
		line := name(n.Name) + " :: " + n.Node.Type
		var settings []string
		for key, s := range n.Config {
			settings = append(settings, fmt.Sprintf(" %s=%s", key, s.Value))
		}
		slices.Sort(settings)
		lines = append(lines, line+strings.Join(settings, ""))
	}
	for _, e := range plan.Edges {
		lines = append(lines, fmt.Sprintf("%s.%s -> %s.%s %d %v", name(e.From.Process), e.From.Port, name(e.To.Process), e.To.Port, e.Capacity, e.Blocking))
	}
	slices.Sort(lines)
	return lines
}

const (
	twiceCluster = "cluster twice\n -- Multiplies twice.\n by = 2\n -- The factor.\n imap from in to first.number to side.sink\n -- In.\n omap from second.product to out\n -- Out.\n" +
		"process first :: times\n  factor = $CONFIG{twice:by}\nprocess second :: times\nprocess side :: sink\n" +
		"config _global\n  value = 9\nconnect from first.product to second.number\n"
	usesTwice = `config _pipeline
  _edge:capacity = 30
  _edge_by_conn:a:up:number:capacity = 12
  _edge_by_conn:t/first:down:number:capacity = 8
  _edge_by_conn:t:down:in:capacity = 7
  _edge_by_conn:t:up:out:blocking = false
config _global
  value = 3
  end = 6
process a :: numbers
process t :: twice
  by = 5
  second:factor = 4
process t__side :: const_number
process u :: sink
process s :: sink
connect from a.number to t.in
connect from t.out to s.sink
connect from t__side.number to u.sink
`
)

// TestFlattenClusters: flattening gives the same pipeline without clusters, with the same settings and edges, in every case that uses clusters.
func TestFlattenClusters(t *testing.T) {
	need.Slow(t)
	files := source.Map{"times.cluster": timesCluster, "twice.cluster": twiceCluster}
	cases := []*golden.Case{{Name: "nested", File: source.NewFile("in.pipe", usesTwice), Env: &load.Env{Opener: files, Dir: "."}}}
	opened := 0
	for _, c := range append(cases, golden.Cases(t, "testdata")...) {
		m := modelOf(New(Options{}).Parse(c.File).Resolve(c.Env))
		if m.openClusters() == nil || len(drawn(m)) == 0 {
			continue
		}
		opened++
		var b bytes.Buffer
		flatten(m.tree, m, &b)
		file := source.NewFile(filepath.Join(filepath.Dir(c.File.Path()), "flat.pipe"), b.String())
		flat := modelOf(New(Options{}).Parse(file).Resolve(&load.Env{Opener: source.Map{}, Dir: ".", Dialect: c.Env.Dialect}))
		for i := range flat.Processes {
			if flat.Processes[i].Inside != nil {
				t.Errorf("%s: `%s` is still a cluster", c.Name, flat.Processes[i].Name)
			}
		}
		have, want := drawn(flat), drawn(m)
		if c.Name == "nested" { // the name was taken
			for i := range want {
				want[i] = strings.Replace(want[i], "t__side :: sink", "t__side_ :: sink", 1)
				want[i] = strings.Replace(want[i], "t__side.sink", "t__side_.sink", 1)
			}
			slices.Sort(want)
		}
		if !slices.Equal(have, want) {
			t.Errorf("%s:\n%s\nhave\n  %s\nwant\n  %s", c.Name, b.String(), strings.Join(have, "\n  "), strings.Join(want, "\n  "))
		}
	}
	if opened < 5 {
		t.Errorf("only %d cases have clusters", opened)
	}
}
