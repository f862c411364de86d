package suite

import (
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
)

// tracedPrograms checks a trace configuration against the programs that `trace run` traces by it, and
// where pipelines have it too, against both: reg is what those register. It reports whether nothing is left to check.
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
		t.pipelines.foreign = false // what the programs have is looked at here
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

// tracedCheck compares a trace configuration with the programs that have it.
type tracedCheck struct {
	*checker
	programs  []*owned
	pipelines registered                 // that have it, too; zero: none has
	opened    map[string]*debuginfo.File // nil: unreadable
	absent    map[string]bool            // domains that were reported
}

// mention checks one place. What one of the programs may have is no mistake.
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
	case t.pipelines.regions[x.Region.Name] && domain == "" && x.Region.File == "" && x.Region.Address == 0: // a process
	default:
		t.regionExists(x)
	}
}

// lacks says why no program has events of a domain; empty where one has them, or may.
func (t *tracedCheck) lacks(domain string) string {
	why := ""
	for _, o := range t.programs {
		name, b := "`"+o.word.Text+"`", o.binary
		switch domain {
		case "OpenMP":
			switch {
			case b.exported[StartTool] && b.linked(LLVMOpenMP):
				why = name + " has an OpenMP tool of its own, `" + StartTool + "`, which is told what happens instead of the tracer"
			case b.linked(LLVMOpenMP):
				return ""
			case b.linked(GNUOpenMP):
				why = "the OpenMP of " + name + " is GCC's, which has no interface for tools: build it with clang"
			case !b.whole:
				return ""
			default:
				why = name + " is not linked with an OpenMP: it has no events of the domain `OpenMP`"
			}
		case "MPI":
			if b.linked(MPILibrary) || !b.whole {
				return ""
			}
			why = name + " is not linked with an MPI: it has no events of the domain `MPI`"
		case FlowDomain:
			why = name + " is no pipeline: it has no events of the domain `" + FlowDomain + "`"
		default:
			return ""
		}
	}
	return why
}

// ranksExist checks ids of ranks against what a launcher starts.
func (t *tracedCheck) ranksExist(x pinsight.Mention) {
	most := 0
	for _, o := range t.programs {
		if o.ranks == 0 {
			return
		}
		most = max(most, o.ranks)
	}
	if t.pipelines.largest != nil {
		most = max(most, len(t.Processes)) // the programs of the plan are counted as ranks, too
	}
	first := t.programs[0]
	t.ids(x, most, first.word.Span, fmt.Sprintf("the program has %s", problem.Count(most, "rank", "ranks")))
}

// regionExists checks that a program has the code of a region. A program that marks
// regions itself may call them anything.
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
		// Libraries are only read for what the program does not have.
		for i, path := range append([]string{o.binary.path}, o.binary.objects...) {
			if i > 0 && x.Region.Address != 0 {
				break // where libraries lie is known when they are loaded
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
			d.Message += ", and the pipeline no process of that name"
			d.At(p.top(), "it is traced, too")
		}
		if near, ok := problem.Nearest(name, names); ok {
			d.Helped("%s", problem.DidYouMean(near)).Replace(false, near)
		}
	}
	d.Labelled("never applies").At(first.word.Span, "this program is traced")
}

// has reports whether an object has code of a region, and whether the region can begin
// there.
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

// debug opens the symbols of a program or library, once; nil where they cannot be read.
func (t *tracedCheck) debug(path string) *debuginfo.File {
	f, ok := t.opened[path]
	if !ok {
		f, _ = debuginfo.Open(path, debuginfo.Options{}) // what it has is then not known
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
