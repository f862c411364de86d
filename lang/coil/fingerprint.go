package coil

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/run/target"
)

// Fingerprint returns the fingerprint of the target.
func (m *Model) Fingerprint() (fingerprint.Sum, error) {
	return target.Machines{Tables: m.tables}.Fingerprint(m.Target()), nil
}

// unread are the settings of vendors: no section of theirs is part of a target.
func unread(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return !slices.Contains([]string{targetSection, optimizeSect, memorySection, abiSection, extSection, preprocSection, linkerSection}, section)
}
