package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/collect"
	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// regionSources are programs in which an optimizing compiler inlines functions with regions.
var regionSources = map[string]string{
	"solver.c": `#include <stdio.h>
static double relax(int n)
{
	double sum = 0;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 1; i < n; i++)
		sum += 1.0 / i;
	return sum;
}

static inline double both(int n)
{
	double sum = relax(n);
#pragma omp parallel reduction(+ : sum)
	{
		sum += n;
#pragma omp master
#pragma omp parallel num_threads(1)
		__asm__ volatile("" : : : "memory");
	}
	return sum;
}

double smooth(int n)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += i % 3 ? relax(i) : both(i);
	return sum;
}

#ifndef LIBRARY
int main(void)
{
	double sum = smooth(40);
	for (int i = 0; i < 20; i++)
		sum += both(i);
	printf("%g\n", sum);
	return 0;
}
#endif
`,
	"solver.cc": `#include <cstdio>
namespace app {
template <typename T> struct Solver {
	T sum = 0;
	void step(int n)
	{
#pragma omp parallel for
		for (int i = 0; i < n; i++)
			__asm__ volatile("" : : : "memory");
		sum += n;
	}
};
template <int N> int scale(int n)
{
#pragma omp parallel
	__asm__ volatile("" : : : "memory");
	return n * N;
}
}
int main()
{
	app::Solver<double> a;
	app::Solver<int> b;
	for (int i = 0; i < 30; i++) {
		a.step(i);
		if (i % 2)
			b.step(app::scale<3>(i));
		app::scale<4>(i);
	}
	std::printf("%g %d\n", a.sum, b.sum);
}
`,
	"solver.f90": `module part
contains
  subroutine relax(n, total)
    integer, intent(in) :: n
    real(8), intent(inout) :: total
    integer :: i
    !$omp parallel do reduction(+:total)
    do i = 1, n
      total = total + 1d0 / i
    end do
  end subroutine
end module
program solver
  use part
  real(8) :: total = 0
  integer :: k
  do k = 1, 25
    call relax(k, total)
  end do
  print *, total
end program
`,
	"ranks.c": `#include <mpi.h>
#include <stdio.h>
static double total(double x)
{
	double sum = 0;
	MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return sum;
}

static double swap(double x)
{
	double y = 0;
	MPI_Sendrecv(&x, 1, MPI_DOUBLE, 0, 3, &y, 1, MPI_DOUBLE, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	return total(y);
}

static double halo(double x)
{
	double sum = 0;
#pragma omp parallel
	{
#pragma omp master
		{
			MPI_Barrier(MPI_COMM_WORLD);
			sum += swap(x);
		}
	}
	return sum;
}

int main(int argc, char **argv)
{
	int got;
	double sum = 0;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &got);
	for (int i = 0; i < 20; i++)
		sum += i % 3 ? halo(i) : total(i);
	printf("%g\n", sum);
	MPI_Finalize();
	return 0;
}
`,
	"use.c":  "double smooth(int n);\nint main(void) { return smooth(40) < 0; }\n",
	"load.c": "#include <dlfcn.h>\nint main(int n, char **v) { double (*f)(int) = (double (*)(int))dlsym(dlopen(v[1], RTLD_NOW), \"smooth\"); return n < 1 || f(40) < 0; }\n",
	"part.c": "#define PY_SSIZE_T_CLEAN\n#include <Python.h>\n#define LIBRARY\n#include \"solver.c\"\nstatic PyObject *run(PyObject *self, PyObject *args) { (void)self, (void)args; return PyFloat_FromDouble(smooth(40)); }\n" +
		"static PyMethodDef methods[] = {{\"run\", run, METH_NOARGS, \"\"}, {0}};\nstatic struct PyModuleDef module = {PyModuleDef_HEAD_INIT, \"part\", 0, -1, methods};\nPyMODINIT_FUNC PyInit_part(void) { return PyModule_Create(&module); }\n",
	"use.py":     "import sys\nsys.path.insert(0, '.')\nimport part\npart.run()\n",
	"headers.py": "import os, sysconfig\nos.symlink(sysconfig.get_path('include'), 'headers')\n",
	"script.sh":  "#!/bin/sh\nexec ./solver\n",
}

// namedProgram is a program with regions, and the commands that build and run it.
type namedProgram struct {
	name    string
	needs   []string
	build   []string // commands that build it
	run     string
	unknown bool // whether it is only known at run time which program or library has the regions
}

