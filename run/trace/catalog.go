package trace

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/pentode-dev/pentode/core/problem"
)

// The kinds of problems. The Name of the subject is the domain; its Key is the event or the unit kind.
const (
	BadCatalog    problem.Kind = "bad-catalog"    // names or numbers of a catalogue conflict
	UnknownDomain problem.Kind = "unknown-domain" // not in the catalogue
	UnknownEvent  problem.Kind = "unknown-event"  // not an event of the domain
	UnknownUnit   problem.Kind = "unknown-unit"   // not a unit kind of the domain
	UnknownMode   problem.Kind = "unknown-mode"   // not one of the four
	ForeignUnit   problem.Kind = "foreign-unit"   // a unit kind of another domain
	NoUnits       problem.Kind = "no-units"       // a section for units that names none
	NoRegion      problem.Kind = "no-region"      // a region with neither address nor name
)

// MaxEvents is the number of event ids that a domain can have.
const MaxEvents = 256

// In a Catalog, domains, events and unit kinds are small integers.
type (
	DomainID uint8
	EventID  uint8  // the id that the catalogue gives, unique in its domain
	KindID   uint16 // numbers the kinds of all domains in catalogue order
)

// Domain is a source of events, with its events and the kinds of units it counts.
type Domain struct {
	Name   string
	Events []Event
	Kinds  []Kind
}

// Event is an event that a domain can report.
type Event struct {
	ID        EventID
	Name      string
	Subdomain string // informational
	On        bool   // traced unless a configuration turns it off
}

// Kind is a kind of parallel unit, with the ids it usually has.
type Kind struct {
	Name      string
	Low, High uint32
}

// Catalog is the fixed vocabulary against which configurations are compiled.
type Catalog struct {
	domains []Domain
	byName  map[string]DomainID
	events  []map[string]EventID
	byID    [][MaxEvents]*Event
	kinds   []kindName
	first   []KindID // first kind of each domain
}

type kindName struct {
	domain DomainID
	kind   Kind
}

