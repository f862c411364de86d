package pdi

import (
	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/run/data"
)

// Fingerprint returns the fingerprint of the tree.
func (m *Model) Fingerprint() (fingerprint.Sum, error) {
	return data.Fingerprint(m.Spec(), m.dialect, knownPlugins), nil
}
