package pinsight

import (
	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/run/trace"
)

// Fingerprint returns the fingerprint of the configuration as its dialect has it.
func (m *Model) Fingerprint() (fingerprint.Sum, error) {
	c := m.Catalog
	if m.env.Dialect == load.Upstream {
		c = m.options.upstream()
	}
	return trace.Fingerprint(c.Catalog, m.Layers(), m.Knobs()), nil
}
