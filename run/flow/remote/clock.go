package remote

import (
	"os"
	"strings"
	"sync"
	"time"
)

// setClock updates the time at which the site began, from the newest report. A site on this
// machine has the same clock. From another machine, a report arrives late by an unknown time, so
// the earliest time computed from any report is the most accurate.
func (m *member) setClock() {
	if m.Age == 0 {
		return
	}
	if m.Boot != "" && m.Boot == boot() {
		m.began = m.Sent.Add(-m.Age)
		return
	}
	if began := m.heard.Add(-m.Age); m.began.IsZero() || began.Before(m.began) {
		m.began = began
	}
}

// boot identifies this machine since its last start. It is empty if the system has no such
// identifier.
var boot = sync.OnceValue(func() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
})

// Began returns when each site started its run, according to the clock of this program. Sites that
// have not reported this are missing.
func (c *Coordinator) Began() map[string]time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	began := map[string]time.Time{}
	for name, m := range c.sites {
		if !m.began.IsZero() {
			began[name] = m.began
		}
	}
	return began
}
