package pinsight

import (
	"slices"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
	"github.com/pentode-dev/pentode/run/trace"
)

// Model is what a trace configuration means in the documented dialect: the
// sections after every SET, RESET and REMOVE, each setting with the lines behind it.
type Model struct {
	lang.Findings

	Catalog   *Catalog
	Domains   []*Section // D.default, by trace.DomainID
	Units     []*Section // D.Kind(Set), in file order
	Dropped   []*Section // D.Kind(Set) and D.Kind(*) that REMOVE named, for a reload
	Default   *Section   // Lexgion.default
	PerDomain []*Section // Lexgion(D).default, by trace.DomainID
	Regions   []*Section // Lexgion(address or name), in order of first mention
	Services  []*Section // Knob, Energy, Manifest

	tree    *syntax.Tree
	over    []*syntax.Tree // the overrides, each as a text of its own
	earlier *Model         // what the program had read before
	options Options
	env     *load.Env

	// What resolving saw and the sections no longer show; check makes findings of it.
	doubts  []doubt
	repeats []repeat
	missed  []missed
	bounds  []bound
}

// doubt is a header or a line with something wrong in it.
type doubt struct {
	tree    *syntax.Tree
	section *syntax.Section
	target  target        // of a line
	entry   *syntax.Entry // nil: the header
}

// repeat is something that is written again.
type repeat struct {
	what      repeated
	name      string
	at, first source.Span
}

type repeated uint8

const (
	sectionRepeated repeated = iota
	regionRepeated           // in one header
	keyRepeated              // in one section
)

// missed is a REMOVE that found nothing, and the sections that overlap it.
type missed struct {
	at       source.Span
	overlaps []*Section
}

// bound is a constraint without ids or with ids that its kind did not have there.
type bound struct {
	trace.Constraint
	ids trace.Span
}

// Section is a target with everything that was set for it.
type Section struct {
	Name    string
	Domain  trace.DomainID    // of D.default, D.Kind(Set), Lexgion(D).default
	At      source.Span       // the target where it was last written; zero where it never was
	Target  trace.Constraints // of D.Kind(Set)
	Units   trace.Constraints // further units that must match
	Match   trace.Match       // of Lexgion(address or name)
	Removed source.Span       // where it was removed

	settings  []*Setting
	index     map[string]int // settings by key, once there are many
	inherit   []*snapshot    // newest last
	base      *snapshot      // of Lexgion(D).default: D.default when it was first written
	filled    []*Setting     // of Lexgion(D).default: the rate of Lexgion.default then
	reset     source.Span    // the last RESET, or the REMOVE before it was written again
	dropped   bool           // while resolving: REMOVE took it away
	header    int            // the last header that named it
	lineStart bool           // its address is the start of a source line
	line      string         // the `file:line` that its address is one of
	named     syntax.Text    // its name in At, of a region with a name
}

// Setting is one key of a section.
type Setting struct {
	Key   string
	Value string
	Span  source.Span // `key = value`
	Event eventID
	On    bool

	kind   settingKind
	number uint32     // of a whole number; -1 is trace.Unlimited
	units  *trace.Set // of a range; a pointer, because few settings have one
	Prev   *Setting   // what it replaced
}

type settingKind uint8

// target is what a section is for.
type target struct {
	kind   targetKind
	domain trace.DomainID
	group  string          // of D(group).default
	keys   *schema.Section // that the section can have besides events
}

type targetKind uint8

const (
	domainDefault targetKind = iota
	domainUnits
	regionDefault
	regionDomainDefault
	region
	service
)

const (
	plainSetting settingKind = iota
	eventSetting
	rangeSetting
	resetSetting // RESET took the value back to its default
)

// snapshot is the events of D.default at the place where they were inherited.
type snapshot struct {
	domain trace.DomainID
	events []*Setting // what D.default set then; other events are the catalogue's
	at     source.Span
}

// manyKeys is the number of keys at which a section begins to keep an index.
const manyKeys = 16

// find returns where in settings a key is, or -1.
func (s *Section) find(key string) int {
	if s.index != nil {
		if i, ok := s.index[key]; ok {
			return i
		}
		return -1
	}
	return slices.IndexFunc(s.settings, func(have *Setting) bool { return have.Key == key })
}

// get returns the setting of a key, or nil.
func (s *Section) get(key string) *Setting {
	if i := s.find(key); i >= 0 {
		return s.settings[i]
	}
	return nil
}

// filling returns what a key of the rate was filled with, or nil.
func (s *Section) filling(key string) *Setting {
	for _, have := range s.filled {
		if have.Key == key {
			return have
		}
	}
	return nil
}

// put sets a key; what it had becomes history.
func (s *Section) put(n *Setting) {
	if i := s.find(n.Key); i >= 0 {
		n.Prev, s.settings[i] = s.settings[i], n
		return
	}
	s.settings = append(s.settings, n)
	switch {
	case s.index != nil:
		s.index[n.Key] = len(s.settings) - 1
	case len(s.settings) == manyKeys:
		s.index = make(map[string]int, 2*manyKeys)
		for i, have := range s.settings {
			s.index[have.Key] = i
		}
	}
}

// clear is RESET: every key goes back to its default, with its history.
func (s *Section) clear(at source.Span) {
	s.clearSome(at, func(*Setting) bool { return true })
	s.inherit, s.reset = nil, at
}

// clearSome takes the chosen keys back to their defaults.
func (s *Section) clearSome(at source.Span, chosen func(*Setting) bool) {
	for i, have := range s.settings {
		if have.kind != resetSetting && chosen(have) {
			s.settings[i] = &Setting{Key: have.Key, Event: have.Event, Span: at, kind: resetSetting, Prev: have}
		}
	}
}

// live are the settings that stand, in order of first mention.
func (s *Section) live(yield func(*Setting) bool) {
	for _, have := range s.settings {
		if have.kind != resetSetting && !yield(have) {
			return
		}
	}
}

// snapshot is the events that a D.default section sets now. Sections that
// inherit at the same state share one.
func (s *Section) snapshot(at source.Span) *snapshot {
	snap := &snapshot{domain: s.Domain, at: at}
	for have := range s.live {
		if have.kind == eventSetting {
			snap.events = append(snap.events, have)
		}
	}
	return snap
}

// sections are all sections in the order in which they are shown.
func (m *Model) sections(yield func(targetKind, *Section) bool) {
	for _, group := range []struct {
		kind targetKind
		list []*Section
	}{
		{domainDefault, m.Domains}, {domainUnits, m.Units}, {regionDefault, []*Section{m.Default}},
		{regionDomainDefault, m.PerDomain}, {region, m.Regions}, {service, m.Services},
	} {
		for _, s := range group.list {
			if !yield(group.kind, s) {
				return
			}
		}
	}
}
