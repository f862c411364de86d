package trace

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// DecidedSet is a set of units on which events of some regions are traced.
type DecidedSet struct {
	Region string   `json:"region"` // as the configuration names it
	Domain string   `json:"domain"`
	Events []string `json:"events"`
	Units  []string `json:"units"` // each is a set of units; `all` means every unit
	Start  uint32   `json:"start"`
	Max    *uint32  `json:"max"` // null: unlimited
	Every  uint32   `json:"every"`
	Rate   Rate     `json:"-"`

	region Region
	events []EventID
}

// otherRegions names the regions without an entry.
const otherRegions = "all other regions"

// Decided returns the traced units for each region that the policy names and for all others, limited to the units in within. Events
// with the same units are grouped.
func (p *Policy) Decided(within Constraints) []DecidedSet {
	list := []DecidedSet{}
	c := p.Catalog()
	add := func(name string, r Region) {
		first := len(list)
		for _, e := range c.Domains()[r.Domain].Events {
			boxes, rate := p.Units(r, e.ID, within)
			if len(boxes) == 0 {
				continue
			}
			units := boxTexts(boxes)
			at := first
			for at < len(list) && !slices.Equal(list[at].Units, units) {
				at++
			}
			if at == len(list) {
				d := DecidedSet{Region: name, Domain: c.Name(r.Domain), Units: units, Start: rate.Start, Every: rate.Every, Rate: rate, region: r}
				if rate.Max != Unlimited {
					d.Max = &rate.Max
				}
				list = append(list, d)
			}
			list[at].Events = append(list[at].Events, e.Name)
			list[at].events = append(list[at].events, e.ID)
		}
	}
	for _, m := range p.Entries() {
		for d := range c.Domains() {
			if id := DomainID(d); m.Domain == "" || m.Domain == c.Name(id) {
				add(m.String(), Region{Domain: id, Address: m.Address, Name: m.Name, File: m.File})
			}
		}
	}
	for d := range c.Domains() {
		add(otherRegions, Region{Domain: DomainID(d)})
	}
	return list
}

// boxTexts returns constraints as configurations write them. A set without an upper limit is written without its end.
func boxTexts(boxes []Constraints) []string {
	var texts []string
	for _, b := range boxes {
		s := b.String()
		if s == "" {
			s = "all"
		}
		texts = append(texts, strings.ReplaceAll(s, "-4294967295)", "-)"))
	}
	return texts
}

// rateKeys are the keys of a rate.
var rateKeys = [3]string{"trace_starts_at", "max_num_traces", "tracing_rate"}

// Deciders returns, without duplicates, the layers that switch the events of a set on for its units, and the layers that set its
// rate. It examines at most limit cases, and reports how many it examined and whether these were all.
func (p *Policy) Deciders(d *DecidedSet, within Constraints, limit int) (list []Answer, asked int, whole bool) {
	add := func(a Answer) {
		if !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	for i, e := range d.events {
		pieces, _ := p.pieces(d.region, e, within)
		for k, piece := range pieces {
			if asked == limit {
				return list, asked, false
			}
			asked++
			q := Query{Region: d.region, Event: e, IDs: make([]uint32, p.catalog.Kinds())}
			for _, t := range piece { // one layer decides for all units of a piece
				q.IDs[t.kind] = t.set.spans[0].Lo
			}
			x, err := p.Explain(q)
			if err != nil {
				continue // decided by the catalogue
			}
			add(x.Event[0])
			if i == 0 && k == 0 {
				for i, a := range []Answer{x.Start, x.Max, x.Every} {
					if !a.Place.IsZero() {
						a.Value = rateKeys[i] + " = " + a.Value
						add(a)
					}
				}
			}
		}
	}
	return list, asked, true
}

// Words describes how often an execution is traced.
func (r Rate) Words() string {
	s := "every one"
	if r.Every > 1 {
		s = fmt.Sprintf("1 in %d", r.Every)
	}
	if r.Start > 0 {
		s += fmt.Sprintf(", from number %d on", r.Start)
	}
	if r.Max != Unlimited {
		s += fmt.Sprintf(", at most %d", r.Max)
	}
	return s
}

// Within reads sets of units, each as `DOMAIN.KIND=SET`.
func (c *Catalog) Within(texts []string) (Constraints, error) {
	var list Constraints
	for _, u := range texts {
		unit, text, _ := strings.Cut(u, "=")
		domain, kind, _ := strings.Cut(unit, ".")
		set, wrong := ParseSet(text, math.MaxInt32)
		if wrong != nil || set.Empty() {
			return nil, fmt.Errorf("units are given as DOMAIN.KIND=SET, for instance MPI.rank=0-3, not `%s`", problem.Clip(u, problem.Short))
		}
		d, known := c.Domain(domain)
		if _, ok := c.Kind(d, kind); !known || !ok {
			help := ""
			if near, ok := problem.Nearest(unit, c.UnitNames()); ok {
				help = "; " + problem.DidYouMean(near)
			}
			return nil, fmt.Errorf("there is no unit `%s`%s", problem.Clip(unit, problem.Short), help)
		}
		list = list.With(Constraint{Domain: domain, Kind: kind, Set: set})
	}
	return list, nil
}

// UnitNames returns the kinds of units with their domains: `MPI.rank`.
func (c *Catalog) UnitNames() (names []string) {
	for _, d := range c.Domains() {
		for _, k := range d.Kinds {
			names = append(names, d.Name+"."+k.Name)
		}
	}
	return names
}
