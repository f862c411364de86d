package cli

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/problem"
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

// typesFor evaluates types for machines. One that has no layout on one of them is said and left out.
func (a *app) typesFor(spec *dataSpec, machines []*data.Machine, names []string) ([]targetTypes, error) {
	layouts, err := spec.model.Layouts(machines, spec.values, names)
	if err != nil {
		return nil, a.no(err)
	}
	all := make([]targetTypes, len(machines))
	for i, m := range machines {
		all[i].machine = m
	}
	for _, l := range layouts {
		if l.Err != nil {
			fmt.Fprintf(a.err, "pentode: %s\n", l.Why())
			if help := needed(l.Err); help != "" {
				fmt.Fprintf(a.err, "  %s\n", help)
			}
		}
		for i, t := range l.Types {
			all[i].types = append(all[i].types, namedType{l.Name, t})
		}
	}
	return all, nil
}

func countedBytes(n int64) string { return problem.Count(int(n), "byte", "bytes") }
