package suite

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
)

// tracedPrograms checks a trace configuration against the programs that `trace run`
// traces by it. It reports whether the configuration is for them alone.
func (c *checker) tracedPrograms(policy *lang.Config, m *pinsight.Model) bool {
	var list []*owned
	for _, o := range c.programs {
		if slices.Contains(c.tracedBy(policy), o.Program) {
			list = append(list, o)
		}
	}
	if len(list) != len(c.tracedBy(policy)) || len(list) == 0 {
		return len(c.tracedBy(policy)) > 0
	}
	for _, p := range c.Programs {
		if p.Own == nil && p.Policy != nil && sameFile(c.path(p.Policy.Text), policy.Document.File.Path()) {
			return false // a pipeline has it, too
		}
	}
	if slices.ContainsFunc(list, func(o *owned) bool { return o.binary == nil }) {
		return true // a script: what it starts is not known
	}
	t := &tracedCheck{checker: c, programs: list, absent: map[string]bool{}}
	defer t.close()
	seen := map[source.Span]bool{}
	for _, x := range m.Mentions() {
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
	programs []*owned
	opened   []*debuginfo.File
	absent   map[string]bool // domains that were reported
}

// mention checks one place. What one of the programs may have is no mistake.
func (t *tracedCheck) mention(x pinsight.Mention) {
	domain := x.Domain
	if x.Region != (trace.Match{}) && domain == "" {
		domain = x.Region.Domain
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
	case x.Region != (trace.Match{}):
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
	first := t.programs[0]
	t.ids(x, most, first.word.Span, fmt.Sprintf("the program has %s", count(most, "rank", "ranks")))
}

// regionExists checks that a program has the code of a region. A program that marks
// regions itself may call them anything.
func (t *tracedCheck) regionExists(x pinsight.Mention) {
	names := map[string]bool{}
	for _, o := range t.programs {
		f := t.debug(o)
		if f == nil || o.binary.marks || o.binary.loads {
			return
		}
		switch {
		case x.Region.Address != 0:
			if _, ok := f.Lookup(x.Region.Address); ok {
				return
			}
		case t.line(f, x) || hasFunction(f, x.Region.Name):
			return
		}
		if list, err := f.Functions(); err != nil {
			return
		} else {
			for _, fn := range list {
				names[fn.Name] = true
			}
		}
	}
	if len(names) == 0 {
		return // stripped
	}
	first := t.programs[0]
	if x.Region.Address != 0 {
		t.report(noSuchRegion, x.Span, "`%s` has no code at the address %#x", first.word.Text, x.Region.Address).As(diag.Warning).
			Labelled("never applies").At(first.word.Span, "this program is traced")
		return
	}
	what := "function"
	if strings.Contains(x.Region.Name, ":") || x.Region.File != "" && isNumber(x.Region.Name) {
		what = "code at"
	}
	d := t.report(noSuchRegion, x.Span, "`%s` has no %s `%s`", first.word.Text, what, x.Region.Name).
		Labelled("never applies").At(first.word.Span, "this program is traced")
	if near, ok := problem.Nearest(x.Region.Name, slices.Sorted(maps.Keys(names))); ok {
		d.Helped("%s", problem.DidYouMean(near)).Replace(false, near)
	}
}

// hasFunction reports whether a program has a function of a name.
func hasFunction(f *debuginfo.File, name string) bool {
	_, ok := f.Function(name)
	return ok
}

// line reports whether a region is a line of source of which the program has code. That
// it is only known with the program is then no finding.
func (t *tracedCheck) line(f *debuginfo.File, x pinsight.Mention) bool {
	file, text := x.Region.File, x.Region.Name
	if at := strings.LastIndexByte(text, ':'); at > 0 {
		file, text = text[:at], text[at+1:]
	}
	number, err := strconv.Atoi(text)
	if err != nil || file == "" {
		return false
	}
	t.located[x.Span] = true
	sites, err := pinsight.Regions(f, file, number)
	return err == nil && len(sites) > 0 && sites[0].Callee != ""
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// debug opens the symbols of a program.
func (t *tracedCheck) debug(o *owned) *debuginfo.File {
	for _, f := range t.opened {
		if filepath.Clean(f.Path) == filepath.Clean(o.binary.path) {
			return f
		}
	}
	f, err := debuginfo.Open(o.binary.path, debuginfo.Options{})
	if err != nil {
		return nil
	}
	t.opened = append(t.opened, f)
	return f
}

func (t *tracedCheck) close() {
	for _, f := range t.opened {
		f.Close()
	}
}
