package sprokit

import (
	"os"
	"runtime"
	"strings"
)

// Machine holds the values of SYSENV. Memory sizes are in KB.
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

// thisMachine gets the values from the operating system, as far as the Go
// library can.
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
