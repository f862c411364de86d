package pinsight

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// Address is a region's address where it is written.
type Address struct {
	Span  source.Span
	Value uint64
}

// Addresses are the addresses of regions in a file, in order.
func Addresses(c *lang.Config) []Address {
	m, ok := lang.Model[*Model](c)
	if !ok {
		return nil
	}
	var list []Address
	for i := range m.tree.Sections {
		s := &m.tree.Sections[i]
		for _, ref := range s.Targets {
			if m.tree.Of(ref.Name) != "Lexgion" || !ref.Member.Empty() {
				continue
			}
			for item := range m.tree.Items(ref.Args) {
				if value, ok := parseAddress(m.tree.Of(item)); ok {
					list = append(list, Address{m.tree.Span(item), value})
				}
			}
		}
	}
	return list
}

// Edit writes another address in its place.
func (a Address) Edit(value uint64) source.Edit {
	return source.Edit{Span: a.Span, Text: fmt.Sprintf("0x%x", value)}
}
