package pinsight_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
)

// solver has a region in an inlined function, a region that it names itself, and a region of C++.
const solver = `#include <omp.h>
namespace app {
template <typename T, int N> struct Solver {
	T sum = 0;
	void step(T by)
	{
		omp_set_num_threads(N);
		sum += by;
	}
};
}
void mark(const char *name);
__attribute__((noinline)) void mark(const char *name) { __asm__ volatile("" : : "r"(name)); }
int main(int n, char **)
{
	app::Solver<int, 2> s;
	s.step(n);
	mark("named by itself");
	return s.sum;
}
`

// TestKernelsOfTheProgram: the kernels of the program are offered as names of regions, and are not reported as missing.
func TestKernelsOfTheProgram(t *testing.T) {
	gcc := need.Compiler(t, "gcc")
	path := filepath.Join(t.TempDir(), "app")
	const text = "void __device_stub__twice(void) {}\nvoid _Z35__device_stub__ZN3app5scaleIfEEvPT_Pf(void) {}\nint main(void) { return 0; }\n"
	if err := os.WriteFile(path+".c", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gcc, path+".c", "-o", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	program, err := debuginfo.Open(path, debuginfo.Options{DebugDirs: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	language := pinsight.New(pinsight.Options{Program: program, Runs: true})
	resolve := func(text string) (*source.File, *lang.Config) {
		file := source.NewFile("c.pinsight", text)
		return file, language.Parse(file).Resolve(&load.Env{})
	}
	file, config := resolve("[Lexgion(")
	offered := map[string]bool{}
	for _, item := range config.Complete(file, len(file.Text())) {
		offered[item.Label] = true
	}
	if !offered["twice"] || !offered["app::scale"] || !offered["CUDA"] {
		t.Errorf("offered are %v, want twice, app::scale and CUDA among them", offered)
	}
	_, config = resolve("[Lexgion(twice, scale, app::scale<float>, thrice)]\n    tracing_rate = 2\n")
	var found []string
	for _, d := range config.Diagnostics() {
		found = append(found, d.Message)
	}
	if want := "the program has no function `thrice`, and gives no region this name"; len(found) != 1 || found[0] != want {
		t.Errorf("found %q, want %q", found, want)
	}
}

// TestNamesOfTheProgram: a section by name applies to the code whose innermost function has the name, inlined or not. A name that the program does
// not have is reported.
func TestNamesOfTheProgram(t *testing.T) {
	need.Compiler(t, "g++", "-fopenmp")
	for _, level := range []string{"-O0", "-O2"} {
		path := filepath.Join(t.TempDir(), "app")
		if err := os.WriteFile(path+".cc", []byte(solver), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("g++", "-g", level, "-fopenmp", "-o", path, path+".cc").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		program, err := debuginfo.Open(path, debuginfo.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer program.Close()
		sites, err := pinsight.Regions(program, "app.cc", 7)
		if err != nil || len(sites) != 1 {
			t.Fatalf("%v, %v", sites, err)
		}
		region := sites[0].Address
		for _, c := range []struct {
			name  string
			holds bool
			said  string
		}{
			{"step", true, ""},
			{"Solver::step", true, ""},
			{"app::Solver<int, 2>::step", true, ""},
			{"OpenMP:Solver<int,2>::step", true, ""},
			{"app.cc:step", true, ""},
			{"app.cc:7", true, ""},
			{fmt.Sprintf("app+0x%x", region), true, ""},
			{"main", false, ""},
			{"named by itself", false, ""},
			{"other.cc:step", false, "the program has no function `step`"},
			{"Solver<int, 3>::step", false, "the program has no function `Solver<int, 3>::step`"},
			{"marc", false, "did you mean `mark`?"},
			{"app.cc:900", false, "the program has no code at `app.cc:900`"},
			{"libx.so+0x10", false, "`libx.so` is not a library that the program is linked with"},
			{"User:marc", false, ""},
		} {
			f := source.NewFile("a.pinsight", "[Lexgion("+c.name+")]\n    tracing_rate = 10\n")
			config := pinsight.New(pinsight.Options{Program: program}).Parse(f).Resolve(&load.Env{})
			m, _ := lang.Model[*pinsight.Model](config)
			policy, err := m.Policy()
			if err != nil {
				t.Fatal(err)
			}
			holds := false
			for _, e := range policy.Entries() {
				holds = holds || e.Address == region || e.Address == 0 && pinsight.Holds(pinsight.Code(program, e), region)
			}
			if holds != c.holds {
				t.Errorf("%s: `%s` holds for the region of `step`: %v, want %v", level, c.name, holds, c.holds)
			}
			var said []string
			for _, d := range config.Diagnostics() {
				if d.Severity != diag.Info {
					said = append(said, d.Message+" "+strings.Join(d.Help, " "))
				}
			}
			if text := strings.Join(said, "\n"); (text == "") != (c.said == "") || !strings.Contains(text, c.said) {
				t.Errorf("%s: of `%s` check says %q, want %q", level, c.name, text, c.said)
			}
		}
	}
}

// TestFunctionOfTheProgram: the origin of a region named by its function includes the place of the function, if the program has it.
func TestFunctionOfTheProgram(t *testing.T) {
	gcc := need.Compiler(t, "gcc")
	path := filepath.Join(t.TempDir(), "app")
	if err := os.WriteFile(path+".c", []byte("int work(void) { return 0; }\nint main(void) { return work(); }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gcc, "-g", "-o", path, path+".c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program, err := debuginfo.Open(path, debuginfo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	f := source.NewFile("a.pinsight", "[Lexgion(work)]\n    tracing_rate = 2\n[Lexgion(idle)]\n    tracing_rate = 3\n")
	c := pinsight.New(pinsight.Options{Program: program}).Parse(f).Resolve(&load.Env{})
	if origin := golden.Origin(c, "Lexgion(work).tracing_rate"); !strings.Contains(origin, "`work` is at 0x") {
		t.Errorf("the origin does not say where `work` is:\n%s", origin)
	}
	if origin := golden.Origin(c, "Lexgion(idle).tracing_rate"); !strings.Contains(origin, "a.pinsight:4") || strings.Contains(origin, " is at ") {
		t.Errorf("the program has no function `idle`:\n%s", origin)
	}
}
