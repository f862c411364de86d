package trace

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// Agents in traced programs decide with the flat form of a policy: tables of fixed-size
// rows that refer to each other by index, in one block of memory that can be mapped
// anywhere. Package layout defines the rows.

// Code is a piece of code: the addresses from Low up to, but not including, High. A region
// lies in it if its return address follows a call there.
type Code struct{ Low, High uint64 }

// Knob is a named value for the traced program.
type Knob struct {
	Name    string
	Integer int64
	Number  float64
	Text    string
}

// KnobChanges compares the values for the traced program, which are not part of a policy.
func KnobChanges(before, after []Knob) []Change {
	old := make(map[string]string, len(before))
	for _, k := range before {
		old[k.Name] = k.Text
	}
	var list []Change
	for _, k := range after {
		if text, had := old[k.Name]; !had || text != k.Text {
			list = append(list, Change{Section: "Knob", Key: k.Name, Old: text, New: k.Text})
		}
		delete(old, k.Name)
	}
	for _, k := range before {
		if text, gone := old[k.Name]; gone {
			list = append(list, Change{Section: "Knob", Key: k.Name, Old: text})
			delete(old, k.Name)
		}
	}
	return list
}

// Flat converts a policy to its flat form.
type Flat struct {
	// Domains are the agent's domains, in its order, as AgentDomains finds them. A domain
	// that the catalogue lacks is NoDomain, and off.
	Domains [layout.Domains]DomainID
	// Code finds the code of an entry with a name. If it is nil, no code is known.
	Code  func(Match) []Code
	Knobs []Knob
}

// NoDomain is a domain that the catalogue lacks.
const NoDomain = DomainID(math.MaxUint8)

// AgentDomains finds the domains of an agent in a catalogue.
func AgentDomains(c *Catalog) (list [layout.Domains]DomainID) {
	for i, name := range layout.DomainNames {
		list[i] = NoDomain
		if d, ok := c.Domain(name); ok {
			list[i] = d
		}
	}
	return list
}

// Table returns the policy in its flat form.
func (f *Flat) Table(p *Policy) ([]byte, error) {
	if p.catalog.Kinds() > layout.MaxKinds {
		return nil, fmt.Errorf("the catalogue has %d kinds of units; a traced program can have %d", p.catalog.Kinds(), layout.MaxKinds)
	}
	w := flatWriter{bytes: make([]byte, unsafe.Sizeof(layout.Policy{}))}
	w.policy(f, p)
	w.head.Magic, w.head.Size = layout.PolicyMagic, uint32(len(w.bytes))
	if _, err := binary.Encode(w.bytes, binary.LittleEndian, &w.head); err != nil {
		return nil, err
	}
	return w.bytes, nil
}

// flatWriter appends tables and records in the head where each begins.
type flatWriter struct {
	bytes []byte
	head  layout.Policy
}

// table appends a table.
func table[Row any](w *flatWriter, rows []Row) layout.Table {
	for len(w.bytes)%8 != 0 {
		w.bytes = append(w.bytes, 0)
	}
	t := layout.Table{At: uint32(len(w.bytes)), Count: uint32(len(rows))}
	var err error
	if w.bytes, err = binary.Append(w.bytes, binary.LittleEndian, rows); err != nil {
		panic(err) // cannot happen: rows contain only numbers
	}
	return t
}

func (w *flatWriter) policy(f *Flat, p *Policy) {
	w.domains(f, p)
	w.wheres(p)
	changes := make([]layout.Change, len(p.changes))
	for i, c := range p.changes {
		changes[i] = layout.Change{Named: c.named, Value: c.value}
	}
	w.head.Changes = table(w, changes)
	rules := make([]layout.Rule, len(p.rules))
	for i, r := range p.rules {
		rules[i] = layout.Rule{Change: r.change, Where: r.where, End: r.end, Start: r.rate.Start, Max: r.rate.Max, Every: r.rate.Every, Backtrace: r.backtrace}
	}
	w.head.Rules = table(w, rules)
	ends := make([]layout.WindowEnd, len(p.ends))
	for i, e := range p.ends {
		ends[i] = layout.WindowEnd{All: layout.Bool(e.all), Introspect: e.introspection()}
		for j, d := range f.Domains {
			if d != NoDomain { // otherwise the mode stays NoMode
				ends[i].Modes[j] = uint32(e.modes[d])
				if a := e.activity[d]; a.Set {
					ends[i].Activity[j] = 1 + uint32(a.Kind)
				}
			}
		}
	}
	w.head.Ends = table(w, ends)
	w.entries(f, p)
	w.knobs(f.Knobs)
	w.modules(f, p)
	w.head.Met = table(w, make([]uint32, len(p.entries)))
}

