//go:build linux

package collect

import (
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// built is the folder for everything that the tests compile, so that each program and agent is compiled only once.
var built string

func TestMain(m *testing.M) {
	// A test in another process uses what its parent has compiled.
	const variable = "PENTODE_COLLECT_BUILT"
	parent := os.Getenv(variable)
	if built = parent; parent == "" {
		var err error
		// An agent cannot be preloaded from a path with a blank, so the system's folder for temporary files is not used.
		if built, err = os.MkdirTemp("/tmp", "collect-test"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Setenv(variable, built)
	}
	// Busy-waiting threads take the processors from working ones.
	os.Setenv("OMP_NUM_THREADS", "3")
	os.Setenv("OMP_WAIT_POLICY", "passive")
	code := m.Run()
	if parent == "" {
		os.RemoveAll(built)
	}
	os.Exit(code)
}

// testBed is a test program with everything needed to trace it.
type testBed struct {
	t       testing.TB
	catalog *trace.Catalog
	library string
	program string
	args    []string // in front of the program: a launcher
	symbols []elf.Symbol
	regions map[uint64]trace.Region // for Python, by their ids in the trace
}

// newTestBed builds the agent and a program that uses a little of everything. mpi is empty, or the name of an MPI.
func newTestBed(t testing.TB, mpi string) *testBed {
	t.Helper()
	clang := need.Program(t, "clang", "--version")
	if mpi == "" {
		b := &testBed{t: t, catalog: pinsight.Builtin().Catalog}
		b.compile("program.c", clang, "-fopenmp")
		b.build(agent.Options{Compiler: need.Compiler(t, "gcc"), Flags: unoptimized(t)})
		return b
	}
	need.Slow(t) // an agent with hundreds of calls is compiled for each MPI
	compiler := need.Program(t, "mpicc."+mpi, "--version")
	b := &testBed{t: t, catalog: pinsight.Builtin().Catalog, args: []string{need.Program(t, "mpirun."+mpi, "--version"), "-np", "4"}}
	if mpi == "openmpi" {
		b.args = append(b.args, "--allow-run-as-root", "--oversubscribe")
	}
	b.compile("program.c", compiler, "-fopenmp", "-DWITH_MPI")
	b.build(agent.Options{Compiler: compiler, MPI: true, Events: b.mpiEvents(), Flags: unoptimized(t)})
	return b
}

// unoptimized adds flags that turn off optimising the agent: most of the time of a short test is spent
// compiling. Benchmarks measure the agent as users have it.
func unoptimized(t testing.TB, flags ...string) []string {
	if _, measured := t.(*testing.B); measured || need.Full() {
		return flags
	}
	return append(slices.Clip(flags), "-O0")
}

// newFaults builds the agent and a program that causes the fault a test asks for.
func newFaults(t testing.TB, flags ...string) *testBed {
	t.Helper()
	cc := need.Compiler(t, "gcc")
	b := &testBed{t: t, catalog: pinsight.Builtin().Catalog}
	b.compile("faults.c", cc, slices.Concat([]string{"-O1"}, flags, []string{"-lpthread"})...)
	b.build(agent.Options{Compiler: cc, Flags: unoptimized(t, flags...)})
	return b
}

// mpiEvents returns the ids of the MPI events by name.
func (b *testBed) mpiEvents() map[string]int {
	events := map[string]int{}
	d, _ := b.catalog.Domain("MPI")
	for _, e := range b.catalog.Domains()[d].Events {
		events[e.Name] = int(e.ID)
	}
	return events
}

// compile builds the test program unless an earlier test has.
func (b *testBed) compile(name, compiler string, flags ...string) {
	b.t.Helper()
	b.program = filepath.Join(built, strings.Join(append([]string{filepath.Base(compiler), name}, flags...), "_"))
	if _, err := os.Stat(b.program); err != nil {
		if err := os.WriteFile(filepath.Join(built, "pentode_trace.h"), agent.Header, 0o600); err != nil {
			b.t.Fatal(err)
		}
		args := slices.Concat([]string{"-g", "-I", built, filepath.Join("testdata", name), "-o", b.program}, flags)
		cmd := exec.Command(compiler, args...)
		if slices.Contains(flags, "-fopenmp") {
			cmd.Env = append(os.Environ(), "OMPI_CC=clang", "MPICH_CC=clang")
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			need.Ability(b.t, fmt.Sprintf("`%s` with its libraries", compiler), fmt.Errorf("%w: %s", err, out))
		}
	}
	f, err := elf.Open(b.program)
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	if b.symbols, err = f.Symbols(); err != nil {
		b.t.Fatal(err)
	}
}

// build builds the agent unless an earlier test has.
func (b *testBed) build(o agent.Options) {
	b.t.Helper()
	o.Cache = built
	var err error
	if b.library, err = agent.Build(b.t.Context(), o); err != nil {
		b.t.Fatal(err)
	}
}

// function returns the name of the function that an address to which a call returns lies in.
func (b *testBed) function(address uint64) string {
	for _, s := range b.symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && address > s.Value && address <= s.Value+s.Size {
			return s.Name
		}
	}
	return ""
}

func (b *testBed) flat() *trace.Flat {
	return &trace.Flat{Domains: trace.AgentDomains(b.catalog), Code: func(m trace.Match) []trace.Code {
		for _, s := range b.symbols {
			if s.Name == m.Name && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
				return []trace.Code{{Low: s.Value, High: s.Value + s.Size}}
			}
		}
		return nil
	}}
}

