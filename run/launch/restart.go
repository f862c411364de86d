package launch

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// RestartWhen says after which exits a node is started again.
type RestartWhen int

const (
	RestartNever     RestartWhen = iota
	RestartOnFailure             // a code other than 0, or a signal
	RestartAlways
)

// Restart is a policy; the zero value never restarts. The pause before a restart doubles each time, from Pause up to MaxPause. It starts at Pause
// again after the node has lived for MaxPause.
type Restart struct {
	When     RestartWhen
	Limit    int           // restarts; 0: no limit
	Pause    time.Duration // 0: one second
	MaxPause time.Duration // 0: thirty seconds
}

// ParseRestart reads `no`, `on-failure` or `always`, with an optional limit
// as in `on-failure:5`.
func ParseRestart(s string) (Restart, error) {
	when, limit, limited := strings.Cut(s, ":")
	var r Restart
	switch when {
	case "", "no":
	case "on-failure":
		r.When = RestartOnFailure
	case "always":
		r.When = RestartAlways
	default:
		return r, fmt.Errorf("restart policy `%s` is not known: expected `no`, `on-failure` or `always`", when)
	}
	if limited {
		n, err := strconv.Atoi(limit)
		switch {
		case r.When == RestartNever:
			return r, fmt.Errorf("restart policy `%s` has a limit, but never restarts: expected `on-failure:%s` or `always:%s`", s, limit, limit)
		case err != nil || n < 1:
			return r, fmt.Errorf("restart limit `%s` is not a number of at least 1", limit)
		}
		r.Limit = n
	}
	return r, nil
}

func (r Restart) String() string {
	name := [...]string{"no", "on-failure", "always"}[r.When]
	if r.Limit > 0 {
		return fmt.Sprintf("%s:%d", name, r.Limit)
	}
	return name
}

// wants reports whether a node starts again after n restarts. failed says whether it has failed.
func (r Restart) wants(failed bool, n int) bool {
	if r.Limit > 0 && n >= r.Limit {
		return false
	}
	return r.When == RestartAlways || r.When == RestartOnFailure && failed
}

// pause returns the pause before restart number n, counted from 0.
func (r Restart) pause(n int) time.Duration {
	d, limit := r.Pause, r.maxPause()
	if d == 0 {
		d = time.Second
	}
	for ; n > 0 && d < limit; n-- {
		d *= 2
	}
	return min(d, limit)
}

func (r Restart) maxPause() time.Duration {
	if r.MaxPause > 0 {
		return r.MaxPause
	}
	return 30 * time.Second
}
