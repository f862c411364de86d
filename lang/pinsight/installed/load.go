package installed

import (
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
	"github.com/pentode-dev/pentode/run/trace"
)

// The sizes of PInsight's buffers and tables.
const (
	LineBuffer = 1023 // bytes of a line; the rest of a longer one is read as another line
	MaxRegions = 512  // with one more address the program crashes
	MaxIDs     = 64   // regions of one header

	maxID   = 255 // bytes of a region's name with file and domain
	maxName = 127
	maxFile = 63
)

const space = " \t\n\v\f\r"

// Load reads a file and changes the state, as PInsight does at its start and at a reload.
func (n *State) Load(f *source.File) {
	n.noFile = false
	for i := range n.PerDomain {
		n.PerDomain[i].defined = false
	}
	for _, e := range n.Regions {
		if e.Name != "" {
			e.Removed = true
		}
	}
	r := &loader{State: n, file: f}
	for at := 0; at < f.Len() && !n.crashed; {
		end := f.Len()
		if i := strings.IndexByte(f.Text()[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		end = min(end, at+LineBuffer)
		if !r.line(at, end) {
			break
		}
		at = end
	}
	for i := range n.PerDomain {
		if !n.PerDomain[i].defined {
			n.compute(trace.DomainID(i))
		}
	}
}

// loader reads a file line by line.
type loader struct {
	*State
	file *source.File

	kind    sectionKind // the kind of the current section
	domain  trace.DomainID
	units   *Units
	entries []*Entry
}

type sectionKind uint8

const (
	nothing sectionKind = iota
	inDomain
	inUnits
	inRegions
	inKnob
	inEnergy
	inManifest
)

// line reads one line. It returns false if PInsight stops reading there.
func (r *loader) line(start, end int) bool {
	text := r.file.Text()
	for start < end && strings.IndexByte(space, text[start]) >= 0 {
		start++
	}
	for end > start && strings.IndexByte(space, text[end-1]) >= 0 {
		end--
	}
	switch {
	case start == end || text[start] == '#':
		return true
	case text[start] == '[':
		return r.header(text[start:end], r.file.Span(start, end))
	}
	key, value, ok := strings.Cut(text[start:end], "=")
	if ok {
		r.entry(strings.Trim(key, space), strings.Trim(value, space), r.file.Span(start, end))
	}
	return true
}

// header begins a section. It skips a header that it does not understand.
func (r *loader) header(text string, span source.Span) bool {
	r.kind, r.entries, r.units = nothing, nil, nil
	inside, tail, closed := strings.Cut(text[1:], "]")
	if !closed {
		return false
	}
	act, target := parseAction(inside)
	inherit, units, limited := parseTail(tail)
	switch {
	case target == "Lexgion.default":
		r.regionDefault(act, inherit, span)
	case strings.HasPrefix(target, "Lexgion("):
		r.region(act, target, inherit, units, limited, span)
	case strings.HasPrefix(target, "Lexgion"):
	case target == "Knob":
		r.kind = inKnob
	case target == "Energy":
		r.kind = inEnergy
	case target == "Manifest":
		r.kind = inManifest
	case strings.Contains(target, ".default"):
		name, _, _ := strings.Cut(target, ".")
		if d, ok := r.catalog.Domain(name); ok {
			r.domainDefault(act, d, span)
		}
	default:
		r.unitSection(act, target, inherit, units)
	}
	return true
}

// parseAction splits off the action, which must be right after the bracket and be followed by a blank.
func parseAction(inside string) (syntax.Action, string) {
	for _, a := range []syntax.Action{syntax.Set, syntax.Reset, syntax.Remove} {
		if rest, ok := cutPrefixFold(inside, a.String()+" "); ok {
			return a, strings.Trim(rest, space)
		}
	}
	return syntax.Set, strings.Trim(inside, space)
}

// parseTail splits the text after the bracket at its colons; adjacent colons count as one. limited reports whether it has a part for units.
func parseTail(tail string) (inherit, units string, limited bool) {
	tail = strings.TrimLeft(tail, space)
	if !strings.HasPrefix(tail, ":") {
		return "", "", false
	}
	var fields []string
	for f := range strings.SplitSeq(tail, ":") {
		if f != "" {
			fields = append(fields, f)
		}
	}
	if len(fields) > 0 {
		inherit = strings.Trim(fields[0], space)
	}
	if limited = len(fields) > 1; limited {
		units = strings.Trim(fields[1], space)
	}
	return inherit, units, limited
}

func (r *loader) domainDefault(act syntax.Action, d trace.DomainID, span source.Span) {
	dom := &r.Domains[d]
	switch act {
	case syntax.Set:
		r.kind, r.domain = inDomain, d
	case syntax.Reset:
		dom.Events = r.catalog.Defaults(d)
		dom.LastMode, dom.Mode, dom.Waits = dom.Mode, trace.Tracing, false
		for _, e := range r.catalog.Domains()[d].Events {
			if key := r.catalog.Name(d) + ".default." + e.Name; r.steps[key] != nil {
				r.wrote(key, trace.OnOff(e.On), span)
			}
		}
	}
}

func (r *loader) regionDefault(act syntax.Action, inherit string, span source.Span) {
	switch act {
	case syntax.Set:
		r.inherit(&r.Default, inherit)
		r.Default.place = span
		r.kind, r.entries = inRegions, []*Entry{&r.Default}
	case syntax.Reset:
		r.Default.reset()
	}
}

func (r *loader) region(act syntax.Action, target, inherit, units string, limited bool, span source.Span) {
	args, rest, closed := strings.Cut(target[len("Lexgion("):], ")")
	if !closed {
		return
	}
	if rest == ".default" {
		d, ok := r.catalog.Domain(args)
		if !ok {
			return
		}
		// PInsight recreates the section for every action, even if it then refuses the action.
		e := r.compute(d)
		e.place = span
		if act == syntax.Set {
			r.inherit(e, inherit)
			r.kind, r.entries = inRegions, []*Entry{e}
		}
		return
	}
	count := 0
	for id := range strings.SplitSeq(args, ",") {
		if id = strings.Trim(id, space); id == "" {
			continue
		}
		if count == MaxIDs {
			break
		}
		e := r.find(id, act)
		if r.crashed {
			return
		}
		if e == nil {
			continue
		}
		count++
		if act == syntax.Remove {
			e.Removed = true
			continue
		}
		e.Removed, e.place = false, span
		if act == syntax.Set {
			r.inherit(e, inherit)
			if limited {
				units = r.constrain(e, units)
			}
			r.entries = append(r.entries, e)
			r.kind = inRegions
		}
	}
}

// find returns the entry of an address or name, and creates it if it does not exist.
func (r *loader) find(id string, act syntax.Action) *Entry {
	e := Entry{Domain: -1}
	if hex, ok := cutPrefixFold(id, "0x"); ok {
		e.Address, e.Domain = strtoull(hex), 0
		for _, have := range r.Regions {
			if have.Address == e.Address {
				return have
			}
		}
	} else {
		parts := strings.SplitN(id[:min(len(id), maxID)], ":", 3)
		e.Name = parts[len(parts)-1]
		d, known := r.catalog.Domain(parts[0])
		switch {
		case len(parts) == 3 && !known:
			return nil
		case len(parts) == 3:
			e.Domain, e.File = int(d), parts[1]
		case len(parts) == 2 && known:
			e.Domain = int(d)
		case len(parts) == 2:
			e.File = parts[0]
		}
		if act == syntax.Remove || e.Name == "" {
			return nil
		}
		for _, have := range r.Regions {
			if have.Name == e.Name && have.Domain == e.Domain {
				return have
			}
		}
		// PInsight cuts the name only after the search, so it never finds a longer name again.
		e.Name, e.File = e.Name[:min(len(e.Name), maxName)], e.File[:min(len(e.File), maxFile)]
	}
	if len(r.Regions) == MaxRegions {
		r.crashed = e.Name == ""
		return nil
	}
	r.Default.copyTo(&e)
	e.section = r.match(&e).String()
	r.Regions = append(r.Regions, &e)
	return &e
}

func (n *State) match(e *Entry) trace.Match {
	m := trace.Match{Address: e.Address, Name: e.Name, File: e.File}
	if e.Name != "" && e.Domain >= 0 {
		m.Domain = n.catalog.Name(trace.DomainID(e.Domain))
	}
	return m
}

// inherit copies the events of the defaults in a list.
func (r *loader) inherit(e *Entry, list string) {
	for item := range strings.SplitSeq(list, ",") {
		name, ok := strings.CutSuffix(strings.Trim(item, space), ".default")
		if !ok {
			continue
		}
		if d, ok := r.catalog.Domain(name); ok {
			e.inherit(d, r.Domains[d].Events)
		}
	}
}

// constrain limits a region to units. A list that cannot be read to its end does not make the region limited, and the later regions of the header
// get only the text that unitList leaves. A list without any known unit is still a limit, which no unit satisfies.
func (r *loader) constrain(e *Entry, list string) string {
	sets, left := r.unitList(list)
	e.Units = e.Units.With(sets...)
	if left != "" {
		return left
	}
	e.Constrained = true
	return list
}

// HeaderUnits returns the units that PInsight finds in the text after the bracket of a header.
func (n *State) HeaderUnits(tail string) trace.Constraints {
	_, units, _ := parseTail(tail)
	sets, _ := n.unitList(units)
	return sets
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
