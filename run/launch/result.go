package launch

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/internal/leaf/bytesize"
	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// Status is the current state of one node.
type Status struct {
	ID       string       `json:"id"`
	Kind     Kind         `json:"kind"`
	Host     string       `json:"host"`
	Argv     []string     `json:"argv,omitempty"`
	State    State        `json:"state"`
	Paused   bool         `json:"paused,omitempty"`
	Pid      int          `json:"pid,omitempty"`        // on this machine
	Remote   int          `json:"remote_pid,omitempty"` // on its own host, if known
	Restarts int          `json:"restarts,omitempty"`
	Budget   int          `json:"restart_limit,omitempty"` // how often it may be restarted; 0: never, or without limit
	Next     time.Time    `json:"next_start,omitzero"`     // while it is backing off
	Unwell   int          `json:"unwell,omitempty"`        // failed health checks in a row
	Started  time.Time    `json:"started,omitzero"`
	Ended    time.Time    `json:"ended,omitzero"`
	Exit     Exit         `json:"exit"`
	Usage    *state.Usage `json:"usage,omitempty"` // while it runs on this machine
	Note     string       `json:"note,omitempty"`  // why it was stopped, skipped or could not start
	View     View         `json:"view,omitempty"`  // the view that the page shows instead of a visualisation whose program is not installed
	// Clock is how far the clock of another machine is ahead of ours; nil: not known, or this machine.
	Clock *time.Duration `json:"-"`
}

// Result is how a run ended.
type Result struct {
	Run     string        `json:"run"`
	Code    int           `json:"code"`             // of the first failure, or else the code with which it was stopped
	Failed  string        `json:"failed,omitempty"` // the node that failed first
	Started time.Time     `json:"started"`
	Took    time.Duration `json:"took_ns"`
	Nodes   []Status      `json:"nodes"`
}

// Status lists the current state of the nodes, in plan order.
func (s *Supervisor) Status() []Status {
	var all []Status
	if !s.call(func() { all = s.statuses() }) {
		<-s.known
		return s.result.Nodes
	}
	return all
}

func (s *Supervisor) statuses() []Status {
	all := make([]Status, len(s.jobs))
	for i, j := range s.jobs {
		st := Status{
			ID: j.ID, Kind: j.Kind, Host: j.Host, Argv: j.Argv, View: j.StandIn, State: j.state, Paused: j.paused && j.live(),
			Remote: j.remote, Clock: j.clock, Restarts: j.restarts, Budget: j.Restart.Limit, Next: j.next, Unwell: j.sick, Started: j.started, Ended: j.ended, Exit: j.exit, Note: j.trouble,
		}
		if st.Note == "" {
			st.Note = j.why
		}
		switch {
		case j.state == Waiting:
			st.Note = j.waits()
		case j.state == Declared && j.StandIn != "":
			st.Note = j.shown()
		}
		if j.proc != nil {
			st.Pid = j.proc.Pid()
			if _, here := j.Starter.(Local); here && j.live() {
				if u, ok := s.opt.Host.Usage(st.Pid); ok {
					st.Usage = &u
				}
			}
		}
		all[i] = st
	}
	return all
}

func (s *Supervisor) makeResult() Result {
	return Result{
		Run: s.plan.Run, Code: s.code, Failed: s.failed,
		Started: s.began, Took: s.opt.Host.Now().Sub(s.began), Nodes: s.statuses(),
	}
}

const resultFile = "result.json"

// saveResult saves the result in the run's folder, for later requests.
func (s *Supervisor) saveResult() {
	if s.opt.State == nil {
		return
	}
	text, err := json.MarshalIndent(s.result, "", "  ")
	if err == nil {
		err = s.opt.State.WriteFile(resultFile, append(text, '\n'))
	}
	if err != nil {
		s.tell(nil, state.Log, "the result of the run cannot be saved: "+err.Error())
	}
}

// ReadResult reads how a run ended. A live run, or a run whose supervisor died, has no result.
func ReadResult(d *state.Dir) (Result, error) {
	var r Result
	text, err := os.ReadFile(filepath.Join(d.Path, resultFile))
	if err != nil {
		return r, fmt.Errorf("run `%s` has left no result", d.Run.ID)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("the result of run `%s` cannot be read: %w", d.Run.ID, err)
	}
	return r, nil
}

// Recorded returns the status of the nodes from the journal, for a run whose supervisor died without a result. If the journal does not record the end
// of a node, Recorded looks for its process.
func Recorded(d *state.Dir) ([]Status, error) {
	events, err := d.Events()
	if err != nil {
		return nil, err
	}
	all := make([]Status, len(d.Run.Nodes))
	at := map[string]int{}
	for i, n := range d.Run.Nodes {
		all[i] = Status{ID: n.ID, Kind: Kind(n.Kind), Host: n.Host, View: View(n.View), State: Skipped}
		if all[i].Kind == KindVisi {
			all[i].State = Declared
		}
		at[n.ID] = i
	}
	last := make([]state.Identity, len(all))
	for _, e := range events {
		i, ok := at[e.Node]
		if !ok {
			continue
		}
		n := &all[i]
		switch e.What {
		case state.Started:
			if !n.Started.IsZero() {
				n.Restarts++
			}
			n.State, n.Pid, n.Started, n.Ended, n.Exit, last[i] = Running, e.Process.Pid, e.Time, time.Time{}, Exit{}, e.Process
		case state.Background:
			n.Pid, last[i] = e.Process.Pid, e.Process
		case state.Ended, state.Failed:
			n.State, n.Ended, n.Exit = Ended, e.Time, Exit{Code: e.Code}
		}
	}
	for i := range all {
		if n := &all[i]; n.State == Running && !last[i].Alive() {
			n.State, n.Exit.Code, n.Note = Ended, -1, "it ended after its supervisor had died"
		} else if u, ok := state.ReadUsage(n.Pid); ok && n.State == Running {
			n.Usage = &u
		}
	}
	return all, nil
}

