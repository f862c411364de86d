package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A policy as bytes: the magic, the catalogue, the tables in the order in which
// they refer to each other, and a checksum of all that. Numbers are varints, except
// masks and set bounds. Every row takes at least one byte, so a reader that
// never makes room for more rows than there are bytes left needs memory in
// proportion to its input.
const magic = "PENTODE TRACE 2\n"

// MarshalBinary returns the policy in a form that other processes can read. It
// holds the catalogue but not the layers.
func (p *Policy) MarshalBinary() ([]byte, error) {
	if p.catalog == nil {
		return nil, errors.New("an empty policy has nothing to write; Compile makes one")
	}
	w := writer(magic)
	w.catalog(p.catalog)
	w.count(len(p.changes))
	for _, c := range p.changes {
		w.mask(c.named)
		w.mask(c.value)
	}
	w.count(len(p.wheres))
	for _, where := range p.wheres {
		w.count(len(where))
		for _, t := range where {
			w.count(int(t.kind))
			w.count(len(t.set.spans))
			for _, s := range t.set.spans {
				w.u32(s.Lo)
				w.u32(s.Hi)
			}
		}
	}
	w.count(len(p.ends))
	for _, e := range p.ends {
		w.flag(e.all)
		w.flag(e.introspect != nil)
		if i := e.introspect; i != nil {
			w.text(i.Script)
			w.u32(uint32(i.Pause))
		}
		for _, m := range e.modes {
			w.count(int(m))
		}
	}
	w.count(len(p.rules))
	for _, r := range p.rules {
		w.count(int(r.change))
		w.count(int(r.where))
		w.count(int(r.end))
		w.u32(r.rate.Start)
		w.u32(r.rate.Max)
		w.u32(r.rate.Every)
	}
	for _, d := range p.domains {
		w.count(int(d.mode))
		w.mask(d.base)
		w.mask(d.rateOnly)
		w.count(int(d.limits))
		w.count(int(d.fallback))
		w.count(len(d.sections))
		for _, s := range d.sections {
			w.count(int(s.where))
			w.count(int(s.change))
		}
	}
	w.u32(p.timer.seconds)
	w.count(int(p.timer.end))
	w.count(len(p.entries))
	for _, e := range p.entries {
		w = binary.AppendUvarint(w, e.match.Address)
		w.text(e.match.Name)
		w.text(e.match.File)
		w.count(e.domain + 1)
		for _, r := range e.rules {
			w.count(int(r))
		}
	}
	return binary.LittleEndian.AppendUint32(w, crc32.ChecksumIEEE(w)), nil
}

type writer []byte

func (w *writer) count(n int)   { *w = binary.AppendUvarint(*w, uint64(n)) }
func (w *writer) u32(n uint32)  { *w = binary.LittleEndian.AppendUint32(*w, n) }
func (w *writer) text(s string) { w.count(len(s)); *w = append(*w, s...) }

func (w *writer) flag(on bool) {
	if on {
		*w = append(*w, 1)
	} else {
		*w = append(*w, 0)
	}
}

func (w *writer) mask(m Mask) {
	for _, word := range m {
		*w = binary.LittleEndian.AppendUint64(*w, word)
	}
}

func (w *writer) catalog(c *Catalog) {
	w.count(len(c.domains))
	for _, d := range c.domains {
		w.text(d.Name)
		w.count(len(d.Events))
		for _, e := range d.Events {
			w.count(int(e.ID))
			w.text(e.Name)
			w.text(e.Subdomain)
			w.flag(e.On)
		}
		w.count(len(d.Kinds))
		for _, k := range d.Kinds {
			w.text(k.Name)
			w.u32(k.Low)
			w.u32(k.High)
		}
	}
}

// UnmarshalBinary reads what MarshalBinary wrote. It accepts nothing that would
// not work: after an error p is unchanged.
func (p *Policy) UnmarshalBinary(data []byte) error {
	body, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok {
		return errors.New("this is not a compiled trace policy of this version")
	}
	if len(body) < 4 {
		return errors.New("the compiled trace policy is cut off")
	}
	sum := binary.LittleEndian.Uint32(body[len(body)-4:])
	if crc32.ChecksumIEEE(data[:len(data)-4]) != sum {
		return errors.New("the compiled trace policy is damaged: its checksum does not fit")
	}
	r := reader{rest: body[:len(body)-4]}
	var read Policy
	r.policy(&read)
	if r.err == nil && len(r.rest) > 0 {
		r.fail("%d bytes follow its end", len(r.rest))
	}
	if r.err != nil {
		return fmt.Errorf("the compiled trace policy is damaged: %w", r.err)
	}
	read.index()
	*p = read
	return nil
}

// reader takes values off the front; after the first problem it only gives zeros.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err, r.rest = fmt.Errorf(format, args...), nil
	}
}

