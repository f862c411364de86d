package forecast

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// simulation decides again about every event of a recorded run.
type simulation struct {
	*Options
	catalog *trace.Catalog
	kinds   map[*recorded.Kind]*kind
	unitIDs unitKinds

	regions   []region
	byAddress map[place]int
	byName    map[string]int
	addressed map[uint64]bool // addresses with entries in the policy

	units   []unit
	byUnit  map[unit]uint32
	cells   map[cellKey]*cell
	threads map[*recorded.Thread]*thread
	process map[*recorded.Process]*process

	first, last int64
	moving      map[trace.DomainID]bool // domains whose modes windows may change
	open        map[trace.DomainID]bool // domains whose windows end by time, or by a script
	unordered   bool                    // whether several threads of a process decide, so that their order matters
	uncalled    uint64                  // traced events whose calls are configured but not in the record
}

// unitKinds are the kinds of units that agents count; -1: the catalogue lacks it.
type unitKinds struct{ rank, team, thread int }

func kindsOf(c *trace.Catalog) unitKinds {
	find := func(domain, name string) int {
		d, known := c.Domain(domain)
		if k, ok := c.Kind(d, name); ok && known {
			return int(k)
		}
		return -1
	}
	return unitKinds{find(mpi, "rank"), find(openMP, "team"), find(openMP, "thread")}
}

// place is an address in a domain.
type place struct {
	domain  trace.DomainID
	address uint64
}

// region is a region of the program, with its names.
type region struct {
	trace.Region
	name, where string
	section     string // the section of the configuration for the region
	every       uint32
	calls       uint32 // calls recorded with each execution
}

// title returns the name of the region for people.
func (r *region) title() string { return cmp.Or(r.where, r.name) }

type unit struct{ rank, team, thread uint32 }

type cellKey struct {
	region int
	unit   uint32
	event  trace.EventID
}

// cell holds the counts for an event of a region on a unit.
type cell struct {
	traced, happened, off uint64
	bytes                 int64
	first, last           uint32
}

// process holds what the threads of a process share: modes, and the decisions about parallel regions.
type process struct {
	engine  *trace.Engine
	ids     []trace.RegionID // by region, plus 1; 0: not met yet
	chosen  map[execution]bool
	rank    uint32
	ranked  bool
	early   map[cellKey]*cell // counts from the time before the process had a rank
	threads int
}

// execution is an execution of a parallel region. All threads of its team refer to it by its number.
type execution struct {
	region int
	number uint64
}

func newSimulation(o *Options) *simulation {
	s := &simulation{
		Options: o, catalog: o.Policy.Catalog(), kinds: map[*recorded.Kind]*kind{},
		byAddress: map[place]int{}, byName: map[string]int{}, addressed: map[uint64]bool{}, byUnit: map[unit]uint32{}, cells: map[cellKey]*cell{},
		threads: map[*recorded.Thread]*thread{}, process: map[*recorded.Process]*process{},
		moving: map[trace.DomainID]bool{}, open: map[trace.DomainID]bool{},
	}
	s.unitIDs = kindsOf(s.catalog)
	for _, m := range o.Policy.Entries() {
		s.addressed[m.Address] = m.Address != 0
	}
	domains, any := o.Policy.Moving()
	for _, d := range domains {
		s.moving[d] = true
		// A team that begins while its domain is off is not traced at all.
		s.open[d] = any || s.catalog.Name(d) == openMP
	}
	for d := range s.catalog.Domains() {
		s.open[trace.DomainID(d)] = s.open[trace.DomainID(d)] || any
	}
	return s
}

// take decides about one event of the trace.
func (s *simulation) take(e *recorded.Event) error {
	k := s.kinds[e.Kind]
	if k == nil {
		k = newKind(s.catalog, e.Kind.Kind)
		s.kinds[e.Kind] = k
	}
	s.last = max(s.last, e.Time)
	if k.role == ignored {
		if e.Kind.Name == "pentode:gap_begin" {
			return errors.New("the run was recorded with gaps, and what began in them is not known; record it without --overhead, or with `gaps = false` in `[trace]` of pentode.toml")
		}
		return nil
	}
	if k.role == foreign {
		return s.foreign(k.domain)
	}
	return s.thread(e.Thread).take(e, k)
}

// foreign returns an error for events of a domain whose regions have other names in a record than in a configuration.
func (s *simulation) foreign(d trace.DomainID) error {
	if name := s.catalog.Name(d); s.Policy.Mode(d) == trace.Tracing {
		return fmt.Errorf("the record has events of %s, but not enough about their regions to decide about them again; `-s %s.default.trace_mode=OFF` leaves them out", name, name)
	}
	return nil
}

func (s *simulation) thread(of *recorded.Thread) *thread {
	t := s.threads[of]
	if t != nil {
		return t
	}
	p := s.process[of.Process]
	if p == nil {
		p = &process{engine: trace.NewEngine(s.Policy), chosen: map[execution]bool{}, early: map[cellKey]*cell{}}
		s.process[of.Process] = p
	}
	p.threads++
	s.unordered = s.unordered || p.threads > 1
	t = &thread{simulation: s, process: p, unit: p.engine.Unit(), number: s.unitOf(unit{})}
	s.threads[of] = t
	return t
}

