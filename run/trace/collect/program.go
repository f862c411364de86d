package collect

import (
	"io"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// Program is a program that is run and traced.
type Program struct {
	Args     []string
	Library  string // the agent
	Dir      string // where the trace is written
	Host     string
	In       io.Reader
	Out, Err io.Writer
	Limit    time.Duration // of tracing; 0: as long as the program runs
	Flush    time.Duration // how long an event may wait for the disk; 0: until there are many
	Others   bool          // wait for the session's other programs too
	// Alone: this process does nothing else. What it has inherited is the program's, and is closed
	// here: a launcher hears by the end of a socket, such as that of PMI_FD, that its rank has ended.
	Alone bool

	// Module is told of a program or a library in which regions are met, by its
	// number, and returns when the session's table says what is to be known of it.
	Module func(s *Session, number int, path, buildID string)

	// Launched says which of the places on its stack, from the innermost outwards,
	// launched a kernel of this symbol. Nil: the first.
	Launched func(stack []uint64, symbol string) uint64

	Script Script // starts scripts of INTROSPECT; nil: there are none

	// Started is called once the program runs; what it returns is called when
	// the program has ended.
	Started func(*Session) (ended func())
	// Spent is told every Window what threads have recorded since it was told last; nil: that is not counted.
	Spent  func(s *Session, length time.Duration, threads []Spent)
	Window time.Duration
	// Gap is how long, once every GapEvery, no execution that begins is recorded, so that Spent can compare: GapEvery is longer
	// than six of them. 0: there are no gaps.
	Gap, GapEvery time.Duration

	// Signalled is called when a traced program got SIGUSR1, before a pause ends.
	Signalled func(*Session)
}

// Script starts the script of an introspection for a traced process, and does
// not wait for it. What was recorded is in the trace by then.
type Script func(script string, pid int) error

// Preloadable reports whether a library at this path can be preloaded. The
// loader splits LD_PRELOAD at blanks and colons and has no way to quote them.
func Preloadable(path string) bool { return len(preloaded(path)) == 1 }

// preloaded are the files that the loader takes a library for.
func preloaded(library string) []string {
	return strings.FieldsFunc(library, func(r rune) bool { return r == ' ' || r == ':' })
}

// Environment is the environment of a traced program.
func Environment(env []string, library, session string) []string {
	agent := library[strings.LastIndexAny(library, " :")+1:]
	// CUDA and NVTX load one tool each. Where another profiler is named already, it stays.
	injected := map[string]string{InjectCUDA: agent, InjectNVTX: agent}
	out := []string{"PENTODE_TRACE=" + session}
	preload := library
	for _, v := range env {
		switch name, value, _ := strings.Cut(v, "="); name {
		case "PENTODE_TRACE":
		case InjectCUDA, InjectNVTX:
			if value != "" {
				injected[name] = value
			}
		case "LD_PRELOAD":
			preload += ":" + value
		default:
			out = append(out, v)
		}
	}
	return append(out, InjectCUDA+"="+injected[InjectCUDA], InjectNVTX+"="+injected[InjectNVTX], "LD_PRELOAD="+preload)
}

// The variables that name what CUDA and NVTX load into a program that uses them.
const (
	InjectCUDA = "CUDA_INJECTION64_PATH"
	InjectNVTX = "NVTX_INJECTION64_PATH"
)

// CUDA is what became of it in the processes that use it.
type CUDA struct {
	Traced    bool
	NoLibrary bool   // CUPTI was not found
	Taken     bool   // another profiler has CUPTI
	Refused   bool   // CUPTI did not let the agent in for another reason
	Elsewhere bool   // InjectCUDA names another tool
	Version   uint32 // of CUPTI
}

// Python is what became of it in the processes that run it.
type Python struct {
	Traced      bool
	TooOld      bool // older than 3.9
	NoInterface bool // it does not have all functions that are needed
	Taken       bool // the program has a profile function of its own
	Free        bool // it is a free-threaded build
}

// Function is a function of Python, as the trace knows it.
type Function struct {
	Address    uint64 // its `code_id`
	Name, File string
	Line       uint32
}

// Counts is what has been collected.
type Counts struct {
	Processes, Threads uint64
	Events             uint64 // written
	Dropped            uint64 // by full rings
	Losing             uint64 // threads whose ring was full
	Damaged            uint64 // rings with something that is no record
	Unwritten          uint64 // events for which the disk had no room
	Refused            uint64 // threads that got no ring
	Uncollected        uint64 // records of devices that CUPTI had no room for
	Lanes              uint64 // streams of devices
}

// Loss is what a thread lost because its ring was full.
type Loss struct {
	PID, TID uint32
	Thread   uint32 // its number in the process
	Devices  bool   // it is none, but what devices did
	Events   uint64
	Region   string // the name of the region where that began, which the program marks itself
	Address  uint64 // or the address of the region
}

// Spent is what a thread has recorded in a window.
type Spent struct {
	PID, Thread uint32        // Thread is its number in the process
	Lost        uint64        // events, to its full ring
	Queued      time.Duration // for a processor that other programs had
	Regions     []Recorded
	Stretches   []Stretch // that have ended
}

// Stretch is what a thread did in a gap, or beside one.
type Stretch struct {
	Turn       uint32        // those of one turn are compared
	Place      uint32        // in the turn, from 1 on; 0: the time between turns, which is compared with nothing
	Gap        bool          // nothing that began was recorded
	Executions uint64        // of regions, that began
	Events     uint64        // that were recorded
	Time       time.Duration // of a processor; 0: it cannot be compared
}

// Recorded is how many events of a region a thread has recorded.
type Recorded struct {
	Domain  string // empty: what the tracer records itself
	Address uint64 // of the region
	Region  string // or its name, which the program gives it
	File    string // of a function of Python
	Events  uint64
}

// Monitored is what is known of a region on one thread from the mode MONITORING.
type Monitored struct {
	PID, Rank, Thread uint32 // Thread is its number in the process
	Domain            string
	Address           uint64 // of the region
	Region            string // or its name, which the program gives it
	Count             uint64 // executions that have ended
	Total, Longest    time.Duration
}

// Options is how a session works.
type Options struct {
	Policy    *trace.Policy // the first policy
	Table     []byte        // the same, flat
	Program   string        // the path of the program that the table knows; empty: it knows none
	RingBytes int           // of each thread: a power of two
	Wait      bool          // a full ring: the program waits, instead of losing events
	Audit     bool          // record every decision
	Upstream  bool          // decide as an installed PInsight does
	Seal      *seal.Maker   // lets the trace say what made it; nil: it does not

	// The numbers of the unit kinds that agents count, or NoKind.
	Team, Thread, Rank, Device, PythonThread uint32
}

// NoKind is a unit kind that the catalogue does not have.
const NoKind = ^uint32(0)

// moduleBits is where the number of a module begins in an address.
const moduleBits = 48

// Module splits an address of a trace into the number of its module and the address in
// the module's file.
func Module(address uint64) (number int, at uint64) {
	return int(address >> moduleBits & 0xff), address & (1<<moduleBits - 1)
}

// Named reports whether a name is the one that a trace has, which may hold its beginning only.
func Named(name, have string) bool {
	return name == have || len(have) == 8*layout.NameWords-1 && strings.HasPrefix(name, have)
}

// InModule is the address in a trace of an address in a module's file.
func InModule(number int, at uint64) uint64 { return uint64(number)<<moduleBits + at }