var namedPrograms = []namedProgram{
	{"C -O0", nil, []string{"clang -g -O0 -fopenmp solver.c -o solver"}, "./solver", false},
	{"C -O2 not PIE", nil, []string{"clang -g -O2 -no-pie -fopenmp solver.c -o solver"}, "./solver", false},
	{"C -O3 -flto", []string{"ld.lld"}, []string{"clang -g -O3 -flto -fuse-ld=lld -fopenmp solver.c -o solver"}, "./solver", false},
	{"C++ -O0", []string{"clang++"}, []string{"clang++ -g -O0 -fopenmp solver.cc -o solver"}, "./solver", false},
	{"C++ -O2", []string{"clang++"}, []string{"clang++ -g -O2 -fopenmp solver.cc -o solver"}, "./solver", false},
	{"Fortran -O2", []string{"gfortran"}, []string{"gfortran -g -O2 -fopenmp solver.f90 -o solver"}, "./solver", false},
	{"stripped", nil, []string{"clang -g -O2 -fopenmp solver.c -o solver", "objcopy --only-keep-debug solver solver.debug", "objcopy --strip-all --add-gnu-debuglink=solver.debug solver"}, "./solver", false},
	{"library", nil, []string{"clang -g -O2 -fopenmp -DLIBRARY -shared -fPIC solver.c -o libx.so", "clang -g use.c -o use -L. -lx -Wl,-rpath,$ORIGIN"}, "./use", false},
	{"loaded later", nil, []string{"clang -g -O2 -fopenmp -DLIBRARY -shared -fPIC solver.c -o libx.so", "clang -g load.c -o load -ldl"}, "./load ./libx.so", true},
	{"Python", []string{"python3"}, []string{"python3 headers.py", "clang -g -O2 -fopenmp -shared -fPIC -I headers part.c -o part.so"}, "python3 use.py", false},
	{"script", nil, []string{"clang -g -O2 -fopenmp solver.c -o solver"}, "sh script.sh", true},
	{"MPI", []string{"mpicc.openmpi"}, []string{"mpicc.openmpi -g -O2 -Wno-unknown-pragmas ranks.c -o solver"}, "./solver", false},
	{"MPI of MPICH", []string{"mpicc.mpich"}, []string{"mpicc.mpich -g -O0 -Wno-unknown-pragmas ranks.c -o solver"}, "./solver", false},
	{"hybrid", []string{"mpicc.mpich"}, []string{"mpicc.mpich -g -O2 -fopenmp ranks.c -o solver"}, "./solver", false},
	{"split units", nil, []string{"clang -g -O2 -gsplit-dwarf -fopenmp solver.c -o solver"}, "./solver", false},
}

// tracedRegion is a row of regions.json, with the event that begins the region, and how often it
// was traced.
type tracedRegion struct {
	Address, Region, Function, File, Module string
	Line                                    int
	event                                   string
	count                                   int
}

// at returns the address of the region in its file.
func (r *tracedRegion) at() string {
	if _, offset, ok := strings.Cut(r.Region, "+"); ok {
		return offset
	}
	return r.Address
}

// names returns all names by which a section can refer to the region.
func (r *tracedRegion) names() []string {
	last := r.Function[strings.LastIndexByte(r.Function, ':')+1:]
	plain, _, _ := strings.Cut(last, "<")
	list := []string{r.Function, last, plain, fmt.Sprintf("%s:%d", filepath.Base(r.File), r.Line), filepath.Base(r.File) + ":" + plain}
	if r.Region != "" {
		return append(list, r.Region)
	}
	return append(list, r.Address)
}

