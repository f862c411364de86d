package recorded

import (
	"fmt"
	"slices"
)

// Message is a message from one rank of MPI_COMM_WORLD to another, when it is
// sent and when it has come.
type Message struct {
	Sent     bool // else it has come
	From, To int  // -1: the communicator is not known
	Tag      int
	Bytes    uint64
	Group    string // the ranks of its communicator
}

// communicators are those that processes have, by the numbers that they have
// there, and the receives that were begun.
type communicators struct {
	groups   map[commKey]*group
	receives map[requestKey]int32 // the communicator
	made     map[madeKey]int      // communicators of the same ranks
}

type madeKey struct {
	process *Process
	ranks   string
}

type commKey struct {
	process *Process
	comm    int32
}

type requestKey struct {
	process *Process
	request uint64
}

func newCommunicators() communicators {
	return communicators{map[commKey]*group{}, map[requestKey]int32{}, map[madeKey]int{}}
}

// group is the ranks of a communicator in MPI_COMM_WORLD, in order. Its name is the same in all of
// them: communicators of the same ranks are numbered, in the order in which they were made.
type group struct {
	ranks []int
	name  string
}

// Collective is a call of MPI that all ranks of a communicator make.
type Collective struct {
	Group string // its communicator, by the same name in all ranks
	Ranks []int  // of the communicator, in MPI_COMM_WORLD; nil: all
	Root  int    // in MPI_COMM_WORLD; -1: it has none
}

// collective is the call that ends, if it is one of a communicator that is known.
func (c communicators) collective(p *Process, begun *call) (found Collective, ok bool) {
	found.Root = -1
	if !begun.hasComm {
		return found, false
	}
	g := c.groups[commKey{p, begun.comm}]
	switch {
	case g != nil && g.name != "":
		found.Group, found.Ranks = g.name, g.ranks
	case g != nil || !slices.Contains(worlds, begun.comm):
		return found, false
	}
	if begun.hasRoot {
		found.Root, _ = c.world(p, p.Rank, begun.comm, begun.root)
	}
	return found, true
}

// The numbers that MPI_COMM_WORLD and MPI_COMM_SELF have everywhere: in Open MPI
// and in MPICH.
var (
	worlds = []int32{0, 0x44000000}
	selves = []int32{1, 0x44000001}
)

// call is a call of MPI that goes on, with what its end does not say again.
type call struct {
	comm    int32
	hasComm bool
	request uint64
	root    int
	hasRoot bool
	sent    []Message
}

// world returns the rank in MPI_COMM_WORLD of a rank in a communicator, or -1, and
// the name of its group. own is the rank of the process.
func (c communicators) world(p *Process, own int, comm int32, rank int) (int, string) {
	switch g := c.groups[commKey{p, comm}]; {
	case rank < 0:
	case g != nil && g.name != "" && rank < len(g.ranks):
		return g.ranks[rank], g.name
	case g != nil:
	case slices.Contains(worlds, comm):
		return rank, ""
	case slices.Contains(selves, comm) && rank == 0:
		return own, "self"
	}
	return -1, "?"
}

// Field is a number of an event by its name. ok reports whether the event has it.
func (e *Event) Field(name string) (n uint64, ok bool) {
	i := e.Kind.Member(name)
	if i < 0 {
		return 0, false
	}
	return e.Fields[i].Number, true
}

// rank is the rank of the event's process, as far as it is known by now.
func (e *Event) rank() int { return max(e.Thread.Rank, e.source.rank) }

// begin looks at the begin of a call.
func (c communicators) begin(e *Event) *call {
	begun := &call{}
	if comm, ok := e.Field("comm"); ok {
		begun.comm, begun.hasComm = int32(comm), true
	}
	begun.request, _ = e.Field("request")
	root, ok := e.Field("root")
	begun.root, begun.hasRoot = int(int32(root)), ok
	dest, sends := e.Field("dest")
	if !sends || int32(dest) < 0 { // to MPI_PROC_NULL
		return begun
	}
	tag, tagged := e.Field("tag")
	if !tagged {
		tag, _ = e.Field("sendtag")
	}
	bytes, _ := e.Field("bytes")
	m := Message{Sent: true, From: e.rank(), Tag: int(int32(tag)), Bytes: bytes}
	m.To, m.Group = c.world(e.Thread.Process, e.rank(), begun.comm, int(int32(dest)))
	begun.sent = []Message{m}
	return begun
}

// end looks at the end of a call: a message that has come, or a receive that has
// begun.
func (c communicators) end(e *Event, begun *call) []Message {
	request, has := e.Field("request")
	switch e.Kind.Call {
	case "MPI_Irecv":
		if has && begun.hasComm {
			c.receives[requestKey{e.Thread.Process, request}] = begun.comm
		}
	case "MPI_Recv", "MPI_Sendrecv", "MPI_Sendrecv_replace":
		if begun.hasComm {
			return c.come(e, begun.comm)
		}
	case "MPI_Wait", "MPI_Test":
		return c.completed(e, begun.request)
	}
	return nil
}

// instant looks at what is said of a call besides its begin and end.
func (c communicators) instant(e *Event) []Message {
	switch e.Kind.Call {
	case "MPI_completion":
		request, _ := e.Field("request")
		return c.completed(e, request)
	case "MPI_members":
		c.members(e)
	}
	return nil
}

// completed is the message of a request. Of one to send, MPI says anything.
func (c communicators) completed(e *Event, request uint64) []Message {
	key := requestKey{e.Thread.Process, request}
	comm, ok := c.receives[key]
	if flag, has := e.Field("flag"); !ok || has && flag == 0 {
		return nil
	}
	delete(c.receives, key)
	return c.come(e, comm)
}

// come is a message that has come.
func (c communicators) come(e *Event, comm int32) []Message {
	source, ok := e.Field("source")
	tag, _ := e.Field("tag")
	bytes, _ := e.Field("bytes")
	if !ok || int32(source) < 0 { // none, or of MPI_PROC_NULL
		return nil
	}
	m := Message{To: e.rank(), Tag: int(int32(tag)), Bytes: bytes}
	m.From, m.Group = c.world(e.Thread.Process, e.rank(), comm, int(int32(source)))
	return []Message{m}
}

// maxRanks is how many ranks a communicator has at most, whatever a trace says.
const maxRanks = 1 << 22

// members takes a run of the ranks of a new communicator.
func (c communicators) members(e *Event) {
	number := func(name string) int {
		n, _ := e.Field(name)
		return int(int64(n))
	}
	size, first, world, count, stride := number("size"), number("rank"), number("world_rank"), number("count"), number("stride")
	if size <= 0 || size > maxRanks || first < 0 || count < 0 || first+count > size {
		return
	}
	key := commKey{e.Thread.Process, int32(number("comm"))}
	g := c.groups[key]
	if g == nil || first == 0 || len(g.ranks) != size {
		g = &group{ranks: make([]int, size)}
		for i := range g.ranks {
			g.ranks[i] = -1
		}
		c.groups[key] = g
	}
	for i := range count {
		g.ranks[first+i] = world + i*stride
	}
	if first+count == size {
		key := madeKey{e.Thread.Process, fmt.Sprint(g.ranks)}
		g.name = fmt.Sprintf("%s, %d", key.ranks, c.made[key])
		c.made[key]++
	}
}
