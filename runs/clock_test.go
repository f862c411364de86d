package runs

import (
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/launch"
)

// TestBeganAt: the start of a run is converted to the clock of each machine.
func TestBeganAt(t *testing.T) {
	ahead := 90 * time.Second
	result := &launch.Result{Started: time.Unix(1000, 0), Nodes: []launch.Status{{ID: "here"}, {ID: "far", Clock: &ahead}}}
	for node, want := range map[string]int64{"here": 1000, "far": 1090, "unknown": 1000} {
		if have := beganAt(result, node); have.Unix() != want {
			t.Errorf("for `%s` the run began at %v, want %d", node, have, want)
		}
	}
}
