package state

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"
)

// Usage is the processor time and memory that a process has used so far.
type Usage struct {
	CPU      time.Duration `json:"cpu_ns"`
	MemoryKB int64         `json:"memory_kb"` // now
	PeakKB   int64         `json:"peak_kb"`
}

// ReadUsage reads what a process uses; false if it has ended or the system does not report it.
func ReadUsage(pid int) (Usage, bool) {
	fields, ok := readStat(pid)
	if !ok {
		return Usage{}, false
	}
	var u Usage
	if u.MemoryKB, u.PeakKB, ok = ReadMemory(pid); !ok {
		return Usage{}, false
	}
	const tick = time.Second / 100        // on every Linux
	for _, field := range fields[12:14] { // user time and system time
		n, _ := strconv.ParseInt(field, 10, 64)
		u.CPU += time.Duration(n) * tick
	}
	return u, true
}

// ReadMemory reads the current and the peak memory of a process in kB; false for the same reasons as in ReadUsage.
func ReadMemory(pid int) (now, peak int64, ok bool) {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0, 0, false
	}
	now, peak = kilobytes(status, "\nVmRSS:"), kilobytes(status, "\nVmHWM:")
	return now, peak, peak > 0 // a process that has ended has no memory
}

// kilobytes returns the number after a name; 0 if the name is missing.
func kilobytes(status []byte, name string) int64 {
	_, rest, _ := bytes.Cut(status, []byte(name))
	value, _, _ := bytes.Cut(rest, []byte(" kB"))
	n, _ := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
	return n
}

// ReadCommand reads the command line with which a process was started; false for the same reasons as in ReadUsage.
func ReadCommand(pid int) ([]string, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil || len(text) == 0 {
		return nil, false
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00"), true
}
