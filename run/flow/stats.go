package flow

import "time"

// Stats are the counts of a run, live or ended. Package figures computes rates and shares from them.
type Stats struct {
	Version   int            `json:"version"`
	State     State          `json:"state"`
	Processes []ProcessStats `json:"processes"`
	Edges     []EdgeStats    `json:"edges"`
	Wall      time.Duration  `json:"wall_ns"`
	Paused    time.Duration  `json:"paused_ns,omitempty"` // the part of Wall during which the run was paused
	Sites     []SiteStats    `json:"sites,omitempty"`     // only if the run is on several sites
}

// SiteStats is what the coordinator of a run knows about one site.
type SiteStats struct {
	Name   string        `json:"name"`
	Host   string        `json:"host,omitempty"`
	State  string        `json:"state"`               // missing, gathering, ready, running, away or ended
	Silent time.Duration `json:"silent_ns,omitempty"` // for a site that is away: time since its last message
	Last   string        `json:"last,omitempty"`      // text of its last message
}

// ProcessStats are the counts of one process.
type ProcessStats struct {
	Name    string        `json:"name"`
	Site    string        `json:"site,omitempty"`
	Type    string        `json:"type"`
	Steps   uint64        `json:"steps"`
	Total   uint64        `json:"total,omitempty"` // number of steps it will have made at its end, if known
	In      uint64        `json:"in"`
	Out     uint64        `json:"out"`
	Busy    time.Duration `json:"busy_ns"`
	Program time.Duration `json:"program_ns,omitempty"` // part of Busy in which the process waited for its own program
	Blocked time.Duration `json:"blocked_ns"`
	Done    bool          `json:"done"`
	Pending []string      `json:"pending,omitempty"` // keys whose new values its program has not taken yet
	Errors  []PortErrors  `json:"errors,omitempty"`  // counts of error data, by output
}

// EdgeStats are the counts of one edge. They count data only, not flush and complete: pushed = taken +
// dropped + left. The producer measures how full the edge is, so this figure may include a few data that have
// just been taken.
type EdgeStats struct {
	From     string        `json:"from"`
	To       string        `json:"to"`
	Capacity int           `json:"capacity"` // 0: unlimited
	High     uint64        `json:"high"`     // largest number of data in the edge at one time
	Mean     float64       `json:"mean"`     // average number of data in the edge
	Pushed   uint64        `json:"pushed"`
	Taken    uint64        `json:"taken"`
	Dropped  uint64        `json:"dropped"`
	Left     uint64        `json:"left"`
	Full     time.Duration `json:"full_ns"`  // time the producer waited for room
	Empty    time.Duration `json:"empty_ns"` // time the consumer waited for data

	// Watched reports whether a Tap is open on the edge.
	Watched bool `json:"watched,omitempty"`

	// Half is set if the other end of the edge is on another site: `sent` if this site sends the data,
	// `received` if it receives them.
	Half string `json:"half,omitempty"`
}

// Stats returns the current counts. They are exact after Wait. Before that, the counts of different processes
// may be a few data apart.
func (r *Run) Stats() Stats {
	s := Stats{Version: 1, State: r.State(), Wall: time.Duration(r.wall.Load()),
		Processes: make([]ProcessStats, 0, len(r.procs)), Edges: make([]EdgeStats, 0, len(r.edges))}
	now := time.Since(r.start)
	if s.Wall == 0 {
		s.Wall = now
	}
	s.Paused = r.pausedFor(s.Wall)
	in, out := make([]uint64, len(r.procs)), make([]uint64, len(r.procs))
	for _, e := range r.edges {
		es := e.stats(now)
		in[e.to.id] += es.Taken
		out[e.from.id] += es.Pushed
		if !e.plan.Inner {
			s.Edges = append(s.Edges, es)
		}
	}
	for i, p := range r.procs {
		if p.node.Link || p.node.Helper {
			continue
		}
		ps := ProcessStats{Name: p.node.Name, Type: p.node.Type.Name, Steps: p.stepsPub.Load(), Total: p.expected.Load(),
			In: in[i], Out: out[i], Busy: time.Duration(p.busy.Load()), Program: time.Duration(p.program.Load()), Errors: p.errors()}
		end := now
		if died := p.died.Load(); died != 0 {
			end, ps.Done = time.Duration(died), true
		} else if from := p.turned.Load(); from > 0 {
			ps.Busy += max(0, now-time.Duration(from))
		}
		if born := p.born.Load(); born != 0 {
			ps.Blocked = max(0, end-time.Duration(born)-ps.Busy)
		}
		if waits, ok := p.impl.(Pender); ok && !ps.Done {
			ps.Pending = waits.Pending()
		}
		if r.opt.Part != nil {
			ps.Site = r.opt.Part.Site
		}
		s.Processes = append(s.Processes, ps)
	}
	return s
}

func (e *edge) stats(now time.Duration) EdgeStats {
	// Read the consumer's counters first, so that they never exceed the producer's.
	taken := e.headPub.Load() - e.wordsTook.Load()
	words := e.words.Load()
	inside := e.tailPub.Load() - min(words, e.tailPub.Load())
	s := EdgeStats{
		From: e.name[:e.plan.From.Length()], To: e.name[len(e.name)-e.plan.To.Length():],
		Capacity: e.plan.Capacity << e.grown.Load(),
		High:     e.high.Load(), Dropped: e.dropped.Load(), Taken: taken,
		Full: time.Duration(e.fullFor.Load()), Empty: time.Duration(e.emptyFor.Load()), Watched: e.aside.Load()&hasTap != 0,
	}
	s.Left = max(inside, taken) - taken
	s.Pushed = taken + s.Left + s.Dropped
	switch {
	case e.to.node.Link:
		s.Half = "sent"
	case e.from.node.Link:
		s.Half = "received"
	}
	if e.waitHead.Load() != 0 {
		s.Full += e.from.waited(now)
	}
	if e.waitTail.Load() != 0 {
		s.Empty += e.to.waited(now)
	}
	if n := e.fillCount.Load(); n > 0 {
		s.Mean = float64(e.fillSum.Load()) / float64(n)
	}
	return s
}

// waited returns how long the process has been waiting, or 0 if it is working.
func (p *proc) waited(now time.Duration) time.Duration {
	from := p.turned.Load()
	if from >= 0 || p.died.Load() != 0 {
		return 0
	}
	return max(0, now+time.Duration(from))
}

// JoinStats adds up the counts of the sites of a run. Data that were sent to a site but not received count as
// left in their edge. The caller, which is the coordinator, sets the state of the whole run.
func JoinStats(sites ...Stats) Stats {
	all := Stats{Version: 1}
	sent := map[[2]string]int{}
	for _, s := range sites {
		all.Wall, all.Paused = max(all.Wall, s.Wall), max(all.Paused, s.Paused)
		all.Processes = append(all.Processes, s.Processes...)
		for _, e := range s.Edges {
			if e.Half != "received" {
				sent[[2]string{e.From, e.To}] = len(all.Edges)
				all.Edges = append(all.Edges, e)
			}
		}
	}
	for _, s := range sites {
		for _, e := range s.Edges {
			i, ok := sent[[2]string{e.From, e.To}]
			switch {
			case e.Half != "received":
			case !ok:
				all.Edges = append(all.Edges, e)
			default:
				whole := &all.Edges[i]
				whole.Half = ""
				whole.Taken, whole.Empty = e.Taken, e.Empty
				whole.Left = whole.Pushed - min(whole.Pushed, whole.Dropped+e.Taken)
			}
		}
	}
	return all
}
