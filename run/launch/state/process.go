package state

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Identity is a process that cannot be confused with a later one.
type Identity struct {
	Pid   int    `json:"pid"`
	Start uint64 `json:"start"` // in clock ticks after the machine started
}

// Self is this program.
func Self() Identity { return Identify(os.Getpid()) }

// Identify is the identity of a process that lives now. Of any other the start
// is 0, and the identity is never alive.
func Identify(pid int) Identity {
	p, _ := ReadProcess(pid)
	return Identity{pid, p.Start}
}

// Alive reports whether it still runs; a zombie does not.
func (id Identity) Alive() bool {
	p, ok := ReadProcess(id.Pid)
	return ok && id.Start != 0 && p.Start == id.Start && !p.Zombie()
}

// Process is what the system says about a process.
type Process struct {
	Identity
	Name    string // of its program, as far as the system keeps it
	State   byte
	Parent  int
	Group   int
	Session int
}

// Zombie reports whether it has ended and only waits to be collected.
func (p Process) Zombie() bool { return p.State == 'Z' || p.State == 'X' }

// ReadProcess reads /proc/PID/stat.
func ReadProcess(pid int) (Process, bool) {
	fields, ok := readStat(pid)
	if !ok {
		return Process{}, false
	}
	p := Process{Identity: Identity{Pid: pid}, Name: fields[0], State: fields[1][0]}
	p.Parent, _ = strconv.Atoi(fields[2])
	p.Group, _ = strconv.Atoi(fields[3])
	p.Session, _ = strconv.Atoi(fields[4])
	p.Start, _ = strconv.ParseUint(fields[20], 10, 64)
	return p, true
}

// readStat reads the fields of /proc/PID/stat from the name on.
func readStat(pid int) ([]string, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil, false
	}
	// The second field is a name in parentheses, which may contain anything.
	begin, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if begin < 0 || end < begin {
		return nil, false
	}
	fields := append([]string{string(text[begin+1 : end])}, strings.Fields(string(text[end+1:]))...)
	return fields, len(fields) > 20
}

// HasMark reports whether a process belongs to a run, and to a node of it
// unless that is empty. The environment of other users' processes cannot be
// read: they do not.
func HasMark(pid int, run, node string) bool {
	if node == "" {
		return HasVars(pid, "PENTODE_RUN="+run)
	}
	return HasVars(pid, "PENTODE_RUN="+run, "PENTODE_NODE="+node)
}

// HasVars reports whether all these are in the environment of a process.
func HasVars(pid int, entries ...string) bool {
	env := environ(pid)
	for _, entry := range entries {
		if !hasVar(env, entry) {
			return false
		}
	}
	return true
}

// environ reads /proc/PID/environ. It is empty for an instant while a program takes
// the place of another in a process: then it is read again, since what is not known to
// belong to a run outlives it.
func environ(pid int) []byte {
	path := "/proc/" + strconv.Itoa(pid) + "/environ"
	env, err := os.ReadFile(path)
	for try := 0; len(env) == 0 && err == nil && try < maxStarting; try++ {
		again := starting(pid)
		if env, err = os.ReadFile(path); !again {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return env
}

// maxStarting is how many milliseconds a program is waited for that is being loaded.
const maxStarting = 200

// starting reports whether a process has memory and its environment no place in it yet.
func starting(pid int) bool {
	const memory, environEnd = 21, 49
	fields, ok := readStat(pid)
	return ok && len(fields) > environEnd && fields[memory] != "0" && fields[environEnd] == "0"
}

func hasVar(env []byte, entry string) bool {
	return bytes.HasPrefix(env, []byte(entry+"\x00")) || bytes.Contains(env, []byte("\x00"+entry+"\x00"))
}

// Marked finds the living processes of a run, without this program.
func Marked(run, node string) []Process {
	return Find(func(p Process) bool { return HasMark(p.Pid, run, node) })
}

// Find lists living processes other than this one.
func Find(want func(Process) bool) []Process {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1) // what was read so far is what there is
	var found []Process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		if p, ok := ReadProcess(pid); ok && !p.Zombie() && want(p) {
			found = append(found, p)
		}
	}
	return found
}

// Kill signals a process if it is still the one that was found.
func (p Process) Kill(sig syscall.Signal) {
	if p.Alive() {
		_ = kill(p.Pid, sig) // it may have ended in between: as wanted
	}
}
