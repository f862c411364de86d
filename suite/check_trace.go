package suite

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/trace"
)

// registered describes what the pipelines of a run register with the tracer.
type registered struct {
	processes int // the largest number of processes in one pipeline
	largest   *Pipeline
	names     []string
	regions   map[string]bool
	events    map[string]bool
	foreign   bool // other programs take part, and it is not known what they register
}

// traces checks the trace configurations against what the run registers. It is not known what other programs register.
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
		absent := map[string]bool{}    // domains that were reported as missing
		seen := map[source.Span]bool{} // a header is reported once for all regions that it lists
		for x := range m.Mentions() {
			if !seen[x.Span] && !pinsight.Untraced(x.Domain) { // these are already reported
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
		c.ids(x, reg.processes, reg.largest.last(), fmt.Sprintf("the pipeline has %s", quantity.Count(reg.processes, "process", "processes")))
	case reg.foreign:
	case x.Kind != "":
		c.report(noSuchUnit, x.Span, "no process of this run has a `%s.%s`", x.Domain, x.Kind).As(diag.Warning).
			Labelled("never applies").At(c.start(), "this starts a pipeline, which has no units of %s", x.Domain)
	case x.Region != (trace.Match{}):
		c.region(reg, x)
	case x.Domain != FlowDomain && x.Domain != "":
		if !absent[x.Domain] {
			absent[x.Domain] = true
			c.report(notRegistered, x.Span, "nothing in this run has events in the domain `%s`", x.Domain).
				At(c.start(), "this runs a pipeline, whose events are in the domain `%s`", FlowDomain)
		}
	case x.Event != "" && !reg.events[x.Event]:
		c.report(notRegistered, x.Span, "a pipeline has no event `%s`", x.Event).
			At(reg.largest.top(), "its events are %s", strings.Join(eventNames(), ", "))
	}
}

// PolicyKey is the key with which a process of a pipeline names a trace configuration.
const PolicyKey = pipe.InstrumentPrefix + "trace:policy"

// unusedPolicy finds a trace configuration in the folder that filters nothing, because the plan does not name it. If a plan names a missing
// configuration, or has wrong arguments, it may have meant this one.
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
	c.report(notUsed, top(config), "`%s` has no effect: no process of the plan names it", base).
		At(first.Pipe.Span, "%s `%s` runs without it", first.Node.Kind, first.Node.ID).
		Helped("add `\"--policy\" \"%s\" \"--trace\" \"trace.json\"` to its arguments", base)
}

// ranks checks the ids of processes, which are their indices in the plan.
func (c *checker) ranks(x pinsight.Mention) {
	processes := c.Processes
	if len(c.Programs) > 0 {
		c.ids(x, len(processes), c.start(), fmt.Sprintf("the plan starts %s", quantity.Count(len(processes), "process", "processes")))
		return
	}
	c.ids(x, 1, c.start(), "without a plan there is one process")
}

// ids checks a set of ids against the number of units.
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
		d = c.report(noSuchUnit, x.Span, "%s goes beyond the existing units: %s", x.Span.Text(), because).As(diag.Warning).
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
			At(reg.largest.top(), "its regions are its processes, by name")
	case x.Region.Domain != "" && x.Region.Domain != FlowDomain:
		c.report(notRegistered, x.Span, "nothing in this run has regions in the domain `%s`", x.Region.Domain).
			At(c.start(), "this runs a pipeline, whose regions are in the domain `%s`", FlowDomain)
	case !reg.regions[x.Region.Name] || x.Region.File != "":
		d := c.report(noSuchRegion, x.Span, "the pipeline has no process `%s` to trace", x.Region.Name)
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

// processSpan returns where a pipeline declares a process.
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

// tracedPrograms checks a trace configuration against the programs that `trace record` traces with it and, if pipelines use it too, against what they
// register (reg). It reports whether there is nothing left to check.
func (c *checker) tracedPrograms(policy *lang.Config, m *pinsight.Model, reg *registered) bool {
	var list []*owned
	for _, o := range c.programs {
		if slices.Contains(c.tracedBy(policy), o.Program) {
			list = append(list, o)
		}
	}
	if len(list) != len(c.tracedBy(policy)) || len(list) == 0 {
		return len(c.tracedBy(policy)) > 0
	}
	shared := slices.ContainsFunc(c.Programs, func(p *Program) bool {
		return p.Own == nil && p.Policy != nil && sameFile(c.path(p.Policy.Text), policy.Document.File.Path())
	})
	if slices.ContainsFunc(list, func(o *owned) bool { return o.binary == nil }) || shared && reg == nil {
		return !shared // a script: what it starts is not known
	}
	t := &tracedCheck{checker: c, programs: list, opened: map[string]*debuginfo.File{}, absent: map[string]bool{}}
	if shared {
		t.pipelines = *reg
		t.pipelines.foreign = false // the programs are inspected here
	}
	defer t.close()
	seen := map[source.Span]bool{}
	for x := range m.Mentions() {
		if !seen[x.Span] {
			seen[x.Span] = true
			t.mention(x)
		}
	}
	return true
}

// tracedCheck compares a trace configuration with the programs that use it.
type tracedCheck struct {
	*checker
	programs  []*owned
	pipelines registered                 // of the pipelines that also use it; zero: none
	opened    map[string]*debuginfo.File // nil: unreadable
	absent    map[string]bool            // domains that were already reported
}

