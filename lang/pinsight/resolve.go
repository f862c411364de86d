package pinsight

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
	"github.com/pentode-dev/pentode/run/trace"
)

// resolve makes a model from a tree. It skips headers and lines that it cannot use and records their places; check reports what is wrong with
// them.
func resolve(o Options, env *load.Env, t *syntax.Tree) *Model {
	m := &Model{
		Catalog: o.catalog(), options: o, env: env, tree: t,
		Default: &Section{Name: "Lexgion.default"},
	}
	for i, d := range m.Catalog.Domains() {
		id := trace.DomainID(i)
		m.Domains = append(m.Domains, &Section{Name: d.Name + ".default", Domain: id})
		m.PerDomain = append(m.PerDomain, &Section{Name: "Lexgion(" + d.Name + ").default", Domain: id})
	}
	for _, name := range serviceNames {
		m.Services = append(m.Services, &Section{Name: name})
	}
	r := &resolver{
		reader: reader{Model: m}, snapshots: map[trace.DomainID]*snapshot{}, units: map[string]*Section{},
		byName: map[trace.Match]*Section{}, byAddress: make(map[uint64]*Section, len(t.Sections)),
	}
	r.apply(t)
	for _, o := range env.Overrides {
		if section, name, ok := m.overrideKey(o); ok {
			over := syntax.Parse(source.NewFile(commandLine, "["+section+"]\n    "+name+" = "+o.Value+"\n"))
			m.over = append(m.over, over)
			r.apply(over)
		}
	}
	m.Units = slices.DeleteFunc(m.Units, func(s *Section) bool { return s.dropped })
	return m
}

// commandLine stands for the file name of texts that are made from overrides.
const commandLine = "command line"

// overrideKey splits `-s SECTION.KEY=VALUE` into section and key. An override has the same effect as a section with the key at the end of the
// file.
func (m *Model) overrideKey(o load.Override) (section, name string, ok bool) {
	section, name, ok = splitKey(m, o.Key)
	return section, name, ok && !strings.ContainsAny(o.Key+o.Value, "\r\n")
}

// splitKey splits `Lexgion(0x400500).tracing_rate` into section and key. The key follows the last dot that is not in parentheses.
func splitKey(m *Model, key string) (section, name string, ok bool) {
	for _, s := range m.sections {
		if rest, found := strings.CutPrefix(key, s.Name+"."); found {
			return s.Name, rest, true
		}
	}
	depth := 0
	for i := 0; i < len(key); i++ {
		switch key[i] {
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 && i+1 < len(key) && key[i+1] == '.' {
				return key[:i+1], key[i+2:], true
			}
		}
	}
	return "", "", false
}

// resolver applies sections to a model in file order.
type resolver struct {
	reader
	settingRoom []Setting // settings are allocated in blocks, because files have thousands of them
	sectionRoom []Section
	listRoom    []*Setting
	headers     int                 // number of headers read so far
	found       []*Section          // the sections of the current header
	units       map[string]*Section // sections for units, by their target
	byName      map[trace.Match]*Section
	byAddress   map[uint64]*Section
	snapshots   map[trace.DomainID]*snapshot // the current events of each domain
}

// keep appends a value to a block of preallocated values, and returns its address.
func keep[T any](slab *[]T, v T) *T {
	if len(*slab) == cap(*slab) {
		*slab = make([]T, 0, min(max(64, 2*cap(*slab)), 4096))
	}
	*slab = append(*slab, v)
	return &(*slab)[len(*slab)-1]
}

func (r *resolver) apply(t *syntax.Tree) {
	r.tree = t
	for i := range t.Sections {
		s := &t.Sections[i]
		if s.Broken {
			continue
		}
		r.headers++
		r.wrong = false
		h, ok := r.header(s)
		if r.wrong {
			r.mistakes = append(r.mistakes, mistake{tree: t, section: s})
		}
		if ok && h.act == syntax.Set {
			r.set(s, &h)
		} else if ok {
			r.resetOrRemove(s, &h)
		}
	}
}