// options returns the options of a session that decides by a policy.
func (b *testBed) options(p *trace.Policy) Options {
	b.t.Helper()
	table, err := b.flat().Table(p)
	if err != nil {
		b.t.Fatal(err)
	}
	kind := func(domain, kind string) uint32 {
		d, _ := b.catalog.Domain(domain)
		k, _ := b.catalog.Kind(d, kind)
		return uint32(k)
	}
	return Options{
		Policy: p, Table: table, RingBytes: 1 << 20, Wait: true, Audit: true,
		Team: kind("OpenMP", "team"), Thread: kind("OpenMP", "thread"), Rank: kind("MPI", "rank"), Device: kind("CUDA", "device"), PythonThread: kind("Python", "thread"),
	}
}

// run traces the program and returns the folder of the trace.
func (b *testBed) run(o Options, args ...string) (string, Counts) {
	b.t.Helper()
	dir := filepath.Join(b.t.TempDir(), "trace")
	var said bytes.Buffer
	code, c, err := Run(context.Background(), o, Program{
		Args: slices.Concat(b.args, []string{b.program}, args), Library: b.library, Dir: dir, Host: "node",
		Out: io.Discard, Err: &said,
	})
	if err != nil || code != 0 && !need.HydraFailed(said.String()) {
		b.t.Fatalf("the program ended with %d, %v\n%s", code, err, said.String())
	}
	return dir, c.Counts
}

// read returns the streams of a trace.
func (b *testBed) read(dir string) [][]ctf.Occurrence {
	b.t.Helper()
	r, err := ctf.Open(dir)
	if err != nil {
		b.t.Fatal(err)
	}
	var streams [][]ctf.Occurrence
	for _, name := range r.Streams {
		var list []ctf.Occurrence
		for o, err := range r.Events(name) {
			if err != nil {
				b.t.Fatal(err)
			}
			list = append(list, o.Clone())
		}
		streams = append(streams, list)
	}
	return streams
}

// babeltrace requires babeltrace2 before any work is done, and returns a function that checks that it can read a trace.
func babeltrace(t *testing.T) (readable func(dir string)) {
	t.Helper()
	program := need.Program(t, "babeltrace2", "--version")
	return func(dir string) {
		t.Helper()
		if out, err := exec.Command(program, "-o", "dummy", dir).CombinedOutput(); err != nil {
			t.Errorf("babeltrace2 cannot read the trace: %v\n%s", err, out)
		}
	}
}

// everything returns the options of a session that traces everything that is on by default.
func (b *testBed) everything() Options {
	b.t.Helper()
	p, err := trace.Compile(b.catalog, &trace.Config{})
	if err != nil {
		b.t.Fatal(err)
	}
	o := b.options(p)
	o.Audit, o.Wait, o.RingBytes = false, false, 64<<10
	return o
}

// collect runs the program and returns its exit code and the counts.
func (b *testBed) collect(o Options, kind ...string) (int, string, Counts) {
	b.t.Helper()
	dir := filepath.Join(b.t.TempDir(), "trace")
	code, c, err := Run(context.Background(), o, Program{Args: append([]string{b.program}, kind...), Library: b.library, Dir: dir, Host: "node", Out: io.Discard, Err: os.Stderr})
	if err != nil {
		b.t.Fatal(err)
	}
	return code, dir, c.Counts
}
