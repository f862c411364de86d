package forecast

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// missing returns an error if a run recorded with one policy lacks events that another policy decides about. An audit
// has every event of the domains that were not off.
func missing(was, p *trace.Policy, audited bool) error {
	if moved, open := was.Moving(); open || len(moved) > 0 {
		return errors.New("the run was recorded with windows that end and change what is traced: what happened after them is not known; record it without `window_end_action` and `window_timeout`")
	}
	c := p.Catalog()
	moving, open := p.Moving()
	for _, name := range []string{openMP, mpi, user} {
		d, ok := c.Domain(name)
		if !ok || p.Mode(d) < trace.Tracing && !open && !slices.Contains(moving, d) {
			continue
		}
		if was.Mode(d) < trace.Monitoring {
			return fmt.Errorf("the record has no events of %s, whose mode was %s; record the run with another mode", name, was.Mode(d))
		}
		for _, e := range concerned(p, d) {
			if audited {
				break
			}
			if at := incomplete(was, d, e); at != "" {
				return fmt.Errorf("the record is not complete for `%s` of %s, which the configuration traces: %s; record the run once with every event on, or with --audit", c.Row(d, e).Name, name, at)
			}
		}
	}
	return nil
}

// concerned returns the events of a domain that a record must have for the decisions of a policy: the events that the
// policy traces, and the events by which executions of parallel regions are counted.
func concerned(p *trace.Policy, d trace.DomainID) (list []trace.EventID) {
	c := p.Catalog()
	for _, e := range c.Domains()[d].Events {
		if slices.ContainsFunc(regionsOf(p, d), func(r trace.Region) bool { units, _ := p.Units(r, e.ID, nil); return len(units) > 0 }) {
			list = append(list, e.ID)
		}
	}
	if len(list) > 0 && c.Name(d) == openMP {
		for _, name := range []string{"omp_parallel_begin", "omp_parallel_end"} {
			if e, ok := c.Event(d, name); ok && !slices.Contains(list, e) {
				list = append(list, e)
			}
		}
	}
	return list
}

// incomplete says in which regions an event was not always recorded, or returns "".
func incomplete(was *trace.Policy, d trace.DomainID, e trace.EventID) string {
	for _, r := range regionsOf(was, d) {
		units, rate := was.Units(r, e, nil)
		where := "in other regions"
		if r.Address != 0 || r.Name != "" {
			where = fmt.Sprintf("in `%s`", trace.Match{Address: r.Address, Name: r.Name, File: r.File})
		}
		switch {
		case len(units) == 0:
			return "it was off " + where
		case len(units[0]) > 0:
			return "it was on for some units only " + where
		case !tracesAll(rate):
			return "a rate or limit left some out " + where
		}
	}
	return ""
}

// regionsOf returns representatives of all regions of a domain: the regions with entries in a policy, and one without.
func regionsOf(p *trace.Policy, d trace.DomainID) []trace.Region {
	list := []trace.Region{{Domain: d}}
	for _, m := range p.Entries() {
		if m.Domain == "" || m.Domain == p.Catalog().Name(d) {
			list = append(list, trace.Region{Domain: d, Address: m.Address, Name: m.Name, File: m.File})
		}
	}
	return list
}

// tracesAll reports whether a rate selects every execution.
func tracesAll(r trace.Rate) bool { return r.Start == 0 && r.Max == trace.Unlimited && r.Every <= 1 }

// hasAudit reports whether a record includes the events that were decided against.
func hasAudit(t *recorded.Trace) (bool, error) {
	found := errors.New("there is an audit")
	err := t.Walk(recorded.Handler{Unordered: true, Any: func(e *recorded.Event) error {
		if e.Kind.Name == "pentode:audit" {
			return found
		}
		return nil
	}})
	if err == found {
		return true, nil
	}
	return false, err
}

func join(names []string) string { return strings.Join(names, ", ") }
