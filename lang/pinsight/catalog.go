package pinsight

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/pentode-dev/pentode/run/trace"
)

// The five domains that PInsight itself registers. The names, ids and defaults of their events are the same as in the original program.
//
//go:embed catalog.json
var upstreamDomains []byte

// Domains and events that Pentode adds: for pipelines, for the regions that a program marks, and for MPI functions that the original program does
// not trace. So the same files can configure these too.
//
//go:embed catalog_own.json
var ownDomains []byte

// Catalog is the vocabulary of a configuration: domains with their events, units and policies.
type Catalog struct {
	*trace.Catalog

	policies [][]string // by domain: the keys of D.default that are policies, such as device_activity
	events   map[string][]eventID
}

// eventID is an event of a domain.
type eventID struct {
	domain trace.DomainID
	event  trace.EventID
}

// catalogFile is the form of a catalogue file:
//
//	{"domains": [{"name": "Solver", "units": [{"name": "process", "low": 0, "high": 1023}],
//	  "groups": [{"name": "step", "events": [{"name": "solver_step", "on": true}]}]}]}
//
// An event without an id gets the next free one. With `"adds": true` an existing domain keeps its events and units.
type catalogFile struct {
	Domains []struct {
		Name  string `json:"name"`
		Adds  bool   `json:"adds"` // add the groups to an existing domain
		Units []struct {
			Name      string `json:"name"`
			Low, High uint32
		} `json:"units"`
		Policies []string `json:"policies"`
		Groups   []struct {
			Name   string `json:"name"`
			Events []struct {
				Name string `json:"name"`
				ID   *int   `json:"id"`
				On   bool   `json:"on"`
			} `json:"events"`
		} `json:"groups"`
	} `json:"domains"`
}

// Upstream is the catalogue of PInsight's own five domains.
var Upstream = sync.OnceValue(func() *Catalog { return embedded(nil, nil, upstreamDomains) })

// Builtin is the catalogue of PInsight together with the domains and events that Pentode adds.
var Builtin = sync.OnceValue(func() *Catalog {
	return embedded(Upstream().Domains(), Upstream().policies, ownDomains)
})

func embedded(domains []trace.Domain, policies [][]string, text []byte) *Catalog {
	c, err := newCatalog(domains, policies, text)
	if err != nil {
		panic(err) // impossible: the files are embedded, and every test reads them
	}
	return c
}

// With returns the catalogue with the domains of a catalogue file. A domain that already exists is replaced.
func (c *Catalog) With(r io.Reader) (*Catalog, error) {
	text, err := io.ReadAll(io.LimitReader(r, 16<<20))
	if err != nil {
		return nil, err
	}
	return newCatalog(c.Domains(), c.policies, text)
}

func newCatalog(domains []trace.Domain, policies [][]string, text []byte) (*Catalog, error) {
	var file catalogFile
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("the catalogue does not have the expected JSON form: %w", err)
	}
	if len(file.Domains) == 0 {
		return nil, fmt.Errorf("the catalogue has no `domains`")
	}
	domains, policies = slices.Clone(domains), slices.Clone(policies)
	for _, d := range file.Domains {
		domain := trace.Domain{Name: d.Name}
		for _, u := range d.Units {
			domain.Kinds = append(domain.Kinds, trace.Kind{Name: u.Name, Low: u.Low, High: u.High})
		}
		next := 0
		for _, g := range d.Groups {
			for _, e := range g.Events {
				if e.ID != nil {
					next = *e.ID
				}
				if next < 0 || next >= trace.MaxEvents {
					return nil, fmt.Errorf("event `%s` of `%s` has the id %d; ids are 0 to %d", e.Name, d.Name, next, trace.MaxEvents-1)
				}
				domain.Events = append(domain.Events, trace.Event{ID: trace.EventID(next), Name: e.Name, Subdomain: g.Name, On: e.On})
				next++
			}
		}
		i := slices.IndexFunc(domains, func(o trace.Domain) bool { return o.Name == d.Name })
		switch {
		case i < 0:
			domains, policies = append(domains, domain), append(policies, d.Policies)
		case d.Adds:
			domains[i].Events = slices.Concat(domains[i].Events, domain.Events)
			domains[i].Kinds = slices.Concat(domains[i].Kinds, domain.Kinds)
		default:
			domains[i], policies[i] = domain, d.Policies
		}
	}
	names, err := trace.NewCatalog(domains...)
	if err != nil {
		return nil, err
	}
	c := &Catalog{Catalog: names, policies: policies, events: map[string][]eventID{}}
	for i, d := range domains {
		for _, e := range d.Events {
			c.events[e.Name] = append(c.events[e.Name], eventID{trace.DomainID(i), e.ID})
		}
	}
	return c, nil
}

func (c *Catalog) allEventNames() []string {
	var names []string
	for i := range c.Domains() {
		names = append(names, c.EventNames(trace.DomainID(i))...)
	}
	return names
}

// names returns all names of the catalogue.
func (c *Catalog) names() []string {
	names := append(c.allEventNames(), c.DomainNames()...)
	for i, d := range c.Domains() {
		names = append(names, c.groups(trace.DomainID(i))...)
		for _, k := range d.Kinds {
			names = append(names, k.Name)
		}
	}
	return names
}

// groups returns the groups of a domain's events.
func (c *Catalog) groups(d trace.DomainID) []string {
	var names []string
	for _, e := range c.Domains()[d].Events {
		if !slices.Contains(names, e.Subdomain) {
			names = append(names, e.Subdomain)
		}
	}
	return names
}

// event returns the catalogue's row of an event.
func (c *Catalog) event(id eventID) *trace.Event { return c.Row(id.domain, id.event) }
