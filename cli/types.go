package cli

import (
	"fmt"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/suite"
)

// processTypes are all types that a pipeline can be made of: those of the
// engine, and those that join it to the other engines.
func (a *app) processTypes() (*flow.Registry, error) {
	types := catalog.Standard()
	return types, types.Add(suite.ExposeType(a.store))
}

// store opens the data store of a specification tree for processes of the
// type `expose`. A run sets stores; a verb that only looks at a pipeline needs none.
func (a *app) store(path string) (*data.Store, error) {
	if a.stores == nil {
		return nil, fmt.Errorf("the tree `%s` cannot be opened: this program runs pipelines without a data store", path)
	}
	return a.stores(path)
}
