package main

import (
	"bufio"
	"fmt"
	"image"
	_ "image/png"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// The tree and the pipeline of programs that hand over a field.
const (
	handoffTree = `logging: error
metadata: {n: int, i: int, dt: double}
data: {field: {type: array, subtype: double, size: ['$n', '$n']}}
plugins:
  flow: {pipeline: wave.pipe, on_event: {step: [i, field]}, policy: block}
`
	handoffPipe = `process sim
  :: program
  knobs:dt = 2

process paint
  :: colormap
  low = 0
  high = 80
  scale = 1

process save
  :: image_writer
  file_name_template = wave_%03d.png

connect from sim.field to paint.field
connect from paint.image to save.image
`
)

// handoffs is a folder with a program, its tree and its pipeline, and the folder for the state of its run.
type handoffs struct {
	dir, state string
	argv       []string
	mark       string
}

func newHandoffs(t testing.TB, argv ...string) *handoffs {
	t.Helper()
	h := &handoffs{dir: t.TempDir(), argv: argv, mark: fmt.Sprintf("HANDOFF_TEST=%d-%d", os.Getpid(), rand.Uint64())}
	var err error
	if h.state, err = os.MkdirTemp("", "run"); err != nil { // the path of a socket must be short
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(h.state) })
	h.write(t, "wave.yml", handoffTree)
	h.write(t, "wave.pipe", handoffPipe)
	return h
}

func (h *handoffs) write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// command returns a command in the folder, with a variable in its environment that identifies all processes it starts.
func (h *handoffs) command(t testing.TB, argv ...string) *exec.Cmd {
	t.Helper()
	in, err := whole()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = h.dir
	cmd.Env = append(os.Environ(), h.mark, "PENTODE_PROGRAM="+golden.Pentode(t), "PYTHONPATH="+filepath.Join(in.prefix, "lib/python3/dist-packages"),
		"XDG_RUNTIME_DIR="+h.state, "XDG_STATE_HOME="+h.state)
	return cmd
}

// alive returns the processes of the test that run the named program.
func (h *handoffs) alive(name string) (list []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range dirs {
		env, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(env), h.mark) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		var pid int
		if _, err := fmt.Sscanf(path, "/proc/%d/", &pid); err == nil && len(line) > 0 && strings.Contains(strings.ReplaceAll(string(line), "\x00", " "), name) {
			list = append(list, pid)
		}
	}
	return list
}

// over waits until no process of the test is running.
func (h *handoffs) over(t *testing.T) {
	t.Helper()
	golden.Until(t, "no process is left", func() bool { return len(h.alive("")) == 0 })
}

// pictures returns the images that were written with a prefix; each must be complete.
func (h *handoffs) pictures(t *testing.T, prefix string) (list []image.Image) {
	t.Helper()
	names, _ := filepath.Glob(h.dir + "/" + prefix + "wave_*.png")
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := image.Decode(f)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		list = append(list, m)
	}
	return list
}

// languages are the programs that hand over a field.
var languages = []struct {
	name  string
	build func(t *testing.T, prefix string) []string
}{
	{"C", func(t *testing.T, prefix string) []string { return []string{compile(t, prefix, "handoff.c")} }},
	{"C++", func(t *testing.T, prefix string) []string {
		program := filepath.Join(t.TempDir(), "handoff")
		lib := filepath.Join(prefix, "lib")
		if out, err := exec.Command(need.Program(t, "c++", "--version"), "-Wall", "-Wextra", "-Werror", "-I", filepath.Join(prefix, "include"), testdata(t, "handoff.cpp"), "-o", program,
			"-L", lib, "-lpdi", "-lparaconf", "-Wl,-rpath,"+lib).CombinedOutput(); err != nil {
			t.Fatalf("handoff.cpp does not compile: %v\n%s", err, out)
		}
		return []string{program}
	}},
	{"Fortran", func(t *testing.T, prefix string) []string { return []string{compileFortran(t, prefix, "handoff.f90")} }},
	{"Python", func(t *testing.T, _ string) []string {
		return []string{need.Python(t, "numpy"), testdata(t, "handoff.py")}
	}},
}

