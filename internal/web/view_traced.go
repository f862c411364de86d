package web

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/runs/traced"
)

// tracedList is the programs that are traced, asked for at most every statusEvery, however many
// clients look.
type tracedList struct {
	mu    sync.Mutex
	asked time.Time
	list  []traced.Live
}

// traced are the programs that are traced in the folder, or by a plan of it, and have regions in
// the mode MONITORING, as `trace status --format json` has them.
func (s *Server) traced(ctx context.Context) []traced.Live {
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
	list := slices.DeleteFunc(traced.All(ctx), func(t traced.Live) bool {
		_, inside := s.within(t.Directory)
		return len(t.Regions) == 0 || !plans[t.Launch] && !inside
	})
	s.tracing.list, s.tracing.asked = append([]traced.Live{}, list...), time.Now()
	return s.tracing.list
}

// within is a path as seen from the folder of the page, where it is that folder or lies in it, by whatever links
// the two are named.
func (s *Server) within(path string) (name string, ok bool) {
	full, err := filepath.Abs(s.root)
	if err != nil {
		return "", false
	}
	if name, ok = below(full, path); ok {
		return name, ok
	}
	return below(resolved(full), resolved(path))
}

// resolved is a path without links; one that is gone stays as it is.
func resolved(path string) string {
	if plain, err := filepath.EvalSymlinks(path); err == nil {
		return plain
	}
	return path
}

// below is a path as seen from a folder, where it is that folder or lies in it.
func below(dir, path string) (name string, ok bool) {
	name, err := filepath.Rel(dir, path)
	return name, err == nil && name != ".." && !strings.HasPrefix(name, ".."+string(filepath.Separator))
}
