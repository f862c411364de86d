package cli

import (
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/graph"
)

// TestGraphSize: a picture with too many nodes is drawn only with --force.
func TestGraphSize(t *testing.T) {
	g := &graph.Graph{}
	for i := range maxNodes + 1 {
		g.Nodes = append(g.Nodes, &graph.Node{ID: strconv.Itoa(i)})
	}
	a := &app{out: io.Discard}
	const want = "the picture has 20001 nodes, and more than 20000 are too many to look at; --force draws it anyway"
	if err := a.draw(g, "dot", ""); err == nil || err.Error() != want {
		t.Errorf("without --force: %v; want %s", err, want)
	}
	var out strings.Builder
	a.anySize, a.out = true, &out
	if err := a.draw(g, "dot", ""); err != nil || !strings.Contains(out.String(), "20000") {
		t.Errorf("with --force: %v, %d bytes; want all nodes", err, out.Len())
	}
}
