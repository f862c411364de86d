//go:build linux

package collect

import (
	"time"

	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// window holds the state of the tracing windows of a process. A window ends when a region has been traced as often as allowed, or after
// a timeout.
type window struct {
	epoch uint64    // of the policy
	begun time.Time // when its windows began
	timed bool      // whether the timeout has passed

	end   *trace.WindowEnd // the current introspection
	which uint32
	until time.Time // the end of its pause; zero: until a signal
	over  bool      // whether the introspection is over and no new windows have begun
}

// serveRequests serves the requests of traced programs. After SIGUSR1 the configuration is read again, and a pause ends. When a
// window with INTROSPECT ends, its script is started, then comes its pause, and then its modes are set. A new configuration
// also ends pauses, and begins ended windows anew.
func (c *Collector) serveRequests(p *Program) {
	policy, epoch := c.session.current()
	for i := range layout.MaxProcesses {
		at := processAt(i)
		if c.session.half(at+processState).Load() == 0 {
			c.windows[i] = nil
			continue
		}
		c.wake(i)
		w := c.windows[i]
		if w != nil && w.epoch != epoch {
			if c.session.half(at+processEnded).Swap(0) != 0 {
				c.session.half(at + processWindow).Add(1)
				c.session.word(at + processGeneration).Add(1)
			}
			c.session.half(at + processPaused).Store(0)
			w = nil
		}
		if w == nil {
			w = &window{epoch: epoch, begun: time.Now()}
			c.windows[i] = w
		}
		// The counter is written only after a signal, because threads read the same cache line.
		signals := c.session.half(at + processSignals)
		signalled := signals.Load() > 0 && signals.Swap(0) > 0
		reread := signalled && p.Signalled != nil
		if reread {
			p.Signalled(c.session)
		}
		switch {
		case signalled && w.end != nil:
			c.adoptPolicy(at, w)
			c.resume(at, w)
		case !reread: // otherwise the next turn handles the new policy
			c.window(p, policy, at, w)
		}
	}
}

// adoptPolicy makes a paused process continue with the configuration in force, which may have changed during its pause.
func (c *Collector) adoptPolicy(at int, w *window) {
	policy, epoch := c.session.current()
	if w.epoch == epoch {
		return
	}
	w.epoch = epoch
	start := epoch << layout.EpochAt
	for i, d := range trace.AgentDomains(policy.Catalog()) {
		mode := trace.Off
		if d != trace.NoDomain {
			mode = policy.Mode(d)
		}
		start |= uint64(mode) << (layout.ModeBits * i)
	}
	c.session.word(at + processModes).Store(start) // this is safe: the threads of the process wait, or set the same modes
}

func (c *Collector) window(p *Program, policy *trace.Policy, at int, w *window) {
	if seconds, end := policy.WindowTimeout(); seconds > 0 && !w.timed && time.Since(w.begun) > time.Duration(seconds)*time.Second {
		w.timed = true
		if e := policy.WindowEnd(end); e != nil && e.Introspect == nil {
			c.setActivity(at, w.epoch, e, end, false)
			c.setModes(at, w.epoch, e.Modes, false)
		} else if e != nil {
			c.session.half(at+processEnded).CompareAndSwap(0, end)
		}
	}
	if w.end != nil {
		if !w.until.IsZero() && time.Now().After(w.until) {
			c.resume(at, w)
		}
		return
	}
	ended := c.session.half(at + processEnded)
	if paused := c.session.half(at + processPaused); cancelled(paused, ended) {
		paused.Store(0)
	}
	number := ended.Load()
	end := policy.WindowEnd(number)
	if number == 0 || w.over || end == nil || end.Introspect == nil {
		return
	}
	w.end, w.which = end, number
	if end.Introspect.Pause != 0 {
		c.session.half(at + processPaused).Store(1)
	}
	if end.Introspect.Script != "-" && p.Script != nil {
		c.take()
		c.flush() // the script finds everything recorded so far in the trace
		// If the script cannot be started, the program is not held up.
		_ = p.Script(end.Introspect.Script, int(c.session.half(at+processPID).Load()))
	}
	switch pause := end.Introspect.Pause; {
	case pause == 0:
		c.resume(at, w)
	case pause > 0:
		w.until = time.Now().Add(time.Duration(pause) * time.Second)
	}
}

// cancelled reports whether a process pauses for a window whose end was cancelled by a new
// configuration. The agent sets the end before the pause, so the pause is read first.
func cancelled(paused, ended interface{ Load() uint32 }) bool {
	return paused.Load() != 0 && ended.Load() == 0
}

// resume ends an introspection: it sets the modes, and begins windows anew if one of the modes is TRACING.
func (c *Collector) resume(at int, w *window) {
	again := false
	for _, m := range w.end.Modes {
		again = again || m == trace.Tracing
	}
	c.setActivity(at, w.epoch, w.end, w.which, again)
	c.setModes(at, w.epoch, w.end.Modes, again)
	w.end, w.until, w.over = nil, time.Time{}, !again
	if again {
		w.begun, w.timed = time.Now(), false
		c.session.half(at + processEnded).Store(0)
	}
	c.session.half(at + processPaused).Store(0)
}

// setActivity sets the device activity of a process according to the window end with this
// number. An earlier window end's value stays until windows begin anew.
func (c *Collector) setActivity(at int, epoch uint64, end *trace.WindowEnd, number uint32, again bool) {
	word := c.session.word(at + processActivity)
	old := word.Load()
	current := uint32(old>>layout.ActivityEpochAt) == uint32(epoch)
	next := old
	if a := end.Activity["CUDA"]; a.Set && (again || !current || old&layout.ActivityChanged == 0) {
		next = epoch<<layout.ActivityEpochAt | layout.ActivityChanged | uint64(number)
	}
	if again {
		next &^= layout.ActivityChanged
	}
	word.CompareAndSwap(old, next)
}

// setModes sets the modes of a process, unless its policy has changed. A mode set by an earlier
// window end stays until windows begin anew.
func (c *Collector) setModes(at int, epoch uint64, modes map[string]trace.Mode, again bool) {
	word := c.session.word(at + processModes)
	for {
		old := word.Load()
		next := old
		if again {
			next &^= layout.ChangedAll
		}
		for d, name := range layout.DomainNames {
			if m, ok := modes[name]; ok && uint64(m) != next>>(layout.ModeBits*d)&layout.ModeMask && (again || next>>(layout.ChangedAt+d)&1 == 0) {
				next = next&^(layout.ModeMask<<(layout.ModeBits*d)) | uint64(m)<<(layout.ModeBits*d)
				if !again {
					next |= 1 << (layout.ChangedAt + d)
				}
			}
		}
		if uint32(old>>layout.EpochAt) != uint32(epoch) {
			return
		}
		if word.CompareAndSwap(old, next) {
			break
		}
	}
	if again {
		c.session.half(at + processWindow).Add(1)
	}
	c.session.word(at + processGeneration).Add(1)
}
