package installed

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/trace"
)

// entry applies a line to its section.
func (r *loader) entry(key, value string, span source.Span) {
	switch r.kind {
	case inDomain:
		r.domainEntry(key, value, span)
	case inUnits:
		if e, ok := r.settable(r.domain, key); ok {
			on := r.switchedOn(r.domain, e, value)
			r.units.Events.Set(e, on)
			r.wrote(r.units.target.String()+"."+key, trace.OnOff(on), span)
		}
	case inRegions:
		for _, e := range r.entries {
			r.regionEntry(e, key, value, span)
		}
	case inKnob:
		r.knob(key, value, span)
	case inEnergy:
		if key == "measure" {
			r.Energy = parsePolicy(value, r.Energy)
			r.wrote("Energy.measure", r.Energy.String(), span)
		}
	case inManifest:
		if key == "interval" {
			r.Interval = atoi(value)
			r.wrote("Manifest.interval", strconv.Itoa(int(r.Interval)), span)
		}
	}
}

func (r *loader) domainEntry(key, value string, span source.Span) {
	dom, name := &r.Domains[r.domain], r.catalog.Name(r.domain)
	if key == trace.ModeKey {
		dom.LastMode, dom.Waits = dom.Mode, false
		dom.Mode, _ = trace.ParseMode(value)
		r.wrote(name+".default."+trace.ModeKey, dom.Mode.String(), span)
		return
	}
	if slices.Contains(r.policies[r.domain], key) {
		dom.Policy = parsePolicy(value, noPolicy)
		r.wrote(name+".default."+key, dom.Policy.String(), span)
		return
	}
	if kind, ok := strings.CutPrefix(key, name+"."); ok {
		if _, ok := dom.Ranges[kind]; ok {
			dom.Ranges[kind] = ParseRange(value)
			r.wrote(name+".default."+key, dom.Ranges[kind].String(), span)
		}
		return
	}
	if e, ok := r.settable(r.domain, key); ok {
		on := r.switchedOn(r.domain, e, value)
		dom.Events.Set(e, on)
		r.wrote(name+".default."+key, trace.OnOff(on), span)
	}
}

// settable finds an event by name, as an installed PInsight does. It searches only ids below the number of events, so it cannot find an event
// with a larger id. An empty name finds the first id without an event.
func (r *loader) settable(d trace.DomainID, name string) (trace.EventID, bool) {
	count := len(r.catalog.Domains()[d].Events)
	if name != "" {
		e, ok := r.catalog.Event(d, name)
		return e, ok && int(e) < count
	}
	for id := range count {
		if r.catalog.Row(d, trace.EventID(id)) == nil {
			return trace.EventID(id), true
		}
	}
	return 0, false
}

// switchedOn reports whether a line switches an event on: its value is `on` or `1`, and the event has a callback.
func (r *loader) switchedOn(d trace.DomainID, e trace.EventID, value string) bool {
	row := r.catalog.Row(d, e)
	return row != nil && row.On && (strings.EqualFold(value, "on") || value == "1")
}

func (r *loader) regionEntry(e *Entry, key, value string, span source.Span) {
	switch key {
	case trace.StartKey:
		e.Start = uint32(atoi(value))
	case trace.MaxKey:
		e.Max = uint32(atoi(value))
	case trace.EveryKey:
		e.Every = uint32(atoi(value))
	case TimeoutKey:
		e.End.Timeout = atoi(value)
	case TriggerKey:
		e.End.All = strings.EqualFold(value, "all")
	case EndActionKey:
		e.End = r.parseEnd(value, e.End)
	default:
		r.regionEvent(e, key, value, span)
		return
	}
	r.wrote(e.section+"."+key, value, span)
}

// regionEvent reads `Domain.Event`; an event without its domain is ignored.
func (r *loader) regionEvent(e *Entry, key, value string, span source.Span) {
	domain, name, dotted := strings.Cut(key, ".")
	d, known := r.catalog.Domain(domain)
	if !dotted || !known {
		return
	}
	id, ok := r.settable(d, name)
	if !ok {
		return
	}
	on := r.switchedOn(d, id, value)
	e.mask(d).Set(id, on)
	r.wrote(e.section+"."+key, trace.OnOff(on), span)
}

// The sizes of the table of knobs.
const (
	MaxKnobs    = 64
	maxKnobText = 255
	maxKnobName = 63
)

func (r *loader) knob(key, value string, span source.Span) {
	key = key[:min(len(key), maxKnobName)]
	k := Knob{Name: key, Value: knobValue(value)}
	r.wrote("Knob."+key, value, span)
	for i := range r.Knobs {
		if r.Knobs[i].Name == key {
			r.Knobs[i] = k
			return
		}
	}
	if len(r.Knobs) < MaxKnobs {
		r.Knobs = append(r.Knobs, k)
	}
}

// knobValue returns the value of a knob: an integer cut to 32 bits, a double, or a text.
func knobValue(text string) any {
	if n, rest, ok := strtol(text, 0); ok && rest == "" {
		return int32(n)
	}
	if f, ok := strtod(text); ok {
		return f
	}
	return text[:min(len(text), maxKnobText)]
}

// parsePolicy reads a policy. For an unknown name it returns the old policy, which is the declared one or, for energy, the current one. Only
// Rotate can have a time; after any other name a time is ignored.
func parsePolicy(text string, old NodePolicy) NodePolicy {
	name, ms, _ := strings.Cut(strings.TrimLeft(text, " \t"), ":")
	name = strings.TrimRight(name, " \t\r\n")
	i := slices.IndexFunc(Policies, func(p string) bool { return strings.EqualFold(p, name) })
	if i < 0 {
		return NodePolicy{Name: old.Name}
	}
	p := NodePolicy{Name: Policies[i]}
	if p.Name == Rotate {
		if p.MS = atoi(ms); p.MS <= 0 {
			p.MS = 1000
		}
	}
	return p
}

// noPolicy is the policy that every domain declares.
var noPolicy = NodePolicy{Name: Policies[0]}

func (p NodePolicy) String() string {
	if p.MS == 0 {
		return p.Name
	}
	return p.Name + ":" + strconv.Itoa(int(p.MS))
}

// ParseRange reads `(low-high)`: a number, and a second number after `,` or `-`.
func ParseRange(text string) Range {
	text = strings.TrimLeft(text, "("+space)
	low, rest, _ := strtol(text, 0)
	rest = strings.TrimLeft(rest, space)
	if rest == "" || rest[0] != ',' && rest[0] != '-' {
		return Range{int32(low), int32(low)}
	}
	high, _, _ := strtol(rest[1:], 0)
	return Range{int32(low), int32(high)}
}

func (r Range) String() string {
	return "(" + strconv.Itoa(int(r.Low)) + "-" + strconv.Itoa(int(r.High)) + ")"
}
