package remote

import "time"

// setClock takes the newest report for when the site began. Reports take
// their time to arrive, so the earliest of all answers is the nearest, whatever
// the clocks of the machines say.
func (m *member) setClock() {
	if m.Age == 0 {
		return
	}
	if began := m.heard.Add(-m.Age); m.began.IsZero() || began.Before(m.began) {
		m.began = began
	}
}

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
