// Package installed reads a trace configuration as an installed PInsight does.
//
// The original program keeps tables of fixed size with 32-bit numbers. Every line changes these tables at once, and text that the program does not
// understand is skipped. State holds the tables, and the line that made each setting. Surprising behaviour of the program is reproduced only in this
// package; lang/pinsight compares the results with the language's document.
//
//	text ──Load──▶ State ──Layers──▶ trace.Installed
//	                 │
//	               Values
package installed

import (
	"maps"
	"slices"

	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/trace"
)

// Keys of the program that its document does not mention.
const (
	PolicyKey    = trace.ActivityKey
	EndActionKey = "window_end_action"
	TimeoutKey   = "window_timeout"
	TriggerKey   = "window_end_trigger"
)

// Rotate is the policy that can have a time: `rotate_per_node:MS`.
const Rotate = "rotate_per_node"

// Policies are the ways to choose which process of a node does a task.
var Policies = trace.ActivityNames

// State is the state of an installed PInsight after it has read its files.
type State struct {
	Domains   []Domain // by trace.DomainID
	Default   Entry    // Lexgion.default
	PerDomain []Entry  // Lexgion(D).default, by trace.DomainID
	Regions   []*Entry // in the order of its table
	Knobs     []Knob
	Energy    NodePolicy
	Interval  int32 // the interval of the manifest, in seconds

	catalog  *trace.Catalog
	policies [][]string // by domain: the keys whose value is a policy
	noFile   bool
	crashed  bool
	steps    map[string][]origin.Step
}

// Domain holds D.default and the sections for units of D.
type Domain struct {
	Events         trace.Mask
	Mode, LastMode trace.Mode
	Waits          bool             // the domain waits until a launcher sets its mode to LastMode
	Ranges         map[string]Range // by unit kind
	Policy         NodePolicy
	Units          []*Units

	exact map[string]*Units // for the sets of a domain, as text: the first of Units that has them
}

// Range is the range of ids of a unit kind.
type Range struct{ Low, High int32 }

// NodePolicy says which process of a node does a task.
type NodePolicy struct {
	Name string
	MS   int32
}

// Units is a section for units. The program never reads it at run time.
type Units struct {
	Sets   trace.Constraints // the sets of the header's target and of its third part, which may replace those of the target
	Events trace.Mask

	target trace.Constraints // the sets of the header that created the section
}

// more returns the sets that are not in the target.
func (u *Units) more() trace.Constraints {
	return slices.DeleteFunc(slices.Clone(u.Sets), func(s trace.Constraint) bool {
		return slices.ContainsFunc(u.target, func(t trace.Constraint) bool { return s.SameKind(t) && s.Set.Equal(t.Set) })
	})
}

// Entry holds everything that is set for a region.
type Entry struct {
	Address uint64
	Name    string
	File    string
	Domain  int // the domain of a name; -1 means any domain
	Removed bool

	Start, Max, Every uint32
	Events            map[trace.DomainID]*trace.Mask
	Units             trace.Constraints
	Constrained       bool // Units limits the region
	End               WindowEnd

	section string
	defined bool // of Lexgion(D).default: the file has a section for it
	place   source.Span
}

// WindowEnd is the action that follows when a region was traced as often as allowed.
type WindowEnd struct {
	Modes      map[trace.DomainID]trace.Mode
	Policies   map[trace.DomainID]NodePolicy
	Introspect bool
	Pause      int32
	Script     string
	All        bool
	Timeout    int32
}

// Knob is a value that is passed to the traced program.
type Knob struct {
	Name  string
	Value any // int32, float64 or string
}

// New returns the state before any file is read. policies are the keys, by domain, whose value is a policy.
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

// reset restores the state that Lexgion.default has before any file is read.
func (e *Entry) reset() { *e = Entry{section: e.section, Max: trace.Unlimited, Every: 1} }

// copyTo copies the settings of the entry to another entry, but not the region that it is for.
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

// mask returns the events of a domain that are on in the entry. It is created at first use, with all events off.
func (e *Entry) mask(d trace.DomainID) *trace.Mask {
	if e.Events == nil {
		e.Events = map[trace.DomainID]*trace.Mask{}
	}
	if e.Events[d] == nil {
		e.Events[d] = &trace.Mask{}
	}
	return e.Events[d]
}

// inherit replaces the entry's events of a domain by a copy of m.
func (e *Entry) inherit(d trace.DomainID, m trace.Mask) { *e.mask(d) = m }

// compute creates Lexgion(D).default from Lexgion.default and D.default.
func (n *State) compute(d trace.DomainID) *Entry {
	e := &n.PerDomain[d]
	*e = Entry{section: "Lexgion(" + n.catalog.Name(d) + ").default", defined: true}
	n.Default.copyTo(e)
	e.inherit(d, n.Domains[d].Events)
	return e
}

// wrote records the line that set a key.
func (n *State) wrote(key, text string, span source.Span) {
	n.steps[key] = append(n.steps[key], origin.Step{What: origin.Set, Text: text, Span: span})
}

// fromEnv records the environment variable that set a key.
func (n *State) fromEnv(key, text, variable string) {
	n.steps[key] = append(n.steps[key], origin.Step{What: origin.Environment, Text: text, Note: variable})
}
