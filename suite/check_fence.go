package suite

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi"
)

// fences finds results whose names lead out of the folder that a run makes for them: the run would refuse them in the first step. Where an absolute
// name leads is known only then.
func (c *checker) fences() {
	if c.host.AllowOutside {
		return
	}
	reported := map[source.Span]bool{}
	report := func(at source.Span, name string, p *Pipeline) {
		if !leadsOut(name) || reported[at] {
			return
		}
		reported[at] = true
		d := c.report(leadsOutside, at, "`%s` leads out of the folder of the results", name).
			Helped("use a name inside the folder, or allow it with `pentode run --allow-outside`")
		if len(p.By) > 0 {
			d.At(p.By[0].field("name"), "`%s` has its own results folder", p.By[0].Node.ID)
		} else {
			d.At(p.top(), "the run of this pipeline has a results folder")
		}
	}
	for _, p := range c.Pipelines {
		if slices.ContainsFunc(p.By, allowsOutside) {
			continue
		}
		for i := range p.Plan.Nodes {
			n := &p.Plan.Nodes[i]
			if n.Type == nil {
				continue
			}
			for _, key := range n.Type.Keys {
				if s, set := n.Config[key.Name]; set && key.Writes {
					report(p.setting(n, key.Name), s.Value, p)
				}
			}
		}
		for _, e := range p.Exposes {
			m, ok := model[*pdi.Model](e.Tree)
			if !ok || !c.sound(e.Tree) {
				continue
			}
			for _, f := range m.WrittenFiles() {
				report(f.Span, f.Name, p)
			}
		}
	}
}

// allowsOutside reports whether the plan allows a process to write anywhere.
func allowsOutside(p *Program) bool {
	return slices.ContainsFunc(p.arguments(), func(w Word) bool { return strings.HasPrefix(w.Text, "--allow-outside") })
}

// leadsOut reports whether a relative name leaves the folder to which it is relative. A value in the name may lead back, so only the text before the
// first value counts.
func leadsOut(name string) bool {
	before, _, computed := strings.Cut(name, "$")
	if filepath.IsAbs(name) || computed && before == "" {
		return false
	}
	if computed {
		before += "x"
	}
	return !filepath.IsLocal(before) && before != ""
}
