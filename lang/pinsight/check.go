package pinsight

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// check returns the findings: errors in the lines that resolve could not use, violations of the rules, and lines that an installed PInsight reads
// differently.
func check(m *Model) diag.List {
	c := &checker{Model: m}
	for _, e := range m.tree.Stray {
		c.Report(strayKey, m.tree.Span(e.Key), "`%s` comes before the first section, so it belongs to none", m.tree.Of(e.Key)).
			Helped("put it below a header such as `[OpenMP.default]`")
	}
	for i := range m.mistakes {
		c.mistake(&m.mistakes[i])
	}
	c.overrides()
	c.repeated()
	c.removed()
	c.bounded()
	c.untraced()
	c.lateEvents()
	c.installRanges()
	c.compared()
	if m.env.Dialect == load.Upstream {
		c.unsafe()
	}
	return c.List
}

// unsafe marks fixes that make an ignored line take effect as unsafe. An installed PInsight copies sections and recreates them while it reads the
// file, so such a line can change the meaning of others.
func (c *checker) unsafe() {
	for _, d := range c.List {
		for i := range d.Fixes {
			if d.Fixes[i].Spelling || d.Code == upstreamIgnores {
				d.Fixes[i].Safe = false
			}
		}
	}
}

type checker struct {
	*Model
	diag.List
	wrong []source.Span // the lines of the file with an error, in order
}

// mistake parses a wrong header or line again, this time to report its errors.
func (c *checker) mistake(d *mistake) {
	r := reader{Model: c.Model, tree: d.tree, list: &c.List}
	before, line := len(c.List), d.section.Line
	if d.entry != nil {
		line = d.entry.Line
		r.entry(&d.target, d.entry)
	} else {
		r.header(d.section)
	}
	if d.tree == c.tree && c.List[before:].HasErrors() {
		c.wrong = append(c.wrong, d.tree.RangeSpan(line))
	}
}

// overrides reports each `-s` that names no existing setting or that does not have the form KEY=VALUE.
func (c *checker) overrides() {
	for _, o := range c.env.Overrides {
		if _, _, ok := c.overrideKey(o); !ok {
			f := source.NewFile(commandLine, o.Key+" = "+o.Value)
			c.Report(badOverride, f.Span(0, len(o.Key)), "`%s` does not name a setting; a setting is `SECTION.KEY`, with a value of one line", o.Key).
				Helped("for instance `-s Lexgion.default.tracing_rate=10`")
		}
	}
	for _, t := range c.over {
		c.List = append(c.List, t.Problems()...)
	}
}

// repeated reports sections, regions and keys that are written again.
func (c *checker) repeated() {
	for _, r := range c.repeats {
		switch r.what {
		case sectionRepeated:
			c.Report(repeatedSection, r.at, "`%s` is written again; both sections count, and the later line wins", r.name).
				At(r.first, "first written here")
		case regionRepeated:
			c.Report(repeatedSection, r.at, "`%s` is named twice in this header", r.name).Helped("leave one out")
		case keyRepeated:
			c.Report(repeatedKey, r.at, "`%s` is set twice in this section; this line counts", r.name).At(r.first, "first set here")
		}
	}
}

// removed reports each REMOVE of a section that does not exist.
func (c *checker) removed() {
	for _, r := range c.missed {
		d := c.Report(nothingToRemove, r.at, "there is no section `%s` to remove", r.at.Text())
		for _, s := range r.overlaps {
			d.At(s.At, "`%s` overlaps it", s.Name)
		}
		if len(r.overlaps) > 0 {
			d.Helped("name exactly the set of a section, or remove all with `(*)`")
		}
	}
}

// bounded reports sets that contain no units, and ids outside the range of their kind of unit.
func (c *checker) bounded() {
	for _, b := range c.bounds {
		if b.Set.Empty() {
			c.Report(emptySet, b.Place, "`%s` holds no units, so this never applies", b.Place.Text()).Helped("name at least one unit")
			continue
		}
		spans := b.Set.Spans()
		i := slices.IndexFunc(spans, func(s trace.Span) bool { return s.Lo < b.ids.Lo || s.Hi > b.ids.Hi })
		c.Report(outsideRange, b.Place, "%s has the ids %d to %d; `%s` goes beyond", b.Unit(), b.ids.Lo, b.ids.Hi, trace.NewSet(spans[i])).
			Helped("widen the range first: `%s = (0-%d)` in `[%s.default]`", b.Unit(), max(b.ids.Hi, spans[len(spans)-1].Hi), b.Domain)
	}
}

