package trace

import "github.com/pentode-dev/pentode/core/source"

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
