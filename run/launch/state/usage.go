package state

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// Usage is what a process has used so far.
type Usage struct {
	CPU      time.Duration `json:"cpu_ns"`
	MemoryKB int64         `json:"memory_kb"` // now
	PeakKB   int64         `json:"peak_kb"`
}

// ReadUsage reads what a process uses; false where it has ended, or the system
// does not tell.
func ReadUsage(pid int) (Usage, bool) {
	fields, ok := readStat(pid)
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if !ok || err != nil {
		return Usage{}, false
	}
	var u Usage
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "VmRSS":
			u.MemoryKB = kb
		case "VmHWM":
			u.PeakKB = kb
		}
	}
	const tick = time.Second / 100        // on every Linux
	for _, field := range fields[12:14] { // in the program and in the system
		n, _ := strconv.ParseInt(field, 10, 64)
		u.CPU += time.Duration(n) * tick
	}
	return u, u.PeakKB > 0 // a process that has ended has no memory
}
