package suite

import (
	"testing"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/target"
)

func TestMachineFollowsTheTarget(t *testing.T) {
	for _, c := range []struct {
		arch   string
		mode   int
		format string
		endian string
		abi    string
		long   int64
		ptr    int64
		align8 int64
	}{
		{"x86", 64, "ELF", "Little", "", 8, 8, 8},
		{"x86", 64, "PE", "Little", "", 4, 8, 8},
		{"x86", 32, "ELF", "Little", "", 4, 4, 4},
		{"x86", 32, "PE", "Little", "Win32", 4, 4, 8},
		{"x86", 64, "ELF", "Little", "x32", 4, 4, 8},
		{"x86", 64, "ELF", "Little", "SystemV", 8, 8, 8},
		{"MIPS", 64, "ELF", "Big", "N32", 4, 4, 8},
		{"MIPS", 64, "ELF", "Big", "N64", 8, 8, 8},
		{"ARM", 32, "ELF", "Little", "", 4, 4, 8},
		{"ARM", 64, "ELF", "Little", "", 8, 8, 8},
		{"PowerPC", 64, "ELF", "Big", "", 8, 8, 8},
	} {
		m, err := Machine(target.Target{ABI: &target.ABI{Name: c.abi}, PU: "CPU", Architecture: c.arch, Mode: c.mode,
			Memory: target.Memory{Endianness: c.endian}, Linker: target.Linker{OutputFormat: c.format}})
		if err != nil {
			t.Fatal(err)
		}
		if m.Long != c.long || m.Pointer != c.ptr || m.FloatAlign[3] != c.align8 || m.BigEndian != (c.endian == "Big") {
			t.Errorf("%s %d %s: %+v, want m.Long = %v, m.Pointer = %v, m.FloatAlign[3] = %v and m.BigEndian = %v", c.arch, c.mode, c.format, m, c.long, c.ptr, c.align8, (c.endian == "Big"))
		}
		typ, err := data.ParseType(data.Map("type", "struct", "members", data.List(data.Map("a", "char"), data.Map("b", "double"))), &data.Env{Machine: m})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := typ.Evaluate(); err != nil || got.Size() != 8+c.align8 {
			t.Errorf("%s %d: a char and a double take %v bytes, %v", c.arch, c.mode, got, err)
		}
	}
	for _, c := range []struct {
		pu, arch, format string
		signed           bool
	}{{"CPU", "ARM", "ELF", false}, {"CPU", "ARM", "Mach-O", true}, {"CPU", "ARM", "PE", true}, {"CPU", "RISC-V", "", false}, {"CPU", "MIPS", "ELF", true}, {"GPU", "NVIDIA", "", true}} {
		m, err := Machine(target.Target{PU: c.pu, Architecture: c.arch, Mode: 64, Linker: target.Linker{OutputFormat: c.format}})
		if err != nil || m.CharSigned != c.signed {
			t.Errorf("%+v: %v %v", c, m, err)
		}
	}
	if _, err := Machine(target.Target{PU: "GPU", Architecture: "NVIDIA", Mode: 16}); err == nil {
		t.Error("a target of 16 bits has a layout")
	}
}
