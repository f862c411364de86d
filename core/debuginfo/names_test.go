package debuginfo

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestMeans checks that a name may omit outer scopes and template arguments.
func TestMeans(t *testing.T) {
	for _, c := range []struct {
		function, linkage, name string
		want                    bool
	}{
		{"relax", "", "relax", true},
		{"relax", "", "rela", false},
		{"relax", "", "elax", false},
		{"relax", "", "", false},
		{"app::Solver<double>::step", "_ZN3app6SolverIdE4stepEv", "step", true},
		{"app::Solver<double>::step", "_ZN3app6SolverIdE4stepEv", "Solver::step", true},
		{"app::Solver<double>::step", "_ZN3app6SolverIdE4stepEv", "Solver<double>::step", true},
		{"app::Solver<double>::step", "_ZN3app6SolverIdE4stepEv", "app::Solver::step", true},
		{"app::Solver<double>::step", "_ZN3app6SolverIdE4stepEv", "_ZN3app6SolverIdE4stepEv", true},
		{"app::Solver<double>::step", "_ZN3app6SolverIdE4stepEv", "Solver<int>::step", false},
		{"app::Solver<double>::step", "_ZN3app6SolverIdE4stepEv", "olver::step", false},
		{"app::Solver<double>::step", "_ZN3app6SolverIdE4stepEv", "app::step", false},
		{"app::Solver<double>::step", "_ZN3app6SolverIdE4stepEv", "top::app::Solver::step", false},
		{"scale<int, 3>", "", "scale", true},
		{"scale<int, 3>", "", "scale<int,3>", true},
		{"scale<int, 3>", "", "scale<int, 4>", false},
		{"apply<a::b>", "", "b>", false},
		{"Matrix::operator<", "", "operator<", true},
		{"Matrix::operator<", "", "Matrix::operator<", true},
		{"Matrix::operator()", "", "operator()", true},
		{"(anonymous namespace)::hidden", "", "hidden", true},
	} {
		if got := (Frame{Function: c.function, Linkage: c.linkage}).Means(c.name); got != c.want {
			t.Errorf("`%s` means `%s`: %v, want %v", c.name, c.function, got, c.want)
		}
	}
}

// TestMainProgram: the main program of Fortran is shown with the name in its source, and
// is found by that and by the linker's name.
func TestMainProgram(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.f90"), []byte("program Solver\n  print *, 1\nend program\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "gfortran", "-g", "main.f90", "-o", "program")
	f := open(t, filepath.Join(dir, "program"), Options{})
	own, linked := f.Code("solver"), f.Code("MAIN__")
	if len(own) == 0 || !slices.Equal(own, linked) {
		t.Fatalf("`solver` is %v, and `MAIN__` %v; want the same code, and some", own, linked)
	}
	if r, ok := f.Region(own[0].Low + 1); !ok || r.Function != "solver" {
		t.Errorf("the function there is `%s`, want `solver`", r.Function)
	}
}

// TestFlatten checks that the innermost of nested pieces counts, and that a piece that
// overlaps another one without being inside it is cut at the end of that one.
func TestFlatten(t *testing.T) {
	piece := func(low, high uint64, depth uint16, fn int32) code {
		return code{Range: Range{low, high}, depth: depth, fn: fn}
	}
	for _, c := range []struct {
		name   string
		pieces []code
		want   string
	}{
		{"none", nil, ""},
		{"one", []code{piece(1, 5, 0, 0)}, "1:0 5:-1"},
		{"side by side", []code{piece(5, 9, 0, 1), piece(1, 5, 0, 0)}, "1:0 5:1 9:-1"},
		{"nested", []code{piece(1, 9, 0, 0), piece(3, 5, 1, 1), piece(3, 4, 2, 2)}, "1:0 3:2 4:1 5:0 9:-1"},
		{"the same range", []code{piece(1, 9, 2, 1), piece(1, 9, 1, 0)}, "1:1 9:-1"},
		{"ending together", []code{piece(1, 9, 0, 0), piece(3, 9, 1, 1), piece(11, 12, 0, 2)}, "1:0 3:1 9:-1 11:2 12:-1"},
		{"twice in one function", []code{piece(1, 9, 0, 0), piece(2, 3, 1, 1), piece(5, 6, 1, 1)}, "1:0 2:1 3:0 5:1 6:0 9:-1"},
		{"over the end", []code{piece(1, 5, 0, 0), piece(3, 8, 0, 1)}, "1:0 3:1 5:-1"},
	} {
		var got []string
		for _, s := range flatten(c.pieces) {
			got = append(got, fmt.Sprintf("%d:%d", s.low, s.fn))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}

// TestCode: the code of a function includes its inlined copies, but not other functions
// inlined into it.
func TestCode(t *testing.T) {
	for _, flags := range [][]string{{"-g", "-O0"}, {"-g", "-O2"}} {
		f := open(t, compile(t, t.TempDir(), inlining["main.c"], flags...), Options{})
		for _, name := range []string{"weigh", "both", "outer", "main"} {
			list := f.Code(name)
			if len(list) == 0 && name != "both" { // the compiler may have inlined all code of a function
				t.Errorf("%v: `%s` has no code", flags, name)
			}
			for _, r := range list {
				for a := r.Low; a < r.High; a++ {
					if frame, _ := f.Lookup(a); frame.Function != name {
						t.Fatalf("%v: 0x%x is code of `%s` and lies in %+v, want %v", flags, a, name, frame, name)
					}
				}
			}
		}
		if list := f.Code("weigh"); flags[1] == "-O2" && len(list) < 2 {
			t.Errorf("inlined, `weigh` is at %x only", list)
		}
		if list := f.Code("nothing"); list != nil {
			t.Errorf("`nothing` is at %x", list)
		}
	}
}

// TestMembers: a member defined outside its class has its full name, even if the compiler
// makes two functions of it.
func TestMembers(t *testing.T) {
	need.Compiler(t, "gcc", "-x", "c++")
	f := open(t, compile(t, t.TempDir(), `
struct solver { int n; solver(int); int step(int); };
solver::solver(int n) : n(n) {}
int solver::step(int k) { return n + k; }
int main() { return solver(1).step(2); }
`, "-x", "c++", "-g", "-O0"), Options{})
	for _, name := range []string{"solver", "step", "main"} {
		if found, ok := f.Function(name); !ok || len(found) != 1 || found[0].Low >= found[0].High {
			t.Errorf("`%s` is at %v, want one place that is not empty", name, found)
		}
	}
}
