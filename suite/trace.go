package suite

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// Traced is the trace that one process of a plan has written.
type Traced struct {
	Name string
	Rank int
	// Daemon says that it has no rank.
	Daemon bool
	Site   bool          // it ran a part of one pipeline, with arrows to the other parts
	Start  time.Duration // when it was started, relative to the first one
	// Programs says that its processes are programs with their own numbers and names; Program is the first of them.
	Programs bool
	Program  string
	// Zero is the beginning of the joined trace, on the same clock, for a trace that knows its own start; it is used instead of Start.
	Zero time.Time
	Text io.Reader
}

// JoinTraces writes the traces of a run as one trace: a process with its name for each
// rank, and a track for each of its units; a trace of several programs has as many
// processes. If a trace does not record its start, the start of its program is used, which
// is right to a few milliseconds. A process that was killed may have left an incomplete
// trace: JoinTraces uses what exists, and returns the name.
func JoinTraces(w io.Writer, list []Traced) (cut []string, err error) {
	j := &joiner{w: bufio.NewWriter(w), taken: map[int]bool{}}
	for _, t := range list {
		if t.Daemon {
			continue
		}
		j.free = max(j.free, t.Rank+2)
		j.taken[t.Rank+1] = j.taken[t.Rank+1] || !t.Programs
	}
	j.free = max(j.free, 1)
	j.write(`{"displayTimeUnit":"ns","traceEvents":[`)
	for _, t := range list {
		switch err := j.add(t); {
		case errors.Is(err, io.ErrUnexpectedEOF):
			cut = append(cut, t.Name)
		case err != nil:
			return nil, fmt.Errorf("the trace of `%s` cannot be joined: %w", t.Name, err)
		}
	}
	j.write("\n]}\n")
	if j.err != nil {
		return nil, j.err
	}
	return cut, j.w.Flush()
}

func (t *Traced) title() string {
	switch {
	case t.Site:
		return t.Name
	case t.Daemon:
		return t.Name + " (daemon)"
	}
	return fmt.Sprintf("%s (rank %d)", t.Name, t.Rank)
}

type joiner struct {
	w      *bufio.Writer
	free   int          // the number of the next additional process
	taken  map[int]bool // ranks whose number a process already has
	events int
	err    error
}

func (j *joiner) write(s string) {
	if j.err == nil {
		_, j.err = j.w.WriteString(s)
	}
}

func (j *joiner) event(e map[string]any) {
	text, err := json.Marshal(e)
	if err != nil {
		j.err = err
		return
	}
	if j.events > 0 {
		j.write(",")
	}
	j.events++
	j.write("\n" + string(text))
}

// process names a process of the joined trace.
func (j *joiner) process(pid, rank int, title string) {
	j.event(map[string]any{"name": "process_name", "ph": "M", "pid": pid, "tid": 0, "args": map[string]any{"name": title}})
	j.event(map[string]any{"name": "process_sort_index", "ph": "M", "pid": pid, "tid": 0, "args": map[string]any{"sort_index": rank}})
}

// pid returns the number of an event's process in the joined trace: the number of the rank, or a free one for an additional program in the trace.
func (j *joiner) pid(known map[any]int, t *Traced, e map[string]any) int {
	if pid, ok := known[e["pid"]]; ok {
		return pid
	}
	pid, rank, title := t.Rank+1, t.Rank, t.title()
	if t.Daemon || j.taken[pid] {
		pid = j.free
		j.free++
	}
	if t.Daemon {
		rank = pid // after the ranks
	}
	known[e["pid"]], j.taken[pid] = pid, true
	own := ""
	if e["name"] == "process_name" {
		args, _ := e["args"].(map[string]any)
		own, _ = args["name"].(string)
	} else if pid != t.Rank+1 { // the process of the rank has its own trace
		own = t.Program
	}
	if own != "" {
		title += ": " + own
	}
	j.process(pid, rank, title)
	return pid
}

// began returns the recorded start of a trace, relative to the joined trace.
func (t *Traced) began(e map[string]any) {
	args, _ := e["args"].(map[string]any)
	text, _ := args["began"].(string)
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil && !t.Zero.IsZero() {
		t.Start = at.Sub(t.Zero)
	}
}

// add reads a trace event by event, because it can be large.
func (j *joiner) add(t Traced) error {
	known := map[any]int{}
	if !t.Programs {
		j.process(t.Rank+1, t.Rank, t.title())
	}
	in := json.NewDecoder(bufio.NewReader(t.Text))
	in.UseNumber()
	for depth := 0; ; depth++ { // the list begins the text, or is a member of it
		token, err := in.Token()
		if err != nil {
			return errors.New("it has no list of events")
		}
		if token == json.Delim('[') && depth == 0 {
			break
		}
		if token == "traceEvents" {
			if token, err := in.Token(); err != nil || token != json.Delim('[') {
				return errors.New("it has no list of events")
			}
			break
		}
	}
	for in.More() {
		var e map[string]any
		if err := in.Decode(&e); errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		} else if err != nil {
			return errors.New("one of its events cannot be read")
		}
		pid := t.Rank + 1
		if t.Programs {
			pid = j.pid(known, &t, e)
		}
		if e["name"] == "process_name" { // it already has one
			t.began(e)
			continue
		}
		e["pid"] = pid
		if id, ok := e["id"].(string); ok && !t.Site {
			// Pipelines that are started separately use the same numbers for their data.
			if n, err := strconv.ParseUint(id, 0, 48); err == nil {
				e["id"] = fmt.Sprintf("%#x", uint64(pid)<<48|n)
			}
		}
		if ts, ok := e["ts"].(json.Number); ok {
			at, err := ts.Float64()
			if err != nil {
				return errors.New("it has a time that is not a number")
			}
			e["ts"] = json.Number(fmt.Sprintf("%.3f", at+float64(t.Start.Nanoseconds())/1e3))
		}
		j.event(e)
		if j.err != nil {
			return j.err
		}
	}
	if _, err := in.Token(); err != nil {
		return io.ErrUnexpectedEOF
	}
	return nil
}
