// Package layout defines what the collector shares with the agent in a traced program: the
// offsets in their shared memory, the tables of a policy, and the header of a record.
//
//	the structs below ──┬─ unsafe.Offsetof, encoding/binary ──▶ run/trace, run/trace/collect
//	                    └─ Header ──▶ layout.h, which the agent includes
//
// A number that both sides change is atomic here and in C.
package layout

import "sync/atomic"

// The shared memory begins with a Session, followed by processes, slots, policies and rings.
const (
	Magic  = 0x43525450
	Number = 9 // of this layout: an agent with another layout does not attach

	ProcessesAt  = 4096
	MaxProcesses = 512

	SlotsAt  = 128 << 10
	MaxSlots = 4096

	ModulesAt  = 3 << 19
	MaxModules = 256 // the byte above the 48 bits of a region's address has the number of its module

	PoliciesAt  = 2 << 20
	PoliciesEnd = 66 << 20
)

// Session is the head of the shared memory. Here and below, fields that every event reads and
// fields that the collector writes constantly are on separate cache lines.
type Session struct {
	Magic, Layout uint32
	Policy        atomic.Uint64 // the current policy: its number << 32 | its offset. One word, since both change at once
	Stretch       atomic.Uint32 // the number of the current stretch of time: during a gap, which has an odd number, executions that begin are not recorded
	_             uint32
	_             uint64
	Slots         uint32
	RingBytes     uint32
	RingsAt       uint64
	Clock         uint32 // 0: CLOCK_MONOTONIC in nanoseconds, 1: the counter of the processor
	Wait          uint32 // if a ring is full, wait instead of dropping
	Audit         uint32
	Closed        atomic.Uint32 // the collector has ended
	NoSlot        atomic.Uint32 // threads that found no free ring
	NoRoom        atomic.Uint32 // threads for whose ring there was no memory
	Team          uint32        // the numbers of the unit kinds team, thread and rank
	Thread        uint32
	Rank          uint32
	Upstream      uint32
	Offered       atomic.Uint64 // the OpenMP events that the runtime supports, by id
	Cuda          atomic.Uint32 // the state of CUDA tracing in all processes: a bit for each of CudaTraced and so on
	CudaVersion   atomic.Uint32 // of CUPTI
	CudaLost      atomic.Uint64 // device records for which CUPTI had no room
	Device        uint32        // a kind of unit
	PythonThread  uint32        // a kind of unit
	Python        atomic.Uint32 // the state of Python tracing in all processes: a bit for each of PythonTraced and so on
	_             [4]byte
	Heartbeat     atomic.Uint64 // a number that the collector keeps incrementing while it is alive
	_             [56]byte
}

// Process is a traced process.
type Process struct {
	State      atomic.Uint32 // 0 free, 1 in use, 2 ended
	PID        uint32
	Rank       atomic.Uint32
	Threads    atomic.Uint32 // the number of threads numbered so far
	Signals    atomic.Uint32 // the number of SIGUSR1s so far
	Ended      atomic.Uint32 // 1 + the number of the window end that needs the collector
	Paused     atomic.Uint32 // threads wait while this is not 0
	Window     atomic.Uint32 // grows when windows begin anew
	Cuda       atomic.Uint32 // whether it uses CUDA
	Picked     atomic.Uint32 // whether it collects device times for its node; 0: unknown
	Modes      atomic.Uint64 // the epoch and the modes of the domains, as ModeBits says
	Activity   atomic.Uint64 // the window end that has set device_activity, as ActivityEpochAt describes
	Heard      atomic.Uint64 // the generation given to sys.monitoring of Python; 0: none
	Generation atomic.Uint64 // incremented with every change of policy or mode: the one word that all threads read
	_          [56]byte
}

// Slot is a ring and the thread that writes to it.
type Slot struct {
	State   atomic.Uint32 // SlotFree, SlotInUse or SlotEnded
	Process uint32
	PID     uint32
	TID     uint32
	Thread  uint32
	Serial  uint32
	Ready   atomic.Uint32 // whether the ring has memory
	_       [36]byte
	Head    atomic.Uint64 // bytes written
	Dropped atomic.Uint64
	LostAt  atomic.Uint64 // the region of the first record that this thread dropped
	_       [40]byte
	Tail    atomic.Uint64 // bytes read
	_       [56]byte
	Reading atomic.Uint64 // the epoch of the policy being read, else 0
	_       [56]byte
}

// The states of a slot. An ended slot still has to be drained.
const (
	SlotFree  = 0
	SlotInUse = 1
	SlotEnded = 2
)

// DeviceRing is the thread number of the ring with device records. No thread has it.
const DeviceRing = 0xffffffff

// The states of CUDA tracing in a process.
const (
	CudaTraced    = 1
	CudaNoLibrary = 2 // CUPTI is not found
	CudaTaken     = 3 // another profiler uses it
	CudaRefused   = 4
	CudaElsewhere = 5 // another tool is named instead of the tracer
)

// The states of Python tracing in a process.
const (
	PythonUnknown     = 0 // another interpreter in a process that already has a traced one
	PythonTraced      = 1
	PythonTooOld      = 2
	PythonNoInterface = 3 // functions of CPython are missing
	PythonTaken       = 4 // the program has set a profile function
	PythonFree        = 5 // threads run without the interpreter's lock
)

