// Package installed reads a trace configuration as an installed PInsight does.
//
// The original program keeps tables that every line changes, in 32 bits and
// fixed sizes, and passes over what it does not understand. State is these
// tables with the line behind each setting. Its surprises stay in this package;
// lang/pinsight compares them with what the language's document says.
//
//	text ──Load──▶ State ──Layers──▶ trace.Installed
//	                │
//	              Values
package installed

import (
	"maps"
	"slices"

	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/trace"
)

// The keys that the program has and its document does not.
const (
	PolicyKey    = trace.ActivityKey
	EndActionKey = "window_end_action"
	TimeoutKey   = "window_timeout"
	TriggerKey   = "window_end_trigger"
)

// Rotate is the policy that may have a time: `rotate_per_node:MS`.
const Rotate = "rotate_per_node"

// Policies are the ways to choose the process of a node that does something.
var Policies = trace.ActivityNames

// State is what an installed PInsight has in memory after reading its files.
type State struct {
	Domains   []Domain // by trace.DomainID
	Default   Entry    // Lexgion.default
	PerDomain []Entry  // Lexgion(D).default, by trace.DomainID
	Regions   []*Entry // in the order of its table
	Knobs     []Knob
	Energy    NodePolicy
	Interval  int32 // of the manifest, in seconds

	catalog  *trace.Catalog
	policies [][]string // by domain: the keys whose value is a policy
	noFile   bool
	crashed  bool
	steps    map[string][]origin.Step
}

// Domain is D.default and the sections for units of D.
type Domain struct {
	Events         trace.Mask
	Mode, LastMode trace.Mode
	Waits          bool             // until a launcher sets it to LastMode
	Ranges         map[string]Range // by unit kind
	Policy         NodePolicy
	Units          []*Units

	exact map[string]*Units // the first of Units with these sets of the domain
}

// Range is the ids of a unit kind.
type Range struct{ Low, High int32 }

// NodePolicy is which process of a node does something.
type NodePolicy struct {
	Name string
	MS   int32
}

// Units is a section for units. Nothing reads it at run time.
type Units struct {
	Sets   trace.Constraints // those of the target and those after it, which may replace them
	Events trace.Mask

	target trace.Constraints // as the header had it when the section was made
}

// more are the sets that the target does not have.
func (u *Units) more() trace.Constraints {
	return slices.DeleteFunc(slices.Clone(u.Sets), func(s trace.Constraint) bool {
		return slices.ContainsFunc(u.target, func(t trace.Constraint) bool { return s.SameKind(t) && s.Set.Equal(t.Set) })
	})
}

// Entry is everything that is set for a region.
type Entry struct {
	Address uint64
	Name    string
	File    string
	Domain  int // of a name; -1 is any
	Removed bool

	Start, Max, Every uint32
	Events            map[trace.DomainID]*trace.Mask
	Units             trace.Constraints
	Constrained       bool // Units count
	End               WindowEnd

	section string
	defined bool // of Lexgion(D).default
	place   source.Span
}

// WindowEnd is what happens when a region has been traced as often as it may be.
type WindowEnd struct {
	Modes      map[trace.DomainID]trace.Mode
	Policies   map[trace.DomainID]NodePolicy
	Introspect bool
	Pause      int32
	Script     string
	All        bool
	Timeout    int32
}

// Knob is a number or a word for the traced program.
type Knob struct {
	Name  string
	Value any // int32, float64 or string
}

// New returns the state before any file. policies are, by domain, the keys
// whose value is a policy.
func New(c *trace.Catalog, policies [][]string) *State {
	n := &State{
		catalog: c, policies: policies, noFile: true,
		Interval: 10, Energy: NodePolicy{Name: "off"}, steps: map[string][]origin.Step{},
	}
	for i, d := range c.Domains() {
		dom := Domain{Events: c.Defaults(trace.DomainID(i)), Mode: trace.Tracing, Policy: NodePolicy{Name: "off"}, Ranges: map[string]Range{}}
		for _, k := range d.Kinds {
			dom.Ranges[k.Name] = Range{int32(k.Low), int32(k.High)}
		}
		n.Domains = append(n.Domains, dom)
	}
	n.Default.section = "Lexgion.default"
	n.Default.reset()
	n.PerDomain = make([]Entry, len(n.Domains))
	return n
}

// reset is the state of Lexgion.default before any file.
func (e *Entry) reset() { *e = Entry{section: e.section, Max: trace.Unlimited, Every: 1} }

// copyTo gives another entry everything but its identity.
func (e *Entry) copyTo(o *Entry) {
	o.Start, o.Every, o.Max = e.Start, e.Every, e.Max
	o.Units, o.Constrained = e.Units, e.Constrained
	o.Events = map[trace.DomainID]*trace.Mask{}
	for d, m := range e.Events {
		o.inherit(d, *m)
	}
	o.End = e.End
	o.End.Modes, o.End.Policies = maps.Clone(e.End.Modes), maps.Clone(e.End.Policies)
}

// mask is the entry's events of a domain, made on first use with all off.
func (e *Entry) mask(d trace.DomainID) *trace.Mask {
	if e.Events == nil {
		e.Events = map[trace.DomainID]*trace.Mask{}
	}
	if e.Events[d] == nil {
		e.Events[d] = &trace.Mask{}
	}
	return e.Events[d]
}

// inherit copies a domain's events as they are now.
func (e *Entry) inherit(d trace.DomainID, m trace.Mask) { *e.mask(d) = m }

// compute makes Lexgion(D).default of Lexgion.default and D.default.
func (n *State) compute(d trace.DomainID) *Entry {
	e := &n.PerDomain[d]
	*e = Entry{section: "Lexgion(" + n.catalog.Name(d) + ").default", defined: true}
	n.Default.copyTo(e)
	e.inherit(d, n.Domains[d].Events)
	return e
}

// wrote remembers which line set a key.
func (n *State) wrote(key, text string, span source.Span) {
	n.steps[key] = append(n.steps[key], origin.Step{What: origin.Set, Text: text, Span: span})
}

// fromEnv remembers which variable set a key.
func (n *State) fromEnv(key, text, variable string) {
	n.steps[key] = append(n.steps[key], origin.Step{What: origin.Environment, Text: text, Note: variable})
}
