package suite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/target"
)

// Machine returns the table of sizes and alignments of C and Fortran types on a target. Only targets with 32 or 64 bits have one.
func Machine(t target.Target) (*data.Machine, error) {
	var m *data.Machine
	x86 := strings.EqualFold(t.Architecture, "x86")
	windows := t.Linker.OutputFormat == "PE"
	switch {
	case t.Mode == 64 && shortPointers(t):
		m = data.ILP32()
	case t.Mode == 64 && windows:
		m = data.LLP64()
	case t.Mode == 64 && x86:
		m = data.X86_64()
	case t.Mode == 64:
		m = data.LP64()
	case t.Mode == 32 && x86 && windows:
		m = data.ILP32()
	case t.Mode == 32 && x86:
		m = data.I386()
	case t.Mode == 32:
		m = data.ILP32()
	default:
		return nil, fmt.Errorf("the data layout is not known for %s %s with %d bits", t.PU, t.Architecture, t.Mode)
	}
	m.Name = fmt.Sprintf("%s-%d", strings.ToLower(t.Architecture), t.Mode)
	m.BigEndian = t.Memory.Endianness == "Big"
	m.CharSigned = charSigned(t)
	return m, nil
}

// charSigned reports whether C's `char` is signed. It is signed everywhere except in ELF programs of a few processors.
func charSigned(t target.Target) bool {
	elsewhere := t.Linker.OutputFormat == "PE" || t.Linker.OutputFormat == "Mach-O" || t.Platform.OS == "Windows" || t.Platform.OS == "macOS" || t.Platform.OS == "iOS"
	unsigned := slices.ContainsFunc([]string{"ARM", "PowerPC", "RISC-V", "S390X", "Hexagon"}, func(name string) bool { return strings.EqualFold(t.Architecture, name) })
	return t.PU == "GPU" || elsewhere || !unsigned
}

// shortPointers reports whether a 64-bit processor is used with an ABI of 32-bit
// pointers.
func shortPointers(t target.Target) bool {
	return t.ABI != nil && slices.ContainsFunc([]string{"x32", "N32"}, func(name string) bool { return strings.EqualFold(t.ABI.Name, name) })
}