// set applies a section to its targets.
func (r *resolver) set(s *syntax.Section, h *header) {
	var inherit []*snapshot
	for _, from := range h.inherit {
		inherit = append(inherit, r.snapshot(from.domain, from.at))
	}
	r.bound(h.units)
	r.bound(h.limits)
	span := r.tree.Span(s.Target)
	sections := r.sectionsOf(h, len(s.Entries))
	for i, sec := range sections {
		if sec.At.File == span.File && i == 0 && sec.Removed.IsZero() && sec.reset.Start <= sec.At.Start {
			r.repeats = append(r.repeats, repeat{sectionRepeated, sec.Name, span, sec.At})
		}
		if !sec.Removed.IsZero() {
			*sec = Section{Name: sec.Name, Domain: sec.Domain, Match: sec.Match, reset: sec.Removed}
		}
		if h.kind == regionDomainDefault && sec.base == nil {
			r.fill(sec, span)
		}
		if sec.At.IsZero() || sec.reset.Start > sec.At.Start {
			sec.At = span
			if sec.Match.Name != "" {
				sec.named = h.regions[i].at
			}
		}
		sec.inherit = append(sec.inherit, inherit...)
		sec.Units = sec.Units.With(h.limits...)
	}
	for i := range s.Entries {
		r.line(s, &h.target, sections, &s.Entries[i])
	}
	if h.kind == domainDefault {
		delete(r.snapshots, h.domain)
	}
}

// line applies a line to all sections that its header names.
func (r *resolver) line(s *syntax.Section, tgt *target, sections []*Section, e *syntax.Entry) {
	r.wrong = false
	set, ok := r.entry(tgt, e)
	if r.wrong {
		r.mistakes = append(r.mistakes, mistake{r.tree, s, *tgt, e})
	}
	if !ok {
		return
	}
	set.Span = r.tree.Span(e.Key).To(r.tree.Span(e.Value))
	first := keep(&r.settingRoom, set)
	sections[0].put(first)
	for _, sec := range sections[1:] {
		sec.put(keep(&r.settingRoom, set))
	}
	if prev := first.Prev; prev != nil && prev.kind != resetSetting && prev.Span.File == set.Span.File && prev.Span.Start > int(s.Target.Start) {
		r.repeats = append(r.repeats, repeat{keyRepeated, set.Key, r.tree.Span(e.Key), prev.Span})
	}
}

// resetOrRemove applies RESET or REMOVE.
func (r *resolver) resetOrRemove(s *syntax.Section, h *header) {
	span := r.tree.Span(s.Target)
	switch h.kind {
	case domainUnits:
		r.removeUnits(span, h)
		return
	case domainDefault:
		delete(r.snapshots, h.domain)
		if h.group != "" {
			r.Domains[h.domain].clearSome(span, func(have *Setting) bool {
				return have.kind == eventSetting && r.Catalog.event(have.Event).Subdomain == h.group
			})
			return
		}
	}
	for i, sec := range r.sectionsOf(h, 0) {
		if h.kind != region {
			sec.clear(span)
			continue
		}
		at := r.tree.Span(h.regions[i].at)
		sec.clear(at)
		sec.Units, sec.At, sec.Removed = nil, at, at
	}
	if h.kind == regionDomainDefault {
		r.fill(r.PerDomain[h.domain], span)
	}
}

// fill gives Lexgion(D).default a copy of the current events of D.default and of the current rate of Lexgion.default.
func (r *resolver) fill(sec *Section, at source.Span) {
	sec.base, sec.filled = r.snapshot(sec.Domain, at), nil
	for _, key := range rateKeys {
		if have := r.Default.get(key); have != nil && have.kind != resetSetting {
			sec.filled = append(sec.filled, have)
		}
	}
}

// sectionsOf finds or creates the sections of a header. keys is the number of settings for which it allocates memory.
func (r *resolver) sectionsOf(h *header, keys int) []*Section {
	list := r.found[:0]
	switch h.kind {
	case domainDefault:
		list = append(list, r.Domains[h.domain])
	case domainUnits:
		list = append(list, r.unitSection(h))
	case regionDefault:
		list = append(list, r.Default)
	case regionDomainDefault:
		list = append(list, r.PerDomain[h.domain])
	case service:
		list = append(list, r.Services[slices.Index(serviceNames, h.keys.Name)])
	case region:
		for i := range h.regions {
			ref := &h.regions[i]
			sec := r.regionOf(ref.match, keys)
			if sec.header == r.headers {
				r.repeats = append(r.repeats, repeat{what: regionRepeated, name: r.tree.Of(ref.at), at: r.tree.Span(ref.at)})
				continue
			}
			sec.header, sec.lineStart = r.headers, ref.lineStart
			if ref.line {
				sec.line = r.tree.Of(ref.at)
			}
			if n := len(list); n < i {
				h.regions[n] = *ref
			}
			list = append(list, sec)
		}
	}
	r.found = list
	return list
}

