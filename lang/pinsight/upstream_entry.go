package pinsight

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/trace"
)

// entry applies a line to the section it stands in.
func (r *installer) entry(key, value string, span source.Span) {
	switch r.kind {
	case inDomain:
		r.domainEntry(key, value, span)
	case inUnits:
		if e, ok := r.settable(r.domain, key); ok {
			on := r.installedSwitch(r.domain, e, value)
			r.units.events.put(e, on)
			r.wrote(r.units.name()+"."+key, switchText(on), span)
		}
	case inRegions:
		for _, e := range r.entries {
			r.regionEntry(e, key, value, span)
		}
	case inKnob:
		r.knob(key, value, span)
	case inEnergy:
		if key == "measure" {
			r.energy = parsePolicy(value)
			r.wrote("Energy.measure", r.energy.String(), span)
		}
	case inManifest:
		if key == "interval" {
			r.interval = atoi(value)
			r.wrote("Manifest.interval", strconv.Itoa(int(r.interval)), span)
		}
	}
}

func (r *installer) domainEntry(key, value string, span source.Span) {
	dom, name := &r.domains[r.domain], r.catalog.domainName(r.domain)
	if key == modeKey {
		dom.lastMode, dom.mode = dom.mode, installedMode(value)
		r.wrote(name+".default."+modeKey, dom.mode.String(), span)
		return
	}
	if slices.Contains(r.catalog.policies[r.domain], key) {
		dom.policy = parsePolicy(value)
		r.wrote(name+".default."+key, dom.policy.String(), span)
		return
	}
	if kind, ok := strings.CutPrefix(key, name+"."); ok {
		if i := slices.Index(r.catalog.kindNames(r.domain), kind); i >= 0 {
			dom.ranges[i] = parseRange(value)
			r.wrote(name+".default."+key, dom.ranges[i].String(), span)
		}
		return
	}
	if e, ok := r.settable(r.domain, key); ok {
		on := r.installedSwitch(r.domain, e, value)
		dom.events.put(e, on)
		r.wrote(name+".default."+key, switchText(on), span)
	}
}

// settable finds an event by name. The search ends at the number of events, so
// one with a larger id cannot be named.
func (r *installer) settable(d trace.DomainID, name string) (trace.EventID, bool) {
	e, ok := r.catalog.Event(d, name)
	return e, ok && int(e) < len(r.catalog.Domains()[d].Events)
}

// installedSwitch is on for `on` and `1`, if the event has a callback.
func (r *installer) installedSwitch(d trace.DomainID, e trace.EventID, value string) bool {
	on := strings.EqualFold(value, "on") || value == "1"
	return on && r.catalog.event(eventID{d, e}).On
}

func (r *installer) regionEntry(e *installedEntry, key, value string, span source.Span) {
	switch key {
	case startKey:
		e.start = uint32(atoi(value))
	case maxKey:
		e.max = uint32(atoi(value))
	case rateKey:
		e.every = uint32(atoi(value))
	case "window_timeout":
		e.end.timeout = atoi(value)
	case "window_end_trigger":
		e.end.all = strings.EqualFold(value, "all")
	case endActionKey:
		e.end = r.parseEnd(value, e.end)
	default:
		r.regionEvent(e, key, value, span)
		return
	}
	r.wrote(e.section+"."+key, value, span)
}

// regionEvent reads `Domain.Event`; without the domain it is nothing.
func (r *installer) regionEvent(e *installedEntry, key, value string, span source.Span) {
	domain, name, dotted := strings.Cut(key, ".")
	d, known := r.catalog.Domain(domain)
	if !dotted || !known {
		return
	}
	id, ok := r.settable(d, name)
	if !ok {
		return
	}
	on := r.installedSwitch(d, id, value)
	e.mask(d).put(id, on)
	r.wrote(e.section+"."+key, switchText(on), span)
}

// maxKnobs is the size of its table; maxKnobText the longest text in it.
const (
	maxKnobs    = 64
	maxKnobText = 255
	maxKnobName = 63
)

func (r *installer) knob(key, value string, span source.Span) {
	key = key[:min(len(key), maxKnobName)]
	k := installedKnob{name: key, value: knobValue(value)}
	r.wrote("Knob."+key, value, span)
	for i := range r.knobs {
		if r.knobs[i].name == key {
			r.knobs[i] = k
			return
		}
	}
	if len(r.knobs) < maxKnobs {
		r.knobs = append(r.knobs, k)
	}
}

