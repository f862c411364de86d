//go:build linux

package collect

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
)

// The sanitizers find no fault in the agent: in its core, with threads and forks; in its OpenMP part,
// under a fully instrumented runtime and under a real one; in its MPI part, called by several threads and
// by several ranks. Meanwhile the policy changes all the time.
func TestSanitizers(t *testing.T) {
	need.Slow(t)
	gcc := need.Compiler(t, "gcc")
	for _, kind := range []string{"address", "thread"} {
		flag := "-fsanitize=" + kind
		sanitizer, err := exec.Command(gcc, "-print-file-name=lib"+kind[:1]+"san.so").Output()
		if err != nil {
			t.Fatal(err)
		}
		runtime := strings.TrimSpace(string(sanitizer))
		t.Setenv("ASAN_OPTIONS", "detect_leaks=0") // leaks of launchers and libraries are not ours
		// The thread sanitizer does not see how uninstrumented libraries synchronise.
		t.Setenv("TSAN_OPTIONS", "ignore_noninstrumented_modules=1")

		core := newFaults(t, flag)
		for _, args := range [][]string{{"some", "1000"}, {"threads", "300"}, {"crowd", "50"}, {"fork"}} {
			t.Run(kind+"/core/"+args[0], func(t *testing.T) { core.sanitized(t, runtime, args...) })
		}
		played := &testBed{t: t, catalog: pinsight.Builtin().Catalog, library: core.library}
		played.compile("runtime.c", gcc, "-I", "testdata", flag, "-ldl", "-lpthread")
		t.Run(kind+"/runtime", func(t *testing.T) { played.sanitized(t, runtime, "200") })
		if kind == "address" {
			real := newTestBed(t, "")
			real.library = core.library
			t.Run(kind+"/openmp", func(t *testing.T) { real.sanitized(t, runtime, "200") })
		}
		for _, mpi := range []string{"openmpi", "mpich"} {
			if kind == "thread" && mpi == "mpich" {
				continue // Debian's ends with a signal under this sanitizer, even without the agent
			}
			b := newTestBed(t, mpi)
			compiler := need.Program(t, "mpicc."+mpi, "--version")
			b.build(agent.Options{Compiler: compiler, MPI: true, Events: b.mpiEvents(), Flags: []string{flag, "-O0"}}) // hundreds of calls have to be compiled
			if kind == "address" {
				t.Run(kind+"/"+mpi+"/ranks", func(t *testing.T) { b.sanitized(t, runtime, "20") })
			}
			b.args = nil // one rank needs no launcher
			b.compile("calls.c", compiler, flag, "-lpthread")
			t.Run(kind+"/"+mpi+"/threads", func(t *testing.T) { b.sanitized(t, runtime, "200") })
		}
	}
}

// sanitized runs a program with an agent built for a sanitizer.
func (b *testBed) sanitized(t *testing.T, runtime string, args ...string) {
	t.Helper()
	on := b.everything()
	quiet, err := trace.Compile(b.catalog, &trace.Config{Domains: map[string]trace.DomainLayer{"OpenMP": {Mode: trace.Off}, "MPI": {Mode: trace.Off}}})
	if err != nil {
		t.Fatal(err)
	}
	off := b.options(quiet)
	var errs bytes.Buffer
	code, c, err := Run(context.Background(), on, Program{
		Args: append(append(b.args, b.program), args...), Library: runtime + ":" + b.library, Dir: filepath.Join(t.TempDir(), "trace"),
		Out: io.Discard, Err: &errs, Started: func(s *Session) func() { return changing(t, s, on, off) },
	})
	if err != nil || code != 0 || strings.Contains(errs.String(), "Sanitizer") || c.Counts.Events == 0 {
		t.Errorf("ended with %d, %v; %d events\n%.8000s", code, err, c.Counts.Events, errs.String())
	}
}

// changing publishes the policies of these options in turn.
func changing(t *testing.T, s *Session, turns ...Options) (ended func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 1; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(3 * time.Millisecond):
			}
			if err := s.Publish(turns[i%len(turns)].Policy, turns[i%len(turns)].Table); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	return func() { close(stop); <-stopped }
}