func (s *simulation) unitOf(u unit) uint32 {
	n, ok := s.byUnit[u]
	if !ok {
		n = uint32(len(s.units))
		s.units = append(s.units, u)
		s.byUnit[u] = n
	}
	return n
}

// regionAt returns the number of the region at an address.
func (s *simulation) regionAt(d trace.DomainID, address uint64, where *recorded.Region) int {
	n, ok := s.byAddress[place{d, address}]
	if ok {
		return n
	}
	n = s.add(region{Region: Placed(s.Policy, d, address, where), name: regionTitle(address), where: where.Where()}, where)
	s.byAddress[place{d, address}] = n
	return n
}

// regionTitle returns a name for the region at an address.
func regionTitle(address uint64) string {
	if address == 0 {
		return "outside of parallel regions"
	}
	return fmt.Sprintf("%#x", address)
}

// regionCalled returns the number of the region with the given name.
func (s *simulation) regionCalled(d trace.DomainID, name string) int {
	n, ok := s.byName[name]
	if !ok {
		n = s.add(region{Region: trace.Region{Domain: d, Name: name}, name: name}, nil)
		s.byName[name] = n
	}
	return n
}

func (s *simulation) add(r region, where *recorded.Region) int {
	r.calls = s.Policy.Backtrace(r.Region)
	_, rate := s.Policy.Units(r.Region, 0, nil)
	r.every = rate.Every
	r.section = Section(s.Policy, r.Region, where)
	s.regions = append(s.regions, r)
	return len(s.regions) - 1
}

// id returns the number of a region in the engine of a process.
func (p *process) id(s *simulation, region int) trace.RegionID {
	for len(p.ids) <= region {
		p.ids = append(p.ids, 0)
	}
	if p.ids[region] == 0 {
		id, _ := p.engine.Region(s.regions[region].Region) // its domain is in the catalogue
		p.ids[region] = id + 1
	}
	return p.ids[region] - 1
}

// count adds an event to its cell. The calls that led to it are recorded with begin events.
func (t *thread) count(region int, event trace.EventID, execution uint32, yes, begins bool) {
	cells := t.cells
	if !t.process.ranked {
		cells = t.process.early
	}
	c := cellOf(cells, cellKey{region, t.counted(), event})
	c.happened++
	t.recorded++
	switch {
	case yes:
		if c.traced == 0 || execution < c.first {
			c.first = execution
		}
		c.last = max(c.last, execution)
		c.traced++
		t.traced++
		c.bytes += t.write(region, begins)
	case t.process.engine.Mode(t.regions[region].Domain) < trace.Monitoring:
		c.off++
		t.off++
	default:
		t.against++
	}
}

// cellOf finds or makes a cell.
func cellOf(cells map[cellKey]*cell, key cellKey) *cell {
	c := cells[key]
	if c == nil {
		c = &cell{}
		cells[key] = c
	}
	return c
}

// assignRank moves the counts of a process from before it had a rank to its rank.
func (s *simulation) assignRank(p *process) {
	for key, early := range p.early {
		was := s.units[key.unit]
		key.unit = s.unitOf(unit{p.rank, was.team, was.thread})
		cellOf(s.cells, key).add(early)
	}
	clear(p.early)
}

func (c *cell) add(o *cell) {
	if o.traced > 0 {
		if c.traced == 0 || o.first < c.first {
			c.first = o.first
		}
		c.last = max(c.last, o.last)
	}
	c.traced, c.happened, c.off, c.bytes = c.traced+o.traced, c.happened+o.happened, c.off+o.off, c.bytes+o.bytes
}

// write adds the size of an event to the stream of its thread.
func (t *thread) write(region int, begins bool) int64 {
	all := t.event.size
	if asked := int(t.regions[region].calls); begins && asked > 0 {
		if calls := min(asked, t.event.calls); calls > 0 {
			t.put(t.event.aside + 8*calls)
			all += t.event.aside + 8*calls
		} else {
			t.uncalled++
		}
	}
	t.put(t.event.size)
	return int64(all)
}

// put adds a number of bytes to the stream.
func (t *thread) put(size int) {
	if every := t.Flush.Nanoseconds(); every > 0 && t.event.time-max(t.flushed, t.first) > every {
		t.flushed = t.event.time
		t.footprint.Flush()
	}
	t.footprint.Add(size)
}

// notes lists what the record does not contain.
func (s *simulation) notes() []string {
	list := []string{}
	if s.uncalled > 0 {
		list = append(list, fmt.Sprintf("the calls that led to %d events are configured but not in the record: bytes do not include them", s.uncalled))
	}
	var names []string
	for d, open := range s.open {
		if open || s.moving[d] && s.unordered {
			names = append(names, s.catalog.Name(d))
		}
	}
	if slices.Sort(names); len(names) > 0 {
		list = append(list, fmt.Sprintf("windows end by time or by the order of threads and change what is traced of %s: counts are for the recorded order, and the range covers other orders", join(names)))
	}
	return list
}
