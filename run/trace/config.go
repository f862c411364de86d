package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// Layers is a configuration's meaning before it is compiled: Config or
// Installed. A Place is where a file says it, and zero in layers that a Go
// program made.
type Layers interface {
	compile(*builder)
	facts() []fact
	explain(*Catalog, Query) Explanation
	merge(Layers) (Layers, error)
}

// Config is a configuration as ranked layers. For domain D, unit U, region L an
// event is decided by the first of these that names it:
//
//	Regions(L) > PerDomain(D) > Default > Units of D whose sets hold U, last first
//	> PerDomain(D).Snapshot if there is one, else Domains(D) > the catalogue
//
// Each key of the rate is taken by itself from Regions(L) > PerDomain(D) >
// PerDomain(D).Snapshot if there is one, else Default > 0, Unlimited, 1. All names
// must be in the catalogue.
type Config struct {
	Domains   map[string]DomainLayer // D.default
	Units     []UnitLayer            // D.Kind(Set), in file order
	Default   RegionLayer            // Lexgion.default
	PerDomain map[string]RegionLayer // Lexgion(D).default
	Regions   []RegionEntry          // Lexgion(address or name); the first that matches counts
}

// Toggle switches an event. An inherited one yields to a written one of the
// same layer, also to one written earlier.
type Toggle struct {
	On        bool
	Inherited bool
	Place     source.Span
}

// Events switches events by name; an event that is not in it is not named.
type Events map[string]Toggle

// Constraint asks that a unit's id of one kind is in a set.
type Constraint struct {
	Domain, Kind string
	Set          Set
	Place        source.Span
}

// Unit returns the kind with its domain: `MPI.rank`.
func (c Constraint) Unit() string { return c.Domain + "." + c.Kind }

// String returns the constraint as configurations write it: `MPI.rank(0-3)`.
func (c Constraint) String() string { return c.Unit() + "(" + c.Set.String() + ")" }

// SameKind reports whether both are about the same unit kind.
func (c Constraint) SameKind(o Constraint) bool { return c.Domain == o.Domain && c.Kind == o.Kind }

// Constraints must all hold. They have at most one of a kind.
type Constraints []Constraint

// String returns the constraints as configurations write them.
func (l Constraints) String() string {
	texts := make([]string, len(l))
	for i, c := range l {
		texts[i] = c.String()
	}
	return strings.Join(texts, ", ")
}

// With returns the constraints with those of top in place of the same kinds.
func (l Constraints) With(top ...Constraint) Constraints {
	out := slices.Clone(l)
	for _, c := range top {
		if i := slices.IndexFunc(out, c.SameKind); i >= 0 {
			out[i] = c
		} else {
			out = append(out, c)
		}
	}
	return out
}

// DomainLayer is D.default.
type DomainLayer struct {
	Reset     bool // when merged, forgets what was set before
	Events    Events
	Limits    Constraints `fingerprint:"set"` // kinds of D: other units are not traced in D at all
	Mode      Mode
	ModePlace source.Span
	Activity  Activity
	Sites     Switch  // where kernels are launched
	Modules   Modules // of Python: which are traced
}

// UnitLayer is D.Kind(Set): events for the units that all sets hold. Its
// identity is its target.
type UnitLayer struct {
	Domain  string
	Target  Constraints `fingerprint:"set"` // kinds of D
	Also    Constraints `fingerprint:"set"` // kinds of any domain
	Events  Events
	Removed bool // when merged, deletes the layer with this target; else it is not there
	Place   source.Span
}

// Number is one key of a rate, if it is set.
type Number struct {
	Value uint32
	Set   bool
	Place source.Span
}

// RateLayer is the part of a rate that one layer sets.
type RateLayer struct{ Start, Max, Every Number }

// MaxBacktrace is how many calls can be recorded with an execution.
const MaxBacktrace = layout.MaxFrames