// traceOnce runs a program with a configuration, and returns the regions in which a parallel team
// began or MPI was called.
func traceOnce(t *testing.T, dir, config, run string) []*tracedRegion {
	t.Helper()
	out := filepath.Join(t.TempDir(), "traced")
	file := filepath.Join(t.TempDir(), "trace_config.txt")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	args := append([]string{"trace", "record", "-o", out, "--config", "trace.full=wait", "--policy", file, "--"}, strings.Fields(run)...)
	if code := Run(Options{}, args, strings.NewReader(""), &bytes.Buffer{}, &errs); code != 0 {
		t.Fatalf("trace run ended with %d: %s", code, errs.String())
	}
	text, err := os.ReadFile(filepath.Join(out, "regions.json"))
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Program string
		Regions []*tracedRegion
	}
	if err := json.Unmarshal(text, &found); err != nil {
		t.Fatal(err)
	}
	counts, events := map[uint64]int{}, map[uint64]string{}
	schema := collect.Schema()
	reader, err := ctf.Open(filepath.Join(out, "ctf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, stream := range reader.Streams {
		for o, err := range reader.Events(stream) {
			if err != nil {
				t.Fatal(err)
			}
			name, begun := strings.CutSuffix(agent.Records[o.Event].Name, "_begin")
			if name == "parallel" {
				name = "omp_parallel_begin"
			} else if begun = begun && strings.HasPrefix(name, "MPI_"); !begun {
				continue
			}
			at := o.Fields[slices.IndexFunc(schema.Events[o.Event].Fields, func(f ctf.Field) bool { return strings.HasSuffix(f.Name, "_codeptr") })].Number
			counts[at]++
			events[at] = name
		}
	}
	var list []*tracedRegion
	for _, r := range found.Regions {
		address, err := strconv.ParseUint(r.Address, 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		if r.count, r.event = counts[address], events[address]; r.count == 0 {
			continue
		}
		if r.Module == "" {
			r.Module = filepath.Join(dir, found.Program)
			if filepath.IsAbs(found.Program) {
				r.Module = found.Program
			}
		}
		list = append(list, r)
	}
	return list
}

// TestRegionNames: in programs of many kinds, each region has the function, file and line that
// addr2line finds, and sections by name apply as `trace decide` predicts.
func TestRegionNames(t *testing.T) {
	need.Slow(t)
	for _, program := range append([]string{"clang", "c++filt"}, addr2line...) {
		need.Program(t, program, "--version")
	}
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("OMP_NUM_THREADS", "2")
	t.Setenv("OMP_WAIT_POLICY", "passive")
	t.Setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
	t.Setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
	for i, p := range namedPrograms {
		t.Run(p.name, func(t *testing.T) {
			if !slices.Contains([]string{"C++ -O2", "library", "loaded later"}, p.name) {
				need.Slow(t)
			}
			for _, name := range p.needs {
				need.Program(t, name)
			}
			dir := t.TempDir()
			for name, text := range regionSources {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			t.Chdir(dir)
			for _, command := range p.build {
				words := strings.Fields(command)
				cmd := exec.Command(words[0], words[1:]...)
				cmd.Env = append(os.Environ(), "OMPI_CC=clang", "MPICH_CC=clang") // for the program only; other tests have built the tracer with the default compiler
				if out, err := cmd.CombinedOutput(); err != nil {
					need.Ability(t, "a compiler with OpenMP", fmt.Errorf("%s: %w: %s", command, err, out))
				}
			}
			if strings.HasPrefix(p.name, "Fortran") { // Fortran compilers have an OpenMP runtime without a tool interface
				t.Setenv("LD_PRELOAD", "libomp.so.5")
			}
			regions := traceOnce(t, dir, "", p.run)
			if len(regions) == 0 {
				t.Fatal("no region was traced")
			}
			checkRegions(t, regions)
			need.Rounds(t, 1, func(t *testing.T, round int) {
				decideAndTrace(t, dir, p.run, regions, randomRegions(regions, rand.New(rand.NewPCG(uint64(round), uint64(i)))))
			})
			if p.unknown { // two sections that name one region in different ways are merged
				names := regions[0].names()
				line, place := names[3], names[len(names)-1]
				for _, order := range [][2]string{{line, place}, {place, line}} {
					decideAndTrace(t, dir, p.run, regions, fmt.Sprintf("[Lexgion(%s)]\n    tracing_rate = 2\n    max_num_traces = 2\n[Lexgion(%s)]\n    max_num_traces = 3\n", order[0], order[1]))
				}
			}
		})
	}
}

// addr2line are the tools that regions are compared with. Each of them is wrong for some compilers,
// so one match is enough.
var addr2line = []string{"addr2line", "llvm-addr2line"}

// checkRegions compares regions with what addr2line reports for the calls before their addresses.
func checkRegions(t *testing.T, regions []*tracedRegion) {
	t.Helper()
	calls := map[string][]string{} // addresses of calls by module
	for _, r := range regions {
		calls[r.Module] = append(calls[r.Module], r.call(t))
	}
	functions, places := map[string][]string{}, map[string][]string{} // results by module and call
	for module, list := range calls {
		for _, tool := range addr2line {
			out, err := exec.Command(tool, append([]string{"-a", "-f", "-i", "-e", module}, list...)...).Output()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("c++filt", "-p")
			cmd.Stdin = bytes.NewReader(out)
			if out, err = cmd.Output(); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(string(out), "\n")
			for i := 0; i+2 < len(lines); i++ { // groups of lines: the address, the innermost function, its place, then the callers
				if address, ok := strings.CutPrefix(lines[i], "0x"); ok {
					key := module + " 0x" + strings.TrimLeft(address, "0")
					place, _, _ := strings.Cut(filepath.Base(lines[i+2]), " (")
					functions[key], places[key] = append(functions[key], lines[i+1]), append(places[key], place)
				}
			}
		}
	}
	for _, r := range regions {
		key := r.Module + " " + r.call(t)
		if !slices.ContainsFunc(functions[key], r.within) {
			t.Errorf("%s is in `%s`, and for addr2line in %q, want the function among these", key, r.Function, functions[key])
		}
		if place := fmt.Sprintf("%s:%d", filepath.Base(r.File), r.Line); !slices.Contains(places[key], place) {
			t.Errorf("%s is at %s, and for addr2line at %q; want %v in it", key, place, places[key], place)
		}
	}
}

// call returns an address inside the call instruction that returns to the region's address.
func (r *tracedRegion) call(t *testing.T) string {
	t.Helper()
	at, err := strconv.ParseUint(r.at(), 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("0x%x", at-1)
}

// within reports whether the region's function equals the one that addr2line found, apart from name
// changes by the compiler and the linker.
func (r *tracedRegion) within(function string) bool {
	if strings.Contains(function, ".omp_outlined") {
		return r.Function == "both" || r.Function == "halo" // only these functions have nested regions
	}
	return function == r.Function || function == "__"+strings.Replace(r.Function, "::", "_MOD_", 1)
}

// randomRegions returns a random configuration with sections that name some of the regions.
func randomRegions(regions []*tracedRegion, random *rand.Rand) string {
	var config strings.Builder
	fmt.Fprintf(&config, "[Lexgion.default]\n    tracing_rate = %d\n", 1+random.IntN(3))
	for range 1 + random.IntN(4) {
		names := regions[random.IntN(len(regions))].names()
		name := names[random.IntN(len(names))]
		if random.IntN(5) == 0 {
			fmt.Fprintf(&config, "[REMOVE Lexgion(%s)]\n", name)
			continue
		}
		fmt.Fprintf(&config, "[Lexgion(%s)]\n    tracing_rate = %d\n    max_num_traces = %d\n    trace_starts_at = %d\n", name, 1+random.IntN(4), 1+random.IntN(9), random.IntN(5))
	}
	return config.String()
}

// decideAndTrace checks that each region was traced as often as `trace decide` predicts.
func decideAndTrace(t *testing.T, dir, run string, regions []*tracedRegion, config string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace_config.txt")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, r := range traceOnce(t, dir, config, run) {
		got[r.Address] = r.count
	}
	for _, r := range regions {
		var out, errs bytes.Buffer
		args := []string{"trace", "decide", "--config", "pinsight.program=" + r.Module, "--region", r.at(), "--event", r.event, "--count", strconv.Itoa(r.count), "--format", "json", file}
		if code := Run(Options{}, args, strings.NewReader(""), &out, &errs); code != 0 {
			t.Fatalf("decide ended with %d: %s", code, errs.String())
		}
		var answer struct{ Traced []int }
		if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
			t.Fatalf("%v: %s", err, out.String())
		}
		if got[r.Address] != len(answer.Traced) {
			t.Errorf("`%s` at %s, executed %d times, was traced %d times; decide says %v of\n%s\nwant %v", r.Function, r.Address, r.count, got[r.Address], answer.Traced, config, len(answer.Traced))
		}
	}
}

// TestUnmetSections: the tracer reports sections that match no region, both before the program
// starts and after it has ended. It does not report a section whose region exists but is not
// traced.
func TestUnmetSections(t *testing.T) {
	need.Slow(t)
	r := newTracer(t)
	_, said := r.trace("[Lexgion(lop)]\n    tracing_rate = 2\n[REMOVE Lexgion(loop)]\n[Lexgion(program.c:{line of shared})]\n    tracing_rate = 3\n[Lexgion(0x10)]\n    tracing_rate = 3\n", "2")
	for _, want := range []string{"the program has no function `lop`", "did you mean `loop`?", "no region of this run matched `Lexgion(lop)`, `Lexgion(0x10)`\n"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
}
