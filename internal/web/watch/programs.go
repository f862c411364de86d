package watch

import (
	"context"
	"time"

	"github.com/pentode-dev/pentode/run/launch"
)

// Programs has the programs of a launch plan, as `ps --format json`
// prints them, each with its current resource usage.
type Programs struct {
	Version int       `json:"version"`
	Run     string    `json:"run"`
	State   string    `json:"state"`
	Nodes   []Program `json:"nodes"`

	at time.Time // when the supervisor was asked
}

// Program is a program of a launch plan.
type Program struct {
	launch.Status
	CPU    float64 `json:"cpu"`          // seconds of processor time
	Memory int64   `json:"memory_bytes"` // current, or the peak of an ended program
}

// statusEvery is the time between two requests to a supervisor, however many clients there are.
const statusEvery = 500 * time.Millisecond

// Programs returns the programs of a plan.
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
		return r.status // it is just ending, or is paused
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
