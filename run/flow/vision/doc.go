// Package vision declares the process types of KWIVER that need algorithms
// which are not part of this program.
//
// Their ports and keys are known, so that pipelines that use them are checked,
// explained and drawn like all others; running one says what is missing.
package vision

import (
	"slices"

	"github.com/pentode-dev/pentode/run/flow"
)

// Types lists them.
func Types() []*flow.Type {
	return slices.Concat(tracking(), features(), images(), transport(), query(), bridges())
}
