package target

import (
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/target/table"
)

// TestARMProfiles: a 32-bit ARM gets the architecture that its features name, its floating point unit
// and float ABI, and Thumb code if it runs nothing else.
func TestARMProfiles(t *testing.T) {
	abi := func(name string, x Target) Target { x.ABI = &ABI{Name: name}; return x }
	gcc, clang, rustc := Compiler{Name: "gcc"}, Compiler{Name: "clang"}, Compiler{Name: "rustc"}
	for _, c := range []struct {
		t     Target
		c     Compiler
		want  string
		notes string
	}{
		{machine("ARM", 32, "ARMv6-M"), gcc, "-mlittle-endian -mthumb -mfloat-abi=soft -march=armv6-m", ""},
		{machine("ARM", 32, "ARMv6-M"), clang, "--target=thumbv6m-none-eabi -mthumb -mfloat-abi=soft -march=armv6-m", ""},
		{abi("AAPCS", machine("ARM", 32, "ARMv7-M")), gcc, "-mlittle-endian -mthumb -mfloat-abi=soft -march=armv7-m", ""},
		{abi("AAPCS-VFP", machine("ARM", 32, "ARMv7E-M", "FPv4-SP-D16")), gcc, "-mlittle-endian -mfloat-abi=hard -mthumb -march=armv7e-m -mfpu=fpv4-sp-d16", ""},
		{abi("AAPCS-VFP", machine("ARM", 32, "ARMv7E-M", "FPv4-SP-D16")), clang, "--target=thumbv7em-none-eabihf -mfloat-abi=hard -mthumb -march=armv7e-m -mfpu=fpv4-sp-d16", ""},
		{machine("ARM", 32, "ARMv7E-M", "DSP"), gcc, "-mlittle-endian -mthumb -mfloat-abi=soft -march=armv7e-m", ""},
		{machine("ARM", 32, "ARMv8-M.Main", "DSP"), gcc, "-mlittle-endian -mthumb -mfloat-abi=soft -march=armv8-m.main+dsp", ""},
		{machine("ARM", 32, "ARMv7-M", "DSP"), gcc, "-mlittle-endian -mthumb -mfloat-abi=soft -march=armv7-m", "gcc takes `DSP` only from armv8-m.main on, which the target may not be: no flag"},
		{machine("ARM", 32, "MVE.FP", "FPv5-D16"), gcc, "-mlittle-endian -mthumb -mfloat-abi=softfp -march=armv8.1-m.main+mve.fp+fp.dp", ""},
		{machine("ARM", 32, "MVE", "FPv5-SP-D16"), clang, "--target=thumbv8.1m.main-none-eabi -mthumb -mfloat-abi=softfp -march=armv8.1-m.main+mve+fp", ""},
		{machine("ARM", 32, "ARMv7-R", "VFPv3-D16"), gcc, "-mlittle-endian -mfloat-abi=softfp -march=armv7-r -mfpu=vfpv3-d16", ""},
		{machine("ARM", 32, "ARMv8-R", "CRC"), gcc, "-mlittle-endian -mfloat-abi=soft -march=armv8-r+crc", ""},
		{machine("ARM", 32, "ARMv7-A", "THUMB"), gcc, "-mlittle-endian -mthumb -mfloat-abi=soft -march=armv7-a", ""},
		{machine("ARM", 32, "ARMv7-A", "CRC"), gcc, "-mlittle-endian -mfloat-abi=soft -march=armv7-a", "gcc takes `CRC` only from armv8-a on, which the target may not be: no flag"},
		{machine("ARM", 32, "ARMv7-A", "ARMv7-M"), gcc, "-mlittle-endian -mfloat-abi=soft -march=armv7-a", "gcc builds for one architecture: it gets no `ARMv7-M` besides `ARMv7-A`"},
		{machine("ARM", 32, "ARMv6KZ", "VFPv2"), clang, "--target=armv6kz-unknown-linux-gnueabi -mfloat-abi=softfp -march=armv6kz -mfpu=vfpv2", ""},
		{abi("AAPCS-VFP", machine("ARM", 32, "ARMv7E-M", "FPv4-SP-D16")), rustc, "--target=thumbv7em-none-eabihf", "rustc has no feature `FPv4-SP-D16`"},
		{machine("ARM", 32, "ARMv8.1-M.Main"), rustc, "--target=thumbv8m.main-none-eabi", ""},
		{machine("ARM", 32, "ARMv8-R"), rustc, "", "rustc has no target for CPU ARM 32 like this: no flags"},
		{machine("ARM", 32, "ARMv6K"), rustc, "--target=arm-unknown-linux-gnueabi", ""},
		{machine("ARM", 32, "ARMv5TE"), rustc, "--target=armv5te-unknown-linux-gnueabi", ""},
	} {
		flags, notes, err := builtIn.Flags(c.t, c.c, Linking)
		if got := strings.Join(flags, " "); err != nil || got != c.want {
			t.Errorf("%s %v: %v\n got %s\nwant %s", c.c.Name, c.t.Features, err, got, c.want)
		}
		if got := strings.Join(messages(notes), "; "); got != c.notes {
			t.Errorf("%s %v: notes\n got %s\nwant %s", c.c.Name, c.t.Features, got, c.notes)
		}
	}
}

// TestARMLevels: for 64-bit ARM, -march begins with the greatest level of the compiler's version whose features the target all has.
func TestARMLevels(t *testing.T) {
	isa := builtIn.look(machine("ARM", 64)).isa
	of := func(name string) Target {
		i := slices.IndexFunc(isa.Processors, func(p table.Processor) bool { return p.Name == name })
		return machine("ARM", 64, isa.Processors[i].Features.Names(isa)...)
	}
	for _, c := range []struct {
		t     Target
		c     Compiler
		want  string // the value of -march
		notes string // without the notes about macros
	}{
		{of("neoverse-n2"), Compiler{Name: "gcc", Major: 12}, "armv9-a+bf16+fp16fml+i8mm+memtag+sve2-bitperm", "gcc has no flag for `PMUV3`"},
		{of("neoverse-n2"), Compiler{Name: "gcc", Major: 11}, "armv8.6-a+fp16fml+memtag+sve2-bitperm", "gcc has no flag for `PMUV3`"},
		{of("cortex-a53"), Compiler{Name: "gcc", Major: 12}, "armv8-a+aes+crc+sha2", "gcc has no flag for `PMUV3`"},
		{of("neoverse-n1"), Compiler{Name: "gcc", Major: 12}, "armv8.2-a+aes+dotprod+fp16+profile+rcpc+sha2+ssbs", "gcc has no flag for `PMUV3`"},
		{machine("ARM", 64, "MEMTAG"), Compiler{Name: "gcc", Major: 12}, "armv8-a", "gcc takes `MEMTAG` only from armv8.5-a on, which the target may not be: no flag"},
		{machine("ARM", 64, "FCMA"), Compiler{Name: "gcc", Major: 12}, "armv8-a", "gcc 12 has no flag for `FCMA`: it came with version 15"},
	} {
		flags, notes, err := builtIn.Flags(c.t, c.c, Linking)
		if want := "-march=" + c.want; err != nil || !slices.Contains(flags, want) {
			t.Errorf("%s %d: %v\n got %v\nwant %s", c.c.Name, c.c.Major, err, flags, want)
		}
		if lost := slices.DeleteFunc(messages(notes), func(s string) bool { return strings.Contains(s, "but no macro") }); strings.Join(lost, "; ") != c.notes {
			t.Errorf("%s %d: notes %q, want %q", c.c.Name, c.c.Major, lost, c.notes)
		}
	}
}
