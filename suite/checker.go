package suite

import (
	"os/exec"
	"slices"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
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

// owned is a program of the user as it will run.
type owned struct {
	*Program
	binary *executable // of the argument that is traced, or computes; nil: what it is is not known
	word   Word        // that argument
	ranks  int         // how many a launcher before it starts; 0: that is not known
}

// programs are the programs of the user as their sources describe them, by the path of the program.
type programs struct {
	sources map[string]*calls.Sources
	readers map[*lang.Config]string // the program that reads a tree; empty: several do
}
