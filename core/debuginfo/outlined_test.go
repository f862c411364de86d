package debuginfo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// In outlinedSource, the parallel regions and tasks of a function call f, as the
// function itself does. To a user all these calls are in the function.
const outlinedSource = `static volatile int sink;
int f(int);
#ifdef WHOLE
__attribute__((noinline)) int f(int n) { return sink + n; }
#endif
template <typename T> struct Solver {
	__attribute__((noinline)) void step(T n)
	{
#pragma omp parallel
		{
			sink = f(1);
#pragma omp parallel
			sink = f(n);
		}
	}
};
static void inner(int n)
{
#pragma omp parallel if (n > 1)
#pragma omp single
#pragma omp task
	sink = f(n);
}
void outer(int n)
{
#pragma omp parallel
	inner(n);
	Solver<int>().step(n);
	Solver<char>().step(n);
}
void plain(int n)
{
#pragma omp parallel
	sink = f(n);
}
`

// TestOutlined: the code of parallel regions and tasks belongs to the function in
// which they are written, in each instance of a template.
func TestOutlined(t *testing.T) {
	for _, c := range []struct{ compiler, flags string }{
		{"clang++", "-O0"}, {"clang++", "-O2"}, {"clang++", "-O2 -no-pie -fno-pic"}, {"g++", "-O0"}, {"g++", "-O2"},
		{"clang++", "-O0 --target=aarch64-linux-gnu -fuse-ld=lld"}, {"clang++", "-O2 --target=aarch64-linux-gnu -fuse-ld=lld"},
	} {
		t.Run(c.compiler+" "+c.flags, func(t *testing.T) {
			t.Parallel()
			if c.flags != "-O2" {
				need.Slow(t)
			}
			if strings.Contains(c.flags, "lld") {
				need.Program(t, "ld.lld")
			}
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "main.cc"), []byte(outlinedSource), 0o644); err != nil {
				t.Fatal(err)
			}
			flags := strings.Fields("-g -fopenmp -nostdlib -fPIC -shared -Wl,--unresolved-symbols=ignore-all main.cc -o program")
			if strings.Contains(c.flags, "no-pie") {
				flags = strings.Fields("-g -fopenmp -nostdlib -DWHOLE -Wl,--unresolved-symbols=ignore-all -Wl,-e,_Z5outeri main.cc -o program")
			}
			run(t, dir, c.compiler, append(flags, strings.Fields(c.flags)...)...)
			f := open(t, filepath.Join(dir, "program"), Options{})
			funcs, err := f.Functions()
			if err != nil {
				t.Fatal(err)
			}
			calls := map[string]int{}
			for i := range funcs {
				p, err := f.body(f.index, &funcs[i])
				if err != nil {
					t.Fatal(err)
				}
				for at := funcs[i].Low; at < funcs[i].High; at++ {
					if c, ok := f.call(p, at); ok && c.callee == "_Z1fi" {
						frame, _ := f.Lookup(c.next - 1)
						calls[frame.Function]++
					}
				}
			}
			for name, n := range map[string]int{"Solver<int>::step": 2, "Solver<char>::step": 2, "inner": 1, "plain": 1} {
				if calls[name] < n {
					t.Errorf("`%s` has %d calls, want at least %v", name, calls[name], n)
				}
				delete(calls, name)
			}
			if len(calls) > 0 {
				t.Errorf("calls in other functions: %v", calls)
			}
		})
	}
}
