// Package catalog is the list of all process types this program knows.
//
// It stands apart from package flow because every family of types imports
// flow; an engine with other types needs nothing from here.
package catalog

import (
	"slices"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/adapter"
	"github.com/pentode-dev/pentode/run/flow/child"
	"github.com/pentode-dev/pentode/run/flow/example"
	"github.com/pentode-dev/pentode/run/flow/heat"
	"github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/route"
	"github.com/pentode-dev/pentode/run/flow/text"
	"github.com/pentode-dev/pentode/run/flow/vision"
	"github.com/pentode-dev/pentode/run/flow/web"
)

// Standard makes a registry of them that the caller may add to.
func Standard() *flow.Registry {
	return flow.NewRegistry(slices.Concat(
		example.Types(), route.Types(), adapter.Types(), image.Types(),
		text.Types(), web.Types(), child.Types(), heat.Types(), vision.Types(),
	)...)
}
