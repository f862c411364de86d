// Package figures computes what the counts of a run mean: how fast data flow, how busy each process
// is and what it waits for, which process holds up the others, and how long the run will still
// take. The terminal, the web page and --stats show these figures and compute none themselves.
//
//	flow.Stats ──Of──▶ Figures of the whole run
//	flow.Stats, flow.Stats, … ──Follower──▶ Figures of the last second
//
// Rates and shares do not count the time during which the run was paused.
//
// The bottleneck is the process that was busy longest, if it was busy for at least half of the
// time: it limits the speed of the others. If all processes were busy for less than that, the run
// waits for something outside it (a camera, a network, a disk) or for a datum that goes round a
// loop, and a faster process would not help. In a live run, a process that has ended is not
// counted, because it no longer holds up the others. A pipeline with a single process has no
// bottleneck.
//
// The figures name one thing that a process waited for. It is the neighbour for which the process
// waited longest, over all edges between the two; or something outside the pipeline, if the rest of
// its waiting time is longer; or its own program, if the process waited for it even longer and for
// more than half of its work.
package figures

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Figures describe a run during a period of time, the window.
type Figures struct {
	State     flow.State       `json:"state"`
	Wall      time.Duration    `json:"wall_ns"`           // time since the run began
	Rest      time.Duration    `json:"rest_ns,omitempty"` // estimated time until the end of the run; 0: not known
	Taken     uint64           `json:"taken"`             // number of data taken from all edges since the run began
	Dropped   uint64           `json:"dropped"`           // number of data dropped since the run began
	Rate      float64          `json:"rate"`              // data per second, over all edges
	Busiest   float64          `json:"busiest"`           // busy share of the busiest process
	Fullest   float64          `json:"fullest"`           // fill of the fullest edge, as a share of its capacity
	Processes []Process        `json:"processes"`
	Edges     []Edge           `json:"edges"`
	Sites     []flow.SiteStats `json:"sites"`            // only if the run is on several sites
	Errors    []string         `json:"errors,omitempty"` // a line of text for each output with error data
}

// Process has the figures of a process. Shares are between 0 and 1.
type Process struct {
	Name    string        `json:"name"`
	Site    string        `json:"site,omitempty"`
	Type    string        `json:"type"`
	Steps   uint64        `json:"steps"`           // number of steps since the run began
	Total   uint64        `json:"total,omitempty"` // number of steps it will have made at its end, if known
	Rate    float64       `json:"rate"`            // steps per second
	Step    time.Duration `json:"step_ns"`         // average busy time per step
	HasIn   bool          `json:"has_in"`          // it has at least one input
	HasOut  bool          `json:"has_out"`
	In      float64       `json:"in"` // data per second taken from its inputs
	Out     float64       `json:"out"`
	Dropped uint64        `json:"dropped"` // number of data dropped at its inputs since the run began
	Busy    float64       `json:"busy"`    // share of the time in which it worked
	Blocked float64       `json:"blocked"` // share of the time in which it waited
	Waits   float64       `json:"waits"`   // share of the time in which it waited for On; 0 if that is shown as less than 1 %
	On      string        `json:"on"`
	Program bool          `json:"program,omitempty"` // On is the process's own program, and waiting for it counts as busy
	Done    bool          `json:"done"`

	Bottleneck bool `json:"bottleneck"`
}

// Edge has the figures of an edge.
type Edge struct {
	From     string  `json:"from"`
	To       string  `json:"to"`
	Capacity int     `json:"capacity"` // 0: unlimited
	Held     uint64  `json:"held"`     // number of data in the edge
	Fill     float64 `json:"fill"`     // Held as a share of its capacity; 0 if unlimited
	Level    Level   `json:"level"`
	High     uint64  `json:"high"`
	Mean     float64 `json:"mean"`
	Rate     float64 `json:"rate"` // data per second
	Taken    uint64  `json:"taken"`
	Dropped  uint64  `json:"dropped"`
}

// A Level is a word for how full an edge is.
type Level string

// The levels, worst first.
const (
	Drops Level = "drops" // it has dropped data
	Full  Level = "full"  // at least nine tenths full
	Half  Level = "half"  // at least half full
	Flows Level = "flows"
	Idle  Level = ""
)

