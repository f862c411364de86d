package pinsight

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/lang/pinsight/installed"
	"github.com/pentode-dev/pentode/run/trace"
)

// Policy compiles the configuration for the trace engine, in the dialect of the model. If the configuration has errors, it compiles the part that
// could be resolved.
func (m *Model) Policy() (*trace.Policy, error) {
	if n := m.upstream(); n != nil {
		return n.Policy()
	}
	return trace.Compile(m.Catalog.Catalog, m.layers())
}

// Layers returns the configuration in a form that an engine can load while it runs.
func (m *Model) Layers() trace.Layers {
	if n := m.upstream(); n != nil {
		return n.Layers()
	}
	return m.layers()
}

// upstream returns the state of an installed PInsight after reading the same text, or nil in the documented dialect.
func (m *Model) upstream() *installed.State {
	if m.env.Dialect != load.Upstream {
		return nil
	}
	return m.asInstalled()
}

// Unread returns the environment variables that are set and that an installed PInsight would obey, but that the documented dialect ignores.
func (m *Model) Unread() []installed.Variable {
	if m.env.Dialect == load.Upstream {
		return nil
	}
	return slices.DeleteFunc(installed.Variables(m.Catalog.Catalog), func(v installed.Variable) bool {
		_, set := m.env.Getenv(v.Name)
		return !set
	})
}

// Over returns the configuration as a program has it that has already read an earlier one. An installed PInsight keeps the settings that the new file
// does not mention. In the documented dialect, the engine itself merges the two, except for the knobs. An unchanged file changes nothing.
func (m *Model) Over(earlier *Model) *Model {
	if m.tree.File().Text() == earlier.tree.File().Text() {
		return earlier
	}
	later := *m
	later.earlier = earlier
	return &later
}

// Loaded returns this configuration and the earlier ones that the program has read, earliest first. It resolves them with the code of the traced
// program that is loaded at present: code returns the code at a place, with its addresses in the trace.
func (m *Model) Loaded(code func(trace.Match) []trace.Code) []*Model {
	var list []*Model
	for ; m != nil; m = m.earlier {
		o := m.options
		o.Program, o.Libraries, o.Loaded = nil, nil, code
		list = append(list, resolve(o, m.env, m.tree))
	}
	slices.Reverse(list)
	return list
}

// asInstalled reads the text in the same way as an installed PInsight.
func (m *Model) asInstalled() *installed.State {
	var n *installed.State
	if m.earlier != nil {
		n = m.earlier.asInstalled()
	} else {
		c := m.options.upstream()
		n = installed.New(c.Catalog, c.policies)
	}
	n.Load(m.tree.File())
	for _, t := range m.over {
		n.Load(t.File())
	}
	if m.earlier == nil {
		n.Start(m.env)
	}
	return n
}

// Knobs returns the values for the traced program. An installed PInsight ignores those that exceed its table.
func (m *Model) Knobs() []trace.Knob {
	var list []trace.Knob
	if n := m.upstream(); n != nil {
		for _, k := range n.Knobs {
			list = append(list, knob(k.Name, fmt.Sprint(k.Value)))
		}
		return list
	}
	if m.earlier != nil {
		list = m.earlier.Knobs()
	}
	for have := range m.service("Knob").live {
		k := knob(have.Key, have.Value)
		if i := slices.IndexFunc(list, func(old trace.Knob) bool { return old.Name == k.Name }); i >= 0 {
			list[i] = k
		} else {
			list = append(list, k)
		}
	}
	return list
}

// knob converts a value to a knob, which has the value as an integer, a floating-point number and a text.
func knob(name, text string) trace.Knob {
	k := trace.Knob{Name: name, Text: text}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		k.Integer, k.Number = n, float64(n)
	} else if f, err := strconv.ParseFloat(text, 64); err == nil {
		k.Integer, k.Number = int64(f), f
	}
	return k
}

// service returns the section of a service: Knob, Energy or Manifest.
func (m *Model) service(name string) *Section { return m.Services[slices.Index(serviceNames, name)] }

