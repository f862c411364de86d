// Package layout is what the collector and the agent in a traced program share: the
// places in their shared memory, the tables of a policy, and the head of a record.
//
//	the structs below ──┬─ unsafe.Offsetof, encoding/binary ──▶ run/trace, run/trace/collect
//	                    └─ Header ──▶ layout.h, which the agent includes
//
// A number that both sides change is an atomic one here and in C.
package layout

import "sync/atomic"

// The shared memory begins with a Session. Processes, slots, policies and rings have
// their places behind it.
const (
	Magic  = 0x43525450
	Number = 9 // of this layout: an agent of another one does not attach

	ProcessesAt  = 4096
	MaxProcesses = 512

	SlotsAt  = 128 << 10
	MaxSlots = 4096

	ModulesAt  = 3 << 19
	MaxModules = 256 // a region's address has the number of its module in the byte above 48 bits

	PoliciesAt  = 2 << 20
	PoliciesEnd = 66 << 20
)

// Session is the head of the shared memory. What every event reads and what the
// collector writes all the time are in cache lines of their own, here and below.
type Session struct {
	Magic, Layout uint32
	Policy        atomic.Uint64 // the current one: its number << 32 | where it begins. One word, since both change at once
	Stretch       atomic.Uint32 // the number of the stretch of time that it is: in a gap, which has an odd one, no execution that begins is recorded
	_             uint32
	_             uint64
	Slots         uint32
	RingBytes     uint32
	RingsAt       uint64
	Clock         uint32 // 0: CLOCK_MONOTONIC in nanoseconds, 1: the counter of the processor
	Wait          uint32 // a full ring: wait instead of dropping
	Audit         uint32
	Closed        atomic.Uint32 // the collector has ended
	NoSlot        atomic.Uint32 // threads that found no free ring
	NoRoom        atomic.Uint32 // threads whose ring found no memory
	Team          uint32        // the kinds of unit that the agent counts
	Thread        uint32
	Rank          uint32
	Upstream      uint32        // decide as an installed PInsight does
	Offered       atomic.Uint64 // the OpenMP events that the runtime has, by id
	Cuda          atomic.Uint32 // what became of CUDA in processes that use it: a bit for each of CudaTraced and so on
	CudaVersion   atomic.Uint32 // of CUPTI
	CudaLost      atomic.Uint64 // records of devices that CUPTI had no room for
	Device        uint32        // a kind of unit
	PythonThread  uint32        // a kind of unit
	Python        atomic.Uint32 // what became of Python in processes that run it: a bit for each of PythonTraced and so on
	_             [4]byte
	Heartbeat     atomic.Uint64 // the collector writes it all the time
	_             [56]byte
}

// Process is a process that is traced.
type Process struct {
	State      atomic.Uint32 // 0 free, 1 in use, 2 ended
	PID        uint32
	Rank       atomic.Uint32
	Threads    atomic.Uint32 // how many have been numbered
	Signals    atomic.Uint32 // SIGUSR1s so far
	Ended      atomic.Uint32 // 1 + the window end that asks for the collector
	Paused     atomic.Uint32 // threads wait while this is not 0
	Window     atomic.Uint32 // grows when windows begin anew
	Cuda       atomic.Uint32 // it uses CUDA
	Picked     atomic.Uint32 // whether it collects device times for its node: 0 is not known yet
	Modes      atomic.Uint64 // the epoch and the modes of the domains, as ModeBits says
	Activity   atomic.Uint64 // the window end that has set device_activity, as ActivityEpochAt says
	Heard      atomic.Uint64 // the generation that sys.monitoring of Python was told of; 0: it was told of none
	Generation atomic.Uint64 // grows with every change of policy or mode: the one word all threads read
	_          [56]byte
}

// Slot is a ring and the thread that writes it.
type Slot struct {
	State   atomic.Uint32 // SlotFree, SlotInUse or SlotEnded
	Process uint32
	PID     uint32
	TID     uint32
	Thread  uint32
	Serial  uint32
	Ready   atomic.Uint32 // the ring has memory
	_       [36]byte
	Head    atomic.Uint64 // bytes written
	Dropped atomic.Uint64
	LostAt  atomic.Uint64 // the region of the first record that this thread dropped
	_       [40]byte
	Tail    atomic.Uint64 // bytes read
	_       [56]byte
	Reading atomic.Uint64 // the epoch of the policy that is being read, else 0
	_       [56]byte
}

// The states of a slot. One that has ended is still to be drained.
const (
	SlotFree  = 0
	SlotInUse = 1
	SlotEnded = 2
)

// DeviceRing is the number of the thread whose ring has what devices did. No thread has it.
const DeviceRing = 0xffffffff

// What becomes of CUDA in a process.
const (
	CudaTraced    = 1
	CudaNoLibrary = 2 // CUPTI is not found
	CudaTaken     = 3 // another profiler has it
	CudaRefused   = 4
	CudaElsewhere = 5 // another tool is named in the tracer's place
)

// What becomes of Python in a process.
const (
	PythonUnknown     = 0 // another interpreter within one that is traced
	PythonTraced      = 1
	PythonTooOld      = 2
	PythonNoInterface = 3 // functions of CPython are missing
	PythonTaken       = 4 // the program has a profile function of its own
	PythonFree        = 5 // threads run without the interpreter's lock
)

// Which processes collect device times. Of several on a node the collector picks one.
const (
	ActivityOff = iota
	ActivityOn
	ActivityAnyone
	ActivityLeader
	ActivityRotate
)

// The word with what a window end has made of device_activity in a process: the epoch of the
// policy, whether an end has done so since windows began, and its number.
const (
	ActivityEpochAt = 32
	ActivityChanged = 1 << 30
)