func (r *reader) take(n int) []byte {
	if n > len(r.rest) {
		r.fail("it is cut off")
		return make([]byte, min(n, 8))
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.fail("it is cut off")
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// below reads a number under limit.
func (r *reader) below(limit int, what string) uint32 {
	v := r.uvarint()
	if r.err == nil && v >= uint64(limit) {
		r.fail("%s %d of %d", what, v, limit)
		return 0
	}
	return uint32(v)
}

// rows reads how many rows follow, each of at least size bytes.
func (r *reader) rows(size int) int {
	v := r.uvarint()
	if v > uint64(len(r.rest)/size) {
		r.fail("it is cut off")
		return 0
	}
	return int(v)
}

func (r *reader) u32() uint32  { return binary.LittleEndian.Uint32(r.take(4)) }
func (r *reader) flag() bool   { return r.below(2, "flag") == 1 }
func (r *reader) text() string { return string(r.take(r.rows(1))) }

func (r *reader) mask() (m Mask) {
	for i := range m {
		m[i] = binary.LittleEndian.Uint64(r.take(8))
	}
	return m
}

func (r *reader) catalog() *Catalog {
	domains := make([]Domain, r.rows(3))
	for i := range domains {
		d := &domains[i]
		d.Name = r.text()
		d.Events = make([]Event, r.rows(4))
		for j := range d.Events {
			d.Events[j] = Event{EventID(r.below(MaxEvents, "event")), r.text(), r.text(), r.flag()}
		}
		d.Kinds = make([]Kind, r.rows(9))
		for j := range d.Kinds {
			d.Kinds[j] = Kind{r.text(), r.u32(), r.u32()}
		}
		if r.err != nil {
			return nil
		}
	}
	c, err := NewCatalog(domains...)
	if err != nil {
		r.fail("%w", err)
	}
	return c
}

func (r *reader) where(kinds int) where {
	w := make(where, r.rows(2))
	for i := range w {
		w[i].kind = KindID(r.below(kinds, "unit kind"))
		spans := make([]Span, r.rows(8))
		for j := range spans {
			spans[j] = Span{r.u32(), r.u32()}
			if s := spans[j]; s.Lo > s.Hi || j > 0 && uint64(s.Lo) <= uint64(spans[j-1].Hi)+1 {
				r.fail("the spans of a unit set are not in order")
			}
		}
		w[i].set = Set{spans}
	}
	return w
}

func (r *reader) policy(p *Policy) {
	if p.catalog = r.catalog(); r.err != nil {
		return
	}
	domains := len(p.catalog.domains)

	p.changes = make([]override, r.rows(64))
	for i := range p.changes {
		c := &p.changes[i]
		c.named, c.value = r.mask(), r.mask()
		for j := range c.named {
			if c.value[j]&^c.named[j] != 0 {
				r.fail("an event is switched on that is not named")
			}
		}
	}
	p.wheres = make([]where, r.rows(1))
	for i := range p.wheres {
		p.wheres[i] = r.where(len(p.catalog.kinds))
	}
	p.ends = make([]windowEnd, r.rows(2+domains))
	for i := range p.ends {
		p.ends[i] = windowEnd{all: r.flag(), modes: make([]Mode, domains)}
		if r.flag() {
			p.ends[i].introspect = &Introspection{Script: r.text(), Pause: int32(r.u32())}
		}
		for d := range domains {
			p.ends[i].modes[d] = Mode(r.below(int(Tracing)+1, "mode"))
		}
	}
	p.rules = make([]rule, r.rows(15))
	for i := range p.rules {
		p.rules[i] = rule{
			change: r.below(len(p.changes), "change"),
			where:  r.below(len(p.wheres), "unit set"),
			end:    r.below(len(p.ends)+1, "window end"),
			rate:   Rate{r.u32(), r.u32(), r.u32()},
		}
	}
	p.domains = make([]domainTable, domains)
	for i := range p.domains {
		p.domains[i] = r.domain(p)
	}
	p.timer = timer{r.u32(), r.below(len(p.ends)+1, "window end")}
	p.entries = make([]entry, r.rows(4+domains))
	for i := range p.entries {
		e := &p.entries[i]
		e.match = Match{Address: r.uvarint(), Name: r.text(), File: r.text()}
		if e.domain = int(r.below(domains+1, "domain")) - 1; e.domain >= 0 && r.err == nil {
			e.match.Domain = p.catalog.domains[e.domain].Name
		}
		if e.match.Address == 0 && e.match.Name == "" {
			r.fail("a region has neither address nor name")
		}
		e.rules = make([]uint32, domains)
		for d := range e.rules {
			e.rules[d] = r.below(len(p.rules), "rule")
		}
		if r.err != nil {
			return
		}
	}
}

func (r *reader) domain(p *Policy) domainTable {
	t := domainTable{
		mode:     Mode(r.below(int(Tracing)+1, "mode")),
		base:     r.mask(),
		rateOnly: r.mask(),
		limits:   r.below(len(p.wheres), "unit set"),
		fallback: r.below(len(p.rules), "rule"),
	}
	if t.mode == NoMode {
		r.fail("a domain has no mode")
	}
	t.sections = make([]section, r.rows(2))
	for i := range t.sections {
		t.sections[i] = section{r.below(len(p.wheres), "unit set"), r.below(len(p.changes), "change")}
	}
	return t
}
