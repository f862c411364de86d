package trace

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"
)

// flatRows are the sizes of the rows of each table, as agent.h declares them.
var flatRows = []int{8, 8, 12, 8, 64, 24, 20, 24, 4, 24, 16, 344}

// In the flat form of any configuration the tables follow each other, each with
// the rows that the header says it has, and what refers to a row of another
// table finds one. An agent reads them without looking twice.
func TestFlatTables(t *testing.T) {
	c := fixture(t)
	rapid.Check(t, func(t *rapid.T) {
		p, err := Compile(c, genLayers(t, c))
		if err != nil {
			t.Fatal(err)
		}
		f := &Flat{
			Domains:   [flatDomains]DomainID{0, 1, NoDomain},
			Functions: func(_, _ string) []Code { return []Code{{1, 2}, {3, 4}} },
			Knobs:     []Knob{{Name: "step", Integer: 3}},
		}
		table, err := f.Table(p)
		if err != nil {
			t.Fatal(err)
		}
		word := func(at int) int { return int(binary.LittleEndian.Uint32(table[at:])) }
		if word(0) != flatMagic || word(4) != len(table) {
			t.Fatalf("the header is %#x with %d bytes of %d", word(0), word(4), len(table))
		}
		var at, rows [12]int
		next := flatHeader
		for i, size := range flatRows {
			at[i], rows[i] = word(8+8*i), word(12+8*i)
			if at[i] != next {
				t.Fatalf("table %d begins at %d, want %d", i, at[i], next)
			}
			if next += rows[i] * size; i < len(flatRows)-1 {
				next = (next + 7) &^ 7
			}
		}
		if next != len(table) {
			t.Fatalf("the tables end at %d of %d", next, len(table))
		}
		sections := 0
		for d := range flatDomains {
			row := 8 + 12*8 + 56*d
			if limits, fallback := word(row+4), word(row+8); limits >= max(rows[1], 1) || fallback >= max(rows[5], 1) {
				t.Fatalf("domain %d has limits %d of %d, and rule %d of %d", d, limits, rows[1], fallback, rows[5])
			}
			if n := word(row + 16); n > 0 && word(row+12) != sections {
				t.Fatalf("the sections of domain %d begin with %d, want %d", d, word(row+12), sections)
			}
			sections += word(row + 16)
		}
		if sections != rows[0] {
			t.Fatalf("the domains have %d sections of %d", sections, rows[0])
		}
		checkSlots(t, table, at[7], rows[7], at[8], rows[8])
	})
}

// checkSlots looks every region up by its address, as an agent does.
func checkSlots(t *rapid.T, table []byte, entries, regions, slots, size int) {
	filled, addresses := 0, map[uint64]bool{}
	for i := range size {
		n := int(binary.LittleEndian.Uint32(table[slots+4*i:]))
		if n == 0 {
			continue
		}
		filled++
		if n > regions || binary.LittleEndian.Uint64(table[entries+24*(n-1):]) == 0 {
			t.Fatalf("slot %d has region %d of %d, without an address", i, n-1, regions)
		}
	}
	for i := range regions {
		address := binary.LittleEndian.Uint64(table[entries+24*i:])
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
			if binary.LittleEndian.Uint64(table[entries+24*(n-1):]) == address {
				break
			}
		}
	}
	if filled != len(addresses) {
		t.Fatalf("%d slots for %d addresses", filled, len(addresses))
	}
}
