package trace

import "github.com/pentode-dev/pentode/core/source"

func (n *Installed) compile(b *builder) {
	known(b, n.Modes, func(Mode) source.Span { return source.Span{} })
	known(b, n.RateOnly, func(Events) source.Span { return source.Span{} })
	known(b, n.PerDomain, func(e Entry) source.Span { return e.Place })
	for _, r := range n.Ranges {
		b.tests(Constraints{{Domain: r.Domain, Kind: r.Kind, Place: r.Place}})
	}
	fallback := n.rules(b, n.Default)
	b.policy.timer = timer{n.Default.Timeout, b.end(n.Default.End, n.Default.Place)}
	for i, dom := range b.catalog.domains {
		t := &b.policy.domains[i]
		t.mode, t.activity = b.start(dom.Name, n.Modes[dom.Name], source.Span{}), n.Activity[dom.Name]
		t.rateOnly = b.override(DomainID(i), n.RateOnly[dom.Name]).value
		t.fallback = fallback[i]
		if e, ok := n.PerDomain[dom.Name]; ok {
			t.fallback = n.rules(b, e)[i]
		}
	}
	for _, r := range n.Regions {
		if !r.Removed {
			b.entry(r.Match, r.Place, n.rules(b, r.Entry))
		}
	}
}

// rules returns the entry's rule for each domain.
func (n *Installed) rules(b *builder, e Entry) []uint32 {
	known(b, e.Events, func(Events) source.Span { return e.Place })
	clipped := make(Constraints, len(e.Units))
	for i, c := range e.Units {
		c.Set = c.Set.Clip(n.span(b.catalog, c))
		clipped[i] = c
	}
	where, end := b.where(b.tests(clipped)), b.end(e.End, e.Place)
	rules := make([]uint32, len(b.catalog.domains))
	for i, dom := range b.catalog.domains {
		change := everything(true)
		if events, ok := e.Events[dom.Name]; ok {
			change = b.override(DomainID(i), events).over(everything(false))
		}
		rules[i] = b.rule(rule{change: b.change(change), where: where, end: end, rate: e.Rate})
	}
	return rules
}

// span returns the ids that the kind of a constraint has at the moment.
func (n *Installed) span(c *Catalog, of Constraint) Span {
	for _, r := range n.Ranges {
		if r.Domain == of.Domain && r.Kind == of.Kind {
			return r.Span
		}
	}
	return c.IDs(of)
}
