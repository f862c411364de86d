package trace

import "strings"

// Region is a piece of code whose executions are counted: at an address, or
// with a name. It belongs to one domain, whose events it reports; code that
// several domains watch is a region of each. Part distinguishes regions at one
// address (a loop and the barrier at its end); no configuration names it.
type Region struct {
	Domain  DomainID
	Address uint64
	Name    string
	File    string
	Module  string // of Python
	Part    string
}

// Policy is a compiled configuration. It is immutable; share it freely.
type Policy struct {
	catalog *Catalog
	layers  Layers
	domains []domainTable
	changes []override
	wheres  []where // wheres[0] holds everywhere
	ends    []windowEnd
	rules   []rule
	entries []entry
	timer   timer

	byAddress map[uint64]uint32   // the first entry with that address
	byName    map[string][]uint32 // entries in order
	reads     []bool              // by KindID: some constraint asks for it
}

// Tables refer to each other by index.
type (
	domainTable struct {
		mode     Mode
		base     Mask
		rateOnly Mask   // events that pass every layer and every unit set
		limits   uint32 // where
		sections []section
		fallback uint32 // rule of regions that have no entry
		activity Activity
		sites    bool
		modules  []string // of Python; nil: all
	}
	section struct{ where, change uint32 }
	rule    struct {
		change, where uint32
		end           uint32 // 1 + index of the window end; 0 for none
		rate          Rate
		backtrace     uint32 // calls that are recorded with each execution
	}
	windowEnd struct {
		modes      []Mode     // by domain
		activity   []Activity // by domain
		all        bool
		introspect *Introspection
	}
	timer struct{ seconds, end uint32 } // end as in rule
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

// Catalog returns the vocabulary the policy was compiled against.
func (p *Policy) Catalog() *Catalog { return p.catalog }

// Entries returns which regions the policy has entries for. Of those by name that
// meet a region, the first decides.
func (p *Policy) Entries() []Match {
	list := make([]Match, len(p.entries))
	for i, e := range p.entries {
		list[i] = e.match
	}
	return list
}

// Mode returns the mode in which the policy starts a domain.
func (p *Policy) Mode(d DomainID) Mode { return p.domains[d].mode }

// Backtrace returns how many calls are recorded with each execution of a region.
func (p *Policy) Backtrace(r Region) uint32 { return p.rule(&r).backtrace }

// Moving returns the domains whose modes windows change when they end, and whether some end by time, or ask a
// script, which may change anything.
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

// index builds what can be found again from the tables.
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

// rule returns what holds for a region.
func (p *Policy) rule(r *Region) *rule {
	found, _ := p.find(r)
	return found
}

// find also reports whether an entry names the region.
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

// meets is the same question as Policy.rule asks, of one entry.
func (m Match) meets(r Region, domain string) bool {
	if m.Address != 0 {
		return m.Address == r.Address
	}
	return m.Name != "" && m.Name == r.Name && (m.Domain == "" || m.Domain == domain) && m.inFile(r.File)
}

// introspection is how an agent ends a window: 0 sets modes, 1 asks the
// collector, 2 also pauses.
func (w *windowEnd) introspection() uint32 {
	switch {
	case w.introspect == nil:
		return 0
	case w.introspect.Pause == 0:
		return 1
	}
	return 2
}

// WindowEnd returns the end of windows with a number from 1 on, as agents
// report it, or nil.
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

// WindowTimeout returns after which time all windows end, and the number of
// that end; 0 is never.
func (p *Policy) WindowTimeout() (seconds, end uint32) { return p.timer.seconds, p.timer.end }
