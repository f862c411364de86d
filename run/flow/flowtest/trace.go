package flowtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// A Trace is a parsed trace of one or more runs.
type Trace struct {
	Processes map[int]string   // names of pipelines by process ID (pid)
	Tracks    map[Track]string // names of processes by track
	Events    []TraceEvent     // sorted by time, without the events that give names
}

// A Track is a row of a trace: a process ID and a thread ID.
type Track struct{ Pid, Tid int }

// A TraceEvent is an event in the format of Chrome and Perfetto.
type TraceEvent struct {
	Name, Cat, Ph string
	Pid, Tid      *int
	Ts, Dur       *float64
	ID, S, Bp     string
	Args          struct {
		Name string // name of a row, in an event that names it
		Step uint64
		Data *int   // number of data in an edge
		Edge string // name of the edge waited for
	}
}

// Track returns the row of the event.
func (e *TraceEvent) Track() Track { return Track{*e.Pid, *e.Tid} }

func (e *TraceEvent) end() float64 { return *e.Ts + *e.Dur }

// ReadTrace parses a trace. It returns an error for the first violation of a rule: every event must
// be complete, every row must have a name, and slices of a row must not overlap.
func ReadTrace(text []byte) (*Trace, error) {
	var file struct {
		Unit   string       `json:"displayTimeUnit"`
		Events []TraceEvent `json:"traceEvents"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	t := &Trace{Processes: map[int]string{}, Tracks: map[Track]string{}}
	for i := range file.Events {
		e := &file.Events[i]
		if err := t.add(e); err != nil {
			return nil, fmt.Errorf("event %d, %s: %w", i, e.Name, err)
		}
	}
	slices.SortStableFunc(t.Events, func(a, b TraceEvent) int { return cmp.Compare(*a.Ts, *b.Ts) })
	ends := map[Track]float64{}
	for i := range t.Events {
		e := &t.Events[i]
		if t.Processes[*e.Pid] == "" || t.Tracks[e.Track()] == "" {
			return nil, fmt.Errorf("%s is on %v, which has no name", e.Name, e.Track())
		}
		if e.Ph != "X" {
			continue
		}
		if *e.Ts < ends[e.Track()]-0.0005 { // allow for rounding: half of the last digit
			return nil, fmt.Errorf("%s at %.3f overlaps what is before it on its row, up to %.3f", e.Name, *e.Ts, ends[e.Track()])
		}
		ends[e.Track()] = e.end()
	}
	return t, nil
}

func (t *Trace) add(e *TraceEvent) error {
	if e.Name == "" || e.Pid == nil || e.Tid == nil {
		return fmt.Errorf("it lacks pid, tid or name")
	}
	if e.Ph == "M" {
		switch e.Name {
		case "process_name":
			t.Processes[*e.Pid] = e.Args.Name
		case "thread_name":
			t.Tracks[e.Track()] = e.Args.Name
		}
		return nil
	}
	switch {
	case e.Ts == nil || *e.Ts < 0:
		return fmt.Errorf("it has no time")
	case e.Ph == "X" && (e.Dur == nil || *e.Dur < 0):
		return fmt.Errorf("it has no duration")
	case e.Ph == "C" && (e.Args.Data == nil || *e.Args.Data < 0):
		return fmt.Errorf("it counts nothing")
	case e.Ph == "i" && e.S != "t":
		return fmt.Errorf("its scope is not its row")
	case (e.Ph == "s" || e.Ph == "t" || e.Ph == "f") && (e.ID == "" || e.Bp != "e"):
		return fmt.Errorf("an arrow has no id, or leads to the next slice")
	case e.Ph != "X" && e.Ph != "C" && e.Ph != "i" && e.Ph != "s" && e.Ph != "t" && e.Ph != "f":
		return fmt.Errorf("its phase is %q", e.Ph)
	}
	t.Events = append(t.Events, *e)
	return nil
}

// Count returns the number of events of a category in the rows of a process. A step that was
// interrupted, and has several slices, counts once.
func (t *Trace) Count(cat, process string) (n int) {
	last := map[Track]uint64{}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Cat != cat || t.Tracks[e.Track()] != process {
			continue
		}
		if cat != "flow_step" || last[e.Track()] != e.Args.Step {
			last[e.Track()] = e.Args.Step
			n++
		}
	}
	return n
}

// A Passage has the counts for one edge in a trace.
type Passage struct {
	Pushed, Taken, Left int // numbers of data according to the edge's counter
	Begun, Reached      int // numbers of arrows that begin at the producer and that reach the consumer
}

// Passages returns the counts of every edge, by the edge's name. The trace must be complete:
// without a filter or a size limit. It returns an error for the first violation of a rule: a
// counter must equal the data pushed minus the data taken, and an arrow must begin and end inside
// slices, and end after it began.
func (t *Trace) Passages() (map[string]Passage, error) {
	all := map[string]Passage{}
	open := map[Track]*TraceEvent{}
	begun := map[string]bool{}
	for i := range t.Events {
		e := &t.Events[i]
		p := all[e.Name]
		switch e.Ph {
		case "X":
			open[e.Track()] = e
			continue
		case "i":
			continue
		case "C":
			switch fill := *e.Args.Data; fill - p.Left {
			case 1:
				p.Pushed++
			case -1:
				p.Taken++
			default:
				return nil, fmt.Errorf("the counter of %s goes from %d to %d", e.Name, p.Left, fill)
			}
			p.Left = p.Pushed - p.Taken
		default:
			if in := open[e.Track()]; in == nil || *e.Ts > in.end() {
				return nil, fmt.Errorf("an arrow of %s at %.3f is in no slice of its row", e.Name, *e.Ts)
			}
			key := e.Name + e.ID
			switch {
			case e.Ph == "s" && begun[key]:
				return nil, fmt.Errorf("two arrows of %s have the id %s", e.Name, e.ID)
			case e.Ph != "s" && !begun[key]:
				return nil, fmt.Errorf("an arrow of %s continues at %.3f but never began", e.Name, *e.Ts)
			case e.Ph == "s":
				begun[key] = true
				p.Begun++
			case e.Ph == "f":
				p.Reached++
			}
		}
		all[e.Name] = p
	}
	return all, nil
}