// TestHandoff runs programs in four languages that hand a field to a pipeline, which makes pictures of it. A number in the pipeline must reach the
// program at its start, and a number changed from another terminal at a later event.
func TestHandoff(t *testing.T) {
	var first []image.Image // of the previous language
	for _, language := range languages {
		t.Run(language.name, func(t *testing.T) {
			if language.name != "C" {
				need.Slow(t)
			}
			argv := language.build(t, prefix(t))
			h := newHandoffs(t, argv...)
			out, err := h.command(t, append(argv, "wave.yml", "5", "0")...).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "0 2\n") || !strings.Contains(string(out), "finalized") {
				t.Fatalf("%v\n%s", err, out)
			}
			if left := h.alive("wave.pipe"); len(left) > 0 {
				t.Errorf("the pipeline goes on after PDI_finalize: %v", left)
			}
			h.over(t) // its guard may be about to end
			pictures := h.pictures(t, "")
			if len(pictures) != 5 {
				t.Fatalf("%d pictures\n%s\nwant 5", len(pictures), out)
			}
			moved(t, pictures)
			for i := range first {
				if !same(pictures[i], first[i]) {
					t.Errorf("picture %d differs between the languages", i)
				}
			}
			first = pictures
			h.turn(t)
		})
	}
}

// moved checks pictures of a field that moves by one column in each step: its values are 2 × (column + step).
func moved(t *testing.T, pictures []image.Image) {
	t.Helper()
	for i, m := range pictures {
		if m.Bounds().Dx() != 32 || m.Bounds().Dy() != 32 {
			t.Fatalf("picture %d is %v, want m.Bounds().Dx() = 32 and m.Bounds().Dy() = 32", i, m.Bounds())
		}
		for x := 1; i > 0 && x < 32; x++ {
			if m.At(x-1, 7) != pictures[i-1].At(x, 7) {
				t.Fatalf("picture %d is not the one before, moved", i)
			}
		}
	}
	if pictures[0].At(0, 0) == pictures[0].At(31, 0) {
		t.Error("the picture is of one colour")
	}
}

// same reports whether two pictures are equal.
func same(a, b image.Image) bool {
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			if a.At(x, y) != b.At(x, y) {
				return false
			}
		}
	}
	return a.Bounds() == b.Bounds()
}

// turn changes a setting while the program runs.
func (h *handoffs) turn(t *testing.T) {
	t.Helper()
	cmd := h.command(t, append(h.argv, "wave.yml", "100000", "1000")...)
	lines := following(t, cmd)
	if !lines.Scan() || lines.Text() != "0 2" {
		t.Fatalf("the program begins with %q, want %q", lines.Text(), "0 2")
	}
	// The first event may come before other commands can find the run.
	golden.Until(t, "the pipeline is listed", func() bool {
		out, _ := h.command(t, golden.Pentode(t), "ps").CombinedOutput()
		return strings.Contains(string(out), ", running, ")
	})
	set := func(what string) (string, error) {
		out, err := h.command(t, golden.Pentode(t), "control", "set", what).CombinedOutput()
		return string(out), err
	}
	if out, err := set("sim:knobs:dtt=0.5"); err == nil || !strings.Contains(out, "did you mean `dt`?") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := set("sim:knobs:dt=0.5"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for lines.Scan() && !strings.HasSuffix(lines.Text(), " 0.5") {
	}
	if !strings.HasSuffix(lines.Text(), " 0.5") {
		t.Errorf("the program ends with %q, want %q at the end", lines.Text(), " 0.5")
	}
	cmd.Process.Kill()
	cmd.Wait()
	h.over(t)
	h.pictures(t, "")
}

// following starts a program and returns a scanner for its output.
func following(t testing.TB, cmd *exec.Cmd) *bufio.Scanner {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return bufio.NewScanner(out)
}

// TestHandoffKilled checks that a killed program takes its pipeline with it, but a killed pipeline does not take its program. No process may hang or
// remain, and everything written must be complete.
func TestHandoffKilled(t *testing.T) {
	need.Slow(t)
	program := compile(t, prefix(t), "handoff.c")
	for _, victim := range []string{"program", "pipeline"} {
		t.Run(victim, func(t *testing.T) {
			need.Rounds(t, 3, func(t *testing.T, _ int) {
				h := newHandoffs(t, program)
				cmd := h.command(t, program, "wave.yml", "40", "1000")
				var out strings.Builder
				cmd.Stdout, cmd.Stderr = &out, &out
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond) // kill it at any moment
				if victim == "program" {
					cmd.Process.Kill()
				}
				for _, pid := range h.alive("wave.pipe") {
					if victim == "pipeline" {
						syscall.Kill(pid, syscall.SIGKILL)
					}
				}
				err := cmd.Wait()
				text := out.String()
				// If the pipeline could not start, PDI_init fails and the program reports it.
				if victim == "pipeline" && err != nil && !strings.Contains(text, "failed at its start") || victim == "pipeline" && err == nil && !strings.Contains(text, "finalized") {
					t.Errorf("the program ended with %v\n%s", err, text)
				}
				h.over(t)
				h.pictures(t, "")
			})
		})
	}
}

