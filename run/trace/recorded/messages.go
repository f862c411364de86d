package recorded

import (
	"fmt"
	"slices"
)

// Message is a message from one rank of MPI_COMM_WORLD to another, when it is sent or when it has arrived.
type Message struct {
	Sent     bool // otherwise it has arrived
	From, To int  // -1: the communicator is unknown
	Tag      int
	Bytes    uint64
	Group    string // the ranks of its communicator
}

// communicators holds the communicators of processes, by their numbers in the processes, and the receives in progress.
type communicators struct {
	groups   map[commKey]*group
	receives map[requestKey]int32 // the communicators of receives
	made     map[madeKey]int      // how many communicators of the same ranks were created
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

// group holds the ranks of a communicator in MPI_COMM_WORLD, in order. Its name is the same on all
// ranks: communicators of the same ranks are numbered in the order of their creation.
type group struct {
	ranks []int
	name  string
}

// Collective is an MPI call that all ranks of a communicator make.
type Collective struct {
	Group string // its communicator, with the same name on all ranks
	Ranks []int  // of the communicator, in MPI_COMM_WORLD; nil: all
	Root  int    // in MPI_COMM_WORLD; -1: none
}

// collective returns the call that ends, if it is a collective one on a known communicator.
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

// The numbers of MPI_COMM_WORLD and MPI_COMM_SELF in Open MPI and in MPICH.
var (
	worlds = []int32{0, 0x44000000}
	selves = []int32{1, 0x44000001}
)

// call is an MPI call in progress, with the values that its end does not repeat.
type call struct {
	comm    int32
	hasComm bool
	request uint64
	root    int
	hasRoot bool
	sent    []Message
}

// world returns the rank in MPI_COMM_WORLD of a rank in a communicator, or -1, and the name of its
// group. own is the rank of the process.
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

// Field returns a number of an event by name. ok reports whether the event has it.
func (e *Event) Field(name string) (n uint64, ok bool) {
	i := e.Kind.Member(name)
	if i < 0 {
		return 0, false
	}
	return e.Fields[i].Number, true
}

// rank returns the rank of the event's process, as far as it is known yet.
func (e *Event) rank() int { return max(e.Thread.Rank, e.source.rank) }

// begin handles the begin of a call.
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

// end handles the end of a call: a message that has arrived, or a receive that has begun.
func (c communicators) end(e *Event, begun *call) []Message {
	request, has := e.Field("request")
	switch e.Kind.Call {
	case "MPI_Irecv":
		if has && begun.hasComm {
			c.receives[requestKey{e.Thread.Process, request}] = begun.comm
		}
	case "MPI_Recv", "MPI_Sendrecv", "MPI_Sendrecv_replace":
		if begun.hasComm {
			return c.arrived(e, begun.comm)
		}
	case "MPI_Wait", "MPI_Test":
		return c.completed(e, begun.request)
	}
	return nil
}

// instant handles events of a call between its begin and its end.
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

// completed returns the message of a request. The values of a send request are undefined in MPI.
func (c communicators) completed(e *Event, request uint64) []Message {
	key := requestKey{e.Thread.Process, request}
	comm, ok := c.receives[key]
	if flag, has := e.Field("flag"); !ok || has && flag == 0 {
		return nil
	}
	delete(c.receives, key)
	return c.arrived(e, comm)
}

// arrived returns a message that has arrived.
func (c communicators) arrived(e *Event, comm int32) []Message {
	source, ok := e.Field("source")
	tag, _ := e.Field("tag")
	bytes, _ := e.Field("bytes")
	if !ok || int32(source) < 0 { // no message, or one from MPI_PROC_NULL
		return nil
	}
	m := Message{To: e.rank(), Tag: int(int32(tag)), Bytes: bytes}
	m.From, m.Group = c.world(e.Thread.Process, e.rank(), comm, int(int32(source)))
	return []Message{m}
}

// maxRanks is the maximum number of ranks of a communicator, whatever a trace says.
const maxRanks = 1 << 22

// members adds ranks to a new communicator. An event has several ranks as a first rank and a
// stride.
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
