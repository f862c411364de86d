package cli

import (
	"errors"
	"fmt"

	"github.com/pentode-dev/pentode/run/data"
)

// targetTypes are the types of a tree on one machine.
type targetTypes struct {
	machine *data.Machine
	types   []namedType
}

type namedType struct {
	name string
	data.Type
}

// typesFor evaluates types for a machine. One whose size is not known is left out.
func (a *app) typesFor(spec *dataSpec, m *data.Machine, names []string, say bool) ([]namedType, error) {
	store, err := spec.store(m)
	if err != nil {
		return nil, a.no(err)
	}
	defer store.Close()
	var types []namedType
	for _, name := range names {
		t, err := spec.model.TypeOf(store, name)
		if err == nil {
			types = append(types, namedType{name, t})
			continue
		}
		if say {
			fmt.Fprintf(a.err, "pentode: %s\n", noLayout(name, err))
			if help := needed(err); help != "" {
				fmt.Fprintf(a.err, "  %s\n", help)
			}
		}
	}
	return types, nil
}

// noLayout says why a type has none.
func noLayout(name string, err error) string {
	if e, ok := errors.AsType[*data.Error](err); ok && e.Kind == data.UnknownType && e.Span.IsZero() {
		return e.Error()
	}
	return fmt.Sprintf("`%s` has no layout: %s", name, data.Message(err))
}

// typeWord is what a member is.
func typeWord(t data.Type) string {
	if t == nil {
		return ""
	}
	return t.String()
}

// headWord is what a type is, without its own name.
func headWord(t data.Type) string {
	switch t := t.(type) {
	case *data.Record:
		if t.Struct {
			return "struct"
		}
		return "record"
	case *data.Tuple:
		return "tuple"
	}
	return t.String()
}

func countedBytes(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
