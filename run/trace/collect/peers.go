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

// peers decides which process ids in the shared memory are traced processes. A traced
// program can write any number there, and the collector would wait for that process.
// Therefore peers asks the system for facts that a program cannot forge: when a process
// began, and whether it has mapped the shared memory.
type peers struct {
	launched uint64            // when our parent, the launcher of the ranks, began
	memory   string            // the shared memory as /proc names it in the map of a process
	known    map[uint32]uint64 // processes that had mapped it, with the time they began
}

func newPeers(s *Session) peers {
	return peers{launched: startOf(uint32(os.Getppid())), memory: ownMapping(s.memory), known: map[uint32]uint64{}}
}

// has reports whether a process is alive and traced. Every rank is younger than the launcher.
func (p *peers) has(pid uint32) bool {
	if !exists(pid) {
		return false
	}
	start := startOf(pid)
	switch {
	case start == 0 || p.memory == "":
		return true // the system gives no information
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

// attached reports whether a process has mapped the shared memory. If a process forbids reading its map, it is trusted if
// it belongs to our user: the agent does not attach to another user's session.
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

// effectiveUser returns the effective user of a process, or -1.
func effectiveUser(pid uint32) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, users, _ := strings.Cut(string(status), "\nUid:")
	if fields := strings.Fields(users); len(fields) > 1 {
		if user, err := strconv.Atoi(fields[1]); err == nil { // after the real user
			return user
		}
	}
	return -1
}

// ownMapping returns the file that a piece of our memory is mapped from.
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

// fileOf returns the device and inode of the file in a line of a process's map.
func fileOf(line string) string {
	const device, inode = 3, 4
	fields := strings.Fields(line)
	if len(fields) <= inode || fields[inode] == "0" {
		return ""
	}
	return fields[device] + " " + fields[inode]
}

// exists reports whether a process is alive. A zombie is not: a launcher may wait for its
// ranks only when all have ended, including ours.
func exists(pid uint32) bool {
	if pid == 0 || pid > math.MaxInt32 {
		return false // the system treats these as groups of processes
	}
	if errors.Is(unix.Kill(int(pid), 0), unix.ESRCH) {
		return false
	}
	fields := statOf(pid)
	const state, threads = 0, 17
	// A process whose first thread has ended before the others is also in state Z, but has more threads.
	return len(fields) <= threads || fields[state] != "Z" || fields[threads] != "1"
}

// statOf returns the system's fields about a process, from its state on. It returns nil for
// another user's process, or if there is no /proc.
func statOf(pid uint32) []string {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	after := bytes.LastIndexByte(stat, ')') // after the name, which may contain anything
	return strings.Fields(string(stat[after+1:]))
}

// startOf returns when a process began, in ticks of the system, or 0 if unknown.
func startOf(pid uint32) uint64 {
	const start = 19
	fields := statOf(pid)
	if len(fields) <= start {
		return 0
	}
	ticks, _ := strconv.ParseUint(fields[start], 10, 64) // always a number
	return ticks
}
