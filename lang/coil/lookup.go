package coil

import "github.com/pentode-dev/pentode/core/source"

// Lookup finds the setting that decides a key, or nil.
func (m *Model) Lookup(section, key string) *Setting { return m.get(section, key) }

// Top is where the file begins.
func (m *Model) Top() source.Span { return m.tree.File().Span(0, 0) }
