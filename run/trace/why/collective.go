package why

import (
	"cmp"
	"slices"

	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// collectives are the calls that not all ranks have made yet. The ranks of a communicator make the same calls in the same order.
type collectives struct {
	world  int // the number of ranks
	calls  map[callKey][]participant
	made   map[madeKey]int
	differ uint64 // calls that do not match the calls of other ranks
}

type callKey struct {
	group  string
	number int
}

type madeKey struct {
	process *recorded.Process
	group   string
}

// participant is the part of one rank in such a call.
type participant struct {
	rank       int
	call       string
	where      string
	begin, end int64
}

func newCollectives(t *recorded.Trace) collectives {
	c := collectives{calls: map[callKey][]participant{}, made: map[madeKey]int{}}
	for _, th := range t.Threads {
		c.world = max(c.world, th.Rank+1)
	}
	return c
}

func (f *finder) collective(t *recorded.Thread, fr *recorded.Frame, end int64, c recorded.Collective) error {
	made := madeKey{t.Process, c.Group}
	key := callKey{c.Group, f.made[made]}
	f.made[made]++
	f.calls[key] = append(f.calls[key], participant{t.Rank, fr.Kind.Call, f.thread(t).top().where, fr.Begin, end})
	ranks := len(c.Ranks)
	if c.Ranks == nil {
		ranks = f.world
	}
	if list := f.calls[key]; len(list) == ranks {
		delete(f.calls, key)
		f.allArrived(list, c)
	}
	return nil
}

// allArrived examines a call that all ranks have made. No rank can leave the call before the ranks that it needs have arrived. If one
// does, the trace lacks some calls, and the list has calls that do not belong together.
func (f *finder) allArrived(list []participant, c recorded.Collective) {
	last := slices.MaxFunc(list, byBegin)
	ok := !slices.ContainsFunc(list, func(p participant) bool { return p.call != last.call })
	switch last.call {
	case "MPI_Barrier":
		ok = ok && f.allToAll(list, last, MPIBarrier, BarrierCompletion)
	case "MPI_Bcast", "MPI_Scatter", "MPI_Scatterv":
		ok = ok && f.oneToAll(list, c.Root)
	case "MPI_Reduce", "MPI_Gather", "MPI_Gatherv":
		ok = ok && f.allToOne(list, last, c.Root)
	case "MPI_Scan", "MPI_Exscan":
		ok = ok && f.scan(list, c.Ranks)
	default:
		ok = ok && f.allToAll(list, last, NToN, NToNCompletion)
	}
	if !ok {
		f.differ += uint64(len(list))
	}
}

func byBegin(a, b participant) int { return cmp.Compare(a.begin, b.begin) }

func (f *finder) allToAll(list []participant, last participant, wait, completion Kind) bool {
	left := slices.MinFunc(list, func(a, b participant) int { return cmp.Compare(a.end, b.end) }).end
	if left < last.begin {
		return false
	}
	for _, p := range list {
		f.add(wait, p.where, last.begin-p.begin, rank(last.rank))
		f.add(completion, p.where, p.end-left, "")
	}
	return true
}

func (f *finder) oneToAll(list []participant, root int) bool {
	at := slices.IndexFunc(list, func(p participant) bool { return p.rank == root })
	if at < 0 || slices.ContainsFunc(list, func(p participant) bool { return p.end < list[at].begin }) {
		return false
	}
	for _, p := range list {
		f.add(LateBroadcast, p.where, list[at].begin-p.begin, rank(root))
	}
	return true
}

func (f *finder) allToOne(list []participant, last participant, root int) bool {
	at := slices.IndexFunc(list, func(p participant) bool { return p.rank == root })
	if at < 0 || list[at].end < last.begin {
		return false
	}
	f.add(EarlyReduce, list[at].where, last.begin-list[at].begin, rank(last.rank))
	return true
}

func (f *finder) scan(list []participant, ranks []int) bool {
	place := map[int]int{} // the place of each rank in the communicator
	for i, r := range ranks {
		place[r] = i
	}
	order := func(p participant) int {
		if ranks == nil {
			return p.rank
		}
		return place[p.rank]
	}
	slices.SortFunc(list, func(a, b participant) int { return cmp.Compare(order(a), order(b)) })
	latest := list[0] // the latest of the ranks before this one
	for _, p := range list {
		if p.end < latest.begin {
			return false
		}
		latest = slices.MaxFunc([]participant{latest, p}, byBegin)
	}
	latest = list[0]
	for _, p := range list[1:] {
		f.add(EarlyScan, p.where, latest.begin-p.begin, rank(latest.rank))
		if p.begin > latest.begin {
			latest = p
		}
	}
	return true
}