// Process.Picked.
const (
	NotPicked = 1
	Picked    = 2
)

// Module is a program or a library in which regions were met. Its regions have the
// addresses of its file, with its number above them. The first module is a program,
// so that regions of the only program that runs have plain addresses.
type Module struct {
	State   atomic.Uint32 // ModuleFree and so on
	_       uint32
	BuildID [64]byte // in hexadecimal digits, empty where there is none
	Path    [952]byte
}

// The states of a module. The process that meets one writes it down and waits until
// the collector knows which sections by name stand for code in it.
const (
	ModuleFree  = 0
	ModuleBegun = 1 // is being written
	ModuleMet   = 2
	ModuleKnown = 3
)

// Record is the head of a record in a ring; words of payload follow.
type Record struct {
	Time         uint64
	Type, Words  uint16
	Number       uint32
	Team, Thread uint32
	Address      uint64
}

// MaxFrames is how many calls a record holds at most, behind its payload.
const MaxFrames = 64

// NameWords is the payload of a record that introduces a name.
const NameWords = 32

// SiteFrames is how many places of its stack the record of a launch has before it.
const SiteFrames = 16

// MaxKinds is how many kinds of units an agent knows, Words how many words the events
// of a domain take.
const (
	MaxKinds = 32
	Words    = 4
)

// Domains is how many domains an agent has. Its number of one is the place of its name.
const Domains = 5

// The word with the modes of a process: an epoch above, then a bit for each domain that a
// window end has changed, then the modes. It has room for MaxDomains.
const (
	MaxDomains = 8
	ModeBits   = 3
	ModeMask   = 1<<ModeBits - 1
	ChangedAt  = ModeBits * MaxDomains
	ChangedAll = (1<<MaxDomains - 1) << ChangedAt
	EpochAt    = 32
)

const _ = uint(MaxDomains - Domains)
const _ = uint(EpochAt - ChangedAt - MaxDomains)
const _ = uint(ModeMask - Tracing)

// DomainNames are the domains of an agent, as catalogues call them. C has them in capitals.
var DomainNames = [Domains]string{"OpenMP", "MPI", "User", "CUDA", "Python"}

// The modes of a domain in rising order, each number the place of its name.
const (
	NoMode = iota
	Off
	Standby
	Monitoring
	Tracing
)

// ModeNames are the modes as configurations and C write them. NoMode is no statement,
// which C has no word for.
var ModeNames = [...]string{NoMode: "NONE", Off: "OFF", Standby: "STANDBY", Monitoring: "MONITORING", Tracing: "TRACING"}

// PolicyMagic begins the tables of a policy.
const PolicyMagic = 0x544c4650

// Policy is the head of a policy's tables. Rows refer to each other by index, so that
// the whole can be mapped anywhere.
type Policy struct {
	Magic, Size uint32
	Sections    Table // of Section
	Wheres      Table // of Where
	Tests       Table // of Test
	Spans       Table // of Interval
	Changes     Table // of Change
	Rules       Table // of Rule
	Ends        Table // of WindowEnd
	Entries     Table // of Entry
	Slots       Table // of uint32: 1 + an entry, by the hash of its address
	Ranges      Table // of Range
	Names       Table // of Name
	Knobs       Table // of Knob
	Domains     [Domains]Domain
	Met         Table  // of uint32: not 0 for the entries that some region answered to
	Modules     Table  // of bytes: patterns of modules of Python, each with a zero behind it; none: all are traced
	Epoch       uint32 // the same for tables that differ in the modules they know only
	_           uint32
}

// Table is where the rows of a table begin, counted from the Policy, and how many there are.
type Table struct{ At, Count uint32 }

// The rows.
type (
	// Domain is what holds for a domain.
	Domain struct {
		Mode         uint32
		Limits       uint32 // a Where
		Fallback     uint32 // a Rule
		FirstSection uint32
		Sections     uint32
		Activity     uint32 // ActivityOff and so on
		Sites        uint32 // the places of launches are recorded
		_            uint32
		Base         [Words]uint64
	}
	// Section changes the events of some units.
	Section struct{ Where, Change uint32 }
	// Where is tests that must all hold.
	Where struct{ First, Count uint32 }
	// Test asks whether the unit of a kind is in one of some spans.
	Test struct{ Kind, First, Count uint32 }
	// Interval is a span of ids, both ends included.
	Interval struct{ Low, High uint32 }
	// Change gives the events that are named a value.
	Change struct{ Named, Value [Words]uint64 }
	// Rule is what holds for a region.
	Rule struct{ Change, Where, End, Start, Max, Every, Backtrace uint32 }
	// WindowEnd is what happens when a region was traced as often as it may be.
	WindowEnd struct {
		All        uint32
		Introspect uint32 // 1 without a pause, 2 with one
		Modes      [Domains]uint32
		Activity   [Domains]uint32 // 1 + ActivityOff and so on; 0: it stays
	}
	// Entry is a region that the configuration names.
	Entry struct {
		Address uint64
		Rules   [Domains]uint32
		Domain  uint32 // Domains is any
	}
	// Range is the code that an entry stands for.
	Range struct {
		Low, High uint64
		Entry     uint32
		_         uint32
	}
	// Name is an entry by the hash of its name. Length and File are those of what the names of
	// files of Python begin with.
	Name struct {
		Hash   uint64
		File   uint64
		Entry  uint32
		Length uint32
	}
	// Knob is a value for the program.
	Knob struct {
		Name    [64]byte
		_       [2]uint32
		Integer int64
		Number  float64
		Text    [256]byte
	}
)

// Bool is a truth value as C has it.
func Bool(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
