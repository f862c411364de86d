package cli_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/cli"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// liveProgram is a program under `pentode trace record`. It executes the region `work` until a file
// tells it to end, and then once the region `late`.
type liveProgram struct {
	t        *testing.T
	dir      string // the working folder
	cmd      *exec.Cmd
	out, err *golden.Buffer
}

// startTraced starts a traced program with default settings.
func startTraced(t *testing.T, program string, flags ...string) *liveProgram {
	t.Helper()
	r := &liveProgram{t: t, dir: t.TempDir(), out: new(golden.Buffer), err: new(golden.Buffer)}
	r.file("trace_config.txt", "")
	args := append([]string{"trace", "record", "-o", "traced", "--policy", "trace_config.txt"}, flags...)
	r.cmd = r.pentode(append(args, "--", "sh", "-c", "printf $$ > pid; exec '"+program+"' until end")...)
	r.cmd.Stdout, r.cmd.Stderr = r.out, r.err
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.cmd.Process.Kill() })
	r.wait("a run that can be reached", func() bool {
		_, err := os.Stat(filepath.Join(r.dir, "pentode", "trace", strconv.Itoa(r.cmd.Process.Pid)+".sock"))
		return err == nil
	})
	return r
}

// buildTraced compiles a test program of run/trace/collect.
func buildTraced(t *testing.T, compiler, source, program string, flags ...string) {
	t.Helper()
	include := t.TempDir()
	if err := os.WriteFile(filepath.Join(include, "pentode_trace.h"), agent.Header, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-g", "-I", include, filepath.Join("..", "run", "trace", "collect", "testdata", source), "-o", program}, flags...)
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func (r *liveProgram) file(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *liveProgram) pentode(args ...string) *exec.Cmd {
	cmd := exec.Command("pentode", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), noRaceNap, "XDG_RUNTIME_DIR="+r.dir, "XDG_STATE_HOME="+r.dir)
	return cmd
}

// reload runs `control policy` and returns its exit code and output.
func (r *liveProgram) reload(args ...string) (int, string) {
	r.t.Helper()
	return r.control(append([]string{"policy"}, args...)...)
}

// control runs `control` and returns its exit code and output.
func (r *liveProgram) control(args ...string) (int, string) {
	r.t.Helper()
	out, err := r.pentode(append([]string{"control"}, args...)...).CombinedOutput()
	return exitOf(r.t, err), string(out)
}

// wait waits until a condition holds.
func (r *liveProgram) wait(what string, holds func() bool) {
	r.t.Helper()
	golden.Until(r.t, "there is "+what, holds, r.err)
}

// begun waits until the program has executed a region.
func (r *liveProgram) begun() {
	r.t.Helper()
	r.wait("a region", func() bool { return strings.Contains(r.out.String(), "begun") })
}

// end lets the program end and returns how often its regions appear in the trace.
func (r *liveProgram) end() (work, late int) {
	r.t.Helper()
	r.file("end", "")
	if err := r.cmd.Wait(); err != nil {
		r.t.Fatalf("%v: %s", err, r.err.String())
	}
	got := regionsIn(r.t, filepath.Join(r.dir, "traced", "ctf"))
	return got["work"], got["late"]
}

// regionsIn counts the executions of the program's own regions in a trace.
func regionsIn(t *testing.T, dir string) map[string]int {
	t.Helper()
	return countIn(t, dir, "region_begin")
}

// countIn counts the records of one kind in a trace by the name of their region or function.
func countIn(t *testing.T, dir, kind string) map[string]int {
	t.Helper()
	got := map[string]int{}
	reader, err := ctf.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, stream := range reader.Streams {
		for o, err := range reader.Events(stream) {
			if err != nil {
				t.Fatal(err)
			}
			if agent.Records[o.Event].Name == kind {
				got[o.Fields[0].Text]++
			}
		}
	}
	return got
}

const (
	quiet  = "[User.default]\n    trace_mode = OFF\n"
	broken = "[User.default]\n    trace_mode = OUF\n"
)

// TestTraceLive runs the tests below, each about something that can happen to a program while it is
// traced.
func TestTraceLive(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	buildTraced(t, need.Compiler(t, "cc"), "faults.c", program, "-lpthread")
	for name, test := range map[string]func(*testing.T, string){
		"preview": previewed, "reload": reloaded, "status": monitored, "signal": signalled, "limit": limited, "killed collector": collectorKilled,
		"overhead": within, "gaps": withGaps,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, program)
		})
	}
}

