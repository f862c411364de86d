package figures

import (
	"time"

	"github.com/pentode-dev/pentode/run/flow"
)

// lastWindow is the time that the figures of a run that goes on look back.
const lastWindow = time.Second

// A Follower makes figures of a run that is looked at again and again: those of the
// last second, or since the look before where that is longer ago. Until it has looked for a
// second they are those of the whole run, and so are those of a run that has ended. The
// zero Follower is ready for use.
type Follower struct {
	looks []flow.Stats // the first is the beginning of the window; nil: the beginning of the run
}

// Add takes a look and returns its figures.
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
