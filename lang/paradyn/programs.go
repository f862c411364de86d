package paradyn

import (
	"cmp"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/launch"
)

// programSettings reports what a project says of programs and the plan cannot do.
func (c *checker) programSettings() {
	if len(c.programs) == 0 {
		return
	}
	_, problems, err := c.plan()
	if err != nil {
		return
	}
	for _, p := range problems {
		if launch.FromSettings(p.Kind) {
			c.found.Add(diag.Of(programSetting, p))
		}
	}
}

// programValues lists what the project says of the programs of the plan.
func (m *Model) programValues(yield func(origin.Entry) bool) bool {
	if len(m.programs) == 0 {
		return true
	}
	plan, _, err := m.plan()
	if err != nil {
		return true
	}
	seen := map[string]bool{}
	for _, n := range plan.Nodes {
		for _, s := range n.Settings {
			e := origin.Entry{Key: "launch." + quoteName(cmp.Or(n.Base, n.ID)) + "." + s.Key, Value: s.Value, Type: schema.String.String(), Steps: []origin.Step{{
				What: origin.Set, Text: s.Value, Span: s.Span, Note: "of the project",
			}}}
			if !seen[e.Key] && !yield(e) {
				return false
			}
			seen[e.Key] = true
		}
	}
	return true
}

// Programs are all names by which a project can mean programs of a plan; none where the file is no plan.
func Programs(c *lang.Config) []string {
	m, ok := lang.Model[*Model](c)
	if !ok {
		return nil
	}
	plan, _, err := m.plan()
	if err != nil {
		return nil
	}
	return plan.Names()
}
