package watch

import (
	"context"
	"time"

	"github.com/pentode-dev/pentode/run/launch"
)

// Programs is the programs of a launch plan, as `launch status --format json`
// has them, each with what it uses now.
type Programs struct {
	Version int       `json:"version"`
	Run     string    `json:"run"`
	State   string    `json:"state"`
	Nodes   []Program `json:"nodes"`

	at time.Time // when they were asked
}

// Program is one of them.
type Program struct {
	launch.Status
	CPU    float64 `json:"cpu"`          // seconds of processor time
	Memory int64   `json:"memory_bytes"` // now, or the largest of one that has ended
}

// statusEvery is how often a supervisor is asked, however many clients look.
const statusEvery = 500 * time.Millisecond

// Programs are the programs of a plan.
func (r *Run) Programs(ctx context.Context) Programs {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dir == nil || time.Since(r.asked) < statusEvery {
		return r.status
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	phase, nodes, err := launch.Observe(ctx, r.dir)
	if err != nil {
		return r.status // it ends just now, or is paused
	}
	r.asked = time.Now()
	r.status = Programs{Version: 1, Run: r.dir.Run.ID, State: phase, Nodes: []Program{}, at: r.asked}
	for _, n := range nodes {
		st := Program{Status: n}
		if n.State == launch.Ended {
			st.CPU, st.Memory = (n.Exit.User + n.Exit.System).Seconds(), n.Exit.PeakKB<<10
		} else if n.Usage != nil {
			st.CPU, st.Memory = n.Usage.CPU.Seconds(), n.Usage.MemoryKB<<10
		}
		r.status.Nodes = append(r.status.Nodes, st)
	}
	return r.status
}
