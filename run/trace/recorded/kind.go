package recorded

import (
	"strings"

	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// Phase is the role of an event in a frame.
type Phase int

const (
	Instant Phase = iota
	Begin
	End
	Schedule // of tasks: one is left, another is entered
	Whole    // an event with its end: device activity
	Calls    // the calls that led to the next event of the thread
	Internal // internal records of a tracer
)

// Kind is a kind of event, with the meaning of its members.
type Kind struct {
	*ctf.Kind
	Provider string // of the event: `pmpi_pinsight_lttng_ust`
	Call     string // without provider and end: `MPI_Send`, `parallel`
	Phase    Phase

	mpi    bool
	label  int // the own member that names the frame; -1: none
	code   int // the own member with a place in the code; -1: none
	calls  int // the own member with a list of such places; -1: none
	task   int // the own member with the number of a task that the event creates; -1: none
	bytes  int // the own member with the size of a message; -1: none
	waits  bool
	host   slot
	pid    slot
	rank   slot
	number slot // of the thread
	steady bool // whether all four are in the context, or missing
}

// slot is the position of a member in the context or in the event itself.
type slot struct {
	context bool
	at      int // -1: there is none
}

// The events that have a special meaning.
const (
	ownProvider    = "pentode"
	pythonProvider = "pysysmon_pinsight_lttng_ust"
	clockEvent     = "pentode:clock" // on each rank, when MPI begins and ends
	regionEvent    = "region"
	markEvent      = "mark"
	rangeStart     = "range_started" // a range on one thread that may end on another
	rangeEnd       = "range_ended"
	calleeMember   = "callee_name" // for C functions called by Python
	callsEvent     = "backtrace"
	launchCall     = "cudaKernelLaunch"
	queueCall      = "cudaKernelEnqueue" // from the host's queue to the device's queue
)

func newKind(k *ctf.Kind) *Kind {
	n := &Kind{Kind: k, label: -1, code: -1, calls: -1, bytes: -1, task: -1}
	provider, name, ok := strings.Cut(k.Name, ":")
	if !ok {
		provider, name = "", k.Name
	}
	n.Provider, n.Call = provider, name
	n.mpi = strings.HasPrefix(name, "MPI_") || k.Name == clockEvent
	switch {
	case strings.HasSuffix(name, "_begin"):
		n.Call, n.Phase = strings.TrimSuffix(name, "_begin"), Begin
	case strings.HasSuffix(name, "_end"):
		n.Call, n.Phase = strings.TrimSuffix(name, "_end"), End
	case strings.HasSuffix(name, "_entry"):
		n.Call, n.Phase = strings.TrimSuffix(name, "_entry"), Begin
	case strings.HasSuffix(name, "_exit"):
		n.Call, n.Phase = strings.TrimSuffix(name, "_exit"), End
	case strings.HasPrefix(name, "syscall_entry_"):
		n.Call, n.Phase = strings.TrimPrefix(name, "syscall_entry_"), Begin
	case strings.HasPrefix(name, "syscall_exit_"):
		n.Call, n.Phase = strings.TrimPrefix(name, "syscall_exit_"), End
	case name == "mutex_acquire":
		n.Call, n.Phase = "mutex_wait", Begin
	case name == "mutex_acquired":
		n.Call, n.Phase = "mutex_wait", End
	case name == "task_schedule" && k.Member("next_task_id") >= 0:
		n.Phase = Schedule
	}
	if begins, ends := n.Range(); provider == ownProvider && n.Call != regionEvent && name != markEvent && !begins && !ends {
		n.Phase = Internal
	}
	if k.Member("start_gpu") >= 0 && k.Member("end_gpu") >= 0 {
		n.Call, n.Phase = strings.TrimSuffix(name, "Activity"), Whole
	}
	for i := range k.Fields {
		switch m := &k.Fields[i]; {
		case m.Form == ctf.String && (m.Name == "function" || m.Name == "kernel_func" || m.Name == "kernelName" || m.Name == "name" && provider == ownProvider || provider == pythonProvider && (m.Name == "qualname" && n.label < 0 || m.Name == calleeMember)):
			n.label = i
		case m.Form == ctf.Address && n.code < 0 && (strings.HasSuffix(m.Name, "codeptr") || m.Name == "addr" || m.Name == "code_id" && provider == pythonProvider):
			n.code = i
		case m.Form == ctf.List && provider == ownProvider && name == callsEvent && len(m.Elem) == 1 && m.Elem[0].Form == ctf.Address:
			n.calls, n.Phase = i, Calls
		}
	}
	if n.label >= 0 && k.Fields[n.label].Name == calleeMember {
		n.code = -1 // the code address belongs to the calling function
	}
	if n.Call == "func" && n.code < 0 {
		n.Phase = Instant // without an address it cannot be distinguished from others
	}
	if n.Call == "task_create" {
		n.task = k.Member("task_id")
	}
	if n.mpi {
		n.bytes = k.Member("bytes")
	}
	n.waits = waits[n.Call] || n.Collective()
	n.host, n.pid, n.rank, n.number = n.find("hostname"), n.find("pid"), n.find("mpirank"), n.find("global_thread_num")
	n.steady = true
	for _, s := range []slot{n.host, n.pid, n.rank, n.number} {
		n.steady = n.steady && (s.context || s.at < 0)
	}
	return n
}

// waits are the calls in which a thread waits for others and does nothing else, except copying messages.
var waits = set(`barrier_explicit_sync_wait barrier_implicit_sync_wait parallel_join_sync_wait task_sync_wait mutex_wait
	MPI_Recv MPI_Mrecv MPI_Probe MPI_Mprobe MPI_Wait MPI_Waitall MPI_Waitany MPI_Waitsome MPI_Sendrecv MPI_Sendrecv_replace
	cudaDeviceSync cudaStreamSync flow_block`)

// collectives are the calls that all ranks of a communicator make and in which they wait for each other.
var collectives = set(`MPI_Barrier MPI_Bcast MPI_Reduce MPI_Allreduce MPI_Scatter MPI_Scatterv MPI_Gather MPI_Gatherv MPI_Allgather MPI_Allgatherv
	MPI_Alltoall MPI_Alltoallv MPI_Alltoallw MPI_Reduce_scatter MPI_Reduce_scatter_block MPI_Scan MPI_Exscan`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// Sized reports whether the event has the size of a message.
func (k *Kind) Sized() bool { return k.bytes >= 0 }

// Collective reports whether the event belongs to a call that all ranks of a communicator make.
func (k *Kind) Collective() bool { return collectives[k.Call] }

// Waits reports whether the event begins a wait for other threads, processes or devices.
func (k *Kind) Waits() bool { return k.waits }

// MPI reports whether the event belongs to an MPI call.
func (k *Kind) MPI() bool { return k.mpi && k.Phase != Internal }

// Range reports whether the event begins or ends a range, identified by its member `range`. A range is
// not a frame of a thread: it may end on another thread.
func (k *Kind) Range() (begins, ends bool) {
	return k.Provider == ownProvider && k.Call == rangeStart, k.Provider == ownProvider && k.Call == rangeEnd
}

// Queues reports whether the event is about a kernel that was queued and has not run yet.
func (k *Kind) Queues() bool { return k.Call == queueCall }

// Kernel reports whether the event is a kernel that a device ran.
func (k *Kind) Kernel() bool { return k.Phase == Whole && k.label >= 0 && !k.Queues() }

// wants reports whether frames and messages need one of the event's own members.
func (k *Kind) wants(member int) bool {
	if k.mpi || k.Phase == Schedule || k.Phase == Whole {
		return true
	}
	isMember := func(s slot) bool { return !s.context && s.at == member }
	return member == k.label || member == k.code || member == k.calls || member == k.task ||
		isMember(k.host) || isMember(k.pid) || isMember(k.rank) || isMember(k.number)
}

// find looks for a member in the context, then in the event itself.
func (k *Kind) find(name string) slot {
	for i := range k.Context {
		if k.Context[i].Name == name {
			return slot{true, i}
		}
	}
	return slot{false, k.Member(name)}
}

func (k *Kind) value(s slot, o *ctf.Occurrence) *ctf.Value {
	switch {
	case s.at < 0:
		return nil
	case s.context:
		return &o.Context[s.at]
	}
	return &o.Fields[s.at]
}