// domains writes the rows of the domains, and the table of sections.
func (w *flatWriter) domains(f *Flat, p *Policy) {
	var sections []layout.Section
	for i, d := range f.Domains {
		if d == NoDomain {
			w.head.Domains[i].Mode = uint32(Off)
			continue
		}
		t := &p.domains[d]
		w.head.Domains[i] = layout.Domain{
			Mode: uint32(t.mode), Limits: t.limits, Fallback: t.fallback,
			FirstSection: uint32(len(sections)), Sections: uint32(len(t.sections)), Base: t.base,
			Activity: uint32(t.activity.Kind), Sites: layout.Bool(t.sites),
		}
		for _, s := range t.sections {
			sections = append(sections, layout.Section{Where: s.where, Change: s.change})
		}
	}
	w.head.Sections = table(w, sections)
}

func (w *flatWriter) wheres(p *Policy) {
	wheres := make([]layout.Where, len(p.wheres))
	var tests []layout.Test
	var spans []layout.Interval
	for i, where := range p.wheres {
		wheres[i] = layout.Where{First: uint32(len(tests)), Count: uint32(len(where))}
		for _, t := range where {
			tests = append(tests, layout.Test{Kind: uint32(t.kind), First: uint32(len(spans)), Count: uint32(len(t.set.spans))})
			for _, s := range t.set.spans {
				spans = append(spans, layout.Interval{Low: s.Lo, High: s.Hi})
			}
		}
	}
	w.head.Wheres, w.head.Tests, w.head.Spans = table(w, wheres), table(w, tests), table(w, spans)
}

// entries writes the regions and three ways to find one: a hash table by address, the
// function it lies in, and the hash of its name.
func (w *flatWriter) entries(f *Flat, p *Policy) {
	entries := make([]layout.Entry, len(p.entries))
	for i, e := range p.entries {
		entries[i] = layout.Entry{Address: e.match.Address, Domain: f.domain(e.domain)}
		for j, d := range f.Domains {
			if d != NoDomain {
				entries[i].Rules[j] = e.rules[d]
			}
		}
	}
	w.head.Entries = table(w, entries)
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
	w.head.Slots = table(w, slots)
	w.names(f, p)
}

const flatHash = 0x9e3779b97f4a7c15

func (w *flatWriter) names(f *Flat, p *Policy) {
	var places, ranges []layout.Range // an entry for a place in a function ranks before one for the function
	var names []layout.Name
	for i, e := range p.entries {
		if e.match.Address != 0 {
			continue
		}
		names = append(names, layout.Name{Hash: NameHash(e.match.Name), File: NameHash(e.match.File), Length: uint32(len(e.match.File)), Entry: uint32(i)})
		if f.Code != nil {
			for _, r := range f.Code(e.match) {
				row := layout.Range{Low: r.Low, High: r.High, Entry: uint32(i)}
				if e.match.IsPlace() {
					places = append(places, row)
				} else {
					ranges = append(ranges, row)
				}
			}
		}
	}
	w.head.Ranges, w.head.Names = table(w, append(places, ranges...)), table(w, names)
}

// domain is the agent's number of a domain. layout.Domains means any domain; a domain that the agent lacks means none.
func (f *Flat) domain(d int) uint32 {
	if d < 0 {
		return layout.Domains
	}
	for i, own := range f.Domains {
		if int(own) == d {
			return uint32(i)
		}
	}
	return layout.Domains + 1
}

// NameHash is the hash by which agents find a region's name: FNV-1a in 56 bits.
func NameHash(name string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 0x100000001b3
	}
	return h &^ (0xff << 56)
}

func (w *flatWriter) knobs(list []Knob) {
	rows := make([]layout.Knob, len(list))
	for i, k := range list {
		rows[i].Integer, rows[i].Number = k.Integer, k.Number
		copy(rows[i].Name[:len(rows[i].Name)-1], k.Name) // keep the zero that ends the text
		copy(rows[i].Text[:len(rows[i].Text)-1], k.Text)
	}
	w.head.Knobs = table(w, rows)
}

// modules writes the module patterns of the domain that has some.
func (w *flatWriter) modules(f *Flat, p *Policy) {
	var text []byte
	for _, d := range f.Domains {
		if d == NoDomain {
			continue
		}
		for _, pattern := range p.domains[d].modules {
			text = append(append(text, pattern...), 0)
		}
	}
	w.head.Modules = table(w, text)
}

// Fingerprint returns the fingerprint of a configuration, together with the values for the
// traced program and the catalogue that gives both their meaning.
func Fingerprint(c *Catalog, l Layers, knobs []Knob) fingerprint.Sum {
	form := struct {
		Domains []Domain
		Layers  Layers
		Knobs   map[string]Knob
	}{c.domains, l, map[string]Knob{}}
	for _, k := range knobs {
		form.Knobs[k.Name] = k
	}
	return fingerprint.Of(form)
}
