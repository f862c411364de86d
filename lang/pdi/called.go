package pdi

import (
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/data"
)

// CalledFunction is a function of the program that the tree calls through `user_code`.
type CalledFunction struct {
	Name string
	Span source.Span
}

// CalledFunctions are the functions that the program must have.
func (m *Model) CalledFunctions() (list []CalledFunction) {
	p := m.plugins["user_code"]
	if p == nil {
		return nil
	}
	for _, section := range []string{"on_event", "on_data"} {
		for group := range p.config.get(section).each() {
			for _, calls := range group.pairs() {
				for call := range calls.each() {
					for name := range call.pairs() {
						if name.is(data.ScalarNode) && name.Text != "when" {
							list = append(list, CalledFunction{name.Text, name.span()})
						}
					}
				}
			}
		}
	}
	return list
}
