package suite

import (
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/lang"
)

// Field is a setting that a configuration offers to its users.
type Field struct {
	origin.Entry
	Declared schema.Key // what its table says; without a type in it nothing is known
}

// Form are the settings that a user changes without reading all of a file: those of `config` blocks and those marked as tunable of a pipeline, the tunable
// constants of a launch plan.
func Form(c *lang.Config) (fields []Field) {
	m, ok := model[interface {
		Adjustable(yield func(origin.Entry, schema.Key) bool)
	}](c)
	if !ok {
		return nil
	}
	m.Adjustable(func(e origin.Entry, k schema.Key) bool {
		fields = append(fields, Field{e, k})
		return true
	})
	return fields
}
