package pinsight

import (
	"slices"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
	"github.com/pentode-dev/pentode/run/trace"
)

// installed is the state of an installed PInsight after it has read a file:
// its tables as that program keeps them, quirks included, and the lines
// that wrote each setting.
type installed struct {
	catalog *Catalog
	domains []installedDomain
	dflt    installedEntry   // Lexgion.default
	per     []installedEntry // Lexgion(D).default
	regions []*installedEntry
	knobs   []installedKnob
	energy  nodePolicy
	// interval is the manifest's, in seconds.
	interval int32

	noFile bool
	broken bool // it has crashed
	steps  map[string][]origin.Step
	order  []string // keys in the order in which they were first written
}

// events is a mask of event ids.
type events [trace.MaxEvents / 64]uint64

func (m *events) has(e trace.EventID) bool { return m[e>>6]>>(e&63)&1 != 0 }

func (m *events) put(e trace.EventID, on bool) {
	m[e>>6] &^= 1 << (e & 63)
	if on {
		m[e>>6] |= 1 << (e & 63)
	}
}

type installedDomain struct {
	events         events
	mode, lastMode trace.Mode
	ranges         []installedRange // by kind of the domain
	policy         nodePolicy
	units          []*installedUnits
	exact          map[string]*installedUnits // the first of units with these sets of the domain
}

type installedRange struct{ low, high int32 }

// nodePolicy is which process of a node does something.
type nodePolicy struct {
	name string
	ms   int32
}

// installedUnits is a section for units. Nothing reads it at run time.
type installedUnits struct {
	target []unitSet // as the header had it when the section was made
	sets   []unitSet // those of the target and those after it, which may replace them
	events events
}

func (u *installedUnits) name() string { return unitsText(u.target) }

// more are the sets that the target does not say.
func (u *installedUnits) more() []unitSet {
	return slices.DeleteFunc(slices.Clone(u.sets), func(s unitSet) bool {
		return slices.ContainsFunc(u.target, func(t unitSet) bool { return sameUnits(s, t) })
	})
}

// installedEntry is what is said about a region.
type installedEntry struct {
	section string
	address uint64
	name    string
	file    string
	domain  int // of a name; -1 is any
	removed bool
	defined bool // of Lexgion(D).default

	start, every uint32
	max          uint32
	events       map[trace.DomainID]*events
	units        []unitSet
	constrained  bool
	end          windowEnd
	place        source.Span
}

type windowEnd struct {
	modes      map[trace.DomainID]trace.Mode
	policies   map[trace.DomainID]nodePolicy
	introspect bool
	pause      int32
	script     string
	all        bool
	timeout    int32
}

type installedKnob struct {
	name  string
	value any // int32, float64 or string
}

// install reads a file as an installed PInsight does at its start.
func install(o Options, env *load.Env, t *syntax.Tree, over []*source.File) *installed {
	n := newInstalled(o.installed())
	n.load(t.File())
	for _, f := range over {
		n.load(f)
	}
	n.start(env)
	return n
}

func newInstalled(c *Catalog) *installed {
	n := &installed{catalog: c, noFile: true, interval: 10, energy: nodePolicy{name: "off"}, steps: map[string][]origin.Step{}}
	for _, d := range c.Domains() {
		dom := installedDomain{events: installMask(d), mode: trace.Tracing, policy: nodePolicy{name: "off"}}
		for _, k := range d.Kinds {
			dom.ranges = append(dom.ranges, installedRange{int32(k.Low), int32(k.High)})
		}
		n.domains = append(n.domains, dom)
	}
	n.dflt.section = "Lexgion.default"
	n.dflt.reset()
	n.per = make([]installedEntry, len(n.domains))
	return n
}

func installMask(d trace.Domain) events {
	var m events
	for _, e := range d.Events {
		m.put(e.ID, e.On)
	}
	return m
}

// reset is the state of Lexgion.default before any file.
func (e *installedEntry) reset() {
	*e = installedEntry{section: e.section, max: trace.Unlimited, every: 1}
}

// copyTo gives another entry everything but its identity.
func (e *installedEntry) copyTo(o *installedEntry) {
	o.start, o.every, o.max = e.start, e.every, e.max
	o.units, o.constrained = slices.Clone(e.units), e.constrained
	o.events = map[trace.DomainID]*events{}
	for d, m := range e.events {
		mask := *m
		o.events[d] = &mask
	}
	o.end = e.end
	o.end.modes, o.end.policies = clone(e.end.modes), clone(e.end.policies)
}

func clone[V any](m map[trace.DomainID]V) map[trace.DomainID]V {
	out := make(map[trace.DomainID]V, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// mask is the entry's events of a domain, made on first use: from nothing.
func (e *installedEntry) mask(d trace.DomainID) *events {
	if e.events == nil {
		e.events = map[trace.DomainID]*events{}
	}
	if e.events[d] == nil {
		e.events[d] = &events{}
	}
	return e.events[d]
}

// inherit copies a domain's events as they are now.
func (e *installedEntry) inherit(d trace.DomainID, m events) { *e.mask(d) = m }

// compute makes Lexgion(D).default of Lexgion.default and D.default.
func (n *installed) compute(d trace.DomainID) *installedEntry {
	e := &n.per[d]
	*e = installedEntry{section: "Lexgion(" + n.catalog.domainName(d) + ").default", defined: true}
	n.dflt.copyTo(e)
	e.inherit(d, n.domains[d].events)
	return e
}

// wrote remembers which line set a key.
func (n *installed) wrote(key, text string, span source.Span) {
	if n.steps[key] == nil {
		n.order = append(n.order, key)
	}
	n.steps[key] = append(n.steps[key], origin.Step{What: origin.Set, Text: text, Span: span})
}
