package trace

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/run/trace/layout"
)

// flatRows are the row sizes of the tables, in the order of the head.
var flatRows = []int{
	binary.Size(layout.Section{}), binary.Size(layout.Where{}), binary.Size(layout.Test{}), binary.Size(layout.Interval{}),
	binary.Size(layout.Change{}), binary.Size(layout.Rule{}), binary.Size(layout.WindowEnd{}), binary.Size(layout.Entry{}),
	4, binary.Size(layout.Range{}), binary.Size(layout.Name{}), binary.Size(layout.Knob{}),
}

// In the flat form of any configuration the tables follow each other, each with as many
// rows as the header says, and every reference to a row of another table is valid. An agent
// reads them without further checks.
func TestFlatTables(t *testing.T) {
	c := fixture(t)
	rapid.Check(t, func(t *rapid.T) {
		p, err := Compile(c, genLayers(t, c))
		if err != nil {
			t.Fatal(err)
		}
		f := &Flat{
			Domains: [layout.Domains]DomainID{0, 1, NoDomain, NoDomain, NoDomain},
			Code:    func(Match) []Code { return []Code{{1, 2}, {3, 4}} },
			Knobs:   []Knob{{Name: "step", Integer: 3}},
		}
		table, err := f.Table(p)
		if err != nil {
			t.Fatal(err)
		}
		word := func(at int) int { return int(binary.LittleEndian.Uint32(table[at:])) }
		if word(0) != layout.PolicyMagic || word(4) != len(table) {
			t.Fatalf("the header is %#x with %d bytes of %d, want word(0) = %v and word(4) = %v", word(0), word(4), len(table), layout.PolicyMagic, len(table))
		}
		var at, rows [12]int
		next := binary.Size(layout.Policy{})
		for i, size := range flatRows {
			at[i], rows[i] = word(8+8*i), word(12+8*i)
			if at[i] != next {
				t.Fatalf("table %d begins at %d, want %d", i, at[i], next)
			}
			next = (next + rows[i]*size + 7) &^ 7
		}
		met := 8 + 12*8 + binary.Size(layout.Domain{})*layout.Domains
		if word(met) != next || word(met+4) != len(p.entries) {
			t.Fatalf("what regions answered to begins at %d with %d entries, want %d with %d", word(met), word(met+4), next, len(p.entries))
		}
		if next += 4 * len(p.entries); next != len(table) {
			t.Fatalf("the tables end at %d of %d, want %v", next, len(table), len(table))
		}
		sections := 0
		for d := range layout.Domains {
			row := 8 + 12*8 + binary.Size(layout.Domain{})*d
			if limits, fallback := word(row+4), word(row+8); limits >= max(rows[1], 1) || fallback >= max(rows[5], 1) {
				t.Fatalf("domain %d has limits %d of %d, and rule %d of %d; want limits less than %v and fallback less than %v", d, limits, rows[1], fallback, rows[5], max(rows[1], 1), max(rows[5], 1))
			}
			if n := word(row + 16); n > 0 && word(row+12) != sections {
				t.Fatalf("the sections of domain %d begin with %d, want %d", d, word(row+12), sections)
			}
			sections += word(row + 16)
		}
		if sections != rows[0] {
			t.Fatalf("the domains have %d sections of %d, want %v", sections, rows[0], rows[0])
		}
		checkSlots(t, table, at[7], rows[7], at[8], rows[8])
	})
}

// checkSlots looks up every region by its address, as an agent does.
func checkSlots(t *rapid.T, table []byte, entries, regions, slots, size int) {
	filled, addresses := 0, map[uint64]bool{}
	for i := range size {
		n := int(binary.LittleEndian.Uint32(table[slots+4*i:]))
		if n == 0 {
			continue
		}
		filled++
		if n > regions || binary.LittleEndian.Uint64(table[entries+flatRows[7]*(n-1):]) == 0 {
			t.Fatalf("slot %d has region %d of %d, without an address", i, n-1, regions)
		}
	}
	for i := range regions {
		address := binary.LittleEndian.Uint64(table[entries+flatRows[7]*i:])
		if address == 0 || addresses[address] {
			continue
		}
		addresses[address] = true
		at := int(uint32(address * flatHash >> 32))
		for ; ; at++ {
			n := int(binary.LittleEndian.Uint32(table[slots+4*(at&(size-1)):]))
			if n == 0 {
				t.Fatalf("no slot has the region at %#x", address)
			}
			if binary.LittleEndian.Uint64(table[entries+flatRows[7]*(n-1):]) == address {
				break
			}
		}
	}
	if filled != len(addresses) {
		t.Fatalf("%d slots for %d addresses, want %v", filled, len(addresses), len(addresses))
	}
}