// JSONValues returns all levels. The JSON Schema of answers lists them.
func (Level) JSONValues() []string {
	return []string{string(Drops), string(Full), string(Half), string(Flows), string(Idle)}
}

const (
	bottleneckBusy = 0.5   // smallest busy share of a bottleneck
	minWait        = 0.005 // shorter waits, as a share of the time, are ignored: they would be shown as 0 %
	fullFill       = 0.9
	halfFill       = 0.5
)

// Of returns the figures of a whole run, live or ended.
func Of(s *flow.Stats) Figures { return between(&flow.Stats{}, s) }

// between returns the figures of the time between two snapshots of a run.
func between(before, now *flow.Stats) Figures {
	w := window{max(0, now.Wall-now.Paused-(before.Wall-before.Paused)), max(0, now.Paused-before.Paused)}
	f := Figures{
		State: now.State, Wall: now.Wall, Rest: rest(now), Sites: append([]flow.SiteStats{}, now.Sites...),
		Processes: make([]Process, 0, len(now.Processes)), Edges: make([]Edge, 0, len(now.Edges)),
	}
	all, ends := make([]end, len(now.Processes)), make(map[string]*end, len(now.Processes))
	for i := range now.Processes {
		ends[now.Processes[i].Name] = &all[i]
	}
	edgeBefore := earlier(before.Edges, func(e *flow.EdgeStats) [2]string { return [2]string{e.From, e.To} })
	for i := range now.Edges {
		e := &now.Edges[i]
		was := edgeBefore(i, e)
		f.addEdge(e, was, w)
		from, to := processOf(e.From), processOf(e.To)
		if p := ends[from]; p != nil {
			p.out = true
			p.wait(neighbour{to, " (full)"}, e.Full-was.Full)
		}
		if p := ends[to]; p != nil {
			p.in = true
			p.dropped += e.Dropped
			p.wait(neighbour{from, " (empty)"}, e.Empty-was.Empty)
		}
	}
	processBefore := earlier(before.Processes, func(p *flow.ProcessStats) [2]string { return [2]string{p.Name, p.Site} })
	for i := range now.Processes {
		p := &now.Processes[i]
		f.Processes = append(f.Processes, process(p, processBefore(i, p), ends[p.Name], w))
		f.addErrors(p)
	}
	f.judge()
	return f
}

// judge finds the busiest process, and decides whether it is the bottleneck.
func (f *Figures) judge() {
	slowest := -1
	for i := range f.Processes {
		p := &f.Processes[i]
		f.Busiest = max(f.Busiest, p.Busy)
		if (p.Done && !f.State.Ended()) || p.Busy < bottleneckBusy {
			continue
		}
		if slowest < 0 || p.Busy > f.Processes[slowest].Busy {
			slowest = i
		}
	}
	if slowest >= 0 && len(f.Processes) > 1 {
		f.Processes[slowest].Bottleneck = true
	}
}

// Bottleneck returns the process that limits the speed of the run, or nil.
func (f *Figures) Bottleneck() *Process {
	for i := range f.Processes {
		if f.Processes[i].Bottleneck {
			return &f.Processes[i]
		}
	}
	return nil
}

// rest estimates how long the run will still take, not counting pauses. Each process that knows its
// number of steps is assumed to continue at its speed so far; the slowest decides. The result is 0
// if no process knows its number of steps, or if the run is being stopped and will end earlier.
func rest(s *flow.Stats) time.Duration {
	var longest time.Duration
	if s.State != flow.Running && s.State != flow.Paused {
		return 0
	}
	for i := range s.Processes {
		p := &s.Processes[i]
		if p.Done || p.Steps == 0 || p.Total <= p.Steps {
			continue
		}
		left := float64(s.Wall-s.Paused) * float64(p.Total-p.Steps) / float64(p.Steps)
		longest = max(longest, 1, time.Duration(min(left, math.MaxInt64/2)))
	}
	return longest
}

