package state

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Identity identifies a process. A later process with the same ID has a different identity.
type Identity struct {
	Pid   int    `json:"pid"`
	Start uint64 `json:"start"` // in clock ticks after the machine started
}

// Self returns the identity of this program.
func Self() Identity { return Identify(os.Getpid()) }

// Identify returns the identity of a live process. For any other process ID, Start is 0, and the identity is never alive.
func Identify(pid int) Identity {
	p, _ := ReadProcess(pid)
	return Identity{pid, p.Start}
}

// Alive reports whether the process still runs; a zombie does not.
func (id Identity) Alive() bool {
	p, ok := ReadProcess(id.Pid)
	return ok && id.Start != 0 && p.Start == id.Start && !p.Zombie()
}

// Process is what the system knows about a process.
type Process struct {
	Identity
	Name    string // of its program; the system may cut it off
	State   byte
	Parent  int
	Group   int
	Session int
}

// Zombie reports whether the process has ended and its parent has not collected it yet.
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

// readStat reads the fields of /proc/PID/stat, beginning with the name.
func readStat(pid int) ([]string, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil, false
	}
	// The second field is a name in parentheses, which may contain any character.
	begin, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if begin < 0 || end < begin {
		return nil, false
	}
	fields := append([]string{string(text[begin+1 : end])}, strings.Fields(string(text[end+1:]))...)
	return fields, len(fields) > 20
}

// HasMark reports whether a process belongs to a run and, if node is not empty, to that node. It returns false for processes of other users, because
// their environment cannot be read.
func HasMark(pid int, run, node string) bool {
	if node == "" {
		return HasVars(pid, "PENTODE_RUN="+run)
	}
	return HasVars(pid, "PENTODE_RUN="+run, "PENTODE_NODE="+node)
}

// HasVars reports whether all entries are in the environment of a process.
func HasVars(pid int, entries ...string) bool {
	env := environ(pid)
	for _, entry := range entries {
		if !hasVar(env, entry) {
			return false
		}
	}
	return true
}

// environ reads /proc/PID/environ. The file is empty for a moment while a process becomes another program. Then environ reads it again, because a
// process that is not recognised as part of a run would outlive the run.
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

// maxStarting is how many milliseconds to wait for a program that is being loaded.
const maxStarting = 200

// starting reports whether a process has memory but no environment in it yet.
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

// Find lists the live processes, except this one, for which want returns true.
func Find(want func(Process) bool) []Process {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1) // use the names that could be read
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

// Kill sends a signal to a process if it is still the process that was found.
func (p Process) Kill(sig syscall.Signal) {
	if p.Alive() {
		_ = kill(p.Pid, sig) // the process may have ended just now, which is fine
	}
}