// RegionLayer is what a Lexgion section says.
type RegionLayer struct {
	Reset  bool              // when merged, forgets what was set before
	Events map[string]Events // by domain; Lexgion(D).default is only asked about D
	Rate   RateLayer
	End    *WindowEnd // nil: the layer below decides

	Backtrace Number // calls that are recorded with each execution

	// Timeout ends the windows of all regions after so many seconds. Only that
	// of Lexgion.default counts.
	Timeout Number

	Snapshot *Snapshot // in Lexgion(D).default only
	Place    source.Span
}

// Snapshot is what Lexgion(D).default was filled with when it was first written.
// It stands in for what D.default and Lexgion.default are in the end.
type Snapshot struct {
	Events Events    // of D.default
	Rate   RateLayer // of Lexgion.default
}

// Match says which regions an entry is for: those at Address where that is not
// zero, else those called Name, in Domain and in a file whose name begins with
// File where these are given. A region whose file is not known matches any.
type Match struct {
	Address      uint64
	Name         string
	Domain, File string
}

// String returns the entry's section: `Lexgion(0x4010bd)`.
func (m Match) String() string {
	if m.Address != 0 {
		return fmt.Sprintf("Lexgion(%#x)", m.Address)
	}
	s := m.Name
	if m.File != "" {
		s = m.File + ":" + s
	}
	if m.Domain != "" {
		s = m.Domain + ":" + s
	}
	return "Lexgion(" + s + ")"
}

// IsPlace reports whether a name is that of a place in a function, `main.c:42` or
// `libx.so+0x1159`. Such an entry ranks before one for the function.
func (m Match) IsPlace() bool {
	at := strings.LastIndexAny(m.Name, ":+")
	_, err := strconv.ParseUint(m.Name[at+1:], 0, 64)
	return err == nil && (at > 0 || m.File != "")
}

// RegionEntry is Lexgion(address or name).
type RegionEntry struct {
	Match
	RegionLayer
	Units   Constraints `fingerprint:"set"`
	Removed bool        // the region is not traced
}

// Installed is the state an installed PInsight has after reading its files. One
// entry decides a region alone: the first of Regions with its address, else the
// first with its name, else that of its domain, else Default. Sections for units
// and the ranges of domains decide nothing by themselves there.
type Installed struct {
	Modes     map[string]Mode     // by domain; NoMode is Tracing
	Activity  map[string]Activity // by domain
	RateOnly  map[string]Events   // by domain: events for which nothing but the rate is asked
	Ranges    []Range             // those that are not the catalogue's
	Default   Entry               // Lexgion.default
	PerDomain map[string]Entry    // Lexgion(D).default, where it is defined
	Regions   []InstalledRegion   // in the order of the table
}

// Range is the ids a unit kind has; a unit set is only good for ids in it.
type Range struct {
	Domain, Kind string
	Span         Span
	Place        source.Span
}

// Entry is everything that is set for a region.
type Entry struct {
	// Events by domain: an event that is not in the map of its domain is off,
	// and in a domain that has no map every event is on.
	Events map[string]Events
	Units  Constraints `fingerprint:"set"`
	Rate   Rate
	End    *WindowEnd
	Place  source.Span

	// Timeout ends windows after so many seconds; 0 is never. Only that of
	// Default counts.
	Timeout uint32
}

// InstalledRegion is the entry of Lexgion(address or name).
type InstalledRegion struct {
	Match
	Entry
	Removed bool // the entry is passed over
}

// WindowEnd changes modes when a region has been traced as often as its rate
// allows. It does so once, and once for each domain.
type WindowEnd struct {
	Modes    map[string]Mode     // by domain; a domain that is not here keeps its mode
	Activity map[string]Activity // by domain, in the same way
	All      bool                // wait until the unit's other limited regions have ended too

	// Introspect looks at the trace before modes change; nil: it does not. A
	// decision in a Go program passes over such an end.
	Introspect *Introspection
}

// Introspection starts a script, and lets the program pause for some seconds:
// 0 for none, below 0 until a signal comes.
type Introspection struct {
	Script string
	Pause  int32
}
