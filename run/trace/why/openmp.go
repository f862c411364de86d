package why

import (
	"strings"

	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// openmp is what is known about parallel regions.
type openmp struct {
	teams     map[teamKey]*team // active teams
	processes map[*recorded.Process]*process
}

func newOpenMP() openmp {
	return openmp{map[teamKey]*team{}, map[*recorded.Process]*process{}}
}

// teamKey identifies an execution of a parallel region.
type teamKey struct {
	process      *recorded.Process
	code, record uint64
}

func keyOf(e *recorded.Event) teamKey {
	code, _ := e.Field("parallel_codeptr")
	record, _ := e.Field("parallel_record_id")
	return teamKey{e.Thread.Process, code, record}
}

// team holds the threads that execute a parallel region once.
type team struct {
	key     teamKey
	where   string
	begin   int64
	end     int64 // 0 while they execute it
	members int
	arrived int64 // when the last thread arrived at the end
	parts   []*part
}

// part is what one thread has done in a team.
type part struct {
	team    *team
	thread  *recorded.Thread
	begin   int64
	waited  int64 // for others, before it arrived at the end
	worked  int64
	arrived bool // at the end
}

// process records when a process runs parallel regions, and on how many threads.
type process struct {
	first, last int64
	running     int   // the number of parallel regions
	since       int64 // the time since which none is running
	after       string
	size        int // the number of threads of the largest team
	serial      []gap
}

// gap is the time from one parallel region to the next.
type gap struct {
	after string
	took  int64
}

func (o *openmp) process(p *recorded.Process, now int64) *process {
	found := o.processes[p]
	if found == nil {
		found = &process{first: now, since: now, after: "before the first parallel region"}
		o.processes[p] = found
	}
	return found
}

// criticalMutex is the kind of critical sections in OpenMP's tool interface.
const criticalMutex = 5

// waitKinds are the waits that are separate frames.
var waitKinds = map[string]Kind{
	"barrier_implicit_sync": ImplicitBarrier, "barrier_explicit_sync": ExplicitBarrier, "parallel_join_sync": ImplicitBarrier, "task_sync": TaskWait,
	"reduction": Reduction, "mutex": Lock,
}

func (f *finder) enterOpenMP(e *recorded.Event, fr *recorded.Frame, t *thread) {
	top := t.top()
	switch fr.Kind.Call {
	case "parallel":
		f.fork(e, top)
		return
	case "implicit_task":
		f.begins(e, top)
		return
	case "parallel_join_sync", "parallel_join_sync_wait":
		t.joins(e.Time)
	}
	call, isWait := strings.CutSuffix(fr.Kind.Call, "_wait")
	if top.kind = waitKinds[call]; top.kind == "" {
		return
	}
	if kind, _ := e.Field("kind"); top.kind == Lock && kind == criticalMutex {
		top.kind = Critical
	}
	if outer := len(t.stack) - 2; isWait && outer >= 0 && t.stack[outer].kind == top.kind {
		t.stack[outer].waitsWithin = true
	}
	for _, field := range []string{"sync_codeptr", "mutex_codeptr"} {
		if at := e.Site(field).Where(); at != "" {
			top.where = at
		}
	}
	if at := e.Region.Where(); strings.HasPrefix(call, "parallel_join") && at != "" {
		top.where = at
	}
}

// fork handles the begin of a parallel region.
func (f *finder) fork(e *recorded.Event, top *frame) {
	p := f.process(e.Thread.Process, e.Time)
	if p.running++; p.running == 1 {
		p.serial = append(p.serial, gap{p.after, e.Time - p.since})
	}
	top.team = &team{key: keyOf(e), begin: e.Time, where: top.where}
	if where := e.Region.Where(); where != "" {
		top.team.where = where
	}
	f.teams[top.team.key] = top.team
}

// begins handles a thread that joins a team.
func (f *finder) begins(e *recorded.Event, top *frame) {
	team := f.teams[keyOf(e)]
	if team == nil {
		return
	}
	team.members++
	f.add(ForkJoin, team.where, e.Time-team.begin, "")
	top.part = &part{team: team, thread: e.Thread, begin: e.Time}
	team.parts = append(team.parts, top.part)
}

// part returns the thread's part in the innermost team, or nil.
func (t *thread) part() *part {
	for i := len(t.stack) - 1; i >= 0; i-- {
		if p := t.stack[i].part; p != nil {
			return p
		}
	}
	return nil
}

// joins handles a thread that has arrived at the end of a parallel region.
func (t *thread) joins(now int64) {
	p := t.part()
	if p == nil || p.arrived {
		return
	}
	p.arrived, p.worked = true, now-p.begin-p.waited
	p.team.arrived = max(p.team.arrived, now)
}

func (f *finder) leaveOpenMP(fr *recorded.Frame, end int64, t *thread) {
	top := t.top()
	switch {
	case top.team != nil:
		f.join(top.team, end)
	case top.kind != "" && !top.waitsWithin:
		p := t.part()
		// A thread may learn only at the begin of the next region that the last one has ended.
		if p != nil && p.team.end > 0 {
			end = min(end, p.team.end)
		}
		waited := end - top.begin - fr.Inside // a waiting thread may run tasks meanwhile
		f.add(top.kind, top.where, waited, "")
		if p != nil && !p.arrived {
			p.waited += max(waited, 0)
		}
	}
}

// join handles the end of a parallel region.
func (f *finder) join(t *team, end int64) {
	delete(f.teams, t.key)
	t.end = end
	p := f.process(t.key.process, end)
	if p.running--; p.running == 0 {
		p.since, p.after = end, "after "+t.where
	}
	p.size = max(p.size, t.members)
	if t.arrived > 0 {
		f.add(ForkJoin, t.where, end-t.arrived, "")
	}
	var slowest *part
	for _, part := range t.parts {
		if !part.arrived {
			return // the trace does not say how long each thread worked
		}
		if slowest == nil || part.worked > slowest.worked {
			slowest = part
		}
	}
	idle := int64(0)
	for _, part := range t.parts {
		idle += slowest.worked - part.worked
	}
	if idle > 0 {
		f.add(Imbalance, t.where, idle, slowest.thread.Process.Name()+", "+slowest.thread.Name())
	}
}

// serial sums up the time in which a process that uses parallel regions works outside of them.
func (f *finder) serial() {
	for _, p := range f.processes {
		if p.running == 0 {
			p.serial = append(p.serial, gap{p.after, p.last - p.since})
		}
		for _, g := range p.serial {
			f.add(Serial, g.after, g.took*int64(p.size-1), "")
		}
	}
}
