package trace

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// Compile turns layers into tables. Its error is a problem.List with every name that is missing in the catalogue.
func Compile(c *Catalog, layers Layers) (*Policy, error) {
	b := newBuilder(c)
	layers.compile(b)
	if err := b.problems.Err(); err != nil {
		return nil, err
	}
	b.policy.layers = layers
	b.policy.index()
	return b.policy, nil
}

// builder fills a policy's tables and keeps equal rows only once.
type builder struct {
	catalog  *Catalog
	policy   *Policy
	problems problem.List
	changes  map[override]uint32
	wheres   map[string]uint32
	rules    map[rule]uint32
	ends     map[string]uint32
	compiled map[*WindowEnd]uint32 // several layers may share an end
}

func newBuilder(c *Catalog) *builder {
	return &builder{
		catalog:  c,
		policy:   &Policy{catalog: c, domains: make([]domainTable, len(c.domains)), wheres: []where{nil}},
		changes:  map[override]uint32{},
		wheres:   map[string]uint32{"": 0},
		rules:    map[rule]uint32{},
		ends:     map[string]uint32{},
		compiled: map[*WindowEnd]uint32{},
	}
}

// domain finds a domain that a layer names.
func (b *builder) domain(name string, place source.Span) (DomainID, bool) {
	d, ok := b.catalog.Domain(name)
	if !ok {
		p := b.fail(UnknownDomain, place, name, "", "the catalogue has no domain `%s`", name)
		p.Suggestion, _ = problem.Nearest(name, b.catalog.DomainNames())
	}
	return d, ok
}

// known reports the domains that are missing in the catalogue.
func known[T any](b *builder, byDomain map[string]T, place func(T) source.Span) {
	if len(byDomain) == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(byDomain)) {
		b.domain(name, place(byDomain[name]))
	}
}

func (b *builder) override(d DomainID, events Events) override {
	var o override
	var unknown []string
	for name, t := range events {
		e, ok := b.catalog.Event(d, name)
		if !ok {
			unknown = append(unknown, name)
			continue
		}
		o.named.Set(e, true)
		o.value.Set(e, t.On)
	}
	slices.Sort(unknown)
	for _, name := range unknown {
		domain := b.catalog.Name(d)
		p := b.fail(UnknownEvent, events[name].Place, domain, name, "`%s` is not an event of `%s`", name, domain)
		p.Suggestion, _ = problem.Nearest(name, b.catalog.EventNames(d))
	}
	return o
}

func (b *builder) change(o override) uint32 {
	return intern(b.changes, o, &b.policy.changes, o)
}

func (b *builder) rule(r rule) uint32 {
	r.rate.Every = max(r.rate.Every, 1) // every 0th execution means every execution
	return intern(b.rules, r, &b.policy.rules, r)
}

func (b *builder) tests(constraints Constraints) where {
	var w where
	for _, c := range constraints {
		d, ok := b.domain(c.Domain, c.Place)
		if !ok {
			continue
		}
		k, ok := b.catalog.Kind(d, c.Kind)
		if !ok {
			p := b.fail(UnknownUnit, c.Place, c.Domain, c.Kind, "`%s` is not a unit kind of `%s`", c.Kind, c.Domain)
			p.Suggestion, _ = problem.Nearest(c.Kind, b.catalog.KindNames(d))
			continue
		}
		w = append(w, test{k, c.Set})
	}
	return w
}

func (b *builder) where(w where) uint32 {
	var key []byte
	for _, t := range w {
		key = binary.AppendUvarint(key, uint64(t.kind))
		key = binary.AppendUvarint(key, uint64(len(t.set.spans)))
		for _, s := range t.set.spans {
			key = binary.LittleEndian.AppendUint32(key, s.Lo)
			key = binary.LittleEndian.AppendUint32(key, s.Hi)
		}
	}
	return intern(b.wheres, string(key), &b.policy.wheres, w)
}

// start returns the mode in which a domain starts.
func (b *builder) start(domain string, m Mode, place source.Span) Mode {
	b.mode(domain, m, place)
	return cmp.Or(m, Tracing)
}

func (b *builder) mode(domain string, m Mode, place source.Span) {
	if m > Tracing {
		b.fail(UnknownMode, place, domain, "", "`%s` has no %s", domain, m)
	}
}

func (b *builder) end(e *WindowEnd, place source.Span) uint32 {
	if e == nil {
		return 0
	}
	if number, ok := b.compiled[e]; ok {
		return number
	}
	known(b, e.Modes, func(Mode) source.Span { return place })
	known(b, e.Activity, func(Activity) source.Span { return place })
	w := windowEnd{modes: make([]Mode, len(b.catalog.domains)), activity: make([]Activity, len(b.catalog.domains)), all: e.All, introspect: e.Introspect}
	for i, d := range b.catalog.domains {
		w.modes[i], w.activity[i] = e.Modes[d.Name], e.Activity[d.Name]
		b.mode(d.Name, w.modes[i], place)
	}
	b.compiled[e] = 1 + intern(b.ends, e.String(), &b.policy.ends, w)
	return b.compiled[e]
}

func (b *builder) entry(m Match, place source.Span, rules []uint32) {
	e := entry{match: m, domain: -1, rules: rules}
	if m.Address == 0 && m.Name == "" {
		b.fail(NoRegion, place, m.Domain, "", "a region needs an address or a name")
	}
	if m.Domain != "" {
		d, _ := b.domain(m.Domain, place)
		e.domain = int(d)
	}
	b.policy.entries = append(b.policy.entries, e)
}

func intern[K comparable, V any](seen map[K]uint32, key K, table *[]V, row V) uint32 {
	i, ok := seen[key]
	if !ok {
		i = uint32(len(*table))
		seen[key], *table = i, append(*table, row)
	}
	return i
}

func (c *Config) compile(b *builder) {
	known(b, c.Domains, func(l DomainLayer) source.Span { return l.ModePlace })
	known(b, c.PerDomain, func(l RegionLayer) source.Span { return l.Place })
	known(b, c.Default.Events, func(Events) source.Span { return c.Default.Place })
	for _, name := range slices.Sorted(maps.Keys(c.PerDomain)) {
		known(b, c.PerDomain[name].Events, func(Events) source.Span { return c.PerDomain[name].Place })
	}

	// The rule of a region without an entry, for each domain; entries are applied on top of it.
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

// own checks that constraints are about the domain's own kinds.
func (b *builder) own(domain string, constraints Constraints) {
	for _, c := range constraints {
		if c.Domain != domain {
			b.fail(ForeignUnit, c.Place, domain, c.Kind, "`%s` does not count units of `%s`", domain, c.Domain).
				Expected = "name a unit kind of `" + domain + "`"
		}
	}
}

// onto returns below, with the keys that r sets replaced by r's values.
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

// span returns the ids that the kind of a constraint currently has.
func (n *Installed) span(c *Catalog, of Constraint) Span {
	for _, r := range n.Ranges {
		if r.Domain == of.Domain && r.Kind == of.Kind {
			return r.Span
		}
	}
	return c.IDs(of)
}

// maxProblems is the number of problems reported for a configuration.
const maxProblems = 100

// fail reports a problem and returns it, so that the caller can add to it.
func (b *builder) fail(kind problem.Kind, place source.Span, domain, key, format string, args ...any) *problem.Problem {
	p := &problem.Problem{
		Kind: kind, Span: place, Subject: problem.Subject{Name: domain, Key: key}, Message: fmt.Sprintf(format, args...),
	}
	if len(b.problems) < maxProblems {
		b.problems = append(b.problems, p)
	}
	return p
}
