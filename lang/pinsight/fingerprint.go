package pinsight

import (
	"slices"
	"strings"

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

// unread are the settings of the services that no policy has.
func unread(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return section != "Knob" && slices.Contains(serviceNames, section)
}