// An agent's table contains the values of the configuration.
func TestFlatRows(t *testing.T) {
	c := fixture(t)
	limit := Number{Value: 3, Set: true}
	p := compile(t, c, &Config{
		Domains: map[string]DomainLayer{"MPI": {Mode: Monitoring, Limits: units("MPI", "rank", Span{0, 3}, Span{9, 9}), Sites: Switch{On: true, Set: true}}},
		Units:   []UnitLayer{{Domain: "OpenMP", Target: units("OpenMP", "thread", Span{1, 2}), Events: task(Toggle{})}},
		Default: RegionLayer{
			Rate:    RateLayer{Number{Value: 1, Set: true}, limit, Number{Value: 2, Set: true}},
			End:     &WindowEnd{Modes: map[string]Mode{"MPI": Off}, All: true, Introspect: &Introspection{Script: "look.sh", Pause: -1}},
			Timeout: Number{Value: 60, Set: true},
		},
		Regions: []RegionEntry{
			{Match: Match{Name: "solve", Domain: "MPI", File: "a.c"}},
			{Match: Match{Address: 0x4010bd}, RegionLayer: RegionLayer{End: &WindowEnd{Introspect: &Introspection{Script: "look.sh"}}}},
			{Match: Match{Name: "step"}, RegionLayer: RegionLayer{End: &WindowEnd{Modes: map[string]Mode{"OpenMP": Standby}}}},
		},
	})
	f := &Flat{
		Domains: [layout.Domains]DomainID{NoDomain, 1, 0, NoDomain, NoDomain},
		Code: func(m Match) []Code {
			if m.Name == "solve" && m.File == "a.c" {
				return []Code{{0x100, 0x180}, {0x200, 0x210}}
			}
			return nil
		},
		Knobs: []Knob{{Name: "steps", Integer: -4, Number: 0.5, Text: strings.Repeat("x", 300)}},
	}
	table, err := f.Table(p)
	if err != nil {
		t.Fatal(err)
	}
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(table[at:]) }
	long := func(at int) uint64 { return binary.LittleEndian.Uint64(table[at:]) }
	row := func(table, row int) int { return int(word(8+8*table)) + row*flatRows[table] }
	rows := func(table int) uint32 { return word(12 + 8*table) }

	domain := func(i int) int { return 8 + 12*8 + binary.Size(layout.Domain{})*i }
	for i, mode := range []Mode{Off, Monitoring, Tracing} {
		if got := Mode(word(domain(i))); got != mode {
			t.Errorf("domain %d begins with %v, want %v", i, got, mode)
		}
	}
	for i, d := range map[int]DomainID{1: 1, 2: 0} {
		for j, want := range c.Defaults(d) {
			if got := long(domain(i) + int(unsafe.Offsetof(layout.Domain{}.Base)) + 8*j); got != want {
				t.Errorf("domain %d: events %x, want %x", i, got, want)
			}
		}
	}
	if sites := int(unsafe.Offsetof(layout.Domain{}.Sites)); word(domain(1)+sites) != 1 || word(domain(2)+sites) != 0 {
		t.Errorf("places of launches are asked for: %d, %d; want 1, 0", word(domain(1)+sites), word(domain(2)+sites))
	}
	// The limits of MPI: one test of ranks with two spans.
	limits := row(1, int(word(domain(1)+4)))
	if word(limits+4) != 1 {
		t.Fatalf("MPI has %d limits, want 1", word(limits+4))
	}
	rank, _ := c.Kind(1, "rank")
	ranks := row(2, int(word(limits)))
	first := int(word(ranks + 4))
	if word(ranks) != uint32(rank) || word(ranks+8) != 2 || word(row(3, first)) != 0 || word(row(3, first)+4) != 3 || word(row(3, first+1)) != 9 || word(row(3, first+1)+4) != 9 {
		t.Errorf("MPI is limited to %d spans of kind %d, want 2 of kind %d, 0 to 3 and 9", word(ranks+8), word(ranks), rank)
	}
	// The section of threads switches `task` off.
	if word(domain(2)+16) != 1 {
		t.Fatalf("OpenMP has %d sections, want 1", word(domain(2)+16))
	}
	change := row(4, int(word(row(0, int(word(domain(2)+12)))+4)))
	if long(change) != 1<<5 || long(change+32) != 0 {
		t.Errorf("threads change %x to %x, want %x to 0", long(change), long(change+32), 1<<5)
	}
	// Rates, and the ends of windows.
	rule := row(5, int(word(domain(2)+8)))
	if word(rule+12) != 1 || word(rule+16) != 3 || word(rule+20) != 2 {
		t.Errorf("the rate is %d, %d, %d; want word(rule + 12) = 1, word(rule + 16) = 3 and word(rule + 20) = 2", word(rule+12), word(rule+16), word(rule+20))
	}
	ends := []struct{ all, introspect, missing, mpi, openMP uint32 }{
		{1, 2, uint32(NoMode), uint32(Off), uint32(NoMode)},
		{0, 1, uint32(NoMode), uint32(NoMode), uint32(NoMode)},
		{0, 0, uint32(NoMode), uint32(NoMode), uint32(Standby)},
	}
	rules := []int{rule}
	for i, want := range []struct {
		address uint64
		domain  uint32 // as the agent counts them
	}{{0, 1}, {0x4010bd, layout.Domains}, {0, layout.Domains}} {
		entry := row(7, i)
		if long(entry) != want.address || word(entry+8) != 0 || word(entry+8+4*layout.Domains) != want.domain {
			t.Errorf("region %d is %x in domain %d, want %x with 0 behind it, in domain %d", i, long(entry), word(entry+8+4*layout.Domains), want.address, want.domain)
		}
		if i > 0 {
			rules = append(rules, row(5, int(word(entry+16))))
		}
	}
	for i, want := range ends {
		end := row(6, int(word(rules[i]+8)-1))
		got := ends[0]
		got.all, got.introspect, got.missing, got.mpi, got.openMP = word(end), word(end+4), word(end+8), word(end+12), word(end+16)
		if got != want {
			t.Errorf("end %d is %v, want %v", i, got, want)
		}
	}
	// Regions are found by the code of their functions and by their names.
	if rows(9) != 2 || long(row(9, 0)) != 0x100 || long(row(9, 0)+8) != 0x180 || long(row(9, 1)) != 0x200 || word(row(9, 1)+16) != 0 {
		t.Errorf("%d pieces of code, want 2, from 0x100 to 0x180 and from 0x200", rows(9))
	}
	if rows(10) != 2 || long(row(10, 0)) != NameHash("solve") || long(row(10, 1)) != NameHash("step") || word(row(10, 1)+16) != 2 {
		t.Errorf("%d names, want 2, solve and step", rows(10))
	}
	if long(row(10, 0)+8) != NameHash("a.c") || word(row(10, 0)+20) != 3 || word(row(10, 1)+20) != 0 {
		t.Errorf("the files of names begin with %d and %d letters, want 3, of a.c, and 0", word(row(10, 0)+20), word(row(10, 1)+20))
	}
	knob := row(11, 0)
	text := table[knob+88 : knob+344]
	if string(table[knob:knob+6]) != "steps\x00" || int64(long(knob+72)) != -4 || math.Float64frombits(long(knob+80)) != 0.5 || string(text) != strings.Repeat("x", 255)+"\x00" {
		t.Errorf("the knob is %q, want the name steps, -4, 0.5, and 255 times x with a NUL", table[knob:])
	}

	// The end that a collector looks up when an agent reports a timeout.
	if seconds, end := p.WindowTimeout(); seconds != 60 || end != word(rule+8) {
		t.Errorf("windows end after %d seconds with %d", seconds, end)
	}
	end := p.WindowEnd(word(rule + 8))
	if end == nil || !end.All || len(end.Modes) != 1 || end.Modes["MPI"] != Off || end.Introspect.Script != "look.sh" {
		t.Errorf("the end is %+v, want it for all, MPI off, and look.sh to run", end)
	}
	if p.WindowEnd(0) != nil || p.WindowEnd(4) != nil || p.WindowEnd(3) == nil {
		t.Error("there are ends 1, 2 and 3")
	}
}

// A catalogue with more kinds of units than agents have room for is an error.
func TestFlatKinds(t *testing.T) {
	for kinds, want := range map[int]string{layout.MaxKinds: "", layout.MaxKinds + 1: "the catalogue has 33 kinds of units; a traced program can have 32"} {
		d := Domain{Name: "D"}
		for i := range kinds {
			d.Kinds = append(d.Kinds, Kind{Name: strconv.Itoa(i)})
		}
		c, err := NewCatalog(d)
		if err != nil {
			t.Fatal(err)
		}
		_, err = (&Flat{Domains: [layout.Domains]DomainID{0, NoDomain, NoDomain, NoDomain, NoDomain}}).Table(compile(t, c, &Config{}))
		if got := fmt.Sprint(err); err != nil && got != want || err == nil && want != "" {
			t.Errorf("%d kinds: %v", kinds, err)
		}
	}
}

// The hash of a name is FNV-1a; its upper byte is free for the agent.
func TestNameHash(t *testing.T) {
	for name, want := range map[string]uint64{"": 0xf29ce484222325, "a": 0x63dc4c8601ec8c, "foobar": 0x944171f73967e8} {
		if got := NameHash(name); got != want {
			t.Errorf("%q: %x, want %x", name, got, want)
		}
	}
}