// mention checks one place in the configuration. It reports nothing that one of the programs may have.
func (t *tracedCheck) mention(x pinsight.Mention) {
	domain := x.Domain
	if x.Region != (trace.Match{}) && domain == "" {
		domain = x.Region.Domain
	}
	if domain == FlowDomain && t.pipelines.largest != nil {
		t.checker.mention(&t.pipelines, x, t.absent)
		return
	}
	if why := t.lacks(domain); why != "" {
		if !t.absent[domain] {
			t.absent[domain] = true
			first := t.programs[0]
			t.report(notRegistered, x.Span, "%s", why).Labelled("never applies").
				At(first.word.Span, "process `%s` traces this program", first.Node.ID)
		}
		return
	}
	switch {
	case x.Kind == "rank" && x.Domain == "MPI":
		t.ranksExist(x)
	case x.Region == (trace.Match{}):
	case t.pipelines.regions[x.Region.Name] && domain == "" && x.Region.File == "" && x.Region.Address == 0: // the region is a process
	default:
		t.regionExists(x)
	}
}

// lacks says why no program has events in a domain; empty if one has them, or may have them.
func (t *tracedCheck) lacks(domain string) string {
	why := ""
	for _, o := range t.programs {
		name, b := "`"+o.word.Text+"`", o.binary
		switch domain {
		case "OpenMP":
			switch {
			case b.exported[StartTool] && b.linked(LLVMOpenMP):
				why = name + " has its own OpenMP tool, `" + StartTool + "`, which gets the events instead of the tracer"
			case b.linked(LLVMOpenMP):
				return ""
			case b.linked(GNUOpenMP):
				why = "the OpenMP of " + name + " is GCC's, which has no interface for tools: build it with clang"
			case !b.whole:
				return ""
			default:
				why = name + " is not linked with OpenMP: it has no events in the domain `OpenMP`"
			}
		case "MPI":
			if b.linked(MPILibrary) || !b.whole {
				return ""
			}
			why = name + " is not linked with an MPI: it has no events in the domain `MPI`"
		case FlowDomain:
			why = name + " is not a pipeline: it has no events in the domain `" + FlowDomain + "`"
		default:
			return ""
		}
	}
	return why
}

// ranksExist checks ids of ranks against the number of ranks that a launcher starts.
func (t *tracedCheck) ranksExist(x pinsight.Mention) {
	ranks := 0
	for _, o := range t.programs {
		if o.ranks == 0 {
			return
		}
		ranks = max(ranks, o.ranks)
	}
	if t.pipelines.largest != nil {
		ranks = max(ranks, len(t.Processes)) // programs of the plan also count as ranks
	}
	first := t.programs[0]
	t.ids(x, ranks, first.word.Span, fmt.Sprintf("the program has %s", quantity.Count(ranks, "rank", "ranks")))
}

// regionExists checks that a program has the code of a region. A program that marks regions itself may use any names.
func (t *tracedCheck) regionExists(x pinsight.Mention) {
	_, _, line := pinsight.Line(x.Region)
	if line {
		t.located[x.Span] = true
	}
	names := slices.Clone(t.pipelines.names)
	code := false
	for _, o := range t.programs {
		program := t.debug(o.binary.path)
		if program == nil || o.binary.marks || o.binary.loads {
			return
		}
		own, err := program.Functions()
		if err != nil {
			return // stripped
		}
		for _, fn := range own {
			names = append(names, fn.Name)
		}
		// Libraries are read only for what is missing in the program.
		for i, path := range append([]string{o.binary.path}, o.binary.objects...) {
			if i > 0 && x.Region.Address != 0 {
				break // addresses of libraries are known only when they are loaded
			}
			f := t.debug(path)
			if f == nil {
				continue
			}
			some, begins := has(f, x.Region)
			if begins {
				return
			}
			code = code || some
		}
	}
	first := t.programs[0]
	var d *diag.Diagnostic
	switch name := x.Region.Name; {
	case x.Region.Address != 0:
		d = t.report(noSuchRegion, x.Span, "`%s` has no code at the address %#x", first.word.Text, x.Region.Address).As(diag.Warning)
	case code:
		d = t.report(noSuchRegion, x.Span, "`%s` calls neither OpenMP nor MPI, so no region of theirs begins there", name).
			Helped("name the line of the pragma or of the call")
	case line:
		d = t.report(noSuchRegion, x.Span, "`%s` has no code at `%s`", first.word.Text, name)
	default:
		d = t.report(noSuchRegion, x.Span, "`%s` has no function `%s`", first.word.Text, name)
		if p := t.pipelines.largest; p != nil {
			d.Message += ", and the pipeline has no process with this name"
			d.At(p.top(), "it is traced too")
		}
		if near, ok := problem.Nearest(name, names); ok {
			d.Helped("%s", problem.DidYouMean(near)).Replace(false, near)
		}
	}
	d.Labelled("never applies").At(first.word.Span, "this program is traced")
}

// has reports whether an object has code of a region, and whether the region can begin there.
func has(f *debuginfo.File, region trace.Match) (code, begins bool) {
	if region.Address != 0 {
		_, ok := f.Lookup(region.Address)
		return ok, ok
	}
	if file, line, ok := pinsight.Line(region); ok {
		sites, err := pinsight.Regions(f, file, line)
		return err == nil, err == nil && sites[0].Callee != ""
	}
	ok := len(pinsight.Code(f, region)) > 0
	return ok, ok
}

// debug opens the symbols of a program or library once; nil if they cannot be read.
func (t *tracedCheck) debug(path string) *debuginfo.File {
	f, ok := t.opened[path]
	if !ok {
		f, _ = debuginfo.Open(path, debuginfo.Options{}) // then its symbols are not known
		t.opened[path] = f
	}
	return f
}

func (t *tracedCheck) close() {
	for _, f := range t.opened {
		if f != nil {
			f.Close()
		}
	}
}
