package web

import (
	"context"
	"net/http"
	"time"

	"github.com/pentode-dev/pentode/run/launch"
)

// statusAnswer is the programs of a launch plan, as `launch status --format json`
// has them, each with what it uses now.
type statusAnswer struct {
	Version int          `json:"version"`
	Run     string       `json:"run"`
	State   string       `json:"state"`
	Nodes   []nodeStatus `json:"nodes"`

	at time.Time // when they were asked
}

type nodeStatus struct {
	launch.Status
	CPU    float64 `json:"cpu"`          // seconds of processor time
	Memory int64   `json:"memory_bytes"` // now, or the largest of one that has ended
}

// statusEvery is how often a supervisor is asked, however many clients look.
const statusEvery = 500 * time.Millisecond

// processView is the programs of a run.
func (s *Server) processView(r *http.Request) (any, error) {
	run, err := s.runs.find(r.URL.Query().Get("run"))
	if err != nil {
		return nil, err
	}
	return run.nodes(r.Context()), nil
}

// nodes are the programs of a plan.
func (r *run) nodes(ctx context.Context) statusAnswer {
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
	r.status = statusAnswer{Version: 1, Run: r.dir.Run.ID, State: phase, Nodes: []nodeStatus{}, at: r.asked}
	for _, n := range nodes {
		st := nodeStatus{Status: n}
		if n.State == launch.Ended {
			st.CPU, st.Memory = (n.Exit.User + n.Exit.System).Seconds(), n.Exit.PeakKB<<10
		} else if n.Usage != nil {
			st.CPU, st.Memory = n.Usage.CPU.Seconds(), n.Usage.MemoryKB<<10
		}
		r.status.Nodes = append(r.status.Nodes, st)
	}
	return r.status
}