// regionOf finds or creates the section of a region.
func (r *resolver) regionOf(m trace.Match, keys int) *Section {
	sec := r.byAddress[m.Address]
	if m.Address == 0 {
		sec = r.byName[m]
	}
	if sec != nil {
		return sec
	}
	sec = keep(&r.sectionRoom, Section{Name: regionName(m), Match: m, settings: r.room(keys)})
	if m.Address == 0 {
		r.byName[m] = sec
	} else {
		r.byAddress[m.Address] = sec
	}
	r.Regions = append(r.Regions, sec)
	return sec
}

// room returns an empty list with capacity for the given number of settings.
func (r *resolver) room(keys int) []*Setting {
	at := len(r.listRoom)
	if cap(r.listRoom)-at < keys {
		r.listRoom, at = make([]*Setting, 0, max(keys, 4096)), 0
	}
	r.listRoom = r.listRoom[:at+keys]
	return r.listRoom[at : at : at+keys]
}

// regionName returns the name of a region's section, such as `Lexgion(0x400500)`. It avoids fmt for speed, because files have thousands of
// regions.
func regionName(m trace.Match) string {
	if m.Address == 0 {
		return m.String()
	}
	b := append(make([]byte, 0, 32), "Lexgion(0x"...)
	return string(append(strconv.AppendUint(b, m.Address, 16), ')'))
}

// unitSection finds or creates a section for units.
func (r *resolver) unitSection(h *header) *Section {
	name := h.units.String()
	sec := r.units[name]
	if sec == nil {
		sec = &Section{Name: name, Domain: h.domain, Target: h.units}
		r.units[name] = sec
		r.Units = append(r.Units, sec)
	}
	return sec
}

// removeUnits applies REMOVE to one section for units or, with `(*)`, to all of a kind.
func (r *resolver) removeUnits(span source.Span, h *header) {
	name := h.units.String()
	all := h.units[0].Set.Equal(trace.AllUnits())
	if all {
		name = h.units[0].Unit() + "(*)"
	}
	r.Dropped = append(r.Dropped, &Section{Name: name, Domain: h.domain, Target: h.units, At: span})
	if sec := r.units[name]; sec != nil {
		r.drop(sec)
	} else if !all {
		r.missed = append(r.missed, missed{span, r.overlapping(h.units[0])})
	} else {
		for _, sec := range r.Units {
			if !sec.dropped && slices.ContainsFunc(sec.Target, h.units[0].SameKind) {
				r.drop(sec)
			}
		}
	}
}

func (r *resolver) drop(sec *Section) {
	delete(r.units, sec.Name)
	sec.dropped = true // all dropped sections are deleted from the list at the end
}

// overlapping returns sections for units whose first set overlaps a constraint. It returns no more than a message shows, because each search
// visits all sections.
func (r *resolver) overlapping(c trace.Constraint) (list []*Section) {
	if len(r.missed) > diag.MaxPerFile {
		return nil
	}
	for _, have := range r.Units {
		if first := have.Target[0]; !have.dropped && first.SameKind(c) && first.Set.Overlaps(c.Set) {
			list = append(list, have)
		}
	}
	return list
}

// snapshot returns the current events of D.default.
func (r *resolver) snapshot(d trace.DomainID, at source.Span) *snapshot {
	have := r.snapshots[d]
	if have == nil {
		have = r.Domains[d].snapshot(at)
		r.snapshots[d] = have
	}
	if have.at == at {
		return have
	}
	return &snapshot{domain: d, events: have.events, at: at}
}

// bound records constraints without ids, or with ids outside the range of their kinds. The catalogue or D.default sets the range, which may change
// from line to line.
func (r *resolver) bound(list trace.Constraints) {
	for _, c := range list {
		d, _ := r.Catalog.Domain(c.Domain)
		ids := r.Catalog.IDs(c)
		if have := r.Domains[d].get(c.Unit()); have != nil && have.kind == rangeSetting && !have.units.Empty() {
			spans := have.units.Spans()
			ids = trace.Span{Lo: spans[0].Lo, Hi: spans[len(spans)-1].Hi}
		}
		if c.Set.Empty() || !c.Set.Within(ids) {
			r.bounds = append(r.bounds, bound{c, ids})
		}
	}
}
