package pdi

import (
	"bufio"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/data"
)

// TestFlattenLimit: a tree with exactly the maximum number of values is written completely.
func TestFlattenLimit(t *testing.T) {
	list := value{Node: &data.Node{Kind: data.SequenceNode, Items: []*data.Node{data.Text("a"), data.Text("b")}}}
	for left, want := range map[int]string{3: "\n- a\n- b\n", 2: "\n- a\n-\n"} {
		var out strings.Builder
		f := &flattener{Writer: bufio.NewWriter(&out), left: left}
		f.value(list, 0)
		f.Flush()
		if out.String() != want {
			t.Errorf("of %d values %q is written, want %q", left, out.String(), want)
		}
	}
}