// untraced reports each domain that the tracer does not trace, at its first mention.
func (c *checker) untraced() {
	reported := map[string]bool{}
	for x := range c.Mentions() {
		d, ok := c.Catalog.Domain(x.Domain)
		if !ok || reported[x.Domain] || !Untraced(x.Domain) && !(c.options.Runs && !tracedHere(x.Domain)) {
			continue
		}
		if mode := c.Domains[d].get("trace_mode"); mode != nil && mode.Value == "OFF" {
			continue
		}
		reported[x.Domain] = true
		effect := "this has no effect"
		if x.Kind != "" {
			effect = "this never applies"
		}
		c.Report(untracedDomain, x.Span, "`pentode trace record` does not trace the domain `%s`, so %s", x.Domain, effect).
			Helped("it traces OpenMP, MPI, CUDA, Python and the regions that a program marks")
	}
}

// Untraced reports whether the tracer is known not to trace a domain of the language. For a domain that a catalogue adds, this is only known once a
// program is traced.
func Untraced(domain string) bool {
	_, known := Upstream().Domain(domain)
	return known && !tracedHere(domain)
}

// tracedHere reports whether Pentode traces a domain, in programs or in pipelines.
func tracedHere(domain string) bool {
	return domain == "Flow" || slices.Contains(layout.DomainNames[:], domain)
}

// lateEvents reports events of D.default that are set after Lexgion(D).default copied the events.
func (c *checker) lateEvents() {
	for i, per := range c.PerDomain {
		if per.base == nil || per.base.at.File != c.tree.File() {
			continue
		}
		for have := range c.Domains[i].live {
			if have.kind != eventSetting || have.Span.File != c.tree.File() || have.Span.Start < per.base.at.Start || c.inheritedBelow(have) {
				continue
			}
			c.Report(deadEvent, have.Span, "this reaches no region: `%s` copied the events above", per.Name).
				At(per.base.at, "here").Helped("write `%s` above it, or the event in it", c.Domains[i].Name)
		}
	}
}

// inheritedBelow reports whether a header inherits an event of a domain's default.
func (c *checker) inheritedBelow(have *Setting) bool {
	for _, s := range c.sections {
		for _, snap := range s.inherit {
			if slices.Contains(snap.events, have) {
				return true
			}
		}
	}
	return false
}

// installRanges reports ranges in the form that PInsight itself writes, which in a configuration means just two units.
func (c *checker) installRanges() {
	if !strings.HasSuffix(c.tree.File().Path(), ".install") {
		return
	}
	for _, s := range c.Domains {
		for have := range s.live {
			if have.kind != rangeSetting || len(have.units.Spans()) != 2 {
				continue
			}
			low, high := have.units.Spans()[0], have.units.Spans()[1]
			if low.Lo == low.Hi && high.Lo == high.Hi {
				c.Report(installRange, have.Span, "PInsight wrote this for %d to %d; it means the units %d and %d", low.Lo, high.Lo, low.Lo, high.Lo).
					Helped("write `(%d-%d)`", low.Lo, high.Lo)
			}
		}
	}
}

// compared reports lines that an installed PInsight reads differently, except for lines with an error, which are already reported.
func (c *checker) compared() {
	for _, d := range compare(c.Model) {
		i, _ := slices.BinarySearchFunc(c.wrong, d.Span, func(w, at source.Span) int { return cmp.Compare(w.End, at.Start) })
		if i == len(c.wrong) || !c.wrong[i].Contains(d.Span) {
			c.List = append(c.List, d)
		}
	}
}

// judge sets the severity of findings. In the dialect upstream, only a missing bracket is an error, as for an installed PInsight, and lines that it
// reads differently are more severe.
func judge(d load.Dialect, code *diag.Code, s diag.Severity) diag.Severity {
	if d != load.Upstream || code == syntax.MissingBracket {
		return s
	}
	if s == diag.Error || strings.HasPrefix(code.ID, "pinsight/upstream-") {
		return diag.Warning
	}
	return s
}
