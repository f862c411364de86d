package target

import "testing"

// TestAtomicBits: the features decide the widest value that can be changed atomically.
func TestAtomicBits(t *testing.T) {
	for _, c := range []struct {
		t    Target
		want int
	}{
		{machine("x86", 64), 64}, {machine("x86", 64, "CX16"), 128}, {machine("x86", 32), 64}, {machine("x86", 16), 32},
		{machine("ARM", 64), 128}, {machine("ARM", 32), 64}, {machine("ARM", 32, "ARMv7-M"), 32}, {machine("ARM", 32, "ARMv6-M"), 0}, {machine("ARM", 32, "ARMv5TE"), 0},
		{machine("RISC-V", 64), 0}, {machine("RISC-V", 64, "RV64GC"), 64}, {machine("RISC-V", 32, "A"), 32}, {machine("S390X", 64), 128}, {machine("AVR", 8), 0}, {machine("PDP", 16), 0},
	} {
		if got := builtIn.AtomicBits(c.t); got != c.want {
			t.Errorf("%s %d %v: %d, want %d", c.t.Architecture, c.t.Mode, c.t.Features, got, c.want)
		}
	}
}
