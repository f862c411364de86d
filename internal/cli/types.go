package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/heat"
	"github.com/pentode-dev/pentode/suite"
)

// processTypes are all types that a pipeline can be made of: those of the
// engine, those that join it to the other engines, and those of --types.
func (a *app) processTypes() (*flow.Registry, error) {
	types := catalog.Standard()
	for _, t := range append(heat.Types(), suite.ExposeType(a.store)) {
		if err := types.Add(t); err != nil {
			return nil, err
		}
	}
	for _, path := range a.files.types {
		f, err := os.Open(path)
		if err != nil {
			return nil, errors.New(source.Explain(path, err))
		}
		declared, err := flow.ReadTypes(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("`%s` cannot be used: %w", path, err)
		}
		for _, t := range declared {
			if _, own := types.Lookup(t.Name); own {
				continue // what runs here is better than a declaration of it
			}
			if err := types.Add(t); err != nil {
				return nil, fmt.Errorf("`%s` cannot be used: %w", path, err)
			}
		}
	}
	return types, nil
}

// store opens the data store of a specification tree for processes of the
// type `expose`. A run sets stores; a verb that only looks at a pipeline needs none.
func (a *app) store(path string) (*data.Store, error) {
	if a.stores == nil {
		return nil, fmt.Errorf("the tree `%s` cannot be opened: this program runs pipelines without a data store", path)
	}
	return a.stores(path)
}
