package collect

import (
	"io"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// Program is a program to be run and traced.
type Program struct {
	Args     []string
	Library  string // the agent
	Dir      string // the folder for the trace
	Host     string
	In       io.Reader
	Out, Err io.Writer
	Limit    time.Duration // the time to trace; 0: as long as the program runs
	Flush    time.Duration // how long an event may wait before it is written; 0: until there are many
	Others   bool          // whether to wait for the session's other programs too
	// Alone means that this process does nothing else. Its inherited files belong to the program and are closed here: a
	// launcher notices the end of a rank when a socket, such as PMI_FD, is closed.
	Alone bool

	// Module is called with the number of a program or library in which a region was met. When it returns, the session's table
	// contains the code of that module.
	Module func(s *Session, number int, path, buildID string)

	// Launched returns the address on a stack (innermost first) that launched the kernel with this symbol. If it is nil, the first address is used.
	Launched func(stack []uint64, symbol string) uint64

	Script Script // starts the scripts of INTROSPECT; nil if there are none

	// Started is called once the program runs; the function it returns is called when the program has ended.
	Started func(*Session) (ended func())
	// Spent is called every Window with the records of threads in that window. If it is nil, they are not counted.
	Spent  func(s *Session, length time.Duration, threads []Spent)
	Window time.Duration
	// Once every GapEvery, executions that begin within a time of length Gap are not recorded, so
	// that Spent can compare the program with and without recording. GapEvery must be longer than
	// six gaps. 0 means no gaps.
	Gap, GapEvery time.Duration

	// Signalled is called when a traced program gets SIGUSR1, before a pause ends.
	Signalled func(*Session)
}

// Script starts the script of an introspection for a traced process without waiting for it. Everything recorded before is in the trace.
type Script func(script string, pid int) error

// Preloadable reports whether a library at this path can be preloaded. The loader splits LD_PRELOAD at blanks and colons and cannot quote them.
func Preloadable(path string) bool { return len(preloaded(path)) == 1 }

// preloaded returns the file names that the loader would read from the path.
func preloaded(library string) []string {
	return strings.FieldsFunc(library, func(r rune) bool { return r == ' ' || r == ':' })
}

// Environment returns the environment of a traced program.
func Environment(env []string, library, session string) []string {
	agent := library[strings.LastIndexAny(library, " :")+1:]
	// CUDA and NVTX each load one tool. If another profiler is already named, it is kept.
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

// The environment variables that name the tool for CUDA and NVTX to load.
const (
	InjectCUDA = "CUDA_INJECTION64_PATH"
	InjectNVTX = "NVTX_INJECTION64_PATH"
)

// CUDA is the state of CUDA tracing in the processes that use it.
type CUDA struct {
	Traced    bool
	NoLibrary bool   // CUPTI was not found
	Taken     bool   // another profiler has CUPTI
	Refused   bool   // CUPTI refused the agent for another reason
	Elsewhere bool   // InjectCUDA names another tool
	Version   uint32 // of CUPTI
}

// Python is the state of Python tracing in the processes that run it.
type Python struct {
	Traced      bool
	TooOld      bool // older than 3.9
	NoInterface bool // functions that the agent needs are missing
	Taken       bool // the program has set a profile function
	Free        bool // it is a free-threaded build
}

// Function is a Python function and its id in the trace.
type Function struct {
	Address    uint64 // its `code_id`
	Name, File string
	Line       uint32
}

// Counts holds the totals of a trace.
type Counts struct {
	Processes, Threads uint64
	Events             uint64 // events written to the trace
	Dropped            uint64 // events lost to full rings
	Losing             uint64 // threads whose ring was full
	Damaged            uint64 // rings with invalid content
	Unwritten          uint64 // events not written because the disk was full
	Refused            uint64 // threads that got no ring
	Uncollected        uint64 // device records for which CUPTI had no room
	Lanes              uint64
}

// Loss holds the events that a thread lost because its ring was full.
type Loss struct {
	PID, TID uint32
	Thread   uint32 // its number in the process
	Devices  bool   // not a thread, but the ring of device records
	Events   uint64
	Region   string // the name of the region in which the loss began, if the program named it
	Address  uint64 // otherwise the address of the region
}

// Spent is what a thread recorded in a window.
type Spent struct {
	PID, Thread uint32        // Thread is its number in the process
	Lost        uint64        // events lost to its full ring
	Queued      time.Duration // time waiting for a processor
	Regions     []Recorded
	Stretches   []Stretch // stretches that ended in this window
}

// Stretch is what a thread did in a gap or in a comparable time outside of gaps.
type Stretch struct {
	Turn       uint32        // stretches of one turn are compared
	Place      uint32        // in the turn, from 1 on; 0: the time outside of turns, which is not compared
	Gap        bool          // whether executions that began were not recorded
	Executions uint64        // executions of regions that began
	Events     uint64        // recorded events
	Time       time.Duration // processor time; 0 if it cannot be compared
}

// Recorded is the number of events that a thread recorded in a region.
type Recorded struct {
	Domain  string // empty: records of the tracer itself
	Address uint64 // of the region
	Region  string // otherwise the region's name, given by the program
	File    string // for a Python function
	Events  uint64
}

// Monitored is what the mode MONITORING counted for a region on a thread.
type Monitored struct {
	PID, Rank, Thread uint32 // Thread is its number in the process
	Domain            string
	Address           uint64 // of the region
	Region            string // otherwise the region's name, given by the program
	Count             uint64 // ended executions
	Total, Longest    time.Duration
}

// Options are the settings of a session.
type Options struct {
	Policy    *trace.Policy
	Table     []byte      // the same policy in flat form
	Program   string      // the path of the program whose code is in the table; empty if there is none
	RingBytes int         // the size of each thread's ring: a power of two
	Wait      bool        // if a ring is full, the program waits instead of losing events
	Audit     bool        // record every decision
	Upstream  bool        // decide as an installed PInsight does
	Seal      *seal.Maker // adds information about what produced the trace; nil: adds none

	// The numbers of the unit kinds that agents count, or NoKind.
	Team, Thread, Rank, Device, PythonThread uint32
}

// NoKind is a unit kind that the catalogue lacks.
const NoKind = ^uint32(0)

// moduleBits is the position of the module number in an address.
const moduleBits = 48

// Module splits an address of a trace into the number of its module and the address in the module's file.
func Module(address uint64) (number int, at uint64) {
	return int(address >> moduleBits & 0xff), address & (1<<moduleBits - 1)
}

// Named reports whether a name equals the name that a trace has, which may be truncated.
func Named(name, have string) bool {
	return name == have || len(have) == 8*layout.NameWords-1 && strings.HasPrefix(name, have)
}

// InModule returns the address in a trace for an address in a module's file.
func InModule(number int, at uint64) uint64 { return uint64(number)<<moduleBits + at }