// WriteTable writes the nodes of a finished run for people, as wide as a terminal; width 0: as wide as needed.
func (r Result) WriteTable(w io.Writer, width int) error {
	return writeTable(w, r.Nodes, r.Started, width)
}

// WriteStatus writes the nodes of a live run for people, as wide as a terminal; width 0: as wide as needed.
func WriteStatus(w io.Writer, nodes []Status, now time.Time, width int) error {
	return writeTable(w, nodes, now, width)
}

// writeTable writes one line for each node; a running node has lived until now.
func writeTable(w io.Writer, nodes []Status, now time.Time, width int) error {
	rows := [][]string{{"node", "host", "pid", "started", "took", "exit", "cpu", "memory", "peak", "note"}}
	for _, n := range nodes {
		pid, started, took, cpu, memory, peak := quantity.None, quantity.None, quantity.None, quantity.None, quantity.None, quantity.None
		if n.Pid != 0 {
			pid = fmt.Sprint(n.Pid)
		}
		if n.Remote != 0 {
			pid = fmt.Sprint(n.Remote)
		}
		if !n.Started.IsZero() {
			started = n.Started.Format("15:04:05.000")
			switch {
			case !n.Ended.IsZero():
				took = quantity.Duration(n.Ended.Sub(n.Started))
			case n.State != Ended:
				took = quantity.Duration(now.Sub(n.Started))
			}
		}
		if n.State == Ended && n.Exit.PeakKB > 0 { // the peak is known only after wait
			cpu, peak = quantity.Duration(n.Exit.User+n.Exit.System), peakText(n.Exit)
		} else if u := n.Usage; u != nil {
			cpu, memory, peak = quantity.Duration(u.CPU), bytesize.Text(u.MemoryKB<<10), bytesize.Text(u.PeakKB<<10)
		}
		rows = append(rows, []string{n.ID, n.Host, pid, started, took, n.outcome(), cpu, memory, peak, n.note()})
	}
	t := columns.Table{Width: width, Columns: []columns.Column{
		{Kind: columns.Name}, {Kind: columns.Name, Keep: 4}, {Kind: columns.Figure, Keep: 3}, {Keep: 1}, {Kind: columns.Figure, Keep: 7}, {},
		{Kind: columns.Figure, Keep: 5}, {Kind: columns.Figure, Keep: 6}, {Kind: columns.Figure, Keep: 2}, {Kind: columns.Prose, Keep: 8},
	}}
	return t.Write(w, rows)
}

// outcome returns the exit of an ended node, or else its state.
func (n Status) outcome() string {
	switch {
	case n.Paused:
		return "paused"
	case n.State != Ended:
		return string(n.State)
	case n.Exit.Signal != 0:
		return fmt.Sprintf("%d (%s)", n.Exit.Status(), SignalName(n.Exit.Signal))
	case n.Exit.Code < 0:
		return "?"
	}
	return fmt.Sprint(n.Exit.Code)
}

// note returns the remarks about a node, including how often it was restarted.
func (n Status) note() string {
	var parts []string
	switch {
	case n.Restarts > 0 && n.Budget > 0:
		parts = append(parts, fmt.Sprintf("started again %d of at most %d times", n.Restarts, n.Budget))
	case n.Restarts == 1:
		parts = append(parts, "started again")
	case n.Restarts > 1:
		parts = append(parts, fmt.Sprintf("started again %d times", n.Restarts))
	}
	if n.State == Pausing && !n.Next.IsZero() {
		parts = append(parts, "next start at "+n.Next.Format("15:04:05"))
	}
	if n.State == Running && n.Unwell > 0 {
		parts = append(parts, fmt.Sprintf("not well %d times in a row", n.Unwell))
	}
	if n.Note != "" {
		parts = append(parts, n.Note)
	}
	return strings.Join(parts, "; ")
}

// Missing says why the page shows a visualisation in place of its program; empty: it does not.
func (n Status) Missing() string {
	switch missing, ok := strings.CutSuffix(n.Note, shownBy); {
	case n.View == "":
		return ""
	case ok:
		return missing
	}
	return fmt.Sprintf("program `%s` is not installed", n.View) // the note has another text
}

func peakText(e Exit) string {
	if e.PeakKB == 0 {
		return quantity.None
	}
	if e.AtMost {
		return "≤ " + bytesize.Text(e.PeakKB<<10)
	}
	return bytesize.Text(e.PeakKB << 10)
}
