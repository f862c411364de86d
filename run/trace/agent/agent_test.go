package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// The agent compiles without a warning, with and without each MPI.
func TestBuild(t *testing.T) {
	for _, c := range []struct {
		compiler string
		mpi      bool
	}{{"gcc", false}, {"clang", false}, {"mpicc.openmpi", true}, {"mpicc.mpich", true}} {
		t.Run(c.compiler, func(t *testing.T) {
			if c.mpi {
				need.Slow(t)
			}
			cc := need.Program(t, c.compiler, "--version")
			events := map[string]int{}
			for i, c := range calls {
				events[c.name] = i
			}
			o := Options{Compiler: cc, MPI: c.mpi, Events: events, Cache: t.TempDir(), Flags: []string{"-Werror"}}
			first, err := Build(o)
			if err != nil {
				t.Fatal(err)
			}
			if second, err := Build(o); err != nil || second != first {
				t.Errorf("the second build is %s, %v; want %s from the cache", second, err, first)
			}
		})
	}
}

// A library that cannot be built is an error that says why.
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
		if _, err := Build(c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Includes run one way: from where events come from, over the decision and the
// record, to the shared memory.
func TestIncludes(t *testing.T) {
	level := map[string]int{"layout.h": 0, "records.h": 0, "session.h": 1, "session.c": 1, "module.h": 2, "module.c": 2, "ring.h": 2, "ring.c": 2, "decide.h": 3, "decide.c": 3}
	texts, err := (&Options{MPI: true}).texts()
	if err != nil {
		t.Fatal(err)
	}
	of := func(name string) int {
		if n, ok := level[name]; ok {
			return n
		}
		return 4 // an origin of events
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
			if own := strings.TrimSuffix(name, ".c") + ".h"; texts[header] == nil || of(header) > of(name) || of(header) == of(name) && of(name) < 4 && header != own {
				t.Errorf("%s includes %s", name, header)
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

// declarations are the functions that a header promises.
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
