// Package why analyses a recorded trace to find out why a program is not faster: where threads and
// ranks wait, for whom, and at what cost.
//
//	recorded.Trace ──Find──▶ causes: kind, place in the source, thread time, who is waited for
//	                  ├─ openmp.go     waits, locks, imbalance, what is not parallel
//	                  ├─ messages.go   senders and receivers that come late
//	                  ├─ collective.go calls that all ranks make
//	                  └─ pipeline.go   processes of pipelines that others wait for
//
// The cost of a cause is the thread time that it takes. One cause may lead to another, as an uneven region leads to a wait at its
// barrier, so costs must not be added up. One-sided communication is not analysed.
package why

import (
	"cmp"
	"slices"

	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// Kind is the kind of a cause.
type Kind string

const (
	ImplicitBarrier   Kind = "wait at implicit barrier"
	ExplicitBarrier   Kind = "wait at barrier"
	Lock              Kind = "lock contention"
	Critical          Kind = "critical contention"
	Imbalance         Kind = "imbalance"
	Serial            Kind = "serial part"
	ForkJoin          Kind = "fork and join"
	TaskWait          Kind = "wait for tasks"
	Reduction         Kind = "reduction"
	MPIBarrier        Kind = "wait at MPI barrier"
	BarrierCompletion Kind = "MPI barrier completion"
	NToN              Kind = "wait at n to n"
	NToNCompletion    Kind = "n to n completion"
	LateBroadcast     Kind = "late broadcast"
	EarlyReduce       Kind = "early reduce"
	EarlyScan         Kind = "early scan"
	LateSender        Kind = "late sender"
	LateSenderAtWait  Kind = "late sender at wait"
	WrongOrder        Kind = "messages in wrong order"
	LateReceiver      Kind = "late receiver"
	InitFinalize      Kind = "MPI init and finalize"
	RateBound         Kind = "bounds the rate"
	BackPressure      Kind = "back-pressure"
)

// Kinds are all kinds with their explanations.
var Kinds = []struct {
	Kind Kind
	Doc  string
}{
	{ImplicitBarrier, "threads wait for the last thread at the end of a parallel region or of a worksharing construct; nowait, or an even share of the work, avoids this"},
	{ExplicitBarrier, "threads wait at `omp barrier` for the last thread"},
	{Lock, "threads wait for a lock that another thread has"},
	{Critical, "threads wait at a critical section that another thread is in"},
	{Imbalance, "the threads of a parallel region have unequal work; the cost is the time that the others are idle while the slowest works"},
	{Serial, "one thread computes outside of parallel regions while the others are idle"},
	{ForkJoin, "threads of a team begin later than the region, or the region ends later than its last thread"},
	{TaskWait, "a thread waits for tasks at taskwait or at the end of a taskgroup"},
	{Reduction, "threads combine the results of a reduction"},
	{MPIBarrier, "ranks wait in MPI_Barrier for the last rank"},
	{BarrierCompletion, "ranks are still in MPI_Barrier after the first rank has left it"},
	{NToN, "ranks wait in a call from all to all, such as MPI_Allreduce, for the last rank"},
	{NToNCompletion, "ranks are still in a call from all to all after the first rank has left it"},
	{LateBroadcast, "ranks wait in a call from one to all, such as MPI_Bcast, for the root"},
	{EarlyReduce, "the root waits in a call from all to one, such as MPI_Reduce, for the last rank"},
	{EarlyScan, "a rank waits in MPI_Scan for the ranks before it"},
	{LateSender, "a rank waits in MPI_Recv for a message that has not been sent yet"},
	{LateSenderAtWait, "a rank waits in MPI_Wait or a similar call for a message that has not been sent yet; the receive was begun before"},
	{WrongOrder, "a rank waits for a message that has not been sent yet, although another message to it has been sent"},
	{LateReceiver, "a rank waits in MPI_Send for the receiver"},
	{InitFinalize, "ranks are in MPI_Init or MPI_Finalize"},
	{RateBound, "the process of a pipeline that works longest; the cost is the time that the others wait while it works"},
	{BackPressure, "a process of a pipeline waits because an edge is full, usually because a later process is too slow"},
}

// JSONValues returns all kinds, for the JSON Schema of answers.
func (Kind) JSONValues() []string {
	words := make([]string, len(Kinds))
	for i, k := range Kinds {
		words[i] = string(k.Kind)
	}
	return words
}

// Cause is a reason for lost time at a place of the program.
type Cause struct {
	Kind    Kind   `json:"kind"`
	Where   string `json:"where"` // the name of the region or call that the cause is about, with its place in the source if known
	Cost    int64  `json:"cost_ns"`
	Count   uint64 `json:"count"`
	Longest int64  `json:"longest_ns"`
	// For is the thread, rank or process that is waited for most, and ForCost is the part of the cost that is waiting for it.
	For     string `json:"for,omitempty"`
	ForCost int64  `json:"for_cost_ns,omitempty"`
}

// Findings are all causes in a trace, the most costly first.
type Findings struct {
	Program string  `json:"program,omitempty"`
	Elapsed int64   `json:"elapsed_ns"` // from the first event to the last
	Threads int     `json:"threads"`
	Lost    uint64  `json:"lost"`
	Causes  []Cause `json:"causes"`
	// Programs is the number of threads of traced programs in the trace of a run. That trace has only
	// their names and places; the reasons why they wait are in their own traces.
	Programs int `json:"programs,omitempty"`
	// Unmatched is the number of MPI calls whose counterparts are not in the trace: how long they
	// waited, and for whom, cannot be determined.
	Unmatched uint64 `json:"unmatched"`
}

// Find analyses a trace.
func Find(t *recorded.Trace) (*Findings, error) {
	if err := t.Survey(); err != nil { // to know the number of ranks
		return nil, err
	}
	f := &finder{
		causes: map[causeKey]*cause{}, threads: map[*recorded.Thread]*thread{},
		pipelines: map[*recorded.Process]*pipeline{}, openmp: newOpenMP(), messages: newMessages(), collectives: newCollectives(t),
	}
	h := recorded.Handler{Any: f.any, Enter: f.enter, Leave: f.leave, Message: f.message, Collective: f.collective}
	if t.IsTimeline() {
		h = recorded.Handler{Any: f.any, Enter: f.enterProcess, Leave: f.leaveProcess}
	}
	if err := t.Walk(h); err != nil {
		return nil, err
	}
	f.serial()
	f.pipelineCauses()
	found := &Findings{Program: t.Program(), Threads: len(t.Threads), Causes: []Cause{}, Unmatched: f.unmatched()}
	if f.seen {
		found.Elapsed = f.last - f.first
	}
	for _, th := range t.Threads {
		found.Lost += th.Lost
		if p := f.pipelines[th.Process]; t.IsTimeline() && (p == nil || p.workers[th] == nil) {
			found.Programs++
		}
	}
	for k, c := range f.causes {
		found.Causes = append(found.Causes, c.finish(k))
	}
	slices.SortFunc(found.Causes, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Where, b.Where))
	})
	return found, nil
}

