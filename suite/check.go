package suite

import (
	"os"
	"os/exec"
	"slices"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/lang/pdi/calls"
	"github.com/pentode-dev/pentode/run/target"
)

// Host is what the checks ask the machine that runs. Fields left nil are those of the
// real one.
type Host struct {
	Target   func() (target.Target, error)
	LookPath func(command string) (string, error)
	// Arguments reads arguments of this very program as its command line does. It
	// returns the paths among them, or what is wrong, and with which word. Nil:
	// they are not looked at.
	Arguments func(args []string) (paths []string, word string, err error)
	// AllowOutside is set where the run will let results leave their folder.
	AllowOutside bool
}

func (h Host) orThis() Host {
	if h.Target == nil {
		h.Target = func() (target.Target, error) { return target.Machines{}.Detect(target.ThisHost()) }
	}
	if h.LookPath == nil {
		h.LookPath = exec.LookPath
	}
	return h
}

// Detected is the target of this machine.
func (h Host) Detected() (target.Target, error) { return h.orThis().Target() }

func thisHostName() string {
	if name, err := os.Hostname(); err == nil && name != "" {
		return name
	}
	return "localhost"
}

// Check finds the mistakes between the files of a run. Each finding has its
// place in one file, and a label in the other.
func Check(r *Run, h Host) diag.List {
	c := &checker{Run: r, host: h.orThis(), unset: map[source.Span]*diag.Diagnostic{}, misfed: map[string]bool{}, code: programs{map[string]*calls.Sources{}, map[*lang.Config]string{}}}
	c.list = append(c.list, r.problems...)
	c.variables()
	c.launch()
	c.owns()
	c.handovers()
	c.sites()
	c.traces()
	c.unusedPolicy()
	for _, p := range r.Pipelines {
		for _, e := range p.Exposes {
			c.unsourced(e.Tree)
			c.exposed(p, e)
		}
	}
	c.fed()
	c.everyRank()
	c.shared()
	c.fences()
	if m, ok := model[*coil.Model](r.Configs[Target]); ok {
		c.target(m)
	}
	c.list.Sort()
	return c.list.Limit()
}

type checker struct {
	*Run
	files  map[string]*lang.Config // all of the run, by path
	host   Host
	list   diag.List
	unset  map[source.Span]*diag.Diagnostic // variables without a value: one finding for all their effects
	misfed map[string]bool                  // trees, by path, of which a process names data that they do not have

	programs []*owned // of the user
	code     programs
}

func (c *checker) report(code *diag.Code, span source.Span, format string, args ...any) *diag.Diagnostic {
	return c.list.Report(code, span, format, args...)
}

// sound reports whether a file has no errors of its own. What holds between a
// broken file and others is not checked: what is missing in it may be in the part
// that could not be read.
func (r *Run) sound(c *lang.Config) bool { return c != nil && !r.findings(c).HasErrors() }

// model is the typed model of a file, if the run has it.
func model[M any](c *lang.Config) (m M, ok bool) {
	if c == nil {
		return m, false
	}
	return lang.Model[M](c)
}

// start is the place that starts processes: the last process of the plan, else
// the pipeline.
func (r *Run) start() source.Span {
	if list := r.Processes; len(list) > 0 {
		return list[len(list)-1].field("name")
	}
	if len(r.Pipelines) > 0 {
		return r.Pipelines[0].top()
	}
	return source.Span{}
}

// foreign reports whether the plan starts programs that are not this one, or a pipeline
// traces one: what they register and read is theirs.
func (r *Run) foreign() bool {
	for _, p := range r.Processes {
		if !p.OurOwn() || p.Own != nil {
			return true
		}
	}
	return slices.ContainsFunc(r.Started, func(p *Program) bool { return p.tracesProgram() })
}
