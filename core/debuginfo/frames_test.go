package debuginfo

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// inlining has programs with functions that are inlined into each other: one in C, and one in C++
// with name spaces, classes and templates.
var inlining = map[string]string{
	"main.c": `#include <stdlib.h>
static int weigh(int n)
{
	if (n > 3)
		abort();
	return n * 7;
}

static inline int both(int n) { return weigh(n) + weigh(n / 2); }

__attribute__((noinline)) int outer(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += both(i);
	return sum;
}

int main(int n, char **v)
{
	return outer(n) + both(n) + !v;
}
`,
	"main.cc": `#include <cstdlib>
#include <vector>
namespace math {
template <typename T, int N> T scale(T value) { if (value > 100) std::abort(); return value * N; }
}
namespace {
int hidden(int n) { return std::abs(n) + 1; }
}
template <typename T> struct Solver {
	std::vector<T> values;
	T step(T by);
	static T twice(T by) { return math::scale<T, 2>(by); }
};
template <typename T> T Solver<T>::step(T by)
{
	T sum = 0;
	for (T v : values)
		sum += twice(v) + by;
	return sum;
}
struct Plain {
	int n;
	__attribute__((noinline)) int run(int k);
};
int Plain::run(int k) { return hidden(n) + k; }
int main(int argc, char **argv)
{
	Solver<double> a;
	Solver<int> b;
	a.values.push_back(argc);
	b.values.push_back(argc);
	Plain p{argc};
	return a.step(1) + b.step(2) + p.run(3) + !argv;
}
`,
}

const splitUnits = "-gsplit-dwarf"

// references are tools that print the function and line at an address. Each is wrong in some cases:
// one for DWARF 5, the other for code that does not belong to a unit.
var references = []string{"addr2line", "llvm-addr2line"}

// TestFrames checks that at every address of a program, the innermost function, its file and its
// line match the output of addr2line, and the inlined calls too.
func TestFrames(t *testing.T) {
	for _, program := range append([]string{"c++filt"}, references...) {
		need.Program(t, program, "--version")
	}
	for _, c := range []struct{ compiler, source, flags, packer string }{
		{"gcc", "main.c", "-O0", ""}, {"gcc", "main.c", "-O2", ""}, {"gcc", "main.c", "-O2 -gdwarf-4", ""}, {"gcc", "main.c", "-O3 -flto", ""},
		{"clang", "main.c", "-O2", ""}, {"clang", "main.c", "-O2 -gdwarf-4", ""},
		{"g++", "main.cc", "-O0", ""}, {"g++", "main.cc", "-O2", ""}, {"g++", "main.cc", "-O3 -flto -no-pie", ""}, {"clang++", "main.cc", "-O2", ""},
		// No available packer reads the output of GCC for version 5.
		{"g++", "main.cc", "-O2 -gsplit-dwarf", ""}, {"gcc", "main.c", "-O2 -gsplit-dwarf -gdwarf-4", "dwp"}, {"clang", "main.c", "-O2 -gsplit-dwarf", "llvm-dwp"},
	} {
		t.Run(c.compiler+" "+c.flags+" "+c.source, func(t *testing.T) {
			t.Parallel()
			if c.flags != "-O2" || c.compiler == "gcc" || c.compiler == "clang++" {
				need.Slow(t)
			}
			need.Program(t, c.compiler, "--version")
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, c.source), []byte(inlining[c.source]), 0o644); err != nil {
				t.Fatal(err)
			}
			program := filepath.Join(dir, "program")
			flags := append(strings.Fields(c.flags), "-g", c.source, "-o", program)
			if !slices.Contains(flags, splitUnits) {
				run(t, dir, c.compiler, flags...)
				sameAsAddr2line(t, program)
				return
			}
			// No tool knows all frames of split units. They must be the same as without splitting.
			run(t, dir, c.compiler, slices.DeleteFunc(slices.Clone(flags), func(f string) bool { return f == splitUnits })...)
			want := frames(t, program)
			run(t, dir, c.compiler, flags...)
			if got := frames(t, program); got != want {
				t.Error("split units give other frames")
			}
			if c.packer != "" {
				packed(t, dir, program, c.packer)
			}
		})
	}
}

// packed packs the split units of a program into one file, and removes them.
func packed(t *testing.T, dir, program, packer string) {
	t.Helper()
	units, err := filepath.Glob(filepath.Join(dir, "*.dwo"))
	if err != nil || len(units) == 0 {
		t.Fatalf("%v, %v", units, err)
	}
	run(t, dir, packer, append(units, "-o", program+".dwp")...)
	want := frames(t, program)
	for _, u := range units {
		if err := os.Rename(u, u+".away"); err != nil {
			t.Fatal(err)
		}
	}
	if got := frames(t, program); got != want {
		t.Error("a packed file gives other frames than its parts")
	}
	if err := os.Remove(program + ".dwp"); err != nil {
		t.Fatal(err)
	}
	if got := frames(t, program); got == want || !strings.Contains(got, "main") {
		t.Error("without its parts a program still has all frames, or none")
	}
}

