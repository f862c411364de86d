package trace

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
)

// Change is one difference between two configurations. Old or New is empty if only one of them has the setting.
type Change struct {
	Section, Key string
	Old, New     string
	Place        source.Span // of New, else of Old
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
	if !c.Place.IsZero() {
		s += " (" + c.Place.String() + ")"
	}
	return s
}

// fact is one setting as text, for comparison.
type fact struct {
	key   factKey
	value string
	place source.Span
}

type factKey struct{ section, key string }

// Diff returns the changes from before to after; before may be nil.
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

// distinct numbers the second and further occurrences of a section, so that all keys differ.
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

// lister lists the facts of one section after another.
type lister struct {
	facts   []fact
	section string
}

func (l *lister) add(key, value string, place source.Span) {
	l.facts = append(l.facts, fact{factKey{l.section, key}, value, place})
}

func (l *lister) events(prefix string, events Events) {
	for _, name := range slices.Sorted(maps.Keys(events)) {
		l.add(prefix+name, OnOff(events[name].On), events[name].Place)
	}
}

func (l *lister) byDomain(events map[string]Events) {
	for _, d := range slices.Sorted(maps.Keys(events)) {
		l.events(d+".", events[d])
	}
}

func (l *lister) units(constraints Constraints) {
	for _, c := range constraints {
		l.add(c.Unit(), "("+c.Set.String()+")", c.Place)
	}
}

func (l *lister) number(key string, n Number, text func(uint32) string) {
	if n.Set {
		l.add(key, text(n.Value), n.Place)
	}
}

func (l *lister) rate(prefix string, r RateLayer) {
	l.number(prefix+StartKey, r.Start, decimal)
	l.number(prefix+MaxKey, r.Max, limit)
	l.number(prefix+EveryKey, r.Every, decimal)
}

func (l *lister) region(r RegionLayer) {
	l.byDomain(r.Events)
	if r.Snapshot != nil {
		l.add("snapshot", "taken", r.Place)
		l.events("snapshot of ", r.Snapshot.Events)
		l.rate("snapshot of ", r.Snapshot.Rate)
	}
	l.rate("", r.Rate)
	if r.End != nil {
		l.add("window end", r.End.String(), r.Place)
	}
	l.number("window timeout", r.Timeout, decimal)
	l.number(BacktraceKey, r.Backtrace, decimal)
}

func (c *Config) facts() []fact {
	var l lister
	for _, d := range slices.Sorted(maps.Keys(c.Domains)) {
		l.section = d + ".default"
		layer := c.Domains[d]
		l.events("", layer.Events)
		l.units(layer.Limits)
		if layer.Mode != NoMode {
			l.add(ModeKey, layer.Mode.String(), layer.ModePlace)
		}
		if layer.Activity.Set {
			l.add(ActivityKey, layer.Activity.String(), layer.Activity.Place)
		}
		if layer.Sites.Set {
			l.add(SiteKey, OnOff(layer.Sites.On), layer.Sites.Place)
		}
		if layer.Modules.Set {
			l.add(ModulesKey, layer.Modules.String(), layer.Modules.Place)
		}
	}
	order := map[string][]string{}
	for _, u := range c.Units {
		if u.Removed {
			continue
		}
		l.section = u.Target.String()
		order[u.Domain] = append(order[u.Domain], l.section)
		l.add("", "set", u.Place)
		l.units(u.Also)
		l.events("", u.Events)
	}
	for _, d := range slices.Sorted(maps.Keys(order)) {
		if len(order[d]) > 1 {
			l.section = d
			l.add("order of sections for units", strings.Join(order[d], " "), source.Span{})
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
		l.add(ModeKey, n.Modes[d].String(), source.Span{})
		if n.Activity[d].Set {
			l.add(ActivityKey, n.Activity[d].String(), source.Span{})
		}
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
	l.add(StartKey, decimal(e.Rate.Start), e.Place)
	l.add(MaxKey, limit(e.Rate.Max), e.Place)
	l.add(EveryKey, decimal(e.Rate.Every), e.Place)
	if e.End != nil {
		l.add("window end", e.End.String(), e.Place)
	}
	if e.Timeout > 0 {
		l.add("window timeout", decimal(e.Timeout), e.Place)
	}
}

func (w *WindowEnd) String() string {
	var parts []string
	for _, d := range slices.Sorted(maps.Keys(w.Modes)) {
		parts = append(parts, d+":"+w.Modes[d].String())
	}
	for _, d := range slices.Sorted(maps.Keys(w.Activity)) {
		parts = append(parts, d+":"+ActivityKey+"="+w.Activity[d].String())
	}
	s := strings.Join(parts, ", ")
	if i := w.Introspect; i != nil {
		s = strings.TrimSpace(fmt.Sprintf("INTROSPECT:%d:%s %s", i.Pause, i.Script, s))
	}
	if w.All {
		s += " when all have ended"
	}
	return s
}

// The keys of a configuration whose meaning the engine knows.
const (
	ModeKey      = "trace_mode"
	StartKey     = "trace_starts_at"
	MaxKey       = "max_num_traces"
	EveryKey     = "tracing_rate"
	BacktraceKey = "backtrace"
)

func perDomainName(domain string) string { return "Lexgion(" + domain + ").default" }

// OnOff returns an event's state as configurations write it.
func OnOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func decimal(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

// limit writes a Max the way configurations do.
func limit(n uint32) string {
	if n == Unlimited {
		return "-1"
	}
	return decimal(n)
}
