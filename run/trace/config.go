package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// Layers is a configuration before it is compiled: Config or Installed. A Place is where a
// file has a setting; it is zero in layers that a Go program made.
type Layers interface {
	compile(*builder)
	facts() []fact
	explain(*Catalog, Query) Explanation
	merge(Layers) (Layers, error)
}

// Config is a configuration as ranked layers. For domain D, unit U and region L, the first
// of these layers that names an event decides it:
//
//	Regions(L) > PerDomain(D) > Default > Units of D whose sets hold U, last first
//	> PerDomain(D).Snapshot if there is one, else Domains(D) > the catalogue
//
// Each key of the rate is taken separately from Regions(L) > PerDomain(D) > PerDomain(D).Snapshot if there is one, else
// Default > 0, Unlimited, 1. All names must be in the catalogue.
type Config struct {
	Domains   map[string]DomainLayer // D.default
	Units     []UnitLayer            // D.Kind(Set), in file order
	Default   RegionLayer            // Lexgion.default
	PerDomain map[string]RegionLayer // Lexgion(D).default
	Regions   []RegionEntry          // Lexgion(address or name); the first match counts
}

// Toggle switches an event. Within a layer, a written toggle beats an inherited one, even if it was written earlier.
type Toggle struct {
	On        bool
	Inherited bool
	Place     source.Span
}

// Events switches events by name; the others are left unchanged.
type Events map[string]Toggle

// Constraint requires that a unit's id of one kind is in a set.
type Constraint struct {
	Domain, Kind string
	Set          Set
	Place        source.Span
}

// Unit returns the kind with its domain: `MPI.rank`.
func (c Constraint) Unit() string { return c.Domain + "." + c.Kind }

// String returns the constraint as configurations write it: `MPI.rank(0-3)`.
func (c Constraint) String() string { return c.Unit() + "(" + c.Set.String() + ")" }

// SameKind reports whether both constraints are about the same unit kind.
func (c Constraint) SameKind(o Constraint) bool { return c.Domain == o.Domain && c.Kind == o.Kind }

// Constraints is a list of constraints that must all be met, at most one of each kind.
type Constraints []Constraint

// String returns the constraints as configurations write them.
func (l Constraints) String() string {
	texts := make([]string, len(l))
	for i, c := range l {
		texts[i] = c.String()
	}
	return strings.Join(texts, ", ")
}

// With returns the constraints, with each constraint of top replacing the one of the same kind.
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

// DomainLayer is the section D.default of a domain D.
type DomainLayer struct {
	Reset     bool // when merged, discards earlier settings
	Events    Events
	Limits    Constraints `fingerprint:"set"` // limits on kinds of D; units outside of them are never traced in D
	Mode      Mode
	ModePlace source.Span
	Activity  Activity
	Sites     Switch  // whether to record where kernels are launched
	Modules   Modules // for Python: the modules that are traced
}

// UnitLayer is D.Kind(Set): events for the units in all of its sets. Layers with the same target are the same layer.
type UnitLayer struct {
	Domain  string
	Target  Constraints `fingerprint:"set"` // kinds of D
	Also    Constraints `fingerprint:"set"` // kinds of any domain
	Events  Events
	Removed bool // when merged, deletes the layer with this target; otherwise ignored
	Place   source.Span
}

// Number is the value of one key of a rate, and whether it is set.
type Number struct {
	Value uint32
	Set   bool
	Place source.Span
}

// RateLayer is the part of a rate that one layer sets.
type RateLayer struct{ Start, Max, Every Number }

// MaxBacktrace is the number of calls that can be recorded with an execution.
const MaxBacktrace = layout.MaxFrames

// RegionLayer is the content of a Lexgion section.
type RegionLayer struct {
	Reset  bool              // when merged, discards earlier settings
	Events map[string]Events // by domain; in Lexgion(D).default only D counts
	Rate   RateLayer
	End    *WindowEnd // nil: the lower layer decides

	Backtrace Number // calls that are recorded with each execution

	// Timeout ends the windows of all regions after that many seconds. Only the Timeout of Lexgion.default counts.
	Timeout Number

	Snapshot *Snapshot // in Lexgion(D).default only
	Place    source.Span
}

// Snapshot holds the values that Lexgion(D).default got when it was first written. They
// replace the final values of D.default and Lexgion.default.
type Snapshot struct {
	Events Events    // of D.default
	Rate   RateLayer // of Lexgion.default
}

// Match selects the regions of an entry: those at Address if it is not zero, else those
// called Name, in Domain, and in a file whose name begins with File, if Domain and File are
// given. A region whose file is unknown matches any File.
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

// IsPlace reports whether a name is a place in a function, such as `main.c:42` or
// `libx.so+0x1159`. Such an entry ranks before one for the function.
func (m Match) IsPlace() bool {
	at := strings.LastIndexAny(m.Name, ":+")
	_, err := strconv.ParseUint(m.Name[at+1:], 0, 64)
	return err == nil && (at > 0 || m.File != "")
}

// RegionEntry is the section Lexgion(address or name).
type RegionEntry struct {
	Match
	RegionLayer
	Units   Constraints `fingerprint:"set"`
	Removed bool        // the region is not traced
}

// Installed is the state of an installed PInsight after reading its files. A single entry
// decides everything about a region: the first of Regions with its address, else the first
// with its name, else the entry of its domain, else Default. Sections for units and the
// ranges of domains have no effect there.
type Installed struct {
	Modes     map[string]Mode     // by domain; NoMode is Tracing
	Activity  map[string]Activity // by domain
	RateOnly  map[string]Events   // by domain: events that only the rate decides
	Ranges    []Range             // ranges that differ from the catalogue's
	Default   Entry               // Lexgion.default
	PerDomain map[string]Entry    // Lexgion(D).default, if it is defined
	Regions   []InstalledRegion   // in the order of the table
}

// Range is the ids that a unit kind has; a unit set only applies to ids in it.
type Range struct {
	Domain, Kind string
	Span         Span
	Place        source.Span
}

// Entry holds all settings of a region.
type Entry struct {
	// Events by domain: an event missing in the map of its domain is off; in a domain
	// without a map every event is on.
	Events map[string]Events
	Units  Constraints `fingerprint:"set"`
	Rate   Rate
	End    *WindowEnd
	Place  source.Span

	// Timeout ends windows after that many seconds; 0 means never. Only the Timeout of Default counts.
	Timeout uint32
}

// InstalledRegion is the entry of Lexgion(address or name).
type InstalledRegion struct {
	Match
	Entry
	Removed bool // the entry is ignored
}

// WindowEnd changes modes when a region has been traced as often as its rate allows. It does so once for each domain.
type WindowEnd struct {
	Modes    map[string]Mode     // by domain; a missing domain keeps its mode
	Activity map[string]Activity // by domain, like Modes
	All      bool                // wait until the unit's other limited regions have ended too

	// Introspect, if not nil, runs a script on the trace before modes change. Decisions inside a Go program ignore it.
	Introspect *Introspection
}

// Introspection starts a script and lets the program pause for some seconds: 0 means no
// pause, a negative value until a signal comes.
type Introspection struct {
	Script string
	Pause  int32
}