// finder is one walk through a trace, in the order of time.
type finder struct {
	causes  map[causeKey]*cause
	threads map[*recorded.Thread]*thread

	first, last int64
	seen        bool

	pipelines map[*recorded.Process]*pipeline
	openmp
	messages
	collectives
}

type causeKey struct {
	kind  Kind
	where string
}

type cause struct {
	cost    int64
	count   uint64
	longest int64
	waited  map[string]int64 // waiting time by the thread or rank that is waited for
}

// thread holds the frames that a thread is in.
type thread struct{ stack []frame }

// frame is a frame, and the cause it may be.
type frame struct {
	kind  Kind // of the wait that the frame is, or empty
	begin int64
	where string // the name of a cause at this frame

	waitsWithin bool     // whether a frame within it is the wait itself
	part        *part    // in a team, for the frame of an implicit task
	team        *team    // for the frame of a parallel region
	request     uint64   // the request that the call waits for
	sent        *sending // the message that the call sends
	until       int64    // the time up to which its wait has been counted
}

func (f *finder) thread(t *recorded.Thread) *thread {
	th := f.threads[t]
	if th == nil {
		th = &thread{}
		f.threads[t] = th
	}
	return th
}

// top returns the innermost frame.
func (t *thread) top() *frame { return &t.stack[len(t.stack)-1] }

// add adds to the cost of a cause. waitedFor is the thread or rank that is waited for, or empty.
func (f *finder) add(kind Kind, where string, cost int64, waitedFor string) {
	if cost <= 0 {
		return
	}
	k := causeKey{kind, where}
	c := f.causes[k]
	if c == nil {
		c = &cause{waited: map[string]int64{}}
		f.causes[k] = c
	}
	c.add(cost)
	if waitedFor != "" {
		c.waited[waitedFor] += cost
	}
}

func (c *cause) add(cost int64) {
	c.cost += cost
	c.count++
	c.longest = max(c.longest, cost)
}

func (c *cause) finish(k causeKey) Cause {
	out := Cause{Kind: k.kind, Where: k.where, Cost: c.cost, Count: c.count, Longest: c.longest}
	for name, cost := range c.waited {
		if cost > out.ForCost || cost == out.ForCost && name < out.For {
			out.For, out.ForCost = name, cost
		}
	}
	return out
}

func (f *finder) any(e *recorded.Event) error {
	if e.Kind.Phase == recorded.Internal {
		return nil
	}
	if !f.seen {
		f.first, f.seen = e.Time, true
	}
	f.last = max(f.last, e.Time)
	f.process(e.Thread.Process, e.Time).last = e.Time
	return nil
}

func (f *finder) enter(e *recorded.Event, fr *recorded.Frame) error {
	t := f.thread(e.Thread)
	name, where := fr.Place()
	switch {
	case where == "":
		where = name
	case fr.Kind.MPI():
		where = fr.Name + " " + where
	}
	t.stack = append(t.stack, frame{begin: fr.Begin, where: where})
	f.enterOpenMP(e, fr, t)
	f.enterMPI(e, fr, t.top())
	return nil
}

func (f *finder) leave(th *recorded.Thread, fr *recorded.Frame, end int64, whole bool, e *recorded.Event) error {
	t := f.thread(th)
	if whole {
		f.leaveOpenMP(fr, end, t)
		f.leaveMPI(fr, end, e, t.top())
	}
	t.stack = t.stack[:len(t.stack)-1]
	return nil
}
