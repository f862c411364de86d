package suite

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Settled says how many of the findings would disappear if the declarations of another installation were imported. It returns "" if there are few
// findings, or importing would not help.
func Settled(found diag.List) string {
	settled := 0
	fits := map[string]int{} // number of findings that each catalogue would resolve
	for _, d := range found {
		hint := d.Message + strings.Join(d.Help, " ")
		if d.Code.ID == "sprokit/"+string(pipe.UnknownType) || strings.HasSuffix(d.Message, pipe.ImportHint) || strings.Contains(hint, pipe.KnownMark) {
			settled++
		}
		if _, after, ok := strings.Cut(hint, pipe.KnownMark); ok {
			name, _, _ := strings.Cut(after, `"`)
			fits[name]++
		}
	}
	if len(found) <= render.Many || settled == 0 {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(fits)) {
		if 2*fits[name] > settled {
			return fmt.Sprintf("%d of %d findings are about process types of another program: %s%s\"]` below [sprokit] in pentode.toml settles %d of them", settled, len(found), pipe.KnownMark, name, fits[name])
		}
	}
	return fmt.Sprintf("%d of %d findings are about process types of another program: `pentode types import` reads their declarations from its sources, and `--types` uses them", settled, len(found))
}
