package suite

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/trace"
)

// registered is what the pipelines of a run register with the tracer.
type registered struct {
	processes int // the largest number that one pipeline has
	largest   *Pipeline
	names     []string
	regions   map[string]bool
	events    map[string]bool
	foreign   bool // other programs take part, and what they register is not known
}

// traces checks the trace configurations against what the run registers. What
// other programs register is not known.
func (c *checker) traces() {
	if c.Configs[Launch] != nil && !c.sound(c.Configs[Launch]) {
		return
	}
	var reg *registered
	if len(c.Pipelines) > 0 && !slices.ContainsFunc(c.Pipelines, func(p *Pipeline) bool { return !c.sound(p.Config) }) {
		reg = c.registered()
	}
	for _, policy := range c.Policies {
		m, ok := model[*pinsight.Model](policy)
		if !ok || !c.sound(policy) || c.tracedPrograms(policy, m, reg) || reg == nil {
			continue
		}
		absent := map[string]bool{}    // domains that were reported as absent
		seen := map[source.Span]bool{} // a header speaks for all regions that it lists
		for x := range m.Mentions() {
			if !seen[x.Span] && !pinsight.Untraced(x.Domain) { // which has its message already
				seen[x.Span] = true
				c.mention(reg, x, absent)
			}
		}
	}
}

func (c *checker) mention(reg *registered, x pinsight.Mention, absent map[string]bool) {
	switch {
	case x.Kind != "" && x.Domain == "MPI" && x.Kind == "rank":
		c.ranks(x)
	case x.Kind != "" && x.Domain == FlowDomain:
		c.ids(x, reg.processes, reg.largest.last(), fmt.Sprintf("the pipeline has %s", problem.Count(reg.processes, "process", "processes")))
	case reg.foreign:
	case x.Kind != "":
		c.report(noSuchUnit, x.Span, "no process of this run has a `%s.%s`", x.Domain, x.Kind).As(diag.Warning).
			Labelled("never applies").At(c.start(), "this starts a pipeline, which has no units of %s", x.Domain)
	case x.Region != (trace.Match{}):
		c.region(reg, x)
	case x.Domain != FlowDomain && x.Domain != "":
		if !absent[x.Domain] {
			absent[x.Domain] = true
			c.report(notRegistered, x.Span, "nothing in this run has events of the domain `%s`", x.Domain).
				At(c.start(), "this runs a pipeline, whose events are of the domain `%s`", FlowDomain)
		}
	case x.Event != "" && !reg.events[x.Event]:
		c.report(notRegistered, x.Span, "a pipeline has no event `%s`", x.Event).
			At(reg.largest.top(), "its events are %s", strings.Join(eventNames(), ", "))
	}
}

// PolicyKey is how a process of a pipeline names a trace configuration.
const PolicyKey = pipe.InstrumentPrefix + "trace:policy"

// unusedPolicy finds a trace configuration in the folder that filters nothing:
// the plan must name it. A plan that names a missing one, or has wrong arguments,
// may have intended this one.
func (c *checker) unusedPolicy() {
	config := c.Configs[Trace]
	if config == nil || len(c.Processes) == 0 || c.foreign() || !c.sound(c.Configs[Launch]) {
		return
	}
	if slices.ContainsFunc(c.list, func(d *diag.Diagnostic) bool { return d.Code == badArguments }) {
		return
	}
	base := name(config)
	for _, p := range c.Processes {
		if p.Policy != nil && c.opened(c.path(p.Policy.Text), Trace) == nil {
			return
		}
		if p.Pipe == nil || p.Policy != nil && filepath.Base(p.Policy.Text) == base {
			return
		}
	}
	for _, p := range c.Pipelines {
		for i := range p.Plan.Nodes {
			if filepath.Base(p.Plan.Nodes[i].Config[PolicyKey].Value) == base {
				return
			}
		}
	}
	first := c.Processes[0]
	c.report(notUsed, top(config), "nothing is traced by `%s`: no process of the plan is told of it", base).
		At(first.Pipe.Span, "%s `%s` runs without it", first.Node.Kind, first.Node.ID).
		Helped("add `\"--policy\" \"%s\" \"--trace\" \"trace.json\"` to its arguments", base)
}