func (m *Model) layers() *trace.Config {
	c := &trace.Config{Domains: map[string]trace.DomainLayer{}, PerDomain: map[string]trace.RegionLayer{}}
	for _, s := range m.Domains {
		c.Domains[m.Catalog.Name(s.Domain)] = m.domainLayer(s)
	}
	for _, s := range m.Dropped {
		c.Units = append(c.Units, trace.UnitLayer{
			Domain: m.Catalog.Name(s.Domain), Target: s.Target, Removed: true, Place: s.At,
		})
	}
	for _, s := range m.Units {
		c.Units = append(c.Units, trace.UnitLayer{
			Domain: m.Catalog.Name(s.Domain), Target: s.Target, Also: s.Units,
			Events: m.events(s)[m.Catalog.Name(s.Domain)], Place: s.At,
		})
	}
	c.Default = m.regionLayer(m.Default)
	for _, s := range m.PerDomain {
		c.PerDomain[m.Catalog.Name(s.Domain)] = m.regionLayer(s)
	}
	for _, s := range m.Regions {
		c.Regions = append(c.Regions, trace.RegionEntry{
			Match: s.Match, RegionLayer: m.regionLayer(s), Units: s.Units, Removed: !s.Removed.IsZero(),
		})
	}
	return c
}

func (m *Model) domainLayer(s *Section) trace.DomainLayer {
	l := trace.DomainLayer{Reset: !s.reset.IsZero(), Events: m.events(s)[m.Catalog.Name(s.Domain)]}
	for have := range s.live {
		switch {
		case have.kind == rangeSetting:
			l.Limits = append(l.Limits, have.constraint())
		case have.Key == trace.ModeKey:
			l.Mode, _ = trace.ParseMode(have.Value)
			l.ModePlace = have.Span
		case have.Key == trace.ActivityKey:
			l.Activity = trace.ParseActivity(have.Value)
			l.Activity.Place = have.Span
		case have.Key == trace.SiteKey:
			l.Sites = trace.Switch{On: have.Value == "on", Set: true, Place: have.Span}
		case have.Key == trace.ModulesKey:
			l.Modules = trace.Modules{Set: true, Place: have.Span}
			l.Modules.Patterns, _, _ = trace.ParseModules(have.Value) // no error is possible, since the value has been checked
		}
	}
	return l
}

// constraint returns the limit that a range of units sets.
func (s *Setting) constraint() trace.Constraint {
	domain, kind, _ := strings.Cut(s.Key, ".")
	return trace.Constraint{Domain: domain, Kind: kind, Set: *s.units, Place: s.Span}
}

func (m *Model) regionLayer(s *Section) trace.RegionLayer {
	l := trace.RegionLayer{Reset: !s.reset.IsZero(), Events: m.events(s), Place: s.At}
	l.Rate = rateLayer(s.get)
	l.Timeout = numberOf(s.get(installed.TimeoutKey))
	l.Backtrace = numberOf(s.get(trace.BacktraceKey))
	if have := s.get(installed.EndActionKey); have != nil && have.kind != resetSetting {
		l.End = m.windowEnd(have.Value)
		trigger := s.get(installed.TriggerKey)
		l.End.All = trigger != nil && trigger.kind != resetSetting && strings.EqualFold(trigger.Value, "all")
	}
	if s.base != nil {
		l.Snapshot = &trace.Snapshot{Events: trace.Events{}, Rate: rateLayer(s.filling)}
		for _, e := range s.base.events {
			l.Snapshot.Events[m.Catalog.event(e.Event).Name] = trace.Toggle{On: e.On, Place: e.Span}
		}
	}
	return l
}

// rateLayer returns the rate that consists of the settings returned by get.
func rateLayer(get func(key string) *Setting) trace.RateLayer {
	return trace.RateLayer{Start: numberOf(get(trace.StartKey)), Max: numberOf(get(trace.MaxKey)), Every: numberOf(get(trace.EveryKey))}
}

