package watch

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/runs"
)

// traced is the programs that are traced, asked for at most every statusEvery, however many
// clients look.
type traced struct {
	mu    sync.Mutex
	asked time.Time
	list  []runs.Traced
}

// Traced are the programs that are traced in the folder, or by a plan of it, and have regions in
// the mode MONITORING, as `trace status --format json` has them.
func (l *List) Traced(ctx context.Context) []runs.Traced {
	l.traced.mu.Lock()
	defer l.traced.mu.Unlock()
	if time.Since(l.traced.asked) < statusEvery {
		return l.traced.list
	}
	plans := map[string]bool{}
	for _, r := range l.all() {
		if dir := r.registered(); dir != nil {
			plans[dir.Run.ID] = true
		}
	}
	list := slices.DeleteFunc(runs.AllTraced(ctx), func(t runs.Traced) bool {
		_, inside := l.opt.Fence.Within(t.Directory)
		return len(t.Regions) == 0 || !plans[t.Launch] && !inside
	})
	l.traced.list, l.traced.asked = append([]runs.Traced{}, list...), time.Now()
	return l.traced.list
}
