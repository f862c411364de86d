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

// Host answers the questions of checks about the machine. Nil fields are answered by the real machine.
type Host struct {
	Target   func() (target.Target, error)
	LookPath func(command string) (string, error)
	// Arguments reads arguments of this program as its command line does. It returns the paths among them, or an error with the wrong word. If it is
	// nil, arguments are not checked.
	Arguments func(args []string) (paths []string, word string, err error)
	// AllowOutside is set if the run allows results outside of their folder.
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

// Detected returns the target of this machine.
func (h Host) Detected() (target.Target, error) { return h.orThis().Target() }

type checker struct {
	*Run
	files  map[string]*lang.Config // all files of the run, by path
	host   Host
	list   diag.List
	unset  map[source.Span]*diag.Diagnostic // variables without a value: one finding for all their effects
	misfed map[string]bool                  // trees, by path, that lack data named by a process

	programs []*owned // the user's programs
	code     programs
}

func (c *checker) report(code *diag.Code, span source.Span, format string, args ...any) *diag.Diagnostic {
	return c.list.Report(code, span, format, args...)
}

// start returns the place that starts processes: the last process of the plan, or else the pipeline.
func (r *Run) start() source.Span {
	if list := r.Processes; len(list) > 0 {
		return list[len(list)-1].field("name")
	}
	if len(r.Pipelines) > 0 {
		return r.Pipelines[0].top()
	}
	return source.Span{}
}

// foreign reports whether the plan starts programs other than this one, or a pipeline traces one: what they register and read is not known.
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
	binary *executable // the file of the argument that is traced, or computes; nil: not known
	word   Word        // that argument
	ranks  int         // how many ranks a launcher before it starts; 0: not known
}

// programs describes the user's programs by their sources; the key is the path of the program.
type programs struct {
	sources map[string]*calls.Sources
	readers map[*lang.Config]string // the program that reads a tree; empty: several read it
}
