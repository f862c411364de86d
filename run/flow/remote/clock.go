package remote

import (
	"os"
	"strings"
	"sync"
	"time"
)

// setClock uses the newest report to update the time at which the site began. A site on this
// machine has the same clock. Reports from another machine take time to arrive, so the earliest
// result of all reports is the most accurate, whatever the clocks of the machines show.
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

// boot identifies this machine since it was last switched on; empty if the system does not provide
// an identifier.
var boot = sync.OnceValue(func() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
})

// Began returns when the run of each site was started, on the clock of this program. Sites that
// have not reported it are missing.
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
