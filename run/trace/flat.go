package trace

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
)

// The flat form of a policy is what agents in traced programs decide with:
// tables of fixed-size rows that refer to each other by index, in one block of
// memory that can be mapped anywhere. run/trace/agent/src/agent.h declares the
// same rows.
const (
	flatMagic   = 0x544c4650
	flatDomains = 3
	flatHeader  = 8 + 12*8 + flatDomains*56
)

// Code is a piece of code: the addresses from Low to below High. A region lies
// in it if its return address follows a call there.
type Code struct{ Low, High uint64 }

// Knob is a value for the traced program, by name.
type Knob struct {
	Name    string
	Integer int64
	Number  float64
	Text    string
}

// Flat is how a policy becomes flat.
type Flat struct {
	// Domains are those of the agent, in its order: OpenMP, MPI, User. One that
	// the catalogue does not have is NoDomain, and off.
	Domains [flatDomains]DomainID
	// Functions finds the code of a function, for regions by name; file may be
	// empty. Nil: no function is known.
	Functions func(name, file string) []Code
	Knobs     []Knob
}

// NoDomain is a domain that the catalogue does not have.
const NoDomain = DomainID(math.MaxUint8)

// Table returns the policy in its flat form.
func (f *Flat) Table(p *Policy) ([]byte, error) {
	if p.catalog.Kinds() > flatKinds {
		return nil, fmt.Errorf("the catalogue has %d kinds of units; a traced program can have %d", p.catalog.Kinds(), flatKinds)
	}
	w := flatWriter{bytes: make([]byte, flatHeader)}
	w.policy(f, p)
	w.put(0, flatMagic)
	w.put(4, uint32(len(w.bytes)))
	return w.bytes, nil
}

const flatKinds = 32

// flatWriter appends tables and notes in the header where they begin.
type flatWriter struct {
	bytes  []byte
	tables int
}

func (w *flatWriter) put(at int, v uint32) { binary.LittleEndian.PutUint32(w.bytes[at:], v) }

func (w *flatWriter) u32(values ...uint32) {
	for _, v := range values {
		w.bytes = binary.LittleEndian.AppendUint32(w.bytes, v)
	}
}

func (w *flatWriter) u64(v uint64) { w.bytes = binary.LittleEndian.AppendUint64(w.bytes, v) }

func (w *flatWriter) mask(m Mask) {
	for _, word := range m {
		w.u64(word)
	}
}

// table begins the next table, of so many rows.
func (w *flatWriter) table(rows int) {
	for len(w.bytes)%8 != 0 {
		w.bytes = append(w.bytes, 0)
	}
	w.put(8+8*w.tables, uint32(len(w.bytes)))
	w.put(12+8*w.tables, uint32(rows))
	w.tables++
}

func (w *flatWriter) policy(f *Flat, p *Policy) {
	w.domains(f, p)
	w.wheres(p)
	w.table(len(p.changes))
	for _, c := range p.changes {
		w.mask(c.named)
		w.mask(c.value)
	}
	w.table(len(p.rules))
	for _, r := range p.rules {
		w.u32(r.change, r.where, r.end, r.rate.Start, r.rate.Max, r.rate.Every)
	}
	w.table(len(p.ends))
	for _, e := range p.ends {
		w.u32(number(e.all), e.introspection())
		for _, d := range f.Domains {
			if d == NoDomain {
				w.u32(uint32(NoMode))
				continue
			}
			w.u32(uint32(e.modes[d]))
		}
	}
	w.entries(f, p)
	w.knobs(f.Knobs)
}

