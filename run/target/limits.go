package target

import (
	"slices"
	"strconv"
	"strings"
)

// The limits of COIL's binary form. A configuration may have larger values, but they cannot be
// encoded.
const (
	MaxAlignment      = 1 << 31
	MaxStackAlignment = 1 << 15
	MaxRedZone        = 1<<16 - 1
)

// DeviceLimits are the limits of one NVIDIA generation.
type DeviceLimits struct {
	Warp         int // threads
	Registers    int // of one thread
	SharedMemory int // bytes that a block may use without requesting more
	SharedOptIn  int // bytes that a block may request at most
	PTX          string
}

// NVIDIA returns the limits of an SM feature, given by key or name in any variant; ok is
// false for anything else. The numbers are from the CUDA programming guide.
func NVIDIA(feature string) (l DeviceLimits, ok bool) {
	cc, ok := ComputeCapability(feature)
	if !ok {
		return l, false
	}
	l = DeviceLimits{Warp: 32, Registers: 255, SharedMemory: 48 << 10, SharedOptIn: 48 << 10, PTX: minPTX[cc]}
	if cc < 35 {
		l.Registers = 63
	}
	switch {
	case cc >= 120:
		l.SharedOptIn = 99 << 10
	case cc >= 90:
		l.SharedOptIn = 227 << 10
	case cc == 86 || cc == 88 || cc == 89:
		l.SharedOptIn = 99 << 10
	case cc >= 80:
		l.SharedOptIn = 163 << 10
	case cc >= 75:
		l.SharedOptIn = 64 << 10
	case cc >= 70:
		l.SharedOptIn = 96 << 10
	}
	if strings.HasSuffix(feature, "a") && cc == 90 {
		l.PTX = "8.0"
	}
	return l, true
}

// minPTX is the lowest PTX version that knows a compute capability, from llc 19 and NVPTX.td.
var minPTX = map[int]string{20: "3.2", 21: "3.2", 30: "6.0", 32: "4.0", 35: "3.2", 37: "4.1", 50: "4.0", 52: "4.1", 53: "4.2", 60: "5.0", 61: "5.0", 62: "5.0",
	70: "6.0", 72: "6.1", 75: "6.3", 80: "7.0", 86: "7.1", 87: "7.4", 88: "9.0", 89: "7.8", 90: "7.8", 100: "8.6", 103: "8.8", 107: "9.4", 110: "9.0", 120: "8.7", 121: "8.8"}

// ComputeCapability is the number of an SM feature times ten: 70 for SM_70, 90 for sm_90a.
func ComputeCapability(feature string) (int, bool) {
	rest, ok := strings.CutPrefix(strings.ToLower(feature), "sm_")
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimRight(rest, "af"))
	if _, known := minPTX[n]; err != nil || !known {
		return 0, false
	}
	return n, true
}

// formats maps architectures to the output formats of their programs.
var formats = map[string][]string{
	"x86": {"ELF", "PE", "Mach-O", "Raw"}, "ARM": {"ELF", "PE", "Mach-O", "Raw"}, "PowerPC": {"ELF", "Mach-O", "Raw"},
	"RISC-V": {"ELF", "PE", "Raw"}, "LoongArch": {"ELF", "PE", "Raw"}, "MIPS": {"ELF", "PE", "Raw"},
}

// Formats lists the output formats of an architecture, by its canonical name.
func Formats(pu, arch string) []string {
	if fs := formats[arch]; fs != nil && pu == "CPU" {
		return slices.Clone(fs)
	}
	return []string{"ELF", "Raw"}
}
