package paradyn

import (
	"strings"

	"github.com/pentode-dev/pentode/core/fingerprint"
)

// Fingerprint returns the fingerprint of the plan. This machine has no name in it, so that the
// plan has one fingerprint wherever it is read.
func (m *Model) Fingerprint() (fingerprint.Sum, error) {
	anywhere := *m
	anywhere.hostname = ""
	d, err := anywhere.Decls()
	if err != nil {
		return fingerprint.Sum{}, err
	}
	return d.Fingerprint(), nil
}

// unread are the lists, which start nothing.
func unread(key string) bool { return strings.HasPrefix(key, "list.") }