func number(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// domains writes the rows of the header and the table of sections.
func (w *flatWriter) domains(f *Flat, p *Policy) {
	count := 0
	for _, d := range f.Domains {
		if d != NoDomain {
			count += len(p.domains[d].sections)
		}
	}
	w.table(count)
	first := 0
	for i, d := range f.Domains {
		at := 8 + 12*8 + i*56
		if d == NoDomain {
			w.put(at, uint32(Off))
			continue
		}
		t := &p.domains[d]
		for j, v := range []uint32{uint32(t.mode), t.limits, t.fallback, uint32(first), uint32(len(t.sections))} {
			w.put(at+4*j, v)
		}
		for j, word := range t.base {
			binary.LittleEndian.PutUint64(w.bytes[at+24+8*j:], word)
		}
		for _, s := range t.sections {
			w.u32(s.where, s.change)
		}
		first += len(t.sections)
	}
}

func (w *flatWriter) wheres(p *Policy) {
	var tests []test
	w.table(len(p.wheres))
	for _, where := range p.wheres {
		w.u32(uint32(len(tests)), uint32(len(where)))
		tests = append(tests, where...)
	}
	var spans []Span
	w.table(len(tests))
	for _, t := range tests {
		w.u32(uint32(t.kind), uint32(len(spans)), uint32(len(t.set.spans)))
		spans = append(spans, t.set.spans...)
	}
	w.table(len(spans))
	for _, s := range spans {
		w.u32(s.Lo, s.Hi)
	}
}

// entries writes the regions and the three ways to find one: by address in a
// hash table, by the function it lies in, by the hash of its name.
func (w *flatWriter) entries(f *Flat, p *Policy) {
	w.table(len(p.entries))
	for _, e := range p.entries {
		w.u64(e.match.Address)
		for _, d := range f.Domains {
			if d == NoDomain {
				w.u32(0)
				continue
			}
			w.u32(e.rules[d])
		}
		w.u32(f.domain(e.domain))
	}
	slots := make([]uint32, 1<<bits.Len(uint(2*len(p.byAddress))))
	if len(p.byAddress) == 0 {
		slots = nil
	}
	for i, e := range p.entries {
		if e.match.Address == 0 || p.byAddress[e.match.Address] != uint32(i) {
			continue
		}
		at := uint32(e.match.Address * flatHash >> 32)
		for slots[at&uint32(len(slots)-1)] != 0 {
			at++
		}
		slots[at&uint32(len(slots)-1)] = uint32(i + 1)
	}
	w.table(len(slots))
	w.u32(slots...)
	w.names(f, p)
}

const flatHash = 0x9e3779b97f4a7c15

func (w *flatWriter) names(f *Flat, p *Policy) {
	type found struct {
		Code
		entry int
	}
	var ranges []found
	named := 0
	for i, e := range p.entries {
		if e.match.Address != 0 {
			continue
		}
		named++
		if f.Functions != nil {
			for _, r := range f.Functions(e.match.Name, e.match.File) {
				ranges = append(ranges, found{r, i})
			}
		}
	}
	w.table(len(ranges))
	for _, r := range ranges {
		w.u64(r.Low)
		w.u64(r.High)
		w.u32(uint32(r.entry), 0)
	}
	w.table(named)
	for i, e := range p.entries {
		if e.match.Address == 0 {
			w.u64(NameHash(e.match.Name))
			w.u32(uint32(i), 0)
		}
	}
}

// domain is the agent's number of a domain: flatDomains stands for any, and one
// that the agent does not have for none.
func (f *Flat) domain(d int) uint32 {
	if d < 0 {
		return flatDomains
	}
	for i, own := range f.Domains {
		if int(own) == d {
			return uint32(i)
		}
	}
	return flatDomains + 1
}

// NameHash is what agents know a region's name by: FNV-1a in 56 bits.
func NameHash(name string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 0x100000001b3
	}
	return h &^ (0xff << 56)
}

func (w *flatWriter) knobs(list []Knob) {
	w.table(len(list))
	for _, k := range list {
		w.text(k.Name, 64)
		w.u32(0, 0)
		w.u64(uint64(k.Integer))
		w.u64(math.Float64bits(k.Number))
		w.text(k.Text, 256)
	}
}

// text appends a string of a fixed size, which ends with a zero.
func (w *flatWriter) text(s string, size int) {
	field := make([]byte, size)
	copy(field[:size-1], s)
	w.bytes = append(w.bytes, field...)
}
