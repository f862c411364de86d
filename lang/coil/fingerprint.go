package coil

import (
	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/run/target"
)

// Fingerprint returns the fingerprint of the target.
func (m *Model) Fingerprint() (fingerprint.Sum, error) {
	return target.Machines{Tables: m.tables}.Fingerprint(m.Target()), nil
}