func (f *Figures) addEdge(e, was *flow.EdgeStats, w window) {
	out := Edge{
		From: e.From, To: e.To, Capacity: e.Capacity, Held: e.Left, High: e.High, Mean: e.Mean,
		Rate: w.rate(e.Taken, was.Taken), Taken: e.Taken, Dropped: e.Dropped,
	}
	if e.Capacity > 0 {
		out.Fill = min(1, float64(e.Left)/float64(e.Capacity))
	}
	switch {
	case e.Dropped > 0:
		out.Level = Drops
	case out.Fill >= fullFill:
		out.Level = Full
	case out.Fill >= halfFill:
		out.Level = Half
	case out.Rate > 0:
		out.Level = Flows
	}
	f.Taken += e.Taken
	f.Dropped += e.Dropped
	f.Rate += out.Rate
	f.Fullest = max(f.Fullest, out.Fill)
	f.Edges = append(f.Edges, out)
}

func process(p, was *flow.ProcessStats, e *end, w window) Process {
	busy := max(0, p.Busy-was.Busy)
	out := Process{
		Name: p.Name, Site: p.Site, Type: p.Type, Steps: p.Steps, Total: p.Total, Rate: w.rate(p.Steps, was.Steps),
		HasIn: e.in || p.In > 0, HasOut: e.out || p.Out > 0, // the edges belong to the process, not to its copies
		In: w.rate(p.In, was.In), Out: w.rate(p.Out, was.Out), Dropped: e.dropped,
		Busy: w.share(busy), Blocked: w.share(p.Blocked - was.Blocked), Done: p.Done,
	}
	if steps := p.Steps - min(was.Steps, p.Steps); steps > 0 {
		out.Step = busy / time.Duration(min(steps, math.MaxInt64))
	}
	e.wait(neighbour{name: "something outside"}, p.Blocked-was.Blocked-e.all-w.paused)
	longest := e.longest
	out.On = e.longestOn.name + e.longestOn.edge
	if program := p.Program - was.Program; program > longest && program*2 > busy {
		longest, out.On, out.Program = program, "its program", true
	}
	if out.Waits = w.share(longest); out.Waits < minWait {
		out.Waits, out.On, out.Program = 0, "", false
	}
	return out
}

func (f *Figures) addErrors(p *flow.ProcessStats) {
	for _, e := range p.Errors {
		count := quantity.Count(int(e.Count), "error", "errors")
		f.Errors = append(f.Errors, fmt.Sprintf("%s of output %s.%s: %s", count, p.Name, e.Port, strings.Join(e.Reasons, "; ")))
	}
}

// A window is a period between two snapshots: how long the run was running in it, and how long it
// was paused.
type window struct{ took, paused time.Duration }

// rate returns by how much a count has grown per second.
func (w window) rate(now, before uint64) float64 {
	if w.took <= 0 {
		return 0
	}
	return float64(now-min(before, now)) / w.took.Seconds()
}

// share returns d as a share of the window, at most 1. Without the limit it could be larger,
// because a step that began before a pause may work on during the pause.
func (w window) share(d time.Duration) float64 {
	if w.took <= 0 {
		return 0
	}
	return min(1, max(0, float64(d)/float64(w.took)))
}

// An end has the sums over the edges of one process.
type end struct {
	in, out   bool
	dropped   uint64
	all       time.Duration               // total waiting time at these edges
	on        map[neighbour]time.Duration // waiting time for each neighbour; nil: none
	longest   time.Duration
	longestOn neighbour
}

// neighbour is something that a process waits for: another process, at an edge, or something
// outside the pipeline.
type neighbour struct{ name, edge string }

func (e *end) wait(on neighbour, d time.Duration) {
	if d <= 0 {
		return
	}
	e.all += d
	if e.on == nil {
		e.on = map[neighbour]time.Duration{}
	}
	e.on[on] += d
	if e.on[on] > e.longest {
		e.longest, e.longestOn = e.on[on], on
	}
}

// processOf returns the process in `process.port`.
func processOf(ref string) string { return pipe.ParsePortRef(ref).Process }

// earlier returns a function that finds an element of the previous snapshot by its key. It tries
// the same index first, which is nearly always right; only a new site changes the order.
func earlier[T any](before []T, key func(*T) [2]string) func(i int, now *T) *T {
	var places map[[2]string]int
	return func(i int, now *T) *T {
		name := key(now)
		if i < len(before) && key(&before[i]) == name {
			return &before[i]
		}
		if places == nil {
			places = make(map[[2]string]int, len(before))
			for j := range before {
				places[key(&before[j])] = j
			}
		}
		if j, ok := places[name]; ok {
			return &before[j]
		}
		return new(T)
	}
}
