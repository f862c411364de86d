package trace

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// Compile turns layers into tables. Its error is a problem.List with every name
// that the catalogue does not have.
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

// builder fills a policy's tables, keeping equal rows once.
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

// known reports the domains that are not in the catalogue.
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
	r.rate.Every = max(r.rate.Every, 1) // every 0th execution is every execution
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

// start returns the mode in which a domain begins.
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
