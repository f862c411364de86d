package suite

import (
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/lang"
)

// Field is a setting in a form for users.
type Field struct {
	origin.Entry
	Declared schema.Key // from the schema; without a type, nothing is known
}

// Form returns the settings that a user can change without reading the whole file: for a pipeline, settings in `config` blocks and tunable settings;
// for a launch plan, its tunable constants.
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
