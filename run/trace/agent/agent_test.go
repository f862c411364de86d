package agent

import (
	"debug/elf"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/internal/need"
)

// The agent compiles without a warning, with and without each MPI.
func TestBuild(t *testing.T) {
	for _, c := range []struct {
		compiler string
		mpi      bool
	}{{"gcc", false}, {"clang", false}, {"mpicc.openmpi", true}, {"mpicc.mpich", true}} {
		t.Run(c.compiler, func(t *testing.T) {
			need.Slow(t) // other packages build it with gcc
			cc := need.Program(t, c.compiler, "--version")
			events := map[string]int{otherEvent: len(calls)}
			for i, c := range calls {
				events[c.name] = i
			}
			o := Options{Compiler: cc, MPI: c.mpi, Events: events, Cache: t.TempDir(), Flags: []string{"-Werror"}}
			first, err := Build(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if c.mpi {
				complete(t, &o, first)
			}
			if second, err := Build(t.Context(), o); err != nil || second != first {
				t.Errorf("the second build is %s, %v; want %s from the cache", second, err, first)
			}
		})
	}
}

// complete checks that the library has every MPI_ function that mpi.h also declares with a PMPI_ name.
func complete(t *testing.T, o *Options, library string) {
	t.Helper()
	f, err := elf.Open(library)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, s := range symbols {
		there[s.Name] = s.Section != elf.SHN_UNDEF
	}
	m, err := o.mpi(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]bool{}
	for _, name := range regexp.MustCompile(`\bPMPI_\w+`).FindAllString(string(m.header), -1) {
		declared[name[1:]] = true
	}
	if len(declared) < 300 {
		t.Errorf("mpi.h declares only %d functions for tools", len(declared))
	}
	for name := range declared {
		if !there[name] {
			t.Errorf("%s is not traced", name)
		}
	}
	for _, name := range []string{"mpi_ibcast_", "mpi_ibcast", "mpi_ibcast__", "MPI_IBCAST", "mpi_ibcast_f08_", "mpi_ibcast_f08ts_", "mpi_comm_get_name_"} {
		if !there[name] {
			t.Errorf("%s is not traced", name)
		}
	}
}

// findTwins finds the functions in the declarations of every compiler's mpi.h.
func TestTwins(t *testing.T) {
	const header = `# 1 "mpi.h"
typedef int MPI_Comm;
static inline int own(void) { return PMPI_Inside(1); }
__attribute__((visibility("default"))) int PMPI_Abort(MPI_Comm comm, int errorcode);
extern int PMPI_Group_range_incl(MPI_Group group, int n,
   int ranges[][3], MPI_Group *newgroup) __attribute__((pointer_with_type_tag(mpi, 1, 3))) ;
int PMPI_File_seek(MPI_File, MPI_Offset, int) ;
int PMPI_Info_dup(MPI_Info, MPI_Info *);
int PMPI_Pcontrol(const int level, ...);
double PMPI_Wtime(void);
int MPI_Only(int a);
`
	var got []string
	for _, twin := range findTwins(header) {
		text := twin.returns + " " + twin.name + ":"
		for _, p := range twin.params {
			text += " " + p.text + " (" + p.name + ")"
		}
		got = append(got, text)
	}
	want := []string{
		"int MPI_Abort: MPI_Comm comm (comm) int errorcode (errorcode)",
		"int MPI_File_seek: MPI_File p0 (p0) MPI_Offset p1 (p1) int p2 (p2)",
		"int MPI_Group_range_incl: MPI_Group group (group) int n (n) int ranges[][3] (ranges) MPI_Group *newgroup (newgroup)",
		"int MPI_Info_dup: MPI_Info p0 (p0) MPI_Info * p1 (p1)",
		"int MPI_Pcontrol: const int level (level)",
		"double MPI_Wtime:",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Two MPIs with the same compiler name get different libraries.
func TestCacheKnowsMPI(t *testing.T) {
	cc := need.Program(t, "gcc", "--version")
	dir := t.TempDir()
	o := Options{Compiler: filepath.Join(dir, "mpicc"), MPI: true, Cache: filepath.Join(dir, "cache")}
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	keys := map[string]bool{}
	const header = "int MPI_Abort(int comm, int code);\nint PMPI_Abort(int comm, int code);\n"
	for _, c := range []struct{ show, header string }{
		{"gcc -lmpi", header}, {"gcc -lmpich", header}, {"gcc -lmpi", header + "int PMPI_Other(void);\n"},
	} {
		write("mpi.h", c.header, 0o600)
		// The test only prepares the build, so nothing is compiled.
		write("mpicc", fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = -show ]; then echo %s; exit; fi\nexec '%s' -I '%s' \"$@\"\n", c.show, cc, dir), 0o700)
		_, key, err := o.prepare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		keys[key] = true
		if _, again, err := o.prepare(t.Context()); err != nil || again != key {
			t.Errorf("the library is %s, and then %s, %v", key, again, err)
		}
	}
	if len(keys) != 3 {
		t.Errorf("three MPIs have %d libraries, want 3", len(keys))
	}
	write("mpi.h", "int MPI_Abort(int comm, int code);\n", 0o600)
	if _, _, err := o.prepare(t.Context()); err == nil || !strings.Contains(err.Error(), "declares no function with a PMPI_ name") {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(dir, "mpi.h")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := o.prepare(t.Context()); err == nil || !strings.Contains(err.Error(), "finds no mpi.h") {
		t.Error(err)
	}
}

// If the library cannot be built, the error says why.
func TestBuildFails(t *testing.T) {
	cc := need.Program(t, "gcc", "--version")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		o    Options
		want string
	}{
		{"no compiler", Options{Compiler: "no-such-cc", Cache: t.TempDir()}, "the compiler `no-such-cc`, which does not run"},
		{"no folder", Options{Compiler: cc, Cache: filepath.Join(file, "cache")}, "not a directory"},
		{"unknown flag", Options{Compiler: cc, Cache: t.TempDir(), Flags: []string{"--no-such-flag"}}, "cannot build the tracer:\n"},
	} {
		if _, err := Build(t.Context(), c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Source files may only include in one direction: from the sources of events through decision and
// recording to the shared memory.
func TestIncludes(t *testing.T) {
	level := map[string]int{"layout.h": 0, "records.h": 0, "session.h": 1, "session.c": 1, "module.h": 2, "module.c": 2, "ring.h": 2, "ring.c": 2, "monitor.h": 3, "monitor.c": 3, "decide.h": 4, "decide.c": 4}
	texts, err := (&Options{MPI: true}).texts(&library{})
	if err != nil {
		t.Fatal(err)
	}
	of := func(name string) int {
		if n, ok := level[name]; ok {
			return n
		}
		return 5 // a source of events
	}
	found := 0
	for name, text := range texts {
		for line := range strings.Lines(string(text)) {
			include, ok := strings.CutPrefix(line, `#include "`)
			if !ok {
				continue
			}
			found++
			header, _, _ := strings.Cut(include, `"`)
			if own := strings.TrimSuffix(name, ".c") + ".h"; texts[header] == nil || of(header) > of(name) || of(header) == of(name) && of(name) < 5 && header != own {
				t.Errorf("%s includes %s, want a header that is there and lies no higher, and at one level that of the file itself", name, header)
			}
		}
		for _, declared := range declarations(string(text)) {
			if strings.HasSuffix(name, ".h") && level[name] > 0 && !strings.Contains(string(texts[strings.TrimSuffix(name, ".h")+".c"]), declared+"(") {
				t.Errorf("%s declares %s, which %s.c does not define", name, declared, strings.TrimSuffix(name, ".h"))
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d includes found", found)
	}
}

// No two source files depend on each other.
func TestNoCircles(t *testing.T) {
	need.Slow(t)
	cc := need.Compiler(t, "gcc")
	texts, err := (&Options{}).texts(&library{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var sources []string
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".c") {
			sources = append(sources, name)
		}
	}
	cmd := exec.Command(cc, append([]string{"-std=gnu11", "-c"}, sources...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	home, wants := map[string]string{}, map[string][]string{} // the file that defines a symbol; the symbols that a file uses
	for _, source := range sources {
		f, err := elf.Open(filepath.Join(dir, strings.TrimSuffix(source, ".c")+".o"))
		if err != nil {
			t.Fatal(err)
		}
		symbols, err := f.Symbols()
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		for _, s := range symbols {
			switch {
			case elf.ST_BIND(s.Info) == elf.STB_LOCAL:
			case s.Section == elf.SHN_UNDEF:
				wants[source] = append(wants[source], s.Name)
			default:
				home[s.Name] = source
			}
		}
	}
	done := map[string]bool{}
	var visit func(source string, from []string)
	visit = func(source string, from []string) {
		if slices.Contains(from, source) {
			t.Errorf("%s need each other", from)
		}
		if done[source] {
			return
		}
		done[source] = true
		for _, symbol := range wants[source] {
			if to := home[symbol]; to != "" && to != source {
				visit(to, append(slices.Clip(from), source))
			}
		}
	}
	for _, source := range slices.Sorted(maps.Keys(wants)) {
		visit(source, nil)
	}
}

// declarations returns the functions that a header declares.
func declarations(text string) []string {
	var names []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "HIDDEN ") {
			continue
		}
		head, _, ok := strings.Cut(line, "(")
		if ok {
			names = append(names, head[strings.LastIndexAny(head, " *")+1:])
		}
	}
	return names
}
