package web

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/runs"
)

// tracedList is the programs that are traced, asked for at most every statusEvery, however many
// clients look.
type tracedList struct {
	mu    sync.Mutex
	asked time.Time
	list  []runs.Traced
}

// traced are the programs that are traced in the folder, or by a plan of it, and have regions in
// the mode MONITORING, as `trace status --format json` has them.
func (s *Server) traced(ctx context.Context) []runs.Traced {
	s.tracing.mu.Lock()
	defer s.tracing.mu.Unlock()
	if time.Since(s.tracing.asked) < statusEvery {
		return s.tracing.list
	}
	plans := map[string]bool{}
	for _, r := range s.runs.all() {
		r.mu.Lock()
		if r.dir != nil {
			plans[r.dir.Run.ID] = true
		}
		r.mu.Unlock()
	}
	list := slices.DeleteFunc(runs.AllTraced(ctx), func(t runs.Traced) bool {
		_, inside := s.fence.Within(t.Directory)
		return len(t.Regions) == 0 || !plans[t.Launch] && !inside
	})
	s.tracing.list, s.tracing.asked = append([]runs.Traced{}, list...), time.Now()
	return s.tracing.list
}
