package pdi

import "github.com/pentode-dev/pentode/core/source"

// Span is the place of the declared name.
func (d *Declaration) Span() source.Span { return d.key.span() }

// TypeSpan is the place of its type.
func (d *Declaration) TypeSpan() source.Span { return d.value.span() }

// Lookup finds metadata or a datum by name, or nil.
func (m *Model) Lookup(name string) *Declaration { return m.names[name] }

// Top is where the tree begins.
func (m *Model) Top() source.Span { return m.main().top() }

// Span is the place of its name.
func (p *Plugin) Span() source.Span { return p.key.span() }
