package paradyn

import (
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/schema"
)

// Adjustable are the tunable constants, each with what is known of it.
func (m *Model) Adjustable(yield func(origin.Entry, schema.Key) bool) {
	m.tunableValues(func(e origin.Entry) bool {
		k, _ := parseKey(e.Key) // it was made of one
		if known := tunables.Key(k.name); known != nil {
			return yield(e, *known)
		}
		return yield(e, schema.Key{Name: k.name})
	})
}
