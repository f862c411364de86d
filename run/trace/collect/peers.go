//go:build linux

package collect

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// peers knows which of the numbers in the shared memory are processes that are traced.
// Any program that is traced can write any number there, and the collector would wait for
// it. So the system is asked what no program can write: when a process began, and whether
// it has the shared memory mapped.
type peers struct {
	launched uint64            // when the launcher of the ranks, our parent, began
	memory   string            // the shared memory, as the system names it in the map of a process
	known    map[uint32]uint64 // processes that had it mapped: when they began
}

func newPeers(s *Session) peers {
	return peers{launched: startOf(uint32(os.Getppid())), memory: ownMapping(s.memory), known: map[uint32]uint64{}}
}

// has reports whether a process goes on and is traced. Every rank is younger than the
// launcher.
func (p *peers) has(pid uint32) bool {
	if !exists(pid) {
		return false
	}
	start := startOf(pid)
	switch {
	case start == 0 || p.memory == "":
		return true // the system says nothing
	case start < p.launched:
		return false
	case p.known[pid] == start:
		return true
	case !p.attached(pid):
		return false
	}
	p.known[pid] = start
	return true
}

// attached reports whether a process has the shared memory mapped. One that has forbidden
// others to look into it is believed if it is ours: the agent attaches in no other user's.
func (p *peers) attached(pid uint32) bool {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return effectiveUser(pid) == os.Geteuid()
	}
	for line := range strings.Lines(string(maps)) {
		if fileOf(line) == p.memory {
			return true
		}
	}
	return false
}

// effectiveUser is the user whose rights a process has, or -1.
func effectiveUser(pid uint32) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, users, _ := strings.Cut(string(status), "\nUid:")
	if fields := strings.Fields(users); len(fields) > 1 {
		if user, err := strconv.Atoi(fields[1]); err == nil { // behind the real one
			return user
		}
	}
	return -1
}

// ownMapping is the file of a piece of memory of ours.
func ownMapping(memory []byte) string {
	maps, _ := os.ReadFile("/proc/self/maps")
	begin := fmt.Sprintf("%08x-", uintptr(unsafe.Pointer(unsafe.SliceData(memory))))
	for line := range strings.Lines(string(maps)) {
		if strings.HasPrefix(line, begin) {
			return fileOf(line)
		}
	}
	return ""
}

// fileOf is the device and the number of the file in a line of the map of a process.
func fileOf(line string) string {
	const device, inode = 3, 4
	fields := strings.Fields(line)
	if len(fields) <= inode || fields[inode] == "0" {
		return ""
	}
	return fields[device] + " " + fields[inode]
}

// exists reports whether a process goes on. One that has ended and that its
// parent has not asked about yet does not: a launcher may ask about its ranks
// when all have ended, this one too.
func exists(pid uint32) bool {
	if pid == 0 || pid > math.MaxInt32 {
		return false // the system takes these for groups of processes
	}
	if errors.Is(unix.Kill(int(pid), 0), unix.ESRCH) {
		return false
	}
	fields := statOf(pid)
	const state, threads = 0, 17
	// A first thread that has ended before the others looks the same, but for these.
	return len(fields) <= threads || fields[state] != "Z" || fields[threads] != "1"
}

// statOf is what the system says about a process, from its state on; nothing of one that
// is another user's, or where there is no /proc.
func statOf(pid uint32) []string {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	after := bytes.LastIndexByte(stat, ')') // of the name, in which anything may stand
	return strings.Fields(string(stat[after+1:]))
}

// startOf is when a process began, in ticks of the system; 0 where that is not known.
func startOf(pid uint32) uint64 {
	const start = 19
	fields := statOf(pid)
	if len(fields) <= start {
		return 0
	}
	ticks, _ := strconv.ParseUint(fields[start], 10, 64) // the system writes a number
	return ticks
}
