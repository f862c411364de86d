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
	Name  string
	Rank  int
	Site  bool          // it ran a part of one pipeline, whose arrows lead to the other parts
	Start time.Duration // when it was started, after the first one
	Text  io.Reader
}

// JoinTraces writes the traces of a run as one: a process with its name for
// each rank, a track for each of its units. Their clocks are set by the start
// of the programs, which is right to a few milliseconds. A process that was
// killed may have left half a trace: what it has is taken, and its name returned.
func JoinTraces(w io.Writer, list []Traced) (cut []string, err error) {
	j := &joiner{w: bufio.NewWriter(w)}
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
	if t.Site {
		return t.Name
	}
	return fmt.Sprintf("%s (rank %d)", t.Name, t.Rank)
}

type joiner struct {
	w      *bufio.Writer
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

// add reads a trace event by event: it can be large.
func (j *joiner) add(t Traced) error {
	pid := t.Rank + 1
	j.event(map[string]any{"name": "process_name", "ph": "M", "pid": pid, "tid": 0, "args": map[string]any{"name": t.title()}})
	j.event(map[string]any{"name": "process_sort_index", "ph": "M", "pid": pid, "tid": 0, "args": map[string]any{"sort_index": t.Rank}})
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
		if e["name"] == "process_name" { // it has one already
			continue
		}
		e["pid"] = pid
		if id, ok := e["id"].(string); ok && !t.Site {
			// Pipelines that are started apart number their data alike.
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
