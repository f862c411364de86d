package pinsight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// values yields the settings with their origins.
func (m *Model) values(yield func(origin.Entry) bool) {
	if n := m.upstream(); n != nil {
		n.Values(yield)
		return
	}
	for kind, s := range m.sections {
		if !m.sectionValues(kind, s, yield) {
			return
		}
	}
}

// value returns a setting by its key, which begins with the name of its section.
func (m *Model) value(key string) (found origin.Entry, ok bool) {
	take := func(e origin.Entry) bool {
		if e.Key == key {
			found, ok = e, true
		}
		return !ok
	}
	if n := m.upstream(); n != nil {
		n.Values(take)
		return found, ok
	}
	for kind, s := range m.sections {
		if strings.HasPrefix(key, s.Name) && !m.sectionValues(kind, s, take) {
			break
		}
	}
	return found, ok
}

func (m *Model) sectionValues(kind targetKind, s *Section, yield func(origin.Entry) bool) bool {
	if !s.Removed.IsZero() {
		return yield(origin.Entry{Key: s.Name + ".removed", Value: "true", Type: "bool",
			Steps: []origin.Step{{What: origin.Remove, Text: "true", Span: s.Removed}}})
	}
	if len(s.Units) > 0 {
		e := origin.Entry{Key: s.Name + ".units", Value: s.Units.String(), Type: "set"}
		for _, u := range s.Units {
			e.Steps = append(e.Steps, origin.Step{What: origin.Set, Text: u.Place.Text(), Span: u.Place, Note: "all must match"})
		}
		if !yield(e) {
			return false
		}
	}
	seen := map[string]bool{}
	for _, have := range s.settings {
		seen[have.Key] = true
		if !yield(m.entry(kind, s, have)) {
			return false
		}
	}
	return m.implicit(kind, s, seen, yield)
}

// entry returns a setting of a line as an entry, with its origin.
func (m *Model) entry(kind targetKind, s *Section, have *Setting) origin.Entry {
	e := origin.Entry{Key: s.Name + "." + have.Key, Value: have.Value, Type: m.typeOf(kind, s, have), Implicit: have.kind == resetSetting}
	dflt, note := m.defaultOf(kind, s, have)
	if s.base != nil && slices.Contains(rateKeys, have.Key) {
		step := origin.Step{}
		dflt, step = m.filled(s, have.Key)
		note = step.Note
	}
	if e.Implicit {
		e.Value = dflt
	}
	for h := have; h != nil; h = h.Prev {
		step := origin.Step{What: origin.Set, Text: h.Value, Span: h.Span, Note: m.where(s)}
		if h.Span.File != m.tree.File() {
			step.What, step.Note = origin.Override, "-s "+e.Key+"="+h.Value
		}
		if h.kind == resetSetting {
			step = origin.Step{What: origin.Reset, Text: dflt, Span: h.Span, Note: note}
		}
		e.Steps = append(e.Steps, step)
	}
	if have.kind == eventSetting {
		if step, ok := s.inherited(m, have.Event); ok {
			e.Steps = append(e.Steps, step)
		}
	}
	if dflt != "" {
		e.Steps = append(e.Steps, origin.Step{What: origin.Default, Text: dflt, Note: note})
	}
	slices.Reverse(e.Steps)
	return e
}

// where describes where a region is in the program, if that is known.
func (m *Model) where(s *Section) string {
	if m.options.Program == nil {
		return ""
	}
	if s.Match.Address != 0 && s.lineStart {
		return Where(m.options.Program.Lookup(s.Match.Address))
	}
	if s.Match.Address != 0 {
		return Where(m.options.Program.Region(s.Match.Address))
	}
	if ranges, ok := m.options.Program.Function(s.Match.Name); ok && s.Match.Name != "" {
		return fmt.Sprintf("`%s` is at 0x%x", s.Match.Name, ranges[0].Low)
	}
	return ""
}

// Where describes a place in a program by function and line, or returns "" if it is not known.
func Where(f debuginfo.Frame, ok bool) string {
	if !ok {
		return ""
	}
	return (&recorded.Region{Function: f.Function, File: f.File, Line: f.Line}).Where()
}

func (m *Model) typeOf(kind targetKind, s *Section, have *Setting) string {
	if have.kind == eventSetting {
		return schema.Enum.String()
	}
	if have.kind == rangeSetting {
		return schema.Set.String()
	}
	if k := m.keyOf(kind, s, have.Key); k != nil {
		return k.Type.String()
	}
	return schema.String.String()
}

