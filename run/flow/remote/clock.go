package remote

import (
	"os"
	"strings"
	"sync"
	"time"
)

// setClock takes the newest report for when the site began. On this machine the
// site's clock is ours. From another one reports take their time to arrive, so the
// earliest of all answers is the nearest, whatever the clocks of the machines say.
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

// boot names this machine since it was switched on; empty where the system does
// not say.
var boot = sync.OnceValue(func() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
})

// Began is when the run of each site was started, on the clock of this program.
// A site that has not said it is not there.
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