// The processes that collect device times. The last values select one process per node.
const (
	ActivityOff = iota
	ActivityOn
	ActivityAnyone
	ActivityLeader
	ActivityRotate
)

// The word with the device_activity that a window end has set in a process: the epoch of the
// policy, whether an end has set it since windows began, and the number of the end.
const (
	ActivityEpochAt = 32
	ActivityChanged = 1 << 30
)

// Values of Process.Picked.
const (
	NotPicked = 1
	Picked    = 2
)

// Module is a program or a library in which regions were met. The address of a region is the
// address in the file of its module, with the module's number in the bits above. The first
// module is a program, so if there is only one program, its regions have plain addresses.
type Module struct {
	State   atomic.Uint32 // ModuleFree and so on
	_       uint32
	BuildID [64]byte // hexadecimal digits, empty if there is none
	Path    [952]byte
}

// The states of a module. The process that meets a module writes its entry, and waits until
// the collector knows which named sections have code in it.
const (
	ModuleFree  = 0
	ModuleBegun = 1 // being written
	ModuleMet   = 2
	ModuleKnown = 3
)

// Record is the header of a record in a ring; the words of its payload follow.
type Record struct {
	Time         uint64
	Type, Words  uint16
	Number       uint32
	Team, Thread uint32
	Address      uint64
}

// MaxFrames is the largest number of calls in a record, after its payload.
const MaxFrames = 64

// NameWords is the size of the payload of a record that introduces a name.
const NameWords = 32

// SiteFrames is the number of stack addresses in front of the record of a launch.
const SiteFrames = 16

// MaxKinds is the number of unit kinds that an agent can have; Words is the number of words for the events of a domain.
const (
	MaxKinds = 32
	Words    = 4
)

// Domains is the number of domains that an agent has. A domain's number is the index of its name.
const Domains = 5

// The word with the modes of a process, from the highest bits: an epoch, a bit for each domain
// whose mode a window end has changed, and the modes. It has room for MaxDomains.
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

// DomainNames are the names of an agent's domains in catalogues. C has them in capitals.
var DomainNames = [Domains]string{"OpenMP", "MPI", "User", "CUDA", "Python"}

// The modes of a domain in rising order; each number is the index of the mode's name.
const (
	NoMode = iota
	Off
	Standby
	Monitoring
	Tracing
)

// ModeNames are the names of the modes in configurations and in C. NoMode means that none is
// set, which configurations cannot write.
var ModeNames = [...]string{NoMode: "NONE", Off: "OFF", Standby: "STANDBY", Monitoring: "MONITORING", Tracing: "TRACING"}

// PolicyMagic is the first word of the tables of a policy.
const PolicyMagic = 0x544c4650

// Policy is the head of a policy's tables. Rows refer to each other by index, so that the
// tables can be mapped anywhere.
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
	Slots       Table // of uint32: 1 + an entry, in a hash table of addresses
	Ranges      Table // of Range
	Names       Table // of Name
	Knobs       Table // of Knob
	Domains     [Domains]Domain
	Met         Table  // of uint32: not 0 for entries that matched a region
	Modules     Table  // of bytes: patterns of Python modules, each with a zero at its end; none: all are traced
	Epoch       uint32 // equal for tables that differ only in the modules they know
	_           uint32
}

// Table is the offset of a table from the Policy, and the number of its rows.
type Table struct{ At, Count uint32 }

// The rows.
type (
	// Domain holds the settings of a domain.
	Domain struct {
		Mode         uint32
		Limits       uint32 // a Where
		Fallback     uint32 // a Rule
		FirstSection uint32
		Sections     uint32
		Activity     uint32 // ActivityOff and so on
		Sites        uint32 // whether the places of launches are recorded
		_            uint32
		Base         [Words]uint64
	}
	// Section changes the events of some units.
	Section struct{ Where, Change uint32 }
	// Where is a list of tests that must all pass.
	Where struct{ First, Count uint32 }
	// Test checks whether the id of a unit kind is in one of some spans.
	Test struct{ Kind, First, Count uint32 }
	// Interval is a span of ids, including both ends.
	Interval struct{ Low, High uint32 }
	// Change sets the named events to the bits of Value.
	Change struct{ Named, Value [Words]uint64 }
	// Rule holds the settings of a region.
	Rule struct{ Change, Where, End, Start, Max, Every, Backtrace uint32 }
	// WindowEnd says what happens when a region has been traced as often as allowed.
	WindowEnd struct {
		All        uint32
		Introspect uint32 // 0: only set modes; 1: start a script; 2: start a script and pause
		Modes      [Domains]uint32
		Activity   [Domains]uint32 // 1 + ActivityOff and so on; 0: unchanged
	}
	// Entry is a region that the configuration names.
	Entry struct {
		Address uint64
		Rules   [Domains]uint32
		Domain  uint32 // Domains means any
	}
	// Range is the code of an entry.
	Range struct {
		Low, High uint64
		Entry     uint32
		_         uint32
	}
	// Name finds an entry by the hash of its name. For Python, Length and File are the length and
	// the hash of the text with which the function's file name must begin.
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

// Bool returns a truth value in C's form.
func Bool(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