// addresses returns the addresses of the program's own code.
func addresses(t *testing.T, f *File) []uint64 {
	t.Helper()
	funcs, err := f.Functions()
	if err != nil {
		t.Fatal(err)
	}
	var list []uint64
	for _, fn := range funcs {
		if fn.Unit == "" {
			continue // skip code from the object files of the C library
		}
		for a := fn.Low; a < fn.High; a++ {
			list = append(list, a)
		}
	}
	if len(list) == 0 {
		t.Fatal("no code with debug information")
	}
	return list
}

// frames returns the innermost functions of all addresses, one on each line.
func frames(t *testing.T, program string) string {
	t.Helper()
	f := open(t, program, Options{})
	var b strings.Builder
	for _, s := range f.elf.Sections {
		if s.Flags&elf.SHF_EXECINSTR == 0 {
			continue
		}
		for a := s.Addr; a < s.Addr+s.Size; a++ {
			frame, _ := f.Lookup(a)
			fmt.Fprintf(&b, "%x %s %s:%d\n", a, frame.Function, filepath.Base(frame.File), frame.Line)
		}
	}
	return b.String()
}

func sameAsAddr2line(t *testing.T, program string) {
	t.Helper()
	f := open(t, program, Options{})
	list := addresses(t, f)
	var in bytes.Buffer
	for _, a := range list {
		fmt.Fprintf(&in, "0x%x\n", a)
	}
	reference := []map[uint64][]string{}
	for _, tool := range references {
		reference = append(reference, framesOf(t, tool, program, in.String()))
	}
	wrong := 0
	for _, a := range list {
		frame, _ := f.Lookup(a)
		function, place := plainName(frame.Function), fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)
		known := func(is func(string) bool) bool {
			return slices.ContainsFunc(reference, func(at map[uint64][]string) bool { return len(at[a]) > 0 && is(at[a][0]) })
		}
		if !known(func(r string) bool { return strings.HasPrefix(r, function+" ") }) || !known(func(r string) bool { return strings.HasSuffix(r, " "+place) }) {
			if wrong++; wrong < 5 {
				t.Errorf("0x%x is %s %s, and for addr2line %s; want at least 5", a, function, place, reference[0][a])
			}
		}
		if calls := callers(f, a); !slices.ContainsFunc(reference, func(at map[uint64][]string) bool { return sameCallers(calls, at[a]) }) {
			if wrong++; wrong < 5 {
				t.Errorf("0x%x was inlined into %q, and for addr2line into %q and %q; want at least 5", a, calls, reference[0][a], reference[1][a])
			}
		}
		if !frame.Means(frame.Function) {
			t.Errorf("`%s` does not answer to its own name", frame.Function)
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d addresses differ", wrong, len(list))
	}
}

// callers returns the inlined calls at an address, from the inside outwards.
func callers(f *File, a uint64) (list []string) {
	for {
		passed := 0
		frame, ok := f.Caller(a, func(Frame) bool { passed++; return passed <= 1+len(list) })
		if !ok {
			return list
		}
		list = append(list, fmt.Sprintf("%s %s:%d", plainName(frame.Function), filepath.Base(frame.File), frame.Line))
	}
}

// sameCallers reports whether calls are the same as the frames of a tool, except for the tool's
// first frame, which is the code itself.
func sameCallers(calls, frames []string) bool {
	return slices.Equal(calls, frames[min(1, len(frames)):])
}

// framesOf returns the frames that a tool prints, by address and from the inside outwards.
func framesOf(t *testing.T, tool, program, addresses string) map[uint64][]string {
	t.Helper()
	lines := strings.Split(pipe(t, pipe(t, addresses, tool, "-a", "-f", "-i", "-e", program), "c++filt", "-p"), "\n")
	at := map[uint64][]string{}
	var a uint64
	for i := 0; i+1 < len(lines); i++ { // 0xADDRESS, and then a function and file:line for each frame
		if _, err := fmt.Sscanf(lines[i], "0x%x", &a); err == nil {
			continue
		}
		place, _, _ := strings.Cut(lines[i+1], " (discriminator")
		at[a] = append(at[a], plainName(lines[i])+" "+strings.ReplaceAll(filepath.Base(place), ":?", ":0"))
		i++
	}
	return at
}

// plainName removes the parts of a name that tools write differently: template arguments, an
// unnamed name space, the suffix of a cold part.
func plainName(name string) string {
	var parts []string
	for _, part := range nameParts(strings.TrimSuffix(name, ".cold")) {
		if part != "(anonymous namespace)" {
			parts = append(parts, plainPart(part))
		}
	}
	return strings.Join(parts, "::")
}

func pipe(t *testing.T, in, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(need.Program(t, name), args...)
	cmd.Stdin = strings.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return string(out)
}