const change = "`User.default` trace_mode: now OFF"

// previewed checks that `control policy --dry-run` shows what would change without changing it, and
// that a file with errors changes nothing.
func previewed(t *testing.T, program string) {
	r := startTraced(t, program)
	r.begun()
	r.file("quiet.txt", quiet)
	r.file("broken.txt", broken)
	if code, said := r.reload("--dry-run", "quiet.txt"); code != 0 || !strings.Contains(said, change) {
		t.Errorf("the preview ended with %d and said %s; want code = 0 and %q in said", code, said, change)
	}
	r.file("knob.txt", "[Knob]\n    depth = 2\n")
	if code, said := r.reload("--dry-run", "knob.txt"); code != 0 || said != "`Knob` depth: now 2\n" {
		t.Errorf("a file with a knob alone ended with %d and said %s; want code = 0 and said = %q", code, said, "`Knob` depth: now 2\n")
	}
	if code, said := r.reload("broken.txt"); code == 0 || !strings.Contains(said, "broken.txt` has errors, so the configuration has not changed") {
		t.Errorf("a broken file ended with %d and said %s", code, said)
	}
	if code, said := r.control("4711x", "policy", "quiet.txt"); code != 2 || !strings.Contains(said, "is named by the process id") {
		t.Errorf("a run that is none ended with %d and said %s", code, said)
	}
	if work, late := r.end(); work == 0 || late != 1 {
		t.Errorf("regions were traced %d and %d times, although nothing has changed", work, late)
	}
	if code, said := r.reload("quiet.txt"); code != 2 || !strings.Contains(said, "no program is being traced") {
		t.Errorf("after the end of the program: %d, %s", code, said)
	}
}

// reloaded checks that `control policy` changes what is traced.
func reloaded(t *testing.T, program string) {
	r := startTraced(t, program)
	r.begun()
	r.file("quiet.txt", quiet)
	if code, said := r.control(strconv.Itoa(r.cmd.Process.Pid), "policy", "quiet.txt"); code != 0 || !strings.Contains(said, change) {
		t.Errorf("the reload ended with %d and said %s; want code = 0 and %q in said", code, said, change)
	}
	if code, said := r.reload("--dry-run", "quiet.txt"); code != 0 || !strings.Contains(said, "nothing changes") {
		t.Errorf("the same once more ended with %d and said %s", code, said)
	}
	r.file("empty.txt", "")
	if code, said := r.reload("--dry-run", "empty.txt"); code != 0 || !strings.Contains(said, "nothing changes") {
		t.Errorf("an empty file over it ended with %d and said %s; want code = 0 and %q in said", code, said, "nothing changes")
	}
	if code, said := r.reload("--dry-run", "--replace", "empty.txt"); code != 0 || !strings.Contains(said, "`User.default` trace_mode: ") {
		t.Errorf("an empty file in its place ended with %d and said %s; want code = 0 and %q in said", code, said, "`User.default` trace_mode: ")
	}
	if work, late := r.end(); work == 0 || late != 0 {
		t.Errorf("regions were traced %d times before the reload and %d times after it, want some and none", work, late)
	}
}

