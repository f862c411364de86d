package figures

import (
	"time"

	"github.com/pentode-dev/pentode/run/flow"
)

// lastWindow is the length of the window for the figures of a live run.
const lastWindow = time.Second

// A Follower computes figures of a live run from a series of snapshots. The figures are for the
// last second, or for the time since the previous snapshot if that is longer. During the first
// second, and when the run has ended, they are for the whole run. The zero Follower is ready for
// use.
type Follower struct {
	looks []flow.Stats // recent snapshots; the window begins with the first one, or with the run if there is none
}

// Add adds a snapshot and returns its figures.
func (f *Follower) Add(now flow.Stats) Figures {
	if now.State.Ended() {
		return Of(&now)
	}
	if f.looks == nil {
		f.looks = []flow.Stats{{}}
	}
	for len(f.looks) > 1 && now.Wall-f.looks[1].Wall >= lastWindow {
		f.looks = f.looks[1:]
	}
	out := between(&f.looks[0], &now)
	f.looks = append(f.looks, now)
	return out
}
