package sprokit

import (
	"errors"
	"slices"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Findings returns the findings of a configuration that is about to run. It includes errors that a project or a comment silences, because silenced
// errors still prevent a run. It is also an error if a type in this program lacks a feature that the pipeline needs. If there is no error, Findings
// also returns the pipeline with the types of this program, or nil if the configuration is not a pipeline.
func Findings(c *lang.Config) (diag.List, *Model) {
	var errs, others diag.List
	for _, d := range AtRun(c.Found()) {
		if d.Severity == diag.Error {
			errs = append(errs, d)
		} else {
			others = append(others, d)
		}
	}
	list := append(errs, c.Review(others)...)
	m, ok := lang.Model[*Model](c)
	if ok && !list.HasErrors() {
		m = m.running()
		for _, d := range m.errors() {
			same := func(o *diag.Diagnostic) bool { return o.Code == d.Code && o.Span == d.Span }
			list = append(slices.DeleteFunc(list, same), d)
		}
	}
	list.Sort()
	return list.Limit(), m
}

// AtRun returns the findings, with a warning raised to an error if it makes a run impossible.
func AtRun(list diag.List) diag.List {
	out := slices.Clone(list)
	for i, d := range out {
		switch d.Code {
		case flowCode[pipe.UnknownType], noSource, includeMacro, includeMissing, placeholder, stages:
			grave := *d // copy it: the model's finding must not change
			out[i] = grave.As(diag.Error)
		case noSuchFile:
			if d.Severity == diag.Warning {
				grave := *d
				out[i] = grave.As(diag.Error)
			}
		}
	}
	return out
}

// running returns the pipeline with the types that this program runs. If they are the types it was resolved with, the result of resolving is reused.
func (m *Model) running() *Model {
	own := m.with(m.Registry.Running())
	if m.unbounded {
		return own
	}
	plan, _ := m.Plan()
	for i := range plan.Nodes {
		typ := plan.Nodes[i].Node.Type
		declared, _ := m.Registry.Lookup(typ)
		if runs, _ := own.Registry.Lookup(typ); runs != declared {
			return own
		}
	}
	own.resolved = m.resolved
	return own
}

// errors returns the errors that the engine finds in the pipeline.
func (m *Model) errors() diag.List {
	c := &checker{m: m, reported: map[*Setting]bool{}}
	c.flow()
	return slices.DeleteFunc(c.list, func(d *diag.Diagnostic) bool { return d.Severity != diag.Error })
}

// Failure returns the error of a run as findings at the places that caused it, or nil if the pipeline is not the cause.
func (m *Model) Failure(err error) diag.List {
	var problems problem.List
	var step *flow.StepError
	var stuck *flow.DeadlockError
	switch {
	case errors.As(err, &problems):
		return setupFailure(problems)
	case errors.As(err, &step):
		failed := *step
		failed.Span = source.Span{} // the finding has the span, so the text need not repeat it
		d := diag.New(stepFailed, step.Span, "%s", failed.Error())
		if step.Stack != nil {
			d.Note("this is a mistake of the process type `%s`, not of the pipeline", step.Type)
		}
		return diag.List{d}
	case errors.As(err, &stuck):
		return diag.List{diag.New(deadlock, source.Span{}, "%s", stuck.Error())}
	}
	return nil
}

// setupFailure returns the errors among the problems, which prevented a pipeline from running.
func setupFailure(problems problem.List) diag.List {
	var list diag.List
	for _, p := range problems {
		if p.Severity == problem.Error {
			list.Add(diag.Of(flowCode[p.Kind], p))
		}
	}
	list.Sort()
	return list.Limit()
}
