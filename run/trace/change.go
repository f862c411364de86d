package trace

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Change is one difference between two configurations. Old or New is empty
// where the setting is only in one of them.
type Change struct {
	Section, Key string
	Old, New     string
	Place        string // of New, else of Old
}

func (c Change) String() string {
	s := "`" + c.Section + "`"
	if c.Key != "" {
		s += " " + c.Key
	}
	switch {
	case c.Old == "":
		s += ": now " + c.New
	case c.New == "":
		s += ": no longer " + c.Old
	default:
		s += ": " + c.Old + " → " + c.New
	}
	if c.Place != "" {
		s += " (" + c.Place + ")"
	}
	return s
}

// fact is one setting as text, for comparing.
type fact struct {
	key   factKey
	value string
	place string
}

type factKey struct{ section, key string }

// Diff returns what is different in after; before may be nil.
func Diff(before, after Layers) []Change {
	var old []fact
	if before != nil {
		old = distinct(before.facts())
	}
	next := distinct(after.facts())
	was := byKey(old)
	is := byKey(next)
	var changes []Change
	for _, f := range next {
		if o := was[f.key]; o.value != f.value {
			changes = append(changes, Change{f.key.section, f.key.key, o.value, f.value, f.place})
		}
	}
	for _, o := range old {
		if _, stays := is[o.key]; !stays {
			changes = append(changes, Change{o.key.section, o.key.key, o.value, "", o.place})
		}
	}
	return changes
}

// distinct tells apart the sections that are there twice.
func distinct(facts []fact) []fact {
	seen := make(map[factKey]int, len(facts))
	for i := range facts {
		k := facts[i].key
		seen[k]++
		if n := seen[k]; n > 1 {
			facts[i].key.section = fmt.Sprintf("%s, no. %d", k.section, n)
		}
	}
	return facts
}

func byKey(facts []fact) map[factKey]fact {
	m := make(map[factKey]fact, len(facts))
	for _, f := range facts {
		m[f.key] = f
	}
	return m
}

// lister writes the facts of one section after another.
type lister struct {
	facts   []fact
	section string
}

func (l *lister) add(key, value, place string) {
	l.facts = append(l.facts, fact{factKey{l.section, key}, value, place})
}

func (l *lister) events(prefix string, events Events) {
	for _, name := range slices.Sorted(maps.Keys(events)) {
		l.add(prefix+name, onOff(events[name].On), events[name].Place)
	}
}

func (l *lister) byDomain(events map[string]Events) {
	for _, d := range slices.Sorted(maps.Keys(events)) {
		l.events(d+".", events[d])
	}
}

func (l *lister) units(constraints []Constraint) {
	for _, c := range constraints {
		l.add(c.Domain+"."+c.Kind, "("+c.Set.String()+")", c.Place)
	}
}

func (l *lister) number(key string, n Number, text func(uint32) string) {
	if n.Set {
		l.add(key, text(n.Value), n.Place)
	}
}

func (l *lister) rate(r RateLayer) {
	l.number(startKey, r.Start, decimal)
	l.number(maxKey, r.Max, limit)
	l.number(everyKey, r.Every, decimal)
}

func (l *lister) region(r RegionLayer) {
	l.byDomain(r.Events)
	if r.Snapshot != nil {
		l.add("snapshot", "taken", r.Place)
	}
	l.events("snapshot of ", r.Snapshot)
	l.rate(r.Rate)
}

func (c *Config) facts() []fact {
	var l lister
	for _, d := range slices.Sorted(maps.Keys(c.Domains)) {
		l.section = d + ".default"
		layer := c.Domains[d]
		l.events("", layer.Events)
		l.units(layer.Limits)
		if layer.Mode != NoMode {
			l.add(modeKey, layer.Mode.String(), layer.ModePlace)
		}
	}
	order := map[string][]string{}
	for _, u := range c.Units {
		if u.Removed {
			continue
		}
		l.section = u.name()
		order[u.Domain] = append(order[u.Domain], l.section)
		l.add("", "set", u.Place)
		l.units(u.Also)
		l.events("", u.Events)
	}
	for _, d := range slices.Sorted(maps.Keys(order)) {
		if len(order[d]) > 1 {
			l.section = d
			l.add("order of sections for units", strings.Join(order[d], " "), "")
		}
	}
	l.section = "Lexgion.default"
	l.region(c.Default)
	for _, d := range slices.Sorted(maps.Keys(c.PerDomain)) {
		l.section = perDomainName(d)
		l.region(c.PerDomain[d])
	}
	for _, r := range c.Regions {
		l.section = r.Match.String()
		if r.Removed {
			l.add("", "removed", r.Place)
			continue
		}
		l.add("", "set", r.Place)
		l.units(r.Units)
		l.region(r.RegionLayer)
	}
	return l.facts
}

func (n *Installed) facts() []fact {
	var l lister
	for _, d := range slices.Sorted(maps.Keys(n.Modes)) {
		l.section = d + ".default"
		l.add(modeKey, n.Modes[d].String(), "")
	}
	for _, r := range n.Ranges {
		l.section = r.Domain + ".default"
		l.add(r.Domain+"."+r.Kind, fmt.Sprintf("(%d-%d)", r.Span.Lo, r.Span.Hi), r.Place)
	}
	l.section = "Lexgion.default"
	l.entry(n.Default)
	for _, d := range slices.Sorted(maps.Keys(n.PerDomain)) {
		l.section = perDomainName(d)
		l.entry(n.PerDomain[d])
	}
	for _, r := range n.Regions {
		if r.Removed {
			continue
		}
		l.section = r.Match.String()
		l.entry(r.Entry)
	}
	return l.facts
}

func (l *lister) entry(e Entry) {
	l.add("", "set", e.Place)
	for _, d := range slices.Sorted(maps.Keys(e.Events)) {
		l.add(d+" events", "only those named", e.Place)
	}
	l.byDomain(e.Events)
	l.units(e.Units)
	l.add(startKey, decimal(e.Rate.Start), e.Place)
	l.add(maxKey, limit(e.Rate.Max), e.Place)
	l.add(everyKey, decimal(e.Rate.Every), e.Place)
	if e.End != nil {
		l.add("window end", e.End.String(), e.Place)
	}
}

func (w *WindowEnd) String() string {
	var parts []string
	for _, d := range slices.Sorted(maps.Keys(w.Modes)) {
		parts = append(parts, d+":"+w.Modes[d].String())
	}
	s := strings.Join(parts, ", ")
	if w.All {
		s += " when all have ended"
	}
	return s
}

// The keys of a configuration that an engine knows by meaning.
const (
	modeKey  = "trace_mode"
	startKey = "trace_starts_at"
	maxKey   = "max_num_traces"
	everyKey = "tracing_rate"
)

func perDomainName(domain string) string { return "Lexgion(" + domain + ").default" }

// name returns the section's target: `OpenMP.thread(0-3)`.
func (u UnitLayer) name() string {
	names := make([]string, len(u.Target))
	for i, c := range u.Target {
		names[i] = c.String()
	}
	return strings.Join(names, ", ")
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func decimal(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

// limit writes a Max as configurations do.
func limit(n uint32) string {
	if n == Unlimited {
		return "-1"
	}
	return decimal(n)
}
