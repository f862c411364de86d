package data

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
)

// Machine has everything about a machine that the layout of a type depends on: the sizes in bytes of the types of
// C and Fortran, and their alignments. It is a plain table, so any processor can be described.
type Machine struct {
	Name      string
	BigEndian bool

	Short, Int, Long, LongLong int64
	Pointer                    int64 // also the size of intptr_t
	SizeT, PtrDiff             int64
	Fast16, Fast32             int64 // the sizes of int_fast16_t and int_fast32_t
	CharSigned                 bool  // char is signed in C; PDI's char is unsigned on every machine

	// IntAlign and FloatAlign are the alignments, inside a struct, of numbers of 1, 2, 4, 8 and 16 bytes. Larger
	// numbers, which no processor has, are aligned to their size.
	IntAlign, FloatAlign [5]int64

	// Integer, Real, Logical and Character are the sizes of the default kinds in Fortran.
	Integer, Real, Logical, Character int64
}

// align returns the alignment of a number whose size in bytes is a power of two.
func align(table *[5]int64, size int64) int64 {
	if i := bits.TrailingZeros64(uint64(size)); i < len(table) {
		return table[i]
	}
	return size
}

var natural = [5]int64{1, 2, 4, 8, 16}

// X86_64 is the default, and the machine on which the original program was measured. It is little-endian with
// 64-bit addresses and a 64-bit long, and every number is aligned to its size.
func X86_64() *Machine { m := lp64("x86-64"); return &m }

// LP64 is a little-endian 64-bit Unix (AArch64, RISC-V 64, POWER little endian).
func LP64() *Machine { m := lp64("lp64"); m.CharSigned = false; return &m }

// LLP64 is 64-bit Windows: pointers have 8 bytes, long has 4.
func LLP64() *Machine {
	m := lp64("llp64")
	m.Long, m.Fast16, m.Fast32 = 4, 4, 4
	return &m
}

// ILP32 is a 32-bit machine that aligns 8-byte numbers to 8 bytes (ARM, MIPS,
// RISC-V 32).
func ILP32() *Machine {
	m := ilp32("ilp32")
	m.IntAlign[4], m.FloatAlign[4] = 8, 8
	return &m
}

// I386 is 32-bit x86 under the System V ABI, where 8-byte numbers are aligned to
// 4 bytes inside a struct.
func I386() *Machine {
	m := ilp32("i386")
	m.CharSigned = true
	m.IntAlign[3], m.FloatAlign[3] = 4, 4
	return &m
}

// BigEndian is a big-endian 64-bit Unix (s390x, SPARC, POWER).
func BigEndian() *Machine {
	m := lp64("big-endian")
	m.BigEndian, m.CharSigned = true, false
	return &m
}

// BigEndian32 is a big-endian 32-bit Unix (PowerPC, MIPS, SPARC).
func BigEndian32() *Machine {
	m := *ILP32()
	m.Name, m.BigEndian = "big-endian-32", true
	return &m
}

// String returns the width of addresses and the byte order.
func (m *Machine) String() string {
	order := "little-endian"
	if m.BigEndian {
		order = "big-endian"
	}
	return fmt.Sprintf("%d bit, %s", 8*m.Pointer, order)
}

// Machines lists the presets under their names.
func Machines() []*Machine {
	return []*Machine{X86_64(), LP64(), LLP64(), ILP32(), I386(), BigEndian(), BigEndian32()}
}

// otherNames maps other common names to the names of the presets.
var otherNames = map[string]string{
	"x86_64": "x86-64", "amd64": "x86-64", "x64": "x86-64", "aarch64": "lp64", "arm64": "lp64", "riscv64": "lp64", "ppc64le": "lp64",
	"win64": "llp64", "windows": "llp64", "arm": "ilp32", "arm32": "ilp32", "riscv32": "ilp32", "mipsel": "ilp32",
	"x86": "i386", "i686": "i386", "s390x": "big-endian", "ppc64": "big-endian", "powerpc64": "big-endian", "sparc64": "big-endian",
	"ppc32": "big-endian-32", "ppc": "big-endian-32", "powerpc": "big-endian-32", "sparc": "big-endian-32", "mips": "big-endian-32",
}

// MachineNames returns all names that MachineNamed knows.
func MachineNames() []string {
	names := slices.Collect(maps.Keys(otherNames))
	for _, m := range Machines() {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	return names
}

// MachineNamed returns the preset with the given name or alias. The Name of the result is the name that was given.
func MachineNamed(name string) (*Machine, bool) {
	own := strings.ToLower(name)
	if other, ok := otherNames[own]; ok {
		own = other
	}
	for _, m := range Machines() {
		if m.Name == own {
			m.Name = name
			return m, true
		}
	}
	return nil, false
}

func lp64(name string) Machine {
	return Machine{
		Name:  name,
		Short: 2, Int: 4, Long: 8, LongLong: 8,
		Pointer: 8, SizeT: 8, PtrDiff: 8, Fast16: 8, Fast32: 8, CharSigned: true,
		IntAlign: natural, FloatAlign: natural,
		Integer: 4, Real: 4, Logical: 4, Character: 1,
	}
}

func ilp32(name string) Machine {
	m := lp64(name)
	m.Long, m.Pointer, m.SizeT, m.PtrDiff, m.Fast16, m.Fast32 = 4, 4, 4, 4, 4, 4
	m.CharSigned = false
	return m
}
