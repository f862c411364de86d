package target

import (
	"reflect"
	"testing"
)

// TestOrder: targets that run each other's code share a node, and an edge that follows from two others is left out.
func TestOrder(t *testing.T) {
	base, sse, avx, sha := machine("x86", 64), machine("x86", 64, "SSE4.2"), machine("x86", 64, "AVX"), machine("x86", 64, "SHA")
	same, arm := machine("x86", 64, "SSE4.1", "SSE4.2"), machine("ARM", 64)
	got := builtIn.Order([]Target{avx, base, sse, arm, sha, same})
	want := Lattice{Nodes: [][]int{{0}, {1}, {2, 5}, {3}, {4}}, Edges: [][2]int{{1, 2}, {1, 4}, {2, 0}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %v", got, want)
	}
	if l := builtIn.Order(nil); l.Nodes != nil || l.Edges != nil {
		t.Errorf("%+v, want l.Nodes nil and l.Edges nil", l)
	}
}
