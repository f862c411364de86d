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

// Model is the meaning of a trace configuration in the documented dialect: the sections after every SET, RESET and REMOVE, and for each setting the
// lines that set it.
type Model struct {
	lang.Findings

	Catalog   *Catalog
	Domains   []*Section // D.default, by trace.DomainID
	Units     []*Section // D.Kind(Set), in file order
	Dropped   []*Section // D.Kind(Set) and D.Kind(*) in REMOVE, which a reload must remove too
	Default   *Section   // Lexgion.default
	PerDomain []*Section // Lexgion(D).default, by trace.DomainID
	Regions   []*Section // Lexgion(address or name), in order of first mention
	Services  []*Section // Knob, Energy, Manifest

	tree    *syntax.Tree
	over    []*syntax.Tree // the overrides, each as its own text
	earlier *Model         // the configuration that the program read before
	options Options
	env     *load.Env

	// Observations made while resolving that cannot be seen in the sections; check turns them into findings.
	mistakes []mistake
	repeats  []repeat
	missed   []missed
	bounds   []bound
}

// mistake is a header or a line with a mistake.
type mistake struct {
	tree    *syntax.Tree
	section *syntax.Section
	target  target        // for a wrong line: the target of its section
	entry   *syntax.Entry // nil if the mistake is in the header
}

// repeat is a section, region or key that the file has already set.
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

// missed is a REMOVE of a section that does not exist, with the sections that overlap it.
type missed struct {
	at       source.Span
	overlaps []*Section
}

// bound is a constraint without ids, or with ids outside the range of its kind.
type bound struct {
	trace.Constraint
	ids trace.Span
}

// Section is a target with all its settings.
type Section struct {
	Name    string
	Domain  trace.DomainID    // for D.default, D.Kind(Set), Lexgion(D).default
	At      source.Span       // the target in its last header; zero if it has no header
	Target  trace.Constraints // for D.Kind(Set)
	Units   trace.Constraints // further units that must match
	Match   trace.Match       // for Lexgion(address or name)
	Removed source.Span       // the place of its REMOVE

	settings  []*Setting
	index     map[string]int // settings by key, once there are many
	inherit   []*snapshot    // newest last
	base      *snapshot      // for Lexgion(D).default: the events of D.default when the section was first mentioned
	filled    []*Setting     // for Lexgion(D).default: the rate of Lexgion.default at that time
	reset     source.Span    // the last RESET, or the last REMOVE if the section was set again after it
	dropped   bool           // while resolving: it was removed by REMOVE
	header    int            // the number of the last header that mentions it
	lineStart bool           // the address is the start of a source line
	line      string         // the `file:line` that was replaced by the address
	named     syntax.Text    // for a region with a name: its name in At
}

// Setting is one key of a section.
type Setting struct {
	Key   string
	Value string
	Span  source.Span // `key = value`
	Event eventID
	On    bool

	kind   settingKind
	number uint32     // for a whole number: its value, trace.Unlimited for -1
	units  *trace.Set // for a range: its units; a pointer, because few settings have one
	Prev   *Setting   // the setting it replaced
}

type settingKind uint8

// target describes a section: its kind, its domain and its keys.
type target struct {
	kind   targetKind
	domain trace.DomainID
	group  string          // for D(group).default
	keys   *schema.Section // the keys that the section can have besides events
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
	resetSetting // RESET restored the default
)

// snapshot is a copy of the events of D.default at the place where they were inherited.
type snapshot struct {
	domain trace.DomainID
	events []*Setting // the settings of D.default at that time; an event without a setting is as in the catalogue
	at     source.Span
}

// manyKeys is the number of keys from which a section keeps an index.
const manyKeys = 16

// find returns the index of a key in settings, or -1.
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

// filling returns the setting with which a key of the rate was filled, or nil.
func (s *Section) filling(key string) *Setting {
	for _, have := range s.filled {
		if have.Key == key {
			return have
		}
	}
	return nil
}

// put sets a key. The previous setting stays in the history.
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

// clear does what RESET says: every key goes back to its default but keeps its history.
func (s *Section) clear(at source.Span) {
	s.clearSome(at, func(*Setting) bool { return true })
	s.inherit, s.reset = nil, at
}

// clearSome resets the chosen keys to their defaults.
func (s *Section) clearSome(at source.Span, chosen func(*Setting) bool) {
	for i, have := range s.settings {
		if have.kind != resetSetting && chosen(have) {
			s.settings[i] = &Setting{Key: have.Key, Event: have.Event, Span: at, kind: resetSetting, Prev: have}
		}
	}
}

// live yields the settings in effect, in the order in which they first occur.
func (s *Section) live(yield func(*Setting) bool) {
	for _, have := range s.settings {
		if have.kind != resetSetting && !yield(have) {
			return
		}
	}
}

// snapshot returns a copy of the events that a D.default section sets now. Sections that inherit them before they change share one snapshot.
func (s *Section) snapshot(at source.Span) *snapshot {
	snap := &snapshot{domain: s.Domain, at: at}
	for have := range s.live {
		if have.kind == eventSetting {
			snap.events = append(snap.events, have)
		}
	}
	return snap
}

// sections yields all sections in the order in which they are shown.
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
