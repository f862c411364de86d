package suite

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/run/flow"
)

// Settled says how many of many findings are a matter of declarations that another
// installation has; empty where there are few findings, or none is.
func Settled(found diag.List) string {
	settled := 0
	for _, d := range found {
		if d.Code.ID == "sprokit/"+string(flow.UnknownType) || strings.HasSuffix(d.Message, flow.ImportHint) {
			settled++
		}
	}
	if len(found) <= render.Many || settled == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d findings are about process types of another program: `pentode flow import` reads their declarations from its sources, and `--types` uses them", settled, len(found))
}