// knobValue is a number cut to 32 bits, a double, or text.
func knobValue(text string) any {
	if n, rest, ok := strtol(text); ok && rest == "" {
		return int32(n)
	}
	if f, ok := strtod(text); ok {
		return f
	}
	return text[:min(len(text), maxKnobText)]
}

// installedMode is TRACING for everything that it does not know.
func installedMode(text string) trace.Mode { return parseMode(strings.ToUpper(text)) }

// parsePolicy is `off` for everything that it does not know.
func parsePolicy(text string) nodePolicy {
	name, ms, timed := strings.Cut(text, ":")
	i := slices.IndexFunc(policies, func(p string) bool { return strings.EqualFold(p, name) })
	switch {
	case i < 0 || timed && policies[i] != "rotate_per_node":
		return nodePolicy{name: "off"}
	case policies[i] != "rotate_per_node":
		return nodePolicy{name: policies[i]}
	}
	p := nodePolicy{name: policies[i], ms: 1000}
	if timed {
		p.ms = atoi(ms)
	}
	return p
}

func (p nodePolicy) String() string {
	if p.ms == 0 {
		return p.name
	}
	return p.name + ":" + strconv.Itoa(int(p.ms))
}

// parseRange reads `(low-high)`: a number, and one more after `,` or `-`.
func parseRange(text string) installedRange {
	text = strings.TrimLeft(text, "("+space)
	low, rest, _ := strtol(text)
	rest = strings.TrimLeft(rest, space)
	if rest == "" || rest[0] != ',' && rest[0] != '-' {
		return installedRange{int32(low), int32(low)}
	}
	high, _, _ := strtol(rest[1:])
	return installedRange{int32(low), int32(high)}
}

func (r installedRange) String() string {
	return "(" + strconv.Itoa(int(r.low)) + "-" + strconv.Itoa(int(r.high)) + ")"
}

// atoi is C's: the number at the front, or 0.
func atoi(text string) int32 {
	n, _, _ := decimal(text)
	return n
}

// decimal is C's strtol with base 10, cut to an int: the number at the front
// and what follows it.
func decimal(text string) (n int32, rest string, ok bool) {
	s := strings.TrimLeft(text, space)
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	start := i
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == start {
		return 0, text, false
	}
	long, _ := strconv.ParseInt(s[:i], 10, 64) // too large: the largest, as in C
	return int32(long), s[i:], true
}

// strtol is C's with base 0: the number at the front and what follows it.
func strtol(text string) (n int64, rest string, ok bool) {
	s := strings.TrimLeft(text, space)
	i, negative := 0, false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		negative = s[i] == '-'
		i++
	}
	base, digits := 10, "0123456789"
	switch {
	case len(s) > i+2 && s[i] == '0' && s[i+1]|0x20 == 'x' && strings.IndexByte("0123456789abcdef", s[i+2]|0x20) >= 0:
		base, digits = 16, "0123456789abcdef"
		i += 2
	case len(s) > i && s[i] == '0':
		base, digits = 8, "01234567"
	}
	start := i
	for i < len(s) && strings.IndexByte(digits, s[i]|0x20) >= 0 && (s[i] >= 'A' || s[i] >= '0' && s[i] <= '9') {
		i++
	}
	if i == start {
		return 0, text, false
	}
	sign := ""
	if negative {
		sign = "-"
	}
	n, _ = strconv.ParseInt(sign+s[start:i], base, 64) // too large: the largest, as in C
	return n, s[i:], true
}

// strtod is C's where it takes the whole text.
func strtod(text string) (float64, bool) {
	unsigned := strings.TrimLeft(text, "+-")
	if len(text)-len(unsigned) > 1 || strings.Contains(text, "_") {
		return 0, false
	}
	lower := strings.ToLower(unsigned)
	switch {
	case lower == "nan", strings.HasPrefix(lower, "nan(") && strings.HasSuffix(lower, ")"):
		return math.NaN(), true
	case strings.HasPrefix(lower, "0x") && !strings.Contains(lower, "p"):
		text += "p0" // Go wants an exponent
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil || errors.Is(err, strconv.ErrRange)
}
