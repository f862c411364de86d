package pinsight

import (
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/trace"
)

// lineBuffer is how much of a line an installed PInsight reads at a time;
// what is left of a longer line is a line of its own to it.
const lineBuffer = 1023

// maxRegions is the size of its table. One address more crashes it.
const maxRegions = 512

// maxIDs is how many regions one header can name; the others are how much of
// each it keeps.
const (
	maxIDs  = 64
	maxID   = 255
	maxName = 127
	maxFile = 63
)

const space = " \t\n\v\f\r"

// load reads a file onto the state, as a start or a reload does.
func (n *installed) load(f *source.File) {
	n.noFile = false
	for i := range n.per {
		n.per[i].defined = false
	}
	for _, e := range n.regions {
		if e.name != "" {
			e.removed = true
		}
	}
	r := &installer{installed: n, file: f}
	for at := 0; at < f.Len() && !n.broken; {
		end := f.Len()
		if i := strings.IndexByte(f.Text()[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		end = min(end, at+lineBuffer)
		if !r.line(at, end) {
			break
		}
		at = end
	}
	for i := range n.per {
		if !n.per[i].defined {
			n.compute(trace.DomainID(i))
		}
	}
}

// installer reads a file line by line.
type installer struct {
	*installed
	file *source.File

	kind    installedKind
	domain  trace.DomainID
	units   *installedUnits
	entries []*installedEntry
}

type installedKind uint8

const (
	nothing installedKind = iota
	inDomain
	inUnits
	inRegions
	inKnob
	inEnergy
	inManifest
)

// line reads one line; false ends the file.
func (r *installer) line(start, end int) bool {
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

// header begins a section. Whatever it does not understand it passes over.
func (r *installer) header(text string, span source.Span) bool {
	r.kind, r.entries, r.units = nothing, nil, nil
	inside, tail, closed := strings.Cut(text[1:], "]")
	if !closed {
		return false
	}
	act, target := installedAction(inside)
	inherit, units := installedTail(tail)
	switch {
	case target == "Lexgion.default":
		r.regionDefault(act, inherit, span)
	case strings.HasPrefix(target, "Lexgion("):
		r.region(act, target, inherit, units, span)
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

// installedAction takes the action off the front: right after the bracket,
// and followed by a blank.
func installedAction(inside string) (action, string) {
	for _, a := range []action{actionSet, actionReset, actionRemove} {
		if rest, ok := cutPrefixFold(inside, a.String()+" "); ok {
			return a, strings.Trim(rest, space)
		}
	}
	return actionSet, strings.Trim(inside, space)
}

// installedTail cuts what follows the bracket at its colons; colons that
// touch are one.
func installedTail(tail string) (inherit, units string) {
	tail = strings.TrimLeft(tail, space)
	if !strings.HasPrefix(tail, ":") {
		return "", ""
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
	if len(fields) > 1 {
		units = strings.Trim(fields[1], space)
	}
	return inherit, units
}

func (r *installer) domainDefault(act action, d trace.DomainID, span source.Span) {
	dom := &r.domains[d]
	switch act {
	case actionSet:
		r.kind, r.domain = inDomain, d
	case actionReset:
		dom.events = installMask(r.catalog.Domains()[d])
		dom.lastMode, dom.mode = dom.mode, trace.Tracing
		for _, e := range r.catalog.Domains()[d].Events {
			if key := r.catalog.domainName(d) + ".default." + e.Name; r.steps[key] != nil {
				r.wrote(key, switchText(e.On), span)
			}
		}
	}
}

func (r *installer) regionDefault(act action, inherit string, span source.Span) {
	switch act {
	case actionSet:
		r.inherit(&r.dflt, inherit)
		r.dflt.place = span
		r.kind, r.entries = inRegions, []*installedEntry{&r.dflt}
	case actionReset:
		r.dflt.reset()
	}
}

func (r *installer) region(act action, target, inherit, units string, span source.Span) {
	args, rest, closed := strings.Cut(target[len("Lexgion("):], ")")
	if !closed {
		return
	}
	if rest == ".default" {
		d, ok := r.catalog.Domain(args)
		if !ok {
			return
		}
		// It is made anew whatever the action, also one that is then refused.
		e := r.compute(d)
		e.place = span
		if act == actionSet {
			r.inherit(e, inherit)
			r.kind, r.entries = inRegions, []*installedEntry{e}
		}
		return
	}
	count := 0
	for id := range strings.SplitSeq(args, ",") {
		if id = strings.Trim(id, space); id == "" {
			continue
		}
		if count == maxIDs {
			break
		}
		e := r.find(id, act)
		if r.broken {
			return
		}
		if e == nil {
			continue
		}
		count++
		if act == actionRemove {
			e.removed = true
			continue
		}
		e.removed, e.place = false, span
		if act == actionSet {
			r.inherit(e, inherit)
			units = r.constrain(e, units)
			r.entries = append(r.entries, e)
			r.kind = inRegions
		}
	}
}

// find gets or makes the entry of an address or name.
func (r *installer) find(id string, act action) *installedEntry {
	e := installedEntry{domain: -1}
	if hex, ok := cutPrefixFold(id, "0x"); ok {
		e.address, e.domain = leadingHex(hex), 0
		for _, have := range r.regions {
			if have.address == e.address {
				return have
			}
		}
	} else {
		parts := strings.SplitN(id[:min(len(id), maxID)], ":", 3)
		e.name = parts[len(parts)-1]
		d, known := r.catalog.Domain(parts[0])
		switch {
		case len(parts) == 3 && !known:
			return nil
		case len(parts) == 3:
			e.domain, e.file = int(d), parts[1]
		case len(parts) == 2 && known:
			e.domain = int(d)
		case len(parts) == 2:
			e.file = parts[0]
		}
		if act == actionRemove || e.name == "" {
			return nil
		}
		e.name, e.file = e.name[:min(len(e.name), maxName)], e.file[:min(len(e.file), maxFile)]
		for _, have := range r.regions {
			if have.name == e.name && have.domain == e.domain {
				return have
			}
		}
	}
	if len(r.regions) == maxRegions {
		r.broken = e.name == ""
		return nil
	}
	r.dflt.copyTo(&e)
	e.section = r.match(&e).String()
	r.regions = append(r.regions, &e)
	return &e
}

func (n *installed) match(e *installedEntry) trace.Match {
	m := trace.Match{Address: e.address, Name: e.name, File: e.file}
	if e.name != "" && e.domain >= 0 {
		m.Domain = n.catalog.domainName(trace.DomainID(e.domain))
	}
	return m
}

// leadingHex is the number at the front, as strtoull reads it.
func leadingHex(s string) uint64 {
	var n uint64
	for i := 0; i < len(s); i++ {
		digit := strings.IndexByte("0123456789abcdef", s[i]|0x20)
		if digit < 0 || s[i] < '0' {
			break
		}
		if n >= 1<<60 {
			return 1<<64 - 1
		}
		n = n<<4 | uint64(digit)
	}
	return n
}

// inherit copies the events of the defaults in a list.
func (r *installer) inherit(e *installedEntry, list string) {
	for item := range strings.SplitSeq(list, ",") {
		name, ok := strings.CutSuffix(strings.Trim(item, space), ".default")
		if !ok {
			continue
		}
		if d, ok := r.catalog.Domain(name); ok {
			e.inherit(d, r.domains[d].events)
		}
	}
}

// constrain limits a region to units. A list that cannot be read leaves the
// region without any limit, and later regions of the header with less of the list.
func (r *installer) constrain(e *installedEntry, list string) string {
	sets, left := r.unitList(list)
	e.units = replaceUnits(e.units, sets)
	if left != "" {
		return left
	}
	e.constrained = e.constrained || len(sets) > 0
	return list
}
