package export

import (
	"cmp"
	"io"
	"strconv"

	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// Perfetto writes a trace as the JSON that Perfetto and chrome://tracing show: frames are slices of their threads, other
// events are instants, and messages and the creation of tasks are arrows. Times are written relative to zero, a time in
// nanoseconds since the epoch, so that no precision is lost.
func Perfetto(w io.Writer, t *recorded.Trace, zero int64) error {
	if err := t.Survey(); err != nil {
		return err
	}
	p := &perfetto{writer: newWriter(w), zero: zero, processes: map[*recorded.Process]uint32{}, arrows: newArrows()}
	p.WriteString(`{"displayTimeUnit":"ns","traceEvents":[`)
	p.names(t)
	err := t.Walk(recorded.Handler{Enter: p.enter, Leave: p.leave, Instant: p.instant, Message: p.message})
	if err != nil {
		return err
	}
	p.WriteString("\n]}\n")
	return p.Flush()
}

type perfetto struct {
	*writer
	zero      int64
	processes map[*recorded.Process]uint32
	arrows    *arrows
	events    int
}

// names writes the names of threads and, if there are several, of processes. Two processes
// with the same id, on two machines, get different ids.
func (p *perfetto) names(t *recorded.Trace) {
	taken := map[uint32]bool{}
	for _, th := range t.Threads {
		if _, known := p.processes[th.Process]; known {
			continue
		}
		pid := th.PID
		for taken[pid] {
			pid = pid + 1<<23 // larger than any system's process ids
		}
		taken[pid] = true
		p.processes[th.Process] = pid
	}
	for _, th := range t.Threads {
		if pid := p.processes[th.Process]; taken[pid] && len(p.processes) > 1 {
			delete(taken, pid)
			p.name("process_name", pid, 0, th.Process.Name())
		}
		p.name("thread_name", p.processes[th.Process], th.TID, th.Name())
	}
}

func (p *perfetto) name(kind string, pid, tid uint32, name string) {
	p.begin(kind, "M", pid, tid)
	p.line = append(quote(append(p.line, `,"args":{"name":`...), name), '}')
	p.end()
}

// begin begins an event.
func (p *perfetto) begin(name, phase string, pid, tid uint32) {
	p.line = quote(append(p.line[:0], `{"name":`...), name)
	p.line = append(append(append(p.line, `,"ph":"`...), phase...), `","pid":`...)
	p.line = strconv.AppendUint(p.line, uint64(pid), 10)
	p.line = strconv.AppendUint(append(p.line, `,"tid":`...), uint64(tid), 10)
}

// at adds the time, in microseconds.
func (p *perfetto) at(time int64) {
	p.line = append(p.line, `,"ts":`...)
	since := time - p.zero
	if since < 0 {
		p.line, since = append(p.line, '-'), -since
	}
	p.line = strconv.AppendInt(p.line, since/1000, 10)
	rest := since % 1000
	p.line = append(p.line, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
}

func (p *perfetto) end() {
	if p.events > 0 {
		p.WriteByte(',')
	}
	p.events++
	p.WriteByte('\n')
	p.Write(append(p.line, '}')) // Flush returns the error of any write
}

// happening writes an event of a thread with its members, and the calls that led to it.
func (p *perfetto) happening(e *recorded.Event, name, phase string, calls []*recorded.Region) {
	p.begin(name, phase, p.processes[e.Thread.Process], e.Thread.TID)
	p.at(e.Time)
	if phase == "i" {
		p.line = append(p.line, `,"s":"t"`...)
	}
	p.line = quote(append(p.line, `,"cat":`...), e.Kind.Provider)
	if phase == rangeBegins || phase == rangeEnds {
		p.line = append(strconv.AppendUint(append(p.line, `,"id":"0x`...), e.Fields[e.Kind.Member("range")].Number, 16), '"')
	}
	p.line = append(p.line, `,"args":{`...)
	p.line = object(p.line, e.Kind.Fields, e.Fields)
	comma := len(e.Kind.Fields) > 0
	if e.Thread.Rank >= 0 {
		p.line = strconv.AppendInt(p.member(comma, "mpirank"), int64(e.Thread.Rank), 10)
		comma = true
	}
	if place := e.Region.Where(); place != "" {
		p.line = quote(p.member(comma, "place"), place)
		comma = true
	}
	if len(calls) > 0 {
		p.line = append(p.member(comma, "calls"), '[')
		for i, c := range calls {
			if i > 0 {
				p.line = append(p.line, ',')
			}
			p.line = quote(p.line, cmp.Or(c.Where(), c.Caller()))
		}
		p.line = append(p.line, ']')
	}
	p.line = append(p.line, '}')
	p.end()
}

func (p *perfetto) member(comma bool, name string) []byte {
	if comma {
		p.line = append(p.line, ',')
	}
	return append(quote(p.line, name), ':')
}

func (p *perfetto) enter(e *recorded.Event, f *recorded.Frame) error {
	p.happening(e, f.Name, "B", f.Calls)
	if f.Task != 0 {
		p.arrow(e, "f", p.arrows.task(e.Thread.Process, f.Task), "task")
	}
	if i := e.Kind.Member("correlationId"); i >= 0 && e.Fields[i].Number != 0 {
		phase := "s"
		switch {
		case e.Kind.Queues():
			phase = "t" // it continues to the kernel
		case e.Kind.Phase == recorded.Whole:
			phase = "f"
		}
		p.arrow(e, phase, p.arrows.call(e.Thread.Process, e.Fields[i].Number), "call")
	}
	return nil
}

func (p *perfetto) leave(t *recorded.Thread, f *recorded.Frame, end int64, whole bool, e *recorded.Event) error {
	if whole && f.Task == 0 {
		p.happening(e, f.Name, "E", nil)
		return nil
	}
	p.begin(f.Name, "E", p.processes[t.Process], t.TID)
	p.at(end)
	p.end()
	return nil
}

// The phases of a range that is not one of the frames of a thread.
const (
	rangeBegins = "b"
	rangeEnds   = "e"
)

func (p *perfetto) instant(e *recorded.Event) error {
	switch begins, ends := e.Kind.Range(); {
	case begins:
		p.happening(e, e.Label(), rangeBegins, e.Calls())
		return nil
	case ends:
		p.happening(e, e.Label(), rangeEnds, nil)
		return nil
	}
	p.happening(e, e.Title(), "i", e.Calls())
	if e.Kind.Call == "task_create" {
		if i := e.Kind.Member("task_id"); i >= 0 {
			p.arrow(e, "s", p.arrows.task(e.Thread.Process, e.Fields[i].Number), "task")
		}
	}
	return nil
}

func (p *perfetto) message(e *recorded.Event, m recorded.Message) error {
	if id, ok := p.arrows.message(m); ok {
		phase := "f"
		if m.Sent {
			phase = "s"
		}
		p.arrow(e, phase, id, "message")
	}
	return nil
}

// arrow writes one end of an arrow.
func (p *perfetto) arrow(e *recorded.Event, phase string, id uint64, name string) {
	p.begin(name, phase, p.processes[e.Thread.Process], e.Thread.TID)
	p.at(e.Time)
	p.line = append(strconv.AppendUint(append(p.line, `,"cat":"arrow","id":"0x`...), id, 16), '"')
	if phase != "s" {
		p.line = append(p.line, `,"bp":"e"`...) // the arrow ends at the slice that encloses the event
	}
	p.end()
}
