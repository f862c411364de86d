package flow

import (
	"fmt"
	"slices"
	"sync"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/recording"
)

// An In is an input port of a running process.
type In struct {
	name   string
	typ    string
	group  string
	freq   uint64 // data taken per step
	waits  bool   // the port has no flag pipe.NoDep, so steps may wait for its data
	edge   *edge
	static Datum
}

// Name returns the name of the port.
func (in *In) Name() string { return in.name }

// Type returns the type of its data.
func (in *In) Type() string { return in.typ }

// Group returns the text that the pipeline puts in place of the first variable of the port's name, if
// the type declares the name as a pattern.
func (in *In) Group() string { return in.group }

// Connected reports whether an edge leads here.
func (in *In) Connected() bool { return in.edge != nil }

// Take takes the next datum, and waits for it if necessary. An unconnected port returns the value from
// the configuration, or empty. When the data have ended, Take returns complete every time.
func (in *In) Take() Datum {
	e := in.edge
	if e == nil {
		return in.static
	}
	if e.head == e.tailSeen && !e.more() {
		return OfComplete()
	}
	en := e.first()
	d := en.datum
	e.drop(en)
	return d
}

// TakeStamped takes the next datum with its stamp.
func (in *In) TakeStamped() (d Datum, s Stamp) {
	e := in.edge
	if e == nil {
		return in.static, 0
	}
	if e.head == e.tailSeen && !e.more() {
		return OfComplete(), 0
	}
	en := e.first()
	d, s = en.datum, en.stamp
	e.drop(en)
	return d, s
}

// Peek returns the i-th waiting datum without taking it, and waits for it if necessary. After the last
// datum it returns complete.
func (in *In) Peek(i int) (d Datum) {
	if in.edge == nil {
		return in.static
	}
	if in.edge.over {
		return OfComplete()
	}
	for j := range uint64(i) + 1 {
		in.edge.wait(j+1, true)
		if d = in.edge.peek(j).datum; d.kind == CompleteKind {
			break
		}
	}
	return d
}

// Waiting reports whether a datum has arrived that Take would return. It does not wait for one.
func (in *In) Waiting() bool { return in.edge != nil && !in.edge.over && in.edge.has(1) }

// Refuse closes the port: the process takes no more data from it.
func (in *In) Refuse() {
	if in.edge != nil {
		in.edge.refuse()
	}
}

// An Out is an output port of a running process.
type Out struct {
	name  string
	typ   string
	group string
	freq  pipe.Freq
	edges []*edge
	next  Stamp
	inc   Stamp
	trace *recording.Recorder
	proc  *proc
	errs  errorCount
}

// Name returns the name of the port.
func (o *Out) Name() string { return o.name }

// Type returns the type of its data.
func (o *Out) Type() string { return o.typ }

// Group returns the text that the pipeline puts in place of the first variable of the port's name, if
// the type declares the name as a pattern.
func (o *Out) Group() string { return o.group }

// perStep returns how many empty or error data to push in a step that has no values.
func (o *Out) perStep() int64 {
	if f := o.freq.Norm(); f.Num > f.Den {
		return f.Num / f.Den
	}
	return 1
}

// Connected reports whether the port has an edge.
func (o *Out) Connected() bool { return len(o.edges) > 0 }

// Push sends a datum with the port's next stamp over every edge of the port, and waits for room if
// necessary.
func (o *Out) Push(d Datum) {
	if d.kind == 0 {
		d.kind = EmptyKind
	}
	if o.trace != nil {
		o.trace.Push(o.name)
	}
	if d.kind == ErrorKind {
		o.noteError(d)
	}
	s := o.next
	o.next += o.inc
	for _, e := range o.edges {
		e.push(d, s)
	}
}

// Forward is like Push, but sends the datum with the stamp it had at the input.
func (o *Out) Forward(d Datum, s Stamp) {
	if d.kind == 0 {
		d.kind = EmptyKind
	}
	if o.trace != nil {
		o.trace.Push(o.name)
	}
	if d.kind == ErrorKind {
		o.noteError(d)
	}
	for _, e := range o.edges {
		e.push(d, s)
	}
}

// An errorCount counts the error data of an output.
type errorCount struct {
	mu      sync.Mutex
	count   uint64
	reasons []string // the first few different reasons
}

// maxReasons is the maximum number of different reasons kept for each port.
const maxReasons = 3

// PortErrors describes the error data of an output.
type PortErrors struct {
	Port    string   `json:"port"`
	Count   uint64   `json:"count"`
	Reasons []string `json:"reasons"` // the first few different reasons
}

// An ErrorDatum is an error that a process sent instead of a value.
type ErrorDatum struct {
	Step    uint64 `json:"step"`
	Process string `json:"process"`
	Port    string `json:"port"`
	Reason  string `json:"reason"`
}

// noteError counts an error datum, and reports the first one of each port. An error that the process
// only passes on is counted but not reported: it was reported at the process that made it.
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
		o.proc.env.Log().Warn(fmt.Sprintf("step %d sent an error instead of a value at output `%s`: %s", o.proc.steps, o.name, why))
	}
}

// errors returns the error counts of those outputs of a process that sent errors.
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

// An ErrorDataError is the error of a run that sent error data, if Options.FailOnErrors is set.
type ErrorDataError struct {
	Process string // the first process that sent error data
	PortErrors
}

func (e *ErrorDataError) Error() string {
	return fmt.Sprintf("%d data of output `%s` of process `%s` are errors; the first: %s", e.Count, e.Port, e.Process, e.Reasons[0])
}

// errorData returns an ErrorDataError if the run sent error data, or nil.
func (r *Run) errorData() error {
	for _, i := range r.plan.Order {
		if list := r.procs[i].errors(); len(list) > 0 {
			return &ErrorDataError{r.procs[i].node.Name, list[0]}
		}
	}
	return nil
}
