package sprokit

import (
	"errors"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/flow"
)

var (
	stepFailed = &diag.Code{
		ID: "sprokit/step-failed", Severity: diag.Error, AtRun: true,
		Title: "a process failed while the pipeline ran",
		Doc:   "The message says in which step and why. The other processes were stopped; what they had written so far is kept.",
		Bad:   "process a :: numbers\nprocess w :: print_number\n  output = /dev/full\nconnect from a.number to w.number\n",
		Good:  "process a :: numbers\nprocess w :: print_number\n  output = numbers.txt\nconnect from a.number to w.number\n",
	}
	setupFailed = &diag.Code{
		ID: "sprokit/setup-failed", Severity: diag.Error, AtRun: true,
		Title: "a process cannot begin",
		Doc:   "The configuration has the right form, but a file, a program or a value that it names does not serve. Nothing was run.",
		Bad:   "process a :: numbers\nprocess p :: exec\n  command = no-such-program\nconnect from a.number to p.number\n",
		Good:  "process a :: numbers\nprocess p :: exec\n  command = cat\nconnect from a.number to p.number\n",
	}
	cannotRun = &diag.Code{
		ID: "sprokit/cannot-run", Severity: diag.Error, AtRun: true,
		Title: "a process type that is only declared here",
		Doc:   "Its ports and keys are known, so the pipeline can be checked and drawn; to run it takes a program that has the type.",
		Bad:   "process a :: a_type_of_the_types_file\n",
		Good:  fine,
	}
	deadlock = &diag.Code{
		ID: "sprokit/deadlock", Severity: diag.Error, AtRun: true,
		Title: "every process waits for another one",
		Doc:   "No process can go on any more. A type that takes or gives fewer data than its ports declare is the usual cause.",
		Bad:   "two processes of which each waits for the data of the other\n",
		Good:  fine,
	}
)

func runCodes() []*diag.Code { return []*diag.Code{setupFailed, cannotRun, stepFailed, deadlock} }

// Findings are what a configuration says to somebody who wants to run it: a
// type that is not known is no warning any more.
func Findings(c *lang.Config) diag.List {
	list := c.Diagnostics()
	for _, d := range list {
		if d.Code == flowCode[flow.UnknownType] {
			d.As(diag.Error)
		}
	}
	return list
}

// Failure shows the error of a run at the places that it is about. It is nil
// for an error that the pipeline is not to blame for.
func (m *Model) Failure(err error) diag.List {
	var setup *flow.SetupError
	var step *flow.StepError
	var stuck *flow.DeadlockError
	switch {
	case errors.As(err, &setup):
		return m.setupFailure(setup)
	case errors.As(err, &step):
		failed := *step
		failed.Place = "" // the finding has it
		d := diag.New(stepFailed, m.Places()[step.Place], "%s", failed.Error())
		if step.Stack != nil {
			d.Note("this is a mistake of the process type `%s`, not of the pipeline", step.Type)
		}
		return diag.List{d}
	case errors.As(err, &stuck):
		return diag.List{diag.New(deadlock, source.Span{}, "%s", stuck.Error())}
	}
	return nil
}

func (m *Model) setupFailure(err *flow.SetupError) diag.List {
	places := m.Places()
	var list diag.List
	for i := range err.Problems {
		p := &err.Problems[i]
		if p.Severity != flow.Error {
			continue
		}
		code := setupFailed
		switch {
		case p.Code == flow.CannotRun:
			code = cannotRun
		case flowCode[p.Code] != nil:
			code = flowCode[p.Code]
		}
		d := diag.New(code, places[p.Place], "%s", p.Message).As(diag.Error)
		if p.Help != "" {
			d.Helped("%s", p.Help)
		}
		list.Add(d)
	}
	list.Sort()
	return list.Limit()
}
