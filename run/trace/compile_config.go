package trace

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pentode-dev/pentode/core/source"
)

func (c *Config) compile(b *builder) {
	known(b, c.Domains, func(l DomainLayer) source.Span { return l.ModePlace })
	known(b, c.PerDomain, func(l RegionLayer) source.Span { return l.Place })
	known(b, c.Default.Events, func(Events) source.Span { return c.Default.Place })
	for _, name := range slices.Sorted(maps.Keys(c.PerDomain)) {
		known(b, c.PerDomain[name].Events, func(Events) source.Span { return c.PerDomain[name].Place })
	}

	// What a region without an entry gets, by domain: entries are laid on top.
	defaults := make([]struct {
		change override
		rate   Rate
		end    *WindowEnd
		calls  Number
	}, len(b.catalog.domains))
	for i, dom := range b.catalog.domains {
		d, l := DomainID(i), c.PerDomain[dom.Name]
		c.compileDomain(b, d, dom.Name)
		defaults[i].change = b.override(d, l.Events[dom.Name]).over(b.override(d, c.Default.Events[dom.Name]))
		filled := c.Default.Rate
		if l.Snapshot != nil {
			filled = l.Snapshot.Rate
		}
		defaults[i].rate = l.Rate.onto(filled.onto(Rate{0, Unlimited, 1}))
		defaults[i].end = cmp.Or(l.End, c.Default.End)
		defaults[i].calls = cmp.Or(l.Backtrace, c.Default.Backtrace)
		b.policy.domains[d].fallback = b.rule(rule{
			change: b.change(defaults[i].change), end: b.end(defaults[i].end, c.Default.Place), rate: defaults[i].rate, backtrace: defaults[i].calls.Value,
		})
	}
	for _, u := range c.Units {
		c.compileUnits(b, u)
	}
	b.policy.timer = timer{c.Default.Timeout.Value, b.end(c.Default.End, c.Default.Place)}
	b.policy.entries = make([]entry, 0, len(c.Regions))
	for _, r := range c.Regions {
		known(b, r.Events, func(Events) source.Span { return r.Place })
		where := b.where(b.tests(r.Units))
		rules := make([]uint32, len(defaults))
		for i, dom := range b.catalog.domains {
			change, end := b.override(DomainID(i), r.Events[dom.Name]).over(defaults[i].change), cmp.Or(r.End, defaults[i].end)
			if r.Removed {
				change, end = everything(false), nil
			}
			rules[i] = b.rule(rule{
				change: b.change(change), where: where, end: b.end(end, r.Place), rate: r.Rate.onto(defaults[i].rate),
				backtrace: cmp.Or(r.Backtrace, defaults[i].calls).Value,
			})
		}
		b.entry(r.Match, r.Place, rules)
	}
}

func (c *Config) compileDomain(b *builder, d DomainID, name string) {
	l, t := c.Domains[name], &b.policy.domains[d]
	t.mode, t.activity, t.sites = b.start(name, l.Mode, l.ModePlace), l.Activity, l.Sites.On
	if name == Python {
		t.modules = DefaultModules()
		if l.Modules.Set {
			t.modules = l.Modules.Patterns
		}
	}
	base := b.override(d, l.Events)
	if s := c.PerDomain[name].Snapshot; s != nil {
		base = b.override(d, s.Events)
	}
	t.base = b.catalog.Defaults(d)
	base.apply(&t.base)
	b.own(name, l.Limits)
	t.limits = b.where(b.tests(l.Limits))
}

func (c *Config) compileUnits(b *builder, u UnitLayer) {
	d, ok := b.domain(u.Domain, u.Place)
	if !ok || u.Removed {
		return
	}
	if len(u.Target) == 0 {
		b.fail(NoUnits, u.Place, u.Domain, "", "a section for units of `%s` names no units", u.Domain)
	}
	b.own(u.Domain, u.Target)
	t := &b.policy.domains[d]
	t.sections = append(t.sections, section{
		where:  b.where(append(b.tests(u.Target), b.tests(u.Also)...)),
		change: b.change(b.override(d, u.Events)),
	})
}

// own asks that constraints are about the domain's own kinds.
func (b *builder) own(domain string, constraints Constraints) {
	for _, c := range constraints {
		if c.Domain != domain {
			b.fail(ForeignUnit, c.Place, domain, c.Kind, "`%s` does not count units of `%s`", domain, c.Domain).
				Expected = "name a unit kind of `" + domain + "`"
		}
	}
}

// onto changes the keys of a rate that r sets.
func (r *RateLayer) onto(below Rate) Rate {
	if r.Start.Set {
		below.Start = r.Start.Value
	}
	if r.Max.Set {
		below.Max = r.Max.Value
	}
	if r.Every.Set {
		below.Every = r.Every.Value
	}
	return below
}
