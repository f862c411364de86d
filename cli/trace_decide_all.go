package cli

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/trace"
)

// decidedSet is the units on which events of some regions are traced.
type decidedSet struct {
	Region string   `json:"region"` // as the configuration names it
	Domain string   `json:"domain"`
	Events []string `json:"events"`
	Units  []string `json:"units"` // each stands for the units that meet it; `all` for every one
	Start  uint32   `json:"start"`
	Max    *uint32  `json:"max"` // null: unlimited
	Every  uint32   `json:"every"`

	rate trace.Rate
}

// otherRegions is what regions without an entry are called.
const otherRegions = "all other regions"

// decideAll prints a whole configuration: for each region that it names, and for all others, the
// events that are traced and the units on which they are.
func (a *app) decideAll(q *traceQuestion, paths []string, format string) error {
	if q.lexgion != "" || q.event != "" {
		return errors.New("--all is about all regions and events: leave --lexgion and --event out")
	}
	_, config, err := a.read(paths, "pinsight")
	if err != nil {
		return err
	}
	if err := a.refuse(config.Diagnostics()); err != nil {
		return err
	}
	policy, err := policyOf(config)
	if err != nil {
		return err
	}
	within, err := q.within(policy.Catalog())
	if err != nil {
		return err
	}
	list := decidedSets(policy, within)
	if format == "json" {
		return a.json(struct {
			Version int          `json:"version"`
			Traced  []decidedSet `json:"traced"`
		}{1, list})
	}
	if len(list) == 0 {
		fmt.Fprintln(a.err, "nothing is traced")
		return nil
	}
	rows := [][]string{{"region", "units", "executions", "events"}}
	for i, d := range list {
		region := d.Region
		if i > 0 && list[i-1].Region == region {
			region = ""
		}
		rows = append(rows, []string{region, strings.Join(d.Units, " or "), rateText(d.rate), shortened(d.Domain, d.Events)})
	}
	a.columns(rows)
	return nil
}

// within reads every `--unit DOMAIN.KIND=SET`.
func (q *traceQuestion) within(c *trace.Catalog) (trace.Constraints, error) {
	var list trace.Constraints
	for _, u := range q.units {
		unit, text, _ := strings.Cut(u, "=")
		domain, kind, _ := strings.Cut(unit, ".")
		set, wrong := trace.ParseSet(text, math.MaxInt32)
		if wrong != nil || set.Empty() {
			return nil, fmt.Errorf("--unit takes DOMAIN.KIND=SET, for instance MPI.rank=0-3, not `%s`", u)
		}
		d, known := c.Domain(domain)
		if _, ok := c.Kind(d, kind); !known || !ok {
			return nil, fmt.Errorf("there is no unit `%s`%s", unit, near(unit, unitNames(c)))
		}
		list = list.With(trace.Constraint{Domain: domain, Kind: kind, Set: set})
	}
	return list, nil
}

func unitNames(c *trace.Catalog) (names []string) {
	for _, d := range c.Domains() {
		for _, k := range d.Kinds {
			names = append(names, d.Name+"."+k.Name)
		}
	}
	return names
}

// decidedSets are the sets of a policy. Events with the same one are together.
func decidedSets(p *trace.Policy, within trace.Constraints) []decidedSet {
	list := []decidedSet{}
	c := p.Catalog()
	add := func(name string, r trace.Region) {
		first := len(list)
		for _, e := range c.Domains()[r.Domain].Events {
			boxes, rate := p.Units(r, e.ID, within)
			if len(boxes) == 0 {
				continue
			}
			units := boxTexts(boxes)
			at := first
			for at < len(list) && strings.Join(list[at].Units, ";") != strings.Join(units, ";") {
				at++
			}
			if at == len(list) {
				d := decidedSet{Region: name, Domain: c.Name(r.Domain), Units: units, Start: rate.Start, Every: rate.Every, rate: rate}
				if rate.Max != trace.Unlimited {
					d.Max = &rate.Max
				}
				list = append(list, d)
			}
			list[at].Events = append(list[at].Events, e.Name)
		}
	}
	for _, m := range p.Entries() {
		for d := range c.Domains() {
			if id := trace.DomainID(d); m.Domain == "" || m.Domain == c.Name(id) {
				add(m.String(), trace.Region{Domain: id, Address: m.Address, Name: m.Name, File: m.File})
			}
		}
	}
	for d := range c.Domains() {
		add(otherRegions, trace.Region{Domain: trace.DomainID(d)})
	}
	return list
}

// boxTexts are boxes as configurations write them. Where a set has no end, its end is left out.
func boxTexts(boxes []trace.Constraints) []string {
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

// rateText is a rate in words.
func rateText(r trace.Rate) string {
	s := "every one"
	if r.Every > 1 {
		s = fmt.Sprintf("1 in %d", r.Every)
	}
	if r.Start > 0 {
		s += fmt.Sprintf(", from number %d on", r.Start)
	}
	if r.Max != trace.Unlimited {
		s += fmt.Sprintf(", at most %d", r.Max)
	}
	return s
}

// shortened are events as a terminal has room for them.
func shortened(domain string, events []string) string {
	if len(events) <= 3 {
		return strings.Join(events, ", ")
	}
	return problem.Clip(fmt.Sprintf("%d of %s: %s", len(events), domain, strings.Join(events, ", ")), problem.Short)
}