// handoffPlan is a launch plan with a program and its pipeline.
const handoffPlan = `process { name "sim"; host "localhost"; daemon "pentode"; command "PROGRAM"; args { "wave.yml" "STEPS" "1000" }; }
process { name "mon"; host "localhost"; daemon "pentode"; command "pentode"; args { "run" "wave.pipe" }; }
`

func (h *handoffs) plan(t *testing.T, steps string) {
	t.Helper()
	h.write(t, "wave.psdl", strings.NewReplacer("PROGRAM", h.argv[0], "STEPS", steps).Replace(handoffPlan))
}

// TestHandoffPlan checks that a program finds the pipeline of its launch plan, which is started once. A program that ends before it hands over data
// is not waited for, but a restarted program is.
func TestHandoffPlan(t *testing.T) {
	need.Slow(t)
	program := compile(t, prefix(t), "handoff.c")
	h := newHandoffs(t, program)
	h.plan(t, "5")
	out, err := h.command(t, golden.Pentode(t), "run", "-o", "results", ".").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "finalized") {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := len(h.pictures(t, "results/mon/")); n != 5 {
		t.Errorf("%d pictures\n%s\nwant 5", n, out)
	}
	h.over(t)
	h.write(t, "again.sh", "test -e tried || { touch tried; exit 1; }\nexec '"+program+"' wave.yml 4 1000\n")
	h.write(t, "wave.psdl", strings.NewReplacer("PROGRAM", "sh", `"wave.yml" "STEPS" "1000"`, `"again.sh"`).Replace(handoffPlan))
	h.write(t, "pentode.toml", "[launch.sim]\nrestart = \"on-failure\"\n")
	out, err = h.command(t, golden.Pentode(t), "run", "-o", "again", ".").CombinedOutput()
	if n := len(h.pictures(t, "again/mon/")); err != nil || n != 4 {
		t.Errorf("of a program that is started again there are %d pictures: %v\n%s", n, err, out)
	}
	h.over(t)
	h.write(t, "wave.psdl", strings.NewReplacer("PROGRAM", "true", "STEPS", "1").Replace(handoffPlan))
	out, err = h.command(t, golden.Pentode(t), "run", "-o", "results", ".").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "without handing over any data") {
		t.Errorf("%v\n%s", err, out)
	}
	h.over(t)
}

// handoffRanks is a pipeline that takes the field of four ranks.
var handoffRanks = func() string {
	var b strings.Builder
	for rank := range 4 {
		fmt.Fprintf(&b, `process sim%[1]d
  :: program
  rank = %[1]d
  knobs:dt = 2

process paint%[1]d
  :: colormap
  low = 0
  high = 80
  scale = 1

process save%[1]d
  :: image_writer
  file_name_template = %[1]d-wave_%%03d.png

connect from sim%[1]d.field to paint%[1]d.field
connect from paint%[1]d.image to save%[1]d.image

`, rank)
	}
	return b.String()
}()