// signalled checks that the program reads its configuration again after SIGUSR1, and that an error
// in it is reported and changes nothing.
func signalled(t *testing.T, program string) {
	r := startTraced(t, program)
	signal := func() {
		t.Helper()
		pid, err := os.ReadFile(filepath.Join(r.dir, "pid"))
		if err != nil {
			t.Fatal(err)
		}
		number, err := strconv.Atoi(string(pid))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(number, syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
	}
	r.begun() // the tracer handles the signal only after the first region has begun
	r.file("trace_config.txt", broken)
	signal()
	r.wait("a word about the errors", func() bool {
		return strings.Contains(r.err.String(), "has errors, so the configuration has not changed")
	})
	r.file("trace_config.txt", quiet)
	signal()
	r.wait("the new configuration in force", func() bool {
		_, said := r.reload("--dry-run")
		return strings.Contains(said, "nothing changes")
	})
	if work, late := r.end(); work == 0 || late != 0 {
		t.Errorf("regions were traced %d times before the signal and %d times after it, want some and none", work, late)
	}
}

// limited checks that --for ends the tracing after some time, while the program continues.
func limited(t *testing.T, program string) {
	r := startTraced(t, program, "--for", "500ms")
	r.file("quiet.txt", quiet)
	r.wait("an end of tracing", func() bool {
		_, said := r.reload("--replace", "quiet.txt")
		return strings.Contains(said, "no longer traced")
	})
	if _, late := r.end(); late != 0 || !strings.Contains(r.out.String(), "done") {
		t.Errorf("the program printed %q, and the region after the limit is %d times in the trace", r.out.String(), late)
	}
}

// collectorKilled checks that the program continues if the collector is killed, even while it waits
// for space in a buffer, and that the trace contains what had been recorded before.
func collectorKilled(t *testing.T, program string) {
	babeltrace := need.Program(t, "babeltrace2", "--version")
	r := startTraced(t, program, "--config", "trace.full=wait", "--config", "trace.ring="+strconv.Itoa(os.Getpagesize()))
	trace := filepath.Join(r.dir, "traced", "ctf")
	before := 0
	r.wait("a region on the disk", func() bool {
		before = regionsIn(t, trace)["work"]
		return before > 0
	})
	// Each region has two events. The buffer of 256 KiB cannot be full yet, so the regular flush
	// wrote them.
	if before > 2000 {
		t.Errorf("%d regions were executed before any was on the disk", before)
	}
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = r.cmd.Process.Wait() // it was killed, but the program still runs and holds its output open
	if after := regionsIn(t, trace)["work"]; after < before {
		t.Errorf("%d regions were on the disk, and %d after the collector was killed", before, after)
	}
	if out, err := exec.Command(babeltrace, "-o", "dummy", trace).CombinedOutput(); err != nil {
		t.Errorf("babeltrace2 cannot read what is left: %v\n%s", err, out)
	}
	r.file("end", "")
	r.wait("an end of the program", func() bool { return strings.Contains(r.out.String(), "done") })
}

// TestTraceSteered: a script runs at the end of each time window. It counts the events in the trace,
// changes a knob, and continues the program by SIGUSR1 or by `control policy`. This happens ten
// times; each time the trace must be complete, and the program must see the new knob.
func TestTraceSteered(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	buildTraced(t, need.Compiler(t, "cc"), "faults.c", program, "-lpthread")
	babeltrace := need.Program(t, "babeltrace2", "--version")
	need.Program(t, "grep") // the script calls grep
	need.Program(t, "sed", "--version")
	for name, goOn := range map[string]string{"signal": "kill -USR1 $2", "reload": "pentode control policy"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "reload" {
				need.Slow(t)
			}
			r := &liveProgram{t: t, dir: t.TempDir()}
			const config = "[Knob]\n    depth = 1\n[Lexgion.default]\n    max_num_traces = 2\n    window_end_action = INTROSPECT:600:look.sh:User:TRACING\n"
			r.file("trace_config.txt", config)
			r.file("look.sh", "'"+babeltrace+`' "$1" | grep -c region_ >> counts
depth=$(sed -n 's/.*depth = //p' "$3")
sed "s/depth = $depth/depth = $((depth + 1))/" "$3" > "$3.new" && mv "$3.new" "$3"
`+goOn+"\n")
			cmd := r.pentode("trace", "record", "-o", "traced", "--policy", "trace_config.txt", "--flush", "0", "--", program, "steer", "11")
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			hung := time.AfterFunc(golden.Patience, func() { _ = cmd.Process.Signal(syscall.SIGTERM) })
			defer hung.Stop()
			if err := cmd.Wait(); err != nil {
				t.Fatalf("%v\n%s\n%s", err, out.String(), errs.String())
			}
			var depths, counts strings.Builder
			for i := 1; i <= 10; i++ {
				fmt.Fprintf(&depths, "%d\n%d\n", i, i)
				fmt.Fprintln(&counts, 4*i)
			}
			if got, want := out.String(), depths.String()+"11\n"; got != want {
				t.Errorf("the program saw the knobs %q, want %q\n%s", got, want, errs.String())
			}
			if got, err := os.ReadFile(filepath.Join(r.dir, "counts")); err != nil || string(got) != counts.String() {
				t.Errorf("the scripts saw %q events, %v, want %q\n%s", got, err, counts.String(), errs.String())
			}
		})
	}
}

