package suite_test

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/suite"
)

// machineCompilers are the compilers with which the sizes of presets are compared.
var machineCompilers = []struct {
	program string
	target.Compiler
	machine string // empty: no machine
}{
	{"clang-19", target.Compiler{Name: "clang", Major: 19}, ""},
	{"gcc-12", target.Compiler{Name: "gcc", Major: 12}, "CPU x86"},
	{"aarch64-linux-gnu-gcc", target.Compiler{Name: "gcc", Major: 12}, "CPU ARM 64"},
	{"arm-none-eabi-gcc", target.Compiler{Name: "gcc", Major: 12}, "CPU ARM 32"},
	{"powerpc64le-linux-gnu-gcc", target.Compiler{Name: "gcc", Major: 12}, "CPU PowerPC 64"},
	{"riscv64-linux-gnu-gcc", target.Compiler{Name: "gcc", Major: 12}, "CPU RISC-V 64"},
	{"s390x-linux-gnu-gcc", target.Compiler{Name: "gcc", Major: 12}, "CPU S390X 64"},
}

// TestMachineCompilers: sizes, alignments and byte order of a preset agree with the compilers for it, and so does the widest atomic value.
func TestMachineCompilers(t *testing.T) {
	need.Slow(t)
	kinds := map[string]target.Target{} // one preset for each kind of machine
	for _, name := range preset.Names() {
		f, _ := preset.File(name)
		m, err := coil.Read(f, &load.Env{})
		if err != nil {
			t.Fatal(err)
		}
		x := m.Target()
		kind := fmt.Sprint(x.PU, " ", x.Architecture, " ", x.Mode, " ", x.Memory.Endianness, " ", x.Linker.OutputFormat, " ", target.Machines{}.AtomicBits(x))
		if x.ABI != nil {
			kind += " " + x.ABI.Name
		}
		if _, known := kinds[kind]; !known {
			kinds[kind] = x
		}
	}
	for _, c := range machineCompilers {
		t.Run(c.program, func(t *testing.T) {
			t.Parallel()
			program, asked := need.Program(t, c.program, "--version"), 0
			for kind, x := range kinds {
				flags, notes, err := target.Machines{}.Flags(x, c.Compiler, target.Compiling)
				m, unknown := suite.Machine(x)
				refused := len(notes) > 0 && notes[0].Kind == target.NoTarget
				foreign := c.Name == "gcc" && (x.Linker.OutputFormat == "PE" || x.Linker.OutputFormat == "Mach-O") // Debian's compilers do not make these formats
				if err != nil || unknown != nil || refused || foreign || !strings.HasPrefix(kind, c.machine) || x.Architecture == "SPIR-V" {
					continue // there is nothing to compare
				}
				asked++
				cmd := exec.Command(program, append(flags, "-w", "-fsyntax-only", "-x", "c", "-")...)
				cmd.Stdin = strings.NewReader(sizes(m, x, c.Name == "clang"))
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s: %s: %v\n%.1500s", kind, strings.Join(flags, " "), err, out)
				}
			}
			if asked == 0 {
				t.Error("no preset is for it")
			}
		})
	}
}

// sizes returns a C program that compiles only if the compiler agrees with the machine.
func sizes(m *data.Machine, x target.Target, clang bool) string {
	var b strings.Builder
	claim := func(expression string, value any) {
		fmt.Fprintf(&b, "_Static_assert((%s) == %v, \"%s is not %v\");\n", expression, value, expression, value)
	}
	for _, row := range []struct {
		name        string
		size, align int64
	}{
		{"short", m.Short, m.IntAlign[1]}, {"int", m.Int, m.IntAlign[2]}, {"float", 4, m.FloatAlign[2]}, {"double", 8, m.FloatAlign[3]}, {"long long", m.LongLong, m.IntAlign[3]},
		{"long", m.Long, m.IntAlign[2+m.Long/8]}, {"void *", m.Pointer, m.IntAlign[2+m.Pointer/8]}, {"__SIZE_TYPE__", m.SizeT, m.IntAlign[2+m.SizeT/8]}, {"__PTRDIFF_TYPE__", m.PtrDiff, m.IntAlign[2+m.PtrDiff/8]},
	} {
		claim("sizeof("+row.name+")", row.size)
		claim("__builtin_offsetof(struct { char c; "+row.name+" x; }, x)", row.align)
	}
	claim("(char)-1 < 0", map[bool]int{true: 1}[m.CharSigned])
	claim("__BYTE_ORDER__", map[bool]string{true: "__ORDER_BIG_ENDIAN__", false: "__ORDER_LITTLE_ENDIAN__"}[m.BigEndian])
	if clang { // gcc leaves the widest value to a library that may support more
		for size := 1; size <= 16; size *= 2 {
			claim("__atomic_always_lock_free("+strconv.Itoa(size)+", 0)", map[bool]int{true: 1}[8*size <= target.Machines{}.AtomicBits(x)])
		}
	}
	return b.String()
}
