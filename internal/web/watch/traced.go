package watch

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/runs/traced"
)

// tracedList has the traced programs. They are queried at most every statusEvery, however many
// clients there are.
type tracedList struct {
	mu    sync.Mutex
	asked time.Time
	list  []traced.Live
}

// Traced returns the programs that are traced in the folder, or by a plan of it, and that have regions in
// the mode MONITORING, as `control status --format json` prints them.
func (l *List) Traced(ctx context.Context) []traced.Live {
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
	list := slices.DeleteFunc(traced.All(ctx), func(t traced.Live) bool {
		_, inside := l.opt.Fence.Within(t.Directory)
		return len(t.Regions) == 0 || !plans[t.Launch] && !inside
	})
	l.traced.list, l.traced.asked = append([]traced.Live{}, list...), time.Now()
	return l.traced.list
}