// TestTraceScriptFails: if the script fails, the tracer reports it.
func TestTraceScriptFails(t *testing.T) {
	need.Slow(t)
	program := filepath.Join(t.TempDir(), "program")
	buildTraced(t, need.Compiler(t, "cc"), "faults.c", program, "-lpthread")
	r := &liveProgram{t: t, dir: t.TempDir()}
	r.file("trace_config.txt", "[Lexgion.default]\n    max_num_traces = 2\n    window_end_action = INTROSPECT:1:look.sh\n")
	r.file("look.sh", "exit 3\n")
	out, err := r.pentode("trace", "record", "-o", "traced", "--policy", "trace_config.txt", "--", program, "some", "10").CombinedOutput()
	if want := "the script `look.sh` at the end of a window failed: exit status 3"; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%v\n%s\nwant %s", err, out, want)
	}
}

// TestTraceRanks: every rank is in the trace, both if each rank of an MPI job runs under `pentode
// trace record`, and if only the launcher does.
func TestTraceRanks(t *testing.T) {
	need.Slow(t)
	for _, mpi := range []string{"openmpi", "mpich"} {
		t.Run(mpi, func(t *testing.T) {
			r := &liveProgram{t: t, dir: t.TempDir()}
			compiler := need.Program(t, "mpicc."+mpi, "--version")
			t.Setenv("OMPI_CC", "clang")
			t.Setenv("MPICH_CC", "clang")
			t.Setenv("OMP_NUM_THREADS", "2")
			t.Setenv("OMP_WAIT_POLICY", "passive")
			buildTraced(t, compiler, "program.c", filepath.Join(r.dir, "program"), "-fopenmp", "-DWITH_MPI")
			launcher := []string{need.Program(t, "mpirun."+mpi, "--version"), "-np", "4"}
			if mpi == "openmpi" {
				launcher = append(launcher, "--allow-run-as-root", "--oversubscribe")
			}
			host, err := os.Hostname()
			if err != nil {
				t.Fatal(err)
			}
			run := func(dir string, args ...string) {
				t.Helper()
				cmd := r.pentode()
				path, err := exec.LookPath(args[0])
				if err != nil {
					t.Fatal(err)
				}
				var said bytes.Buffer
				cmd.Path, cmd.Args, cmd.Stdout, cmd.Stderr = path, args, &said, &said
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				hung := time.AfterFunc(golden.Patience, func() { _ = cmd.Process.Signal(syscall.SIGTERM) })
				defer hung.Stop()
				if err := cmd.Wait(); err != nil && !need.HydraFailed(said.String()) {
					t.Fatalf("%v: %s", err, said.String())
				}
				if got := regionsIn(t, filepath.Join(r.dir, dir)); got["round"] != 12 {
					t.Errorf("%q: %d rounds in the trace, want 3 of each of 4 ranks; it said %s", args, got["round"], said.String())
				}
			}
			run(filepath.Join("many", host, "ctf"), append(launcher, "pentode", "trace", "record", "-o", "many", "--", "./program", "3")...)
			run(filepath.Join("one", "ctf"), append([]string{"pentode", "trace", "record", "-o", "one", "--"}, append(launcher, "./program", "3")...)...)
		})
	}
}