// keyOf returns the key in the schema, or nil.
func (m *Model) keyOf(kind targetKind, s *Section, key string) *schema.Key {
	switch {
	case kind == service:
		return serviceSchema(s.Name).Key(key)
	case kind == domainDefault:
		if k := m.Catalog.ownKey(s.Domain, key); k != nil {
			return k
		}
		return domainKeys.Key(key)
	case kind == domainUnits:
		return unitKeys.Key(key)
	}
	return regionKeys.Key(key)
}

// defaultOf returns the default of a key, for a key that no line sets, and where the default comes from.
func (m *Model) defaultOf(kind targetKind, s *Section, have *Setting) (value, note string) {
	if k := m.keyOf(kind, s, have.Key); k != nil {
		return k.Default, "of the language"
	}
	if kind == domainDefault {
		if id, ok := m.Catalog.Event(s.Domain, have.Key); ok {
			return trace.OnOff(m.Catalog.event(eventID{s.Domain, id}).On), "of the catalogue"
		}
	}
	return "", ""
}

// inherited returns the step by which a section gets the state of an event through inheritance.
func (s *Section) inherited(m *Model, id eventID) (origin.Step, bool) {
	for _, snap := range slices.Backward(s.inherit) {
		if snap.domain == id.domain {
			on, from := snap.state(m.Catalog, id)
			return inheritStep(snap, on, from), true
		}
	}
	return origin.Step{}, false
}

// filled returns the value that a key of the rate got when Lexgion(D).default was first mentioned.
func (m *Model) filled(s *Section, key string) (string, origin.Step) {
	step := origin.Step{What: origin.Snapshot, Span: s.base.at, Note: "of the language"}
	value := regionKeys.Key(key).Default
	if have := s.filling(key); have != nil {
		value, step.Note = have.Value, "Lexgion.default set it at "+have.Span.String()
	}
	step.Text = value
	return value, step
}

func inheritStep(snap *snapshot, on bool, from *Setting) origin.Step {
	step := origin.Step{What: origin.Inherit, Text: trace.OnOff(on), Span: snap.at, Note: "from the catalogue"}
	if from != nil {
		step.Note = "set at " + from.Span.String()
	}
	return step
}

// state returns whether an event is on in a snapshot, and the line that switched it on or off.
func (snap *snapshot) state(c *Catalog, id eventID) (bool, *Setting) {
	for _, e := range snap.events {
		if e.Event == id {
			return e.On, e
		}
	}
	return c.event(id).On, nil
}

// implicit yields the values that are not set by a line of the section, which --all shows.
func (m *Model) implicit(kind targetKind, s *Section, seen map[string]bool, yield func(origin.Entry) bool) bool {
	more := true
	add := func(key, value, typ string, step origin.Step) {
		if more && !seen[key] {
			seen[key] = true
			step.Text = value
			more = yield(origin.Entry{Key: s.Name + "." + key, Value: value, Type: typ, Implicit: true, Steps: []origin.Step{step}})
		}
	}
	language := origin.Step{What: origin.Default, Note: "of the language"}
	catalogue := origin.Step{What: origin.Default, Note: "of the catalogue"}
	switch kind {
	case domainDefault:
		d := m.Catalog.Domains()[s.Domain]
		add(trace.ModeKey, "TRACING", "enum", language)
		for _, k := range d.Kinds {
			set := trace.NewSet(trace.Span{Lo: k.Low, Hi: k.High})
			add(d.Name+"."+k.Name, "("+set.String()+")", "set", catalogue)
		}
		for _, e := range d.Events {
			add(e.Name, trace.OnOff(e.On), "enum", catalogue)
		}
	case regionDefault:
		for _, key := range rateKeys {
			add(key, regionKeys.Key(key).Default, "int", language)
		}
	case regionDomainDefault:
		if s.base == nil {
			break // a section without its own events follows Lexgion.default
		}
		for _, key := range rateKeys {
			value, step := m.filled(s, key)
			add(key, value, "int", step)
		}
	}
	copied := func(snap *snapshot, what origin.What) {
		d := m.Catalog.Domains()[snap.domain]
		for _, e := range d.Events {
			on, from := snap.state(m.Catalog, eventID{snap.domain, e.ID})
			key := e.Name
			if kind == regionDefault || kind == region || snap.domain != s.Domain {
				key = d.Name + "." + e.Name
			}
			step := inheritStep(snap, on, from)
			step.What = what
			add(key, trace.OnOff(on), "enum", step)
		}
	}
	for _, snap := range slices.Backward(s.inherit) {
		copied(snap, origin.Inherit)
	}
	if s.base != nil {
		copied(s.base, origin.Snapshot) // the snapshot is used in place of D.default
	}
	return more
}
