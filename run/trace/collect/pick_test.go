//go:build linux

package collect

import (
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/trace"
)

// One of the processes that use CUDA collects device times: always the same one, the one with the
// lowest rank, or each in turn.
func TestTurns(t *testing.T) {
	ranks := map[int]uint32{2: 7, 5: 3, 9: 5}
	rank := func(process int) uint32 { return ranks[process] }
	now := time.Unix(0, 0)
	for policy, want := range map[string][]int{
		"anyone_per_node": {2, 2, 2, 2, 5, 5}, "leader_per_node": {5, 5, 5, 5, 5, 5}, "rotate_per_node:100": {2, 5, 9, 2, 5, 9},
	} {
		var s turns
		for i, want := range want {
			using := []int{2, 5, 9}
			if i >= 4 {
				using = []int{5, 9} // the first has ended
			}
			s.next(trace.ParseActivity(policy), using, rank, now.Add(time.Duration(i)*100*time.Millisecond))
			if s.process != want {
				t.Errorf("%s: turn %d is that of %d, want %d", policy, i, s.process, want)
			}
		}
	}
}