// numberOf returns the number of a setting, or no number if the setting is nil.
func numberOf(have *Setting) trace.Number {
	if have == nil || have.kind == resetSetting {
		return trace.Number{}
	}
	return trace.Number{Value: have.number, Set: true, Place: have.Span}
}

// windowEnd parses a window_end_action that has been checked.
func (m *Model) windowEnd(value string) *trace.WindowEnd {
	end := &trace.WindowEnd{Modes: map[string]trace.Mode{}, Activity: map[string]trace.Activity{}}
	if word, rest, ok := strings.Cut(value, ":"); ok && strings.EqualFold(word, "INTROSPECT") {
		pause, after, _ := strings.Cut(rest, ":")
		seconds, _ := strconv.ParseInt(strings.TrimSpace(pause), 10, 32) // no error is possible, since the value has been checked
		script, tail, more := strings.Cut(after, ":")
		if i := strings.IndexAny(script, " \t"); !more && i >= 0 {
			script, tail = script[:i], script[i:]
		}
		end.Introspect = &trace.Introspection{Script: strings.TrimSpace(script), Pause: int32(seconds)}
		value = tail
	}
	for part := range strings.SplitSeq(value, ",") {
		part = strings.TrimSpace(part)
		domain, mode, ok := strings.Cut(part, ":")
		activity, ofDevices := strings.CutPrefix(strings.TrimSpace(mode), policyKey.Name+"=")
		switch {
		case part == "":
		case ofDevices:
			end.Activity[strings.TrimSpace(domain)] = trace.ParseActivity(activity)
		case ok:
			end.Modes[strings.TrimSpace(domain)], _ = trace.ParseMode(strings.TrimSpace(mode))
		default:
			for _, d := range m.Catalog.Domains() {
				end.Modes[d.Name], _ = trace.ParseMode(part)
			}
		}
	}
	return end
}

// events returns the events that a section sets, by domain: by its own keys, then by inheritance, the newest first.
func (m *Model) events(s *Section) map[string]trace.Events {
	all := map[string]trace.Events{}
	of := func(d trace.DomainID) trace.Events {
		name := m.Catalog.Name(d)
		if all[name] == nil {
			all[name] = trace.Events{}
		}
		return all[name]
	}
	for _, snap := range s.inherit {
		events := of(snap.domain)
		for _, e := range m.Catalog.Domains()[snap.domain].Events {
			events[e.Name] = trace.Toggle{On: e.On, Inherited: true, Place: snap.at}
		}
		for _, e := range snap.events {
			events[m.Catalog.event(e.Event).Name] = trace.Toggle{On: e.On, Inherited: true, Place: e.Span}
		}
	}
	for have := range s.live {
		if have.kind == eventSetting {
			of(have.Event.domain)[m.Catalog.event(have.Event).Name] = trace.Toggle{On: have.On, Place: have.Span}
		}
	}
	return all
}

// Written returns the section names of some regions as they are in the file. A source line may stand for several regions; it is left out unless all
// of them are given.
func (m *Model) Written(regions []trace.Match) []string {
	among := make(map[trace.Match]bool, len(regions))
	for _, r := range regions {
		among[r] = true
	}
	others := map[string]bool{} // source lines with a region that was not given
	for _, s := range m.Regions {
		others[s.line] = others[s.line] || !among[s.Match]
	}
	var list []string
	for _, s := range m.Regions {
		switch {
		case !among[s.Match]:
		case s.line == "":
			list = append(list, s.Name)
		case !others[s.line]:
			others[s.line] = true // list the line only once
			list = append(list, "Lexgion("+s.line+")")
		}
	}
	return list
}

// Fingerprint returns the fingerprint of the configuration as its dialect reads it.
func (m *Model) Fingerprint() (fingerprint.Sum, error) {
	c := m.Catalog
	if m.env.Dialect == load.Upstream {
		c = m.options.upstream()
	}
	return trace.Fingerprint(c.Catalog, m.Layers(), m.Knobs()), nil
}

// unread reports whether a key belongs to a service whose settings are not part of a policy.
func unread(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return section != "Knob" && slices.Contains(serviceNames, section)
}
