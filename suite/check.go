package suite

import (
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/lang/pdi/calls"
)

// Check finds the mistakes between the files of a run. Each finding has its position in one file, and a label in the other.
func Check(r *Run, h Host) diag.List {
	c := &checker{Run: r, host: h.orThis(), unset: map[source.Span]*diag.Diagnostic{}, misfed: map[string]bool{}, code: programs{map[string]*calls.Sources{}, map[*lang.Config]string{}}}
	c.list = append(c.list, r.problems...)
	c.variables()
	c.launch()
	c.owns()
	c.handovers()
	c.sites()
	c.traces()
	c.unusedPolicy()
	for _, p := range r.Pipelines {
		for _, e := range p.Exposes {
			c.unsourced(e.Tree)
			c.exposed(p, e)
		}
	}
	c.fed()
	c.everyRank()
	c.shared()
	c.fences()
	if m, ok := model[*coil.Model](r.Configs[Target]); ok {
		c.target(m)
	}
	c.list.Sort()
	return c.list.Limit()
}
