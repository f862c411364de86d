package debuginfo

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// regionsSource has parallel regions in functions that are inlined: once, twice in one
// function, and into each other.
const regionsSource = `static int relax(int n)
{
	int sum = 0;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < n; i++)
		sum += i;
	return sum;
}
static int both(int n)
{
	int sum = relax(n);
#pragma omp parallel reduction(+ : sum)
	{
		sum += n;
#pragma omp parallel
		__asm__ volatile("" : : : "memory");
	}
	return sum;
}
__attribute__((noinline)) int smooth(int n) { return relax(n) + 1; }
int main(int n, char **v)
{
	int sum = smooth(n) + both(n);
	return sum + !v;
}
`

// TestRetargetInnermost checks that the region of a function is found again in a build with
// new lines and regions before it, other functions around it, and other flags.
func TestRetargetInnermost(t *testing.T) {
	need.Slow(t)
	need.Compiler(t, "clang", "-fopenmp")
	changed := "#include <stdlib.h>\n" + strings.Replace(strings.Replace(regionsSource, "static int relax", `int first(int n)
{
#pragma omp parallel
	if (n > 1)
		abort();
	return n;
}
static int relax`, 1), "	int sum = smooth(n)", "	int sum = first(n) + smooth(n)", 1)
	twice := strings.Replace(regionsSource, "both(n);", "both(n) + relax(2 * n);", 1)
	built := map[string]*File{}
	build := func(text, flags string) *File {
		t.Helper()
		if built[flags+text] == nil {
			built[flags+text] = open(t, compileWith(t, t.TempDir(), "clang", text, append(strings.Fields(flags), "-g", "-fopenmp")...), Options{})
		}
		return built[flags+text]
	}
	for _, c := range []struct {
		name          string
		old, rebuilt  *File
		before, after string
		lost          string // a function whose region is not found again
	}{
		{"the same", build(regionsSource, "-O2"), build(regionsSource, "-O2"), regionsSource, regionsSource, ""},
		{"more before it", build(regionsSource, "-O2"), build(changed, "-O2"), regionsSource, changed, ""},
		{"not inlined", build(regionsSource, "-O2"), build(changed, "-O0"), regionsSource, changed, ""},
		{"inlined", build(regionsSource, "-O0"), build(changed, "-O2"), regionsSource, changed, "relax"},
		{"once more", build(regionsSource, "-O0"), build(twice, "-O2"), regionsSource, twice, "relax"},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen := 0
			for _, r := range forks(t, c.old) {
				was, _ := c.old.Lookup(r - 1)
				at, reason, ok := Retarget(c.old, c.rebuilt, r)
				if !ok {
					if was.Function != c.lost || !strings.Contains(reason, "is now at 2 places") && !strings.Contains(reason, "is now at 3 places") {
						t.Errorf("0x%x in `%s`: %s; want only one in `%s` lost, which is now at 2 or 3 places", r, was.Function, reason, c.lost)
					}
					continue
				}
				seen++
				now, _ := c.rebuilt.Lookup(at - 1)
				if now.Function != was.Function || pragmaAt(c.before, was.Line) != pragmaAt(c.after, now.Line) || filepath.Base(now.File) != "main.c" {
					t.Errorf("0x%x in `%s`, line %d, became 0x%x in `%s`, line %d: %s; want the same function of main.c and the same pragma", r, was.Function, was.Line, at, now.Function, now.Line, reason)
				}
			}
			if want := 3; seen < want-1 || c.lost == "" && seen < want {
				t.Errorf("%d regions were found again", seen)
			}
		})
	}
}

// pragmaAt returns a line and the one after it, which together identify a region.
func pragmaAt(source string, line int) string {
	lines := strings.Split(source, "\n")
	return strings.Join(lines[line-1:line+1], "\n")
}

// forks returns the addresses of the program's regions.
func forks(t *testing.T, f *File) []uint64 {
	t.Helper()
	funcs, err := f.Functions()
	if err != nil {
		t.Fatal(err)
	}
	var list []uint64
	for i := range funcs {
		p, err := f.body(f.index, &funcs[i])
		if err != nil {
			t.Fatal(err)
		}
		for at := funcs[i].Low; at < funcs[i].High; at++ {
			if c, ok := f.call(p, at); ok && c.callee == "__kmpc_fork_call" {
				list = append(list, c.next)
			}
		}
	}
	if len(list) == 0 {
		t.Fatal("the program has no region")
	}
	return list
}