// TestHandoffRanks lets four ranks hand over their fields: each to its own pipeline, only the first, and, in a launch plan, all to one pipeline.
func TestHandoffRanks(t *testing.T) {
	need.Slow(t)
	for _, mpi := range []string{"openmpi", "mpich"} {
		t.Run(mpi, func(t *testing.T) {
			h := newHandoffs(t, compileFor(t, mpi, prefix(t), "handoff.c", "-DRANKS"))
			start := []string{need.Program(t, "mpirun."+mpi, "--version"), "-np", "4"}
			if mpi == "openmpi" {
				start = append(start, "--oversubscribe")
				t.Setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
				t.Setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
			}
			each := strings.Replace(handoffTree, "policy:", "ranks: each, policy:", 1)
			program := append(start, h.argv[0], "wave.yml", "5", "0")
			run := func(argv ...string) {
				t.Helper()
				if out, err := h.command(t, argv...).CombinedOutput(); err != nil && !need.HydraFailed(string(out)) || strings.Count(string(out), "finalized") != 4 {
					t.Fatalf("%v\n%s", err, out)
				}
				h.over(t)
			}
			// ahead compares the pictures of each rank with the first rank's: each is one step ahead of the previous rank.
			ahead := func(prefix string) {
				t.Helper()
				var first []image.Image
				for rank := range 4 {
					pictures := h.pictures(t, fmt.Sprintf(prefix, rank))
					if len(pictures) != 5 {
						t.Fatalf("rank %d has %d pictures, want 5", rank, len(pictures))
					}
					if rank == 0 {
						first = pictures
						moved(t, first)
					}
					for i := rank; i < 5; i++ {
						if !same(pictures[i-rank], first[i]) {
							t.Errorf("picture %d of rank %d is not picture %d of the first", i-rank, rank, i)
						}
					}
				}
			}
			h.write(t, "wave.yml", each)
			run(program...)
			ahead("rank-%d/")
			h.write(t, "wave.yml", handoffTree)
			run(program...)
			if n := len(h.pictures(t, "")); n != 5 {
				t.Errorf("the first rank alone has left %d pictures", n)
			}
			h.write(t, "wave.yml", each)
			h.write(t, "wave.pipe", handoffRanks)
			h.write(t, "wave.psdl", fmt.Sprintf(`process { name "sim"; host "localhost"; daemon "pentode"; command %q; args { "%s" }; }
process { name "mon"; host "localhost"; daemon "pentode"; command "pentode"; args { "run" "wave.pipe" }; }
`, program[0], strings.Join(program[1:], `" "`)))
			run(golden.Pentode(t), "run", "-o", "results", ".")
			ahead("results/mon/%d-")
		})
	}
}

// TestHandoffLauncherKilled checks that a killed launcher takes program and pipeline with it.
func TestHandoffLauncherKilled(t *testing.T) {
	program := compile(t, prefix(t), "handoff.c")
	need.Rounds(t, 3, func(t *testing.T, _ int) {
		h := newHandoffs(t, program)
		h.plan(t, "200")
		cmd := h.command(t, golden.Pentode(t), "run", "-o", "results", ".")
		cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(50+rand.IntN(300)) * time.Millisecond) // kill it at any moment
		cmd.Process.Kill()
		cmd.Wait()
		h.over(t)
		h.pictures(t, "results/mon/")
	})
}

// BenchmarkHandoff measures the program's cost of handing over a field of 1 MB, in copies of the field; of a number with its event, while the
// pipeline is awake and while it sleeps; and by how much a pipeline slows a program of 2 s with 1,000 events of 64 kB. The best of the rounds counts.
func BenchmarkHandoff(b *testing.B) {
	p := prefix(b)
	program := compile(b, p, "bench_handoff.c", "-O2")
	for what, n := range map[string]string{"field": "1000", "number": "20000", "wake": "1000", "work": "1000"} {
		b.Run(what, func(b *testing.B) {
			dir := b.TempDir()
			pipe := "process sim\n  :: program\nprocess end\n  :: sink\nconnect from sim.field to end.sink\n"
			if err := os.WriteFile(filepath.Join(dir, "bench.pipe"), []byte(pipe), 0o600); err != nil {
				b.Fatal(err)
			}
			best, ratio := 0.0, 0.0
			for b.Loop() {
				cmd := exec.Command(program, what, n)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "PENTODE_PROGRAM="+golden.Pentode(b))
				out, err := cmd.Output()
				var ours, other float64
				if _, e := fmt.Sscan(string(out), &ours, &other); err != nil || e != nil {
					b.Fatalf("%v\n%s", err, out)
				}
				if best == 0 || ours < best {
					best = ours
				}
				if ratio == 0 || ours/other < ratio {
					ratio = ours / other
				}
			}
			b.ReportMetric(best, "ns/op")
			if unit := map[string]string{"field": "×memcpy", "work": "×none"}[what]; unit != "" {
				b.ReportMetric(ratio, unit)
			}
		})
	}
}
