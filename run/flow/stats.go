package flow

import "time"

// Stats are the counts of a run, also while it goes on. What they mean is computed in
// the package figures.
type Stats struct {
	Version   int            `json:"version"`
	State     State          `json:"state"`
	Processes []ProcessStats `json:"processes"`
	Edges     []EdgeStats    `json:"edges"`
	Wall      time.Duration  `json:"wall_ns"`
	Paused    time.Duration  `json:"paused_ns,omitempty"` // of Wall
	Sites     []SiteStats    `json:"sites,omitempty"`     // of a run on several
}

// SiteStats are how a site is seen by who coordinates the run.
type SiteStats struct {
	Name   string        `json:"name"`
	Host   string        `json:"host,omitempty"`
	State  string        `json:"state"`               // missing, gathering, ready, running, away or ended
	Silent time.Duration `json:"silent_ns,omitempty"` // of one that is away: since its last sign
	Last   string        `json:"last,omitempty"`      // thing that it said
}

// ProcessStats are the figures of a process.
type ProcessStats struct {
	Name    string        `json:"name"`
	Site    string        `json:"site,omitempty"`
	Type    string        `json:"type"`
	Steps   uint64        `json:"steps"`
	Total   uint64        `json:"total,omitempty"` // steps until its end, where it knows them
	In      uint64        `json:"in"`
	Out     uint64        `json:"out"`
	Busy    time.Duration `json:"busy_ns"`
	Program time.Duration `json:"program_ns,omitempty"` // of Busy: waiting for its program
	Blocked time.Duration `json:"blocked_ns"`
	Done    bool          `json:"done"`
	Pending []string      `json:"pending,omitempty"` // keys whose values have not come to its program yet
	Errors  []PortErrors  `json:"errors,omitempty"`  // of its outputs: data that are errors
}

// EdgeStats are the figures of an edge. Only data count, not flush and
// complete: pushed = taken + dropped + left. The producer measures the fill,
// and may count a few data that were taken a moment before.
type EdgeStats struct {
	From     string        `json:"from"`
	To       string        `json:"to"`
	Capacity int           `json:"capacity"` // 0: without limit
	High     uint64        `json:"high"`     // largest number of data it held at once
	Mean     float64       `json:"mean"`     // data it held on average
	Pushed   uint64        `json:"pushed"`
	Taken    uint64        `json:"taken"`
	Dropped  uint64        `json:"dropped"`
	Left     uint64        `json:"left"`
	Full     time.Duration `json:"full_ns"`  // time the producer waited for room
	Empty    time.Duration `json:"empty_ns"` // time the consumer waited for data

	// Watched says that somebody looks at the data, see Run.Tap.
	Watched bool `json:"watched,omitempty"`

	// Half is set where the other end is on another site: `sent` or `received`.
	Half string `json:"half,omitempty"`
}

// Stats takes a snapshot. After Wait it is exact; before, figures of
// different processes may be a few data apart.
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
	// The consumer's counters first: what it took was pushed before.
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

// waited is how long the wait of a process has taken that is not over; 0 where it
// works.
func (p *proc) waited(now time.Duration) time.Duration {
	from := p.turned.Load()
	if from >= 0 || p.died.Load() != 0 {
		return 0
	}
	return max(0, now+time.Duration(from))
}

// JoinStats makes the figures of a whole run of those of its sites. What was
// sent and not yet received counts as left on its edge. The state of the whole
// is left to the caller, which leads the sites.
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