// NewCatalog checks the domains and numbers their events and kinds. Its error is a
// problem.List of kind BadCatalog.
func NewCatalog(domains ...Domain) (*Catalog, error) {
	c := &Catalog{domains: slices.Clone(domains), byName: map[string]DomainID{}}
	var problems problem.List
	fail := func(domain, format string, args ...any) {
		problems = append(problems, &problem.Problem{
			Kind: BadCatalog, Subject: problem.Subject{Name: domain}, Message: fmt.Sprintf(format, args...),
		})
	}
	if len(domains) > math.MaxUint8 {
		fail("", "the catalogue has %d domains; it can have %d", len(domains), math.MaxUint8)
		return nil, problems.Err()
	}
	for i, d := range domains {
		if d.Name == "" {
			fail("", "domain number %d has no name", i)
		}
		if _, twice := c.byName[d.Name]; twice {
			fail(d.Name, "domain `%s` is in the catalogue twice", d.Name)
		}
		c.byName[d.Name] = DomainID(i)

		events := make(map[string]EventID, len(d.Events))
		var byID [MaxEvents]*Event
		for j := range d.Events {
			e := &d.Events[j]
			if _, twice := events[e.Name]; twice || e.Name == "" {
				fail(d.Name, "event `%s` of `%s` needs a unique name", e.Name, d.Name)
			}
			if other := byID[e.ID]; other != nil {
				fail(d.Name, "events `%s` and `%s` of `%s` have the same id %d", other.Name, e.Name, d.Name, e.ID)
			}
			events[e.Name], byID[e.ID] = e.ID, e
		}
		c.events, c.byID = append(c.events, events), append(c.byID, byID)

		c.first = append(c.first, KindID(len(c.kinds)))
		kinds := make(map[string]bool, len(d.Kinds))
		for _, k := range d.Kinds {
			if kinds[k.Name] || k.Name == "" {
				fail(d.Name, "unit kind `%s` of `%s` needs a unique name", k.Name, d.Name)
			}
			if k.Low > k.High {
				fail(d.Name, "unit kind `%s` of `%s` runs from %d down to %d", k.Name, d.Name, k.Low, k.High)
			}
			kinds[k.Name] = true
			c.kinds = append(c.kinds, kindName{DomainID(i), k})
		}
	}
	if len(c.kinds) > math.MaxUint16 {
		fail("", "the catalogue has %d unit kinds; it can have %d", len(c.kinds), math.MaxUint16)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return c, nil
}

// Domains returns the domains in the order of their ids; do not change them.
func (c *Catalog) Domains() []Domain { return c.domains }

// Name returns the name of a domain.
func (c *Catalog) Name(d DomainID) string { return c.domains[d].Name }

// DomainNames returns the names of the domains in the order of their ids.
func (c *Catalog) DomainNames() []string {
	return names(c.domains, func(d Domain) string { return d.Name })
}

// EventNames returns the names of a domain's events.
func (c *Catalog) EventNames(d DomainID) []string {
	return names(c.domains[d].Events, func(e Event) string { return e.Name })
}

// KindNames returns the names of a domain's unit kinds.
func (c *Catalog) KindNames(d DomainID) []string {
	return names(c.domains[d].Kinds, func(k Kind) string { return k.Name })
}

func names[T any](rows []T, name func(T) string) []string {
	list := make([]string, len(rows))
	for i, row := range rows {
		list[i] = name(row)
	}
	return list
}

// Kinds returns the number of unit kinds of all domains together.
func (c *Catalog) Kinds() int { return len(c.kinds) }

// Domain finds a domain by name.
func (c *Catalog) Domain(name string) (DomainID, bool) {
	d, ok := c.byName[name]
	return d, ok
}

// Event finds an event of a domain by name.
func (c *Catalog) Event(d DomainID, name string) (EventID, bool) {
	if int(d) >= len(c.events) {
		return 0, false
	}
	e, ok := c.events[d][name]
	return e, ok
}

// Row returns the catalogue's row of one of its events.
func (c *Catalog) Row(d DomainID, e EventID) *Event { return c.byID[d][e] }

// Kind finds a unit kind of a domain by name.
func (c *Catalog) Kind(d DomainID, name string) (KindID, bool) {
	if int(d) >= len(c.domains) {
		return 0, false
	}
	i := slices.IndexFunc(c.domains[d].Kinds, func(k Kind) bool { return k.Name == name })
	return c.first[d] + KindID(max(i, 0)), i >= 0
}

// Defaults returns the events of a domain that are on by default.
func (c *Catalog) Defaults(d DomainID) Mask {
	var m Mask
	for _, e := range c.domains[d].Events {
		m.Set(e.ID, e.On)
	}
	return m
}

func (c *Catalog) equal(o *Catalog) bool {
	return c == o || slices.EqualFunc(c.domains, o.domains, func(a, b Domain) bool {
		return a.Name == b.Name && slices.Equal(a.Events, b.Events) && slices.Equal(a.Kinds, b.Kinds)
	})
}

// Mask has one bit for each event id.
type Mask [MaxEvents / 64]uint64

// Has reports whether an event is on.
func (m *Mask) Has(e EventID) bool { return m[e>>6]>>(e&63)&1 != 0 }

// Set switches an event on or off.
func (m *Mask) Set(e EventID, on bool) {
	bit := uint64(1) << (e & 63)
	m[e>>6] &^= bit
	if on {
		m[e>>6] |= bit
	}
}

// override sets the events in named to their bits in value; value is always a subset of named.
type override struct{ named, value Mask }

func (o *override) apply(m *Mask) {
	for i := range m {
		m[i] = m[i]&^o.named[i] | o.value[i]
	}
}

// over lays o on top of below.
func (o override) over(below override) override {
	o.apply(&below.value)
	for i := range below.named {
		below.named[i] |= o.named[i]
	}
	return below
}

// everything switches all events on or off.
func everything(on bool) override {
	var o override
	for i := range o.named {
		o.named[i] = ^uint64(0)
		if on {
			o.value[i] = ^uint64(0)
		}
	}
	return o
}

// IDs returns the ids that the unit kind of a constraint usually has.
func (c *Catalog) IDs(of Constraint) Span {
	d, _ := c.Domain(of.Domain)
	if k, ok := c.Kind(d, of.Kind); ok {
		return Span{c.kinds[k].kind.Low, c.kinds[k].kind.High}
	}
	return Span{}
}

// ByKind compares two constraints by the order of their kinds in the catalogue.
func (c *Catalog) ByKind(a, b Constraint) int {
	order := func(x Constraint) KindID {
		d, _ := c.Domain(x.Domain)
		k, _ := c.Kind(d, x.Kind)
		return k
	}
	return cmp.Compare(order(a), order(b))
}
