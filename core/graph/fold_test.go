package graph

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFold: a closed group is one node that counts its contents, or shows its only node. Edges inside it
// disappear. Edges across its border are joined if they look the same, and keep a label that all of them have.
func TestFold(t *testing.T) {
	g := &Graph{
		Title: "run", Direction: Down, Width: 7,
		Nodes: []*Node{
			{ID: "a", Kind: "process", Group: "plan"}, {ID: "b", Kind: "process", Group: "host"}, {ID: "c", Kind: "daemon", Group: "host", Wrong: true},
			{ID: "solver", Group: "pipe", Out: []Port{{Name: "field"}}}, {ID: "plan", Kind: "odd"},
			{ID: "cpu", Kind: "target", Detail: []string{"64 bits"}, Group: "one"},
		},
		Groups: []*Group{{ID: "plan", Label: "run.psdl"}, {ID: "host", Parent: "plan"}, {ID: "pipe"}, {ID: "inner", Parent: "pipe"}, {ID: "one"}},
		Edges: []*Edge{
			{From: "a", To: "b"}, {From: "a", To: "solver", Label: "runs"}, {From: "b", To: "solver", Label: "runs"}, {From: "b", To: "solver", Label: "runs", Style: Thick},
			{From: "solver", FromPort: "field", To: "a", Label: "x"}, {From: "solver", FromPort: "field", To: "b", Label: "y"},
			{From: "plan", To: "solver"}, {From: "cpu", To: "plan"},
		},
	}
	got := g.Fold(func(group *Group) bool { return group.ID == "plan" || group.ID == "one" })
	want := &Graph{
		Title: "run", Direction: Down, Width: 7,
		Nodes: []*Node{
			{ID: "plan/", Label: "run.psdl", Detail: []string{"2 × process", "1 × daemon"}, Closed: true, Wrong: true},
			g.Nodes[3], g.Nodes[4],
			{ID: "one", Label: "one", Kind: "target", Detail: []string{"64 bits"}, Closed: true},
		},
		Groups: []*Group{{ID: "pipe"}, {ID: "inner", Parent: "pipe"}},
		Edges: []*Edge{
			{From: "plan/", To: "solver", Label: "runs"}, {From: "plan/", To: "solver", Label: "runs", Style: Thick},
			{From: "solver", FromPort: "field", To: "plan/"},
			{From: "plan", To: "solver"}, {From: "one", To: "plan"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff(g, g.Fold(func(*Group) bool { return false })); diff != "" {
		t.Errorf("with nothing closed it is another picture: -want +got\n%s", diff)
	}
}

// TestFoldKinds: a closed group with many kinds lists only some of them.
func TestFoldKinds(t *testing.T) {
	g := &Graph{}
	for _, kind := range strings.Split("a,b,c,d,e,f,g,h,h,", ",") {
		g.Nodes = append(g.Nodes, &Node{ID: kind + string(rune('0'+len(g.Nodes))), Kind: kind, Group: "all"})
	}
	got := g.Fold(func(*Group) bool { return true }).Nodes
	if len(got) != 1 || strings.Join(got[0].Detail, ", ") != "1 × a, 1 × b, 1 × c, 1 × d, 1 × e, 1 × f, 4 others" {
		t.Errorf("%+v, want len(got) = 1 and strings.Join(got[0].Detail, \", \") = %q", got, "1 × a, 1 × b, 1 × c, 1 × d, 1 × e, 1 × f, 4 others")
	}
}