// TestTraceHybrid: in a program with MPI and GCC's OpenMP, only MPI is traced, and a message says
// why.
func TestTraceHybrid(t *testing.T) {
	need.Slow(t)
	r := &liveProgram{t: t, dir: t.TempDir()}
	compiler := need.Program(t, "mpicc.mpich", "--version")
	t.Setenv("MPICH_CC", need.Compiler(t, "cc"))
	buildTraced(t, compiler, "program.c", filepath.Join(r.dir, "program"), "-fopenmp", "-DWITH_MPI")
	t.Setenv("OMP_NUM_THREADS", "2")
	out, err := r.pentode("trace", "record", "-o", "traced", "--", "./program", "3").CombinedOutput()
	if want := "the program's OpenMP is GCC's, which has no interface for tools; build it with clang"; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%v\n%s\nwant %s", err, out, want)
	}
}

// TestTraceInherited: open files that `trace record` inherits belong to the program alone. If the
// program closes one, as a rank closes the socket of its launcher, no other process keeps it open.
func TestTraceInherited(t *testing.T) {
	need.Compiler(t, "cc")
	r := &liveProgram{t: t, dir: t.TempDir(), err: new(golden.Buffer)}
	ours, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	cmd := r.pentode("trace", "record", "-o", "traced", "--", "sh", "-c", "echo begun >&3; exec 3>&-; until test -e end; do sleep 0.01; done")
	cmd.Stderr, cmd.ExtraFiles = r.err, []*os.File{theirs}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	_ = ours.SetReadDeadline(time.Now().Add(golden.Patience)) // pipes support deadlines
	if text, err := io.ReadAll(ours); err != nil || string(text) != "begun\n" {
		t.Errorf("it got %q, %v: somebody else still holds the file", text, err)
	}
	r.file("end", "")
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, r.err.String())
	}
}

// TestTraceCacheAnywhere: the tracer is loaded even if the path of the cache folder contains blanks
// or colons, at which the loader splits LD_PRELOAD.
func TestTraceCacheAnywhere(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	buildTraced(t, need.Compiler(t, "cc"), "faults.c", program, "-lpthread")
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("HOME", "")
	t.Setenv("TMPDIR", dir)
	// Reuse the tracer that other tests have compiled.
	there := filepath.Join(dir, fmt.Sprintf("pentode-%d", os.Getuid()), "trace")
	if err := os.MkdirAll(there, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(there, os.DirFS(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "pentode", "trace"))); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for i, cache := range []string{filepath.Join(dir, "a b"), filepath.Join(dir, "a:b"), ""} {
		t.Setenv("XDG_CACHE_HOME", cache)
		out := filepath.Join(dir, strconv.Itoa(i))
		var errs bytes.Buffer
		if code := cli.Run(cli.Options{}, []string{"trace", "record", "-o", out, "--", program, "some", "10"}, strings.NewReader(""), &bytes.Buffer{}, &errs); code != 0 {
			t.Fatalf("`%s`: ended with %d: %s", cache, code, errs.String())
		}
		reader, err := ctf.Open(filepath.Join(out, "ctf"))
		if err != nil {
			t.Fatal(err)
		}
		begun := 0
		for _, stream := range reader.Streams {
			for o, err := range reader.Events(stream) {
				if err != nil {
					t.Fatal(err)
				}
				if agent.Records[o.Event].Name == "region_begin" {
					begun++
				}
			}
		}
		if begun != 10 {
			t.Errorf("`%s`: %d regions began, want 10\n%s", cache, begun, errs.String())
		}
	}
}
