package recorded

import (
	"fmt"

	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// enter begins a frame.
func (w *walker) enter(e *Event) error {
	t, at := e.Thread, w.named(e)
	via := t.via(t.calls)
	f := t.begin(Frame{Name: at.name, Kind: e.Kind, Region: e.Region, Begin: e.Time, ID: at.id})
	f.Calls, f.Via = t.calls, via
	return w.entered(e, f)
}

// begin pushes a frame onto the stack.
func (t *Thread) begin(f Frame) *Frame {
	t.stack = append(t.stack, f)
	return &t.stack[len(t.stack)-1]
}

func (w *walker) entered(e *Event, f *Frame) error {
	if e.Kind.mpi && (w.Message != nil || w.Collective != nil) {
		f.call = w.comms.begin(e)
	}
	if w.Enter != nil {
		if err := w.Enter(e, f); err != nil {
			return err
		}
	}
	if f.call != nil {
		return w.messages(e, f.call.sent)
	}
	return nil
}

// ended passes to the handler the messages that a call has received and, if all ranks of a
// communicator make the call, the call itself.
func (w *walker) ended(e *Event, f *Frame, at int64) error {
	if err := w.messages(e, w.comms.end(e, f.call)); err != nil || w.Collective == nil {
		return err
	}
	if c, ok := w.comms.collective(e.Thread.Process, f.call); ok && f.Kind.Collective() {
		return w.Collective(e.Thread, f, at, c)
	}
	return nil
}

// wholeFrame is a frame whose event has its end. Nothing overlaps it in its stream.
func (w *walker) wholeFrame(e *Event) error {
	t, k := e.Thread, e.Kind
	number := func(name string) uint64 { return e.Fields[k.Member(name)].Number }
	t.device(k, e.Occurrence)
	end := e.Time + int64(max(number("end_gpu"), number("start_gpu"))-number("start_gpu"))
	e.Time = max(e.Time, t.ended) // the length is from another clock, and may be a nanosecond too long
	if err := w.enter(e); err != nil {
		return err
	}
	e.Time = max(end, e.Time)
	t.ended = e.Time
	w.last = max(w.last, e.Time)
	return w.pop(t, len(t.stack)-1, e.Time, e)
}

// device names the device stream of a thread whose events are device events.
func (t *Thread) device(k *Kind, o *ctf.Occurrence) {
	id, stream := k.Member("devId"), k.Member("streamId")
	if t.Device != "" || id < 0 || stream < 0 {
		return
	}
	t.Device = fmt.Sprintf("CUDA device %d, stream %d", o.Fields[id].Number, o.Fields[stream].Number)
	if k.Queues() {
		t.Device += ", queue"
	}
}

// end ends the frame of an event, and frames within it whose ends are missing. An end
// without a begin in the trace is an instant.
func (w *walker) end(e *Event) error {
	t := e.Thread
	// The frame is nearly always the innermost one.
	name := ""
	for i := len(t.stack) - 1; i >= 0; i-- {
		f := &t.stack[i]
		if f.Kind.Call != e.Kind.Call || f.Kind.Provider != e.Kind.Provider || f.Task != 0 {
			continue
		}
		if e.Kind.label >= 0 {
			if name == "" {
				name = e.name()
			}
			if f.Name != name {
				continue
			}
		}
		return w.pop(t, i, e.Time, e)
	}
	if w.Instant != nil {
		return w.Instant(e)
	}
	return nil
}

// pop leaves the frames from a depth on. If there is an event, only the outermost of these
// frames has its end in the trace.
func (w *walker) pop(t *Thread, depth int, at int64, e *Event) error {
	for i := len(t.stack) - 1; i >= depth; i-- {
		f := &t.stack[i]
		at := max(at, f.Begin)
		if i > 0 {
			t.stack[i-1].Inside += at - f.Begin
		}
		if f.Task != 0 {
			delete(t.tasks, f.Task)
		}
		whole := i == depth && e != nil
		if whole && f.call != nil {
			if err := w.ended(e, f, at); err != nil {
				return err
			}
		}
		var of *Event
		if whole {
			of = e
		}
		if w.Leave != nil {
			if err := w.Leave(t, f, at, whole, of); err != nil {
				return err
			}
		}
		t.stack = t.stack[:i]
	}
	return nil
}

// completed is the status of a task that has ended.
const completed = 1

// schedule switches from one task to another. A waiting task stays open, and the task that
// runs meanwhile is nested in it.
func (w *walker) schedule(e *Event) error {
	if w.apart && !w.trace.surveyed {
		return errTasks
	}
	t, k := e.Thread, e.Kind
	number := func(name string) uint64 {
		if i := k.Member(name); i >= 0 {
			return e.Fields[i].Number
		}
		return 0
	}
	prior, next := number("prior_task_id"), number("next_task_id")
	if number("prior_task_status") == completed && t.tasks[prior] {
		for i := range t.stack {
			if t.stack[i].Task == prior {
				if err := w.pop(t, i, e.Time, e); err != nil {
					return err
				}
				break
			}
		}
	}
	where, created := w.trace.tasks[taskKey{t.Process, next}]
	if !created || t.tasks[next] {
		return w.instant(e)
	}
	if t.tasks == nil {
		t.tasks = map[uint64]bool{}
	}
	t.tasks[next] = true
	e.Region = where
	name := "task"
	if where != nil && where.Function != "" {
		name = e.joined(name, where.Function)
	}
	return w.entered(e, t.begin(Frame{Name: name, Kind: k, Region: where, Begin: e.Time, Task: next, ID: w.id(identity{k, where, name})}))
}

func (w *walker) instant(e *Event) error {
	if e.Kind.mpi && (w.Message != nil || w.Collective != nil) {
		if err := w.messages(e, w.comms.instant(e)); err != nil {
			return err
		}
	}
	switch {
	case e.Kind.task < 0 || w.trace.surveyed:
	case w.apart:
		return errTasks
	default:
		created(w.trace.tasks, e.Thread, e.source.part, e.Kind, e.Occurrence)
	}
	if w.Instant != nil {
		return w.Instant(e)
	}
	return nil
}

// finish leaves the frames that are still open.
func (w *walker) finish() error {
	for _, t := range w.trace.Threads {
		if err := w.pop(t, 0, w.last, nil); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) messages(e *Event, list []Message) error {
	for i := 0; i < len(list) && w.Message != nil; i++ {
		if err := w.Message(e, list[i]); err != nil {
			return err
		}
	}
	return nil
}
