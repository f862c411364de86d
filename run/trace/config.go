package trace

import "fmt"

// Layers is a configuration's meaning before it is compiled: Config or
// Installed.
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
// Default > 0, Unlimited, 1. All names must be in the catalogue.
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
	Place     string
}

// Events switches events by name; an event that is not in it is not named.
type Events map[string]Toggle

// Constraint asks that a unit's id of one kind is in a set.
type Constraint struct {
	Domain, Kind string
	Set          Set
	Place        string
}

func (c Constraint) String() string { return fmt.Sprintf("%s.%s(%s)", c.Domain, c.Kind, c.Set) }

// DomainLayer is D.default.
type DomainLayer struct {
	Reset     bool // when merged, forgets what was said before
	Events    Events
	Limits    []Constraint // kinds of D: other units are not traced in D at all
	Mode      Mode
	ModePlace string
}

// UnitLayer is D.Kind(Set): events for the units that all sets hold. Its
// identity is its target.
type UnitLayer struct {
	Domain  string
	Target  []Constraint // kinds of D
	Also    []Constraint // kinds of any domain
	Events  Events
	Removed bool // when merged, deletes the layer with this target; else it is not there
	Place   string
}

// Number is one key of a rate, if it is set.
type Number struct {
	Value uint32
	Set   bool
	Place string
}

// RateLayer is the part of a rate that one layer sets.
type RateLayer struct{ Start, Max, Every Number }

// RegionLayer is what a Lexgion section says.
type RegionLayer struct {
	Reset  bool              // when merged, forgets what was said before
	Events map[string]Events // by domain; Lexgion(D).default is only asked about D
	Rate   RateLayer

	// Snapshot of D.default, in Lexgion(D).default only: where it is not nil it
	// stands in for D.default.
	Snapshot Events
	Place    string
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

// RegionEntry is Lexgion(address or name).
type RegionEntry struct {
	Match
	RegionLayer
	Units   []Constraint // all must hold
	Removed bool         // the region is not traced
}
