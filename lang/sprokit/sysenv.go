package sprokit

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Machine is what SYSENV knows about the computer. Memory is in KB.
type Machine struct {
	Hostname, Domain                   string
	OS, Description, Platform, Version string
	TotalMemory, FreeMemory            uint64
	TotalVirtual, FreeVirtual          uint64
	Processors                         int
	PID                                int
}

// sysenvNames are the documented symbols, and `cwd`, which upstream has too.
var sysenvNames = []string{
	"curdir", "cwd", "homedir", "pid", "numproc", "totalvirtualmemory", "availablevirtualmemory", "totalphysicalmemory",
	"availablephysicalmemory", "hostname", "domainname", "osname", "osdescription", "osplatform", "osversion",
	"iswindows", "islinux", "isapple", "is64bits",
}

// sysenv is the value of a SYSENV symbol.
func (r *resolver) sysenv(name string) (string, bool) {
	if r.env.Confined {
		return "", false
	}
	truth := func(b bool) (string, bool) { return strings.ToUpper(strconv.FormatBool(b)), true }
	switch name {
	case "curdir", "cwd":
		return r.env.Dir, true
	case "homedir":
		home, _ := r.env.Getenv("HOME")
		return home, true
	case "iswindows":
		return truth(runtime.GOOS == "windows")
	case "islinux":
		return truth(runtime.GOOS == "linux")
	case "isapple":
		return truth(runtime.GOOS == "darwin")
	case "is64bits":
		return truth(strconv.IntSize == 64)
	}
	m := r.o.machine()
	memory := func(kb uint64) (string, bool) {
		if r.upstream() {
			kb >>= 10 // the original program counts megabytes
		}
		return strconv.FormatUint(kb, 10), true
	}
	switch name {
	case "pid":
		return strconv.Itoa(m.PID), true
	case "numproc":
		return strconv.Itoa(m.Processors), true
	case "totalvirtualmemory":
		return memory(m.TotalVirtual)
	case "availablevirtualmemory":
		return memory(m.FreeVirtual)
	case "totalphysicalmemory":
		return memory(m.TotalMemory)
	case "availablephysicalmemory":
		return memory(m.FreeMemory)
	case "hostname":
		return m.Hostname, true
	case "domainname":
		return m.Domain, true
	case "osname":
		return m.OS, true
	case "osdescription":
		return m.Description, true
	case "osversion":
		return m.Version, true
	case "osplatform":
		if r.upstream() {
			return m.Platform, true
		}
		return strings.ReplaceAll(m.Platform, "_", "-"), true
	}
	return "", false
}

// thisMachine asks the operating system, as far as Go alone can.
func thisMachine() Machine {
	m := Machine{
		OS: strings.ToUpper(runtime.GOOS[:1]) + runtime.GOOS[1:], Platform: runtime.GOARCH,
		Processors: runtime.NumCPU(), PID: os.Getpid(),
	}
	m.Hostname, _ = os.Hostname()
	m.Domain = m.Hostname
	if m.Platform == "amd64" {
		m.Platform = "x86_64"
	}
	m.Description = m.OS
	askSystem(&m)
	return m
}
