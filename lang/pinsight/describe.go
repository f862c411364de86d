package pinsight

import (
	"fmt"
	"iter"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/trace"
)

// describe returns the description of the symbol at an occurrence.
func (m *Model) describe(o lang.Occurrence) string {
	_, name, _ := strings.Cut(o.Symbol, " ")
	domain, member, _ := strings.Cut(name, ".")
	id, known := m.Catalog.Domain(domain)
	switch {
	case o.Kind == lang.Region:
		return m.describeRegion(name)
	case o.Kind == lang.Key || o.Kind == lang.Section && !known:
		return m.describeKey(name)
	case !known:
		return ""
	case o.Kind == lang.Event:
		for _, e := range m.Catalog.Domains()[id].Events {
			if e.Name == member {
				return fmt.Sprintf("event `%s` of the domain `%s`, group `%s`\n\nInstalled as `%s`.", e.Name, domain, e.Subdomain, trace.OnOff(e.On))
			}
		}
	case o.Kind == lang.Unit:
		for _, k := range m.Catalog.Domains()[id].Kinds {
			if k.Name == member {
				return fmt.Sprintf("unit `%s` of the domain `%s`, %d to %d", k.Name, domain, k.Low, k.High)
			}
		}
	case o.Kind == lang.Domain || o.Kind == lang.Section:
		d := m.Catalog.Domains()[id]
		return fmt.Sprintf("domain `%s`\n\nUnits: %s.\n\n%d events: %s.", d.Name, quoted(m.Catalog.KindNames(id)), len(d.Events), quoted(m.Catalog.EventNames(id)))
	}
	return ""
}

func quoted(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return "`" + strings.Join(names, "`, `") + "`"
}

// describeRegion describes which executions of a region are traced.
func (m *Model) describeRegion(name string) string {
	text := fmt.Sprintf("region `%s`", name)
	for _, key := range []string{trace.EveryKey, trace.MaxKey, trace.StartKey} {
		value, from := regionKeys.Key(key).Default, "the language's default"
		if have := m.Default.get(key); have != nil && have.kind != resetSetting {
			value, from = have.Value, "`Lexgion.default`"
		}
		for _, s := range m.Regions {
			if have := s.get(key); have != nil && s.Name == "Lexgion("+name+")" && have.kind != resetSetting {
				value, from = have.Value, "its section"
			}
		}
		text += fmt.Sprintf("\n- `%s = %s`, by %s", key, value, from)
	}
	return text
}

func (m *Model) describeKey(name string) string {
	s := schemaOf(m.Catalog)
	for i := range s.Sections {
		if s.Sections[i].Name == name {
			return s.Sections[i].Doc
		}
		if k := s.Sections[i].Key(name); k != nil {
			return k.Describe()
		}
	}
	return ""
}

// hints returns the values that sections get from others: inherited events, and the rate of all regions.
func (m *Model) hints(f *source.File) iter.Seq[lang.Hint] {
	return func(yield func(lang.Hint) bool) {
		if f != m.tree.File() {
			return
		}
		for _, s := range m.sections {
			for _, snap := range s.inherit {
				if !yield(lang.Hint{At: snap.at, Text: m.inherits(snap), Kind: lang.InheritHint}) {
					return
				}
			}
			rate := m.Default.get(trace.EveryKey)
			if s.Match == (trace.Match{}) || s.At.IsZero() || s.get(trace.EveryKey) != nil || rate == nil || rate.kind == resetSetting {
				continue
			}
			if !yield(lang.Hint{At: s.At, Text: trace.EveryKey + " = " + rate.Value, Kind: lang.InheritHint}) {
				return
			}
		}
	}
}

// inherits describes how many of the inherited events of a domain are on.
func (m *Model) inherits(snap *snapshot) string {
	on, events := 0, m.Catalog.Domains()[snap.domain].Events
	for _, e := range events {
		if state, _ := snap.state(m.Catalog, eventID{snap.domain, e.ID}); state {
			on++
		}
	}
	return fmt.Sprintf("%d of %d events on", on, len(events))
}
