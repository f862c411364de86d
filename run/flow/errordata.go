package flow

import (
	"fmt"
	"slices"
	"sync"

	"github.com/pentode-dev/pentode/core/problem"
)

// An errorCount is what is known of the data of one output that are errors.
type errorCount struct {
	mu      sync.Mutex
	count   uint64
	reasons []string // the first ones that differ
}

// maxReasons is how many reasons of one port are kept.
const maxReasons = 3

// PortErrors are the data of an output that were errors.
type PortErrors struct {
	Port    string   `json:"port"`
	Count   uint64   `json:"count"`
	Reasons []string `json:"reasons"` // the first ones that differ
}

// An ErrorDatum is a datum that is an error in the place of a value.
type ErrorDatum struct {
	Step    uint64 `json:"step"`
	Process string `json:"process"`
	Port    string `json:"port"`
	Reason  string `json:"reason"`
}

// noteError counts a datum that is an error, and says so once for each port. One that a process
// passes on was reported where it was made.
func (o *Out) noteError(d Datum) {
	if o.proc == nil || o.proc.node.Link || o.proc.node.Helper {
		return // not connected, or counted where it was made
	}
	if take := o.proc.run.opt.ErrorDatum; take != nil && !o.proc.passing {
		take(ErrorDatum{uint64(o.proc.steps), o.proc.node.Name, o.name, d.Why()})
	}
	o.errs.mu.Lock()
	defer o.errs.mu.Unlock()
	o.errs.count++
	why := problem.Clip(d.Why(), 200)
	if len(o.errs.reasons) < maxReasons && !slices.Contains(o.errs.reasons, why) {
		o.errs.reasons = append(o.errs.reasons, why)
	}
	if o.errs.count == 1 && !o.proc.passing {
		o.proc.env.Log().Warn(fmt.Sprintf("step %d has an error in the place of a value at output `%s`: %s", o.proc.steps, o.name, why))
	}
}

// errors are the outputs of a process that sent errors.
func (p *proc) errors() (list []PortErrors) {
	for _, o := range p.outs {
		o.errs.mu.Lock()
		if o.errs.count > 0 {
			list = append(list, PortErrors{o.name, o.errs.count, slices.Clone(o.errs.reasons)})
		}
		o.errs.mu.Unlock()
	}
	return list
}

// An ErrorDataError is the failure of a run in which data were errors, where
// Options.FailOnErrors asks for it.
type ErrorDataError struct {
	Process string // the first that made one
	PortErrors
}

func (e *ErrorDataError) Error() string {
	return fmt.Sprintf("%d data of output `%s` of process `%s` are errors; the first: %s", e.Count, e.Port, e.Process, e.Reasons[0])
}

// errorData is the failure of a run that has data which are errors, or nil.
func (r *Run) errorData() error {
	for _, i := range r.plan.Order {
		if list := r.procs[i].errors(); len(list) > 0 {
			return &ErrorDataError{r.procs[i].node.Name, list[0]}
		}
	}
	return nil
}
