package trace

import "strings"

// Region is a piece of code whose executions are counted, at an address or with a name. It belongs to the one
// domain whose events it reports; code that several domains watch is a separate region for each. Part
// distinguishes regions at one address (a loop and the barrier at its end); configurations cannot name it.
type Region struct {
	Domain  DomainID
	Address uint64
	Name    string
	File    string
	Module  string // for Python
	Part    string
}

// Policy is a compiled configuration. It is immutable; share it freely.
type Policy struct {
	catalog *Catalog
	layers  Layers
	domains []domainTable
	changes []override
	wheres  []where // wheres[0] is everywhere
	ends    []windowEnd
	rules   []rule
	entries []entry
	timer   timer

	byAddress map[uint64]uint32   // the first entry with that address
	byName    map[string][]uint32 // entries in order
	reads     []bool              // by KindID: whether a constraint uses it
}

// The tables refer to each other by index.
type (
	domainTable struct {
		mode     Mode
		base     Mask
		rateOnly Mask   // events that ignore all layers and unit sets
		limits   uint32 // where
		sections []section
		fallback uint32 // the rule of regions without an entry
		activity Activity
		sites    bool
		modules  []string // for Python; nil: all
	}
	section struct{ where, change uint32 }
	rule    struct {
		change, where uint32
		end           uint32 // 1 + index of the window end; 0 if there is none
		rate          Rate
		backtrace     uint32 // calls recorded with each execution
	}
	windowEnd struct {
		modes      []Mode     // by domain
		activity   []Activity // by domain
		all        bool
		introspect *Introspection
	}
	timer struct{ seconds, end uint32 } // end is the number of a window end, as in rule
	entry struct {
		match  Match
		domain int      // -1 for any
		rules  []uint32 // by domain
	}
	where []test
	test  struct {
		kind KindID
		set  Set
	}
)

func (w where) holds(ids []uint32) bool {
	for _, t := range w {
		if !t.set.Contains(ids[t.kind]) {
			return false
		}
	}
	return true
}

// Catalog returns the vocabulary against which the policy was compiled.
func (p *Policy) Catalog() *Catalog { return p.catalog }

// Entries returns the regions that the policy has entries for. If several entries match a region by name, the first decides.
func (p *Policy) Entries() []Match {
	list := make([]Match, len(p.entries))
	for i, e := range p.entries {
		list[i] = e.match
	}
	return list
}

// Mode returns the mode in which the policy starts a domain.
func (p *Policy) Mode(d DomainID) Mode { return p.domains[d].mode }

// Backtrace returns the number of calls recorded with each execution of a region.
func (p *Policy) Backtrace(r Region) uint32 { return p.rule(&r).backtrace }

// Moving returns the domains whose modes change when a window ends. open reports whether a window may change
// any mode, because it ends by time or asks a script.
func (p *Policy) Moving() (domains []DomainID, open bool) {
	ends := map[uint32]bool{p.timer.end: p.timer.seconds > 0}
	for i := range p.rules {
		if r := &p.rules[i]; r.rate.Max != Unlimited {
			ends[r.end] = true
		}
	}
	for d := range p.domains {
		moves := false
		for n, reached := range ends {
			if n == 0 || !reached {
				continue
			}
			e := &p.ends[n-1]
			moves = moves || e.modes[d] != NoMode && e.introspect == nil
			open = open || e.introspect != nil || n == p.timer.end && p.timer.seconds > 0
		}
		if moves {
			domains = append(domains, DomainID(d))
		}
	}
	return domains, open
}

// index builds the maps that are derived from the tables.
func (p *Policy) index() {
	p.byAddress, p.byName = make(map[uint64]uint32, len(p.entries)), map[string][]uint32{}
	for i, e := range p.entries {
		if e.match.Address == 0 {
			p.byName[e.match.Name] = append(p.byName[e.match.Name], uint32(i))
		} else if _, earlier := p.byAddress[e.match.Address]; !earlier {
			p.byAddress[e.match.Address] = uint32(i)
		}
	}
	p.reads = make([]bool, len(p.catalog.kinds))
	for _, w := range p.wheres {
		for _, t := range w {
			p.reads[t.kind] = true
		}
	}
}

// rule returns the rule for a region.
func (p *Policy) rule(r *Region) *rule {
	found, _ := p.find(r)
	return found
}

// find returns the rule for a region, and reports whether an entry names the region.
func (p *Policy) find(r *Region) (_ *rule, named bool) {
	if i, ok := p.byAddress[r.Address]; ok {
		return &p.rules[p.entries[i].rules[r.Domain]], true
	}
	if r.Name != "" {
		for _, i := range p.byName[r.Name] {
			if e := &p.entries[i]; (e.domain < 0 || e.domain == int(r.Domain)) && e.match.inFile(r.File) {
				return &p.rules[e.rules[r.Domain]], true
			}
		}
	}
	return &p.rules[p.domains[r.Domain].fallback], false
}

func (m Match) inFile(file string) bool { return file == "" || strings.HasPrefix(file, m.File) }

// meets reports whether an entry matches a region, by the same rule as Policy.rule.
func (m Match) meets(r Region, domain string) bool {
	if m.Address != 0 {
		return m.Address == r.Address
	}
	return m.Name != "" && m.Name == r.Name && (m.Domain == "" || m.Domain == domain) && m.inFile(r.File)
}

// introspection is what an agent does at the end of a window: 0 sets modes, 1 asks the collector, 2 asks it and pauses.
func (w *windowEnd) introspection() uint32 {
	switch {
	case w.introspect == nil:
		return 0
	case w.introspect.Pause == 0:
		return 1
	}
	return 2
}

// WindowEnd returns the window end with the number that agents report, counted from 1, or nil.
func (p *Policy) WindowEnd(number uint32) *WindowEnd {
	if number == 0 || int(number) > len(p.ends) {
		return nil
	}
	e := p.ends[number-1]
	end := &WindowEnd{Modes: map[string]Mode{}, Activity: map[string]Activity{}, All: e.all, Introspect: e.introspect}
	for d, m := range e.modes {
		if m != NoMode {
			end.Modes[p.catalog.Name(DomainID(d))] = m
		}
		if a := e.activity[d]; a.Set {
			end.Activity[p.catalog.Name(DomainID(d))] = a
		}
	}
	return end
}

// WindowTimeout returns the time after which all windows end, and the number of that end; 0 seconds means never.
func (p *Policy) WindowTimeout() (seconds, end uint32) { return p.timer.seconds, p.timer.end }