// ranks checks ids of processes: their index in the plan.
func (c *checker) ranks(x pinsight.Mention) {
	processes := c.Processes
	if len(c.Programs) > 0 {
		c.ids(x, len(processes), c.start(), fmt.Sprintf("the plan starts %s", problem.Count(len(processes), "process", "processes")))
		return
	}
	c.ids(x, 1, c.start(), "without a plan there is one process")
}

// ids checks a set of ids against their number.
func (c *checker) ids(x pinsight.Mention, have int, at source.Span, because string) {
	beyond := x.Set.Clip(trace.Span{Lo: uint32(have), Hi: math.MaxUint32})
	if beyond.Empty() {
		return
	}
	name := x.Domain + "." + x.Kind
	var d *diag.Diagnostic
	if beyond.Equal(x.Set) {
		d = c.report(noSuchUnit, x.Span, "no process has the %s %s: %s", name, x.Set, because).Labelled("never applies")
	} else {
		d = c.report(noSuchUnit, x.Span, "%s goes beyond what is there: %s", x.Span.Text(), because).As(diag.Warning).
			Labelled("%s do not exist", beyond)
	}
	switch {
	case have == 1:
		d.At(at, "its %s is 0", name)
	case have > 1:
		d.At(at, "this is the last, with the %s %d", name, have-1)
	default:
		d.At(at, "nothing is started")
	}
}

// region checks the name of a region.
func (c *checker) region(reg *registered, x pinsight.Mention) {
	switch {
	case x.Region.Address != 0:
		c.report(noSuchRegion, x.Span, "the pipeline has no region at the address %#x", x.Region.Address).As(diag.Warning).
			At(reg.largest.top(), "regions are its processes, by name")
	case x.Region.Domain != "" && x.Region.Domain != FlowDomain:
		c.report(notRegistered, x.Span, "nothing in this run has regions of the domain `%s`", x.Region.Domain).
			At(c.start(), "this runs a pipeline, whose regions are of the domain `%s`", FlowDomain)
	case !reg.regions[x.Region.Name] || x.Region.File != "":
		d := c.report(noSuchRegion, x.Span, "the pipeline has no process `%s` that could be traced", x.Region.Name)
		near, ok := problem.Nearest(x.Region.Name, reg.names)
		if !ok {
			d.At(reg.largest.top(), "its processes are %s", strings.Join(reg.names[:min(8, len(reg.names))], ", "))
			return
		}
		d.At(c.processSpan(near), "there is this one").Helped("%s", problem.DidYouMean(near)).Replace(false, near)
	}
}

func (c *checker) registered() *registered {
	reg := &registered{regions: map[string]bool{}, events: map[string]bool{}, largest: c.Pipelines[0], foreign: c.foreign()}
	for _, e := range pipe.Events() {
		reg.events[e.String()] = true
	}
	for _, p := range c.Pipelines {
		if n := len(p.Plan.Nodes); n > reg.processes {
			reg.processes, reg.largest = n, p
		}
		for i := range p.Plan.Nodes {
			if name := p.Plan.Nodes[i].Name; !reg.regions[name] {
				reg.regions[name] = true
				reg.names = append(reg.names, name)
			}
		}
	}
	return reg
}

// processSpan is where some pipeline declares a process.
func (c *checker) processSpan(name string) source.Span {
	for _, p := range c.Pipelines {
		for i := range p.Plan.Nodes {
			if p.Plan.Nodes[i].Name == name {
				return p.process(&p.Plan.Nodes[i])
			}
		}
	}
	return source.Span{}
}

func eventNames() []string {
	var names []string
	for _, e := range pipe.Events() {
		names = append(names, e.String())
	}
	return names
}
