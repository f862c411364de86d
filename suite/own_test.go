package suite

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/graph"
	ask "github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/target"
)

// builder compiles programs, and links them with empty libraries that have the names of PDI, OpenMP and MPI.
type builder struct {
	t   *testing.T
	dir string
	cc  string
}

func newBuilder(t *testing.T) *builder {
	t.Helper()
	b := &builder{t, t.TempDir(), ask.Compiler(t, "cc")}
	for name, function := range map[string]string{"libpdi.so.1": "PDI_init", "libomp.so.5": "__kmpc_fork_call", "libgomp.so.1": "GOMP_parallel", "libmpi.so.40": "MPI_Init"} {
		b.run("int "+function+"(void) { return 0; }", "-shared", "-fPIC", "-Wl,-soname,"+name, "-o", name)
	}
	return b
}

func (b *builder) run(code string, args ...string) {
	b.t.Helper()
	source := filepath.Join(b.dir, "wave.c")
	if err := os.WriteFile(source, []byte(code), 0o600); err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.Command(b.cc, append([]string{"-g", "-x", "c", "wave.c", "-x", "none"}, args...)...)
	cmd.Dir = b.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("%v: %s", err, out)
	}
}

// waveCode calls functions of its libraries.
const waveCode = `
#pragma weak PDI_init
#pragma weak __kmpc_fork_call
int PDI_init(void), __kmpc_fork_call(void);
int measure(void) { return 0; }
int step(void)
{
	return __kmpc_fork_call ? __kmpc_fork_call() : 0;
}
int main(void) { return (PDI_init ? PDI_init() : 0) + step() + measure(); }
`

// program compiles a program, linked according to the flags.
func (b *builder) program(code string, flags ...string) string {
	b.t.Helper()
	b.run(code, append([]string{"-Wl,--no-as-needed", "-Wl,-rpath," + b.dir, "-o", "out"}, flags...)...)
	text, err := os.ReadFile(filepath.Join(b.dir, "out"))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// waveRun is a run with one traced and one untraced program.
func waveRun(program string) map[string]string {
	return map[string]string{
		"wave": program,
		"wave.psdl": `process { name "west"; command "pentode"; args { "trace" "record" "--policy" "wave.pinsight" "--" "./wave" "wave.yml" }; host "localhost"; daemon "pentode"; }
process { name "east"; command "./wave"; args { "wave.yml" }; host "localhost"; daemon "pentode"; }
`,
		"wave.yml":      "metadata: {i: int}\ndata: {u: {type: array, subtype: double, size: 4}}\nplugins:\n  decl_hdf5: {file: 'wave_${i}.h5', write: [u]}\n",
		"wave.pinsight": "[OpenMP.default]\n    omp_parallel_begin = on\n\n[Lexgion(step)]\n    max_num_traces = 5\n",
	}
}

// programHost is a host that has the files of a run as its programs.
func programHost() Host {
	return Host{
		Target: func() (target.Target, error) { return target.Machines{}.Detect(target.Host{Arch: runtime.GOARCH}) },
		LookPath: func(command string) (string, error) {
			if info, err := os.Stat(command); err != nil || info.IsDir() {
				return "", errors.New("not found")
			}
			return command, nil
		},
	}
}

// linkedAll are the libraries of the program in a run without faults.
var linkedAll = []string{"libpdi.so.1", "libomp.so.5"}

// TestFaultsOfPrograms puts mistakes between a plan, a program and their files. Each is found before anything is started, once, and with both
// positions.
func TestFaultsOfPrograms(t *testing.T) {
	b := newBuilder(t)
	clean := b.program(waveCode, linkedAll...)
	edit := func(file, old, text string) func(map[string]string) {
		return func(files map[string]string) {
			if !strings.Contains(files[file], old) {
				t.Fatalf("%s has no `%s`", file, old)
			}
			files[file] = strings.Replace(files[file], old, text, 1)
		}
	}
	linked := func(flags ...string) func(map[string]string) {
		return func(files map[string]string) { files["wave"] = b.program(waveCode, flags...) }
	}
	const rankSection = "[Lexgion(step)] : OpenMP.default : MPI.rank(4)"
	mpirun := func(files map[string]string) {
		files["wave"] = b.program(waveCode, append(linkedAll, "libmpi.so.40")...)
		files["mpirun"] = clean
		edit("wave.psdl", `"./wave"`, `"./mpirun" "-np" "4" "./wave"`)(files)
		edit("wave.pinsight", "[Lexgion(step)]", rankSection)(files)
	}
	const calls = "plugins:\n  user_code: {on_event: {done: {mesure: {}}}}\n"
	const otherTarget = "[Target]\nPU = CPU\nArchitecture = RISC-V\nMode = 64\n\n[Memory]\nModel = Protected\nAlignment = 16\nStackGrowth = Down\nEndianness = Little\n\n[Optimization]\nLevel = 2\nSizeOptimization = false\nSpeedOptimization = true\n"
	for _, f := range []struct {
		name            string
		do              func(map[string]string)
		code            string
		severity        diag.Severity
		at, other, text string
	}{
		{"no trace configuration", edit("wave.psdl", `"wave.pinsight"`, `"wav.pinsight"`),
			"suite/no-such-file", diag.Error, `wav.pinsight`, "wave.pinsight", "there is no trace configuration `wav.pinsight`"},
		{"another file as trace configuration", edit("wave.psdl", `"--policy" "wave.pinsight"`, `"--policy" "nowhere/x"`),
			"suite/no-such-file", diag.Error, `nowhere/x`, "wave.pinsight", "there is no trace configuration"},
		{"no tree", edit("wave.psdl", `"./wave" "wave.yml"`, `"./wave" "wav.yml"`),
			"suite/no-such-file", diag.Error, `wav.yml`, "wave.yml", "there is no specification tree `wav.yml`"},
		{"no tree of a program that is not known to read one", func(files map[string]string) {
			files["wave"] = b.program(waveCode, "libomp.so.5")
			edit("wave.psdl", `"./wave" "wave.yml"`, `"./wave" "wav.yml"`)(files)
		}, "suite/no-such-file", diag.Warning, `wav.yml`, "wave.yml", "there is no specification tree `wav.yml`"},
		{"no program", edit("wave.psdl", `"--" "./wave"`, `"--" "./wav"`),
			"suite/no-such-command", diag.Error, `./wav`, "west", "there is no program `./wav` that process `west` could trace"},
		{"no program, not traced", edit("wave.psdl", `command "./wave"`, `command "./wav"`),
			"suite/no-such-command", diag.Error, `./wav`, "localhost", "process `east` cannot be started"},
		{"nothing to trace", edit("wave.psdl", ` "--" "./wave" "wave.yml"`, ""),
			"suite/bad-arguments", diag.Error, `record`, "west", "process `west` has nothing to trace"},
		{"static", linked("-static"),
			"suite/untraceable", diag.Error, `./wave`, "west", "is linked statically"},
		{"no OpenMP", linked("libpdi.so.1"),
			"suite/not-registered", diag.Warning, `OpenMP.default`, "./wave", "`./wave` is not linked with OpenMP"},
		{"GCC's OpenMP", linked("libpdi.so.1", "libgomp.so.1"),
			"suite/not-registered", diag.Warning, `OpenMP.default`, "./wave", "is GCC's, which has no interface for tools"},
		{"an OpenMP tool of its own", func(files map[string]string) {
			files["wave"] = b.program("void *ompt_start_tool(unsigned version, const char *runtime) { return 0; }\n"+waveCode, append(linkedAll, "-rdynamic")...)
		}, "suite/not-registered", diag.Warning, `OpenMP.default`, "./wave", "`./wave` has its own OpenMP tool, `ompt_start_tool`"},
		{"no MPI", edit("wave.pinsight", "[OpenMP.default]\n", "[MPI.default]\n    MPI_Send = on\n\n[OpenMP.default]\n"),
			"suite/not-registered", diag.Warning, `MPI.default`, "./wave", "`./wave` is not linked with an MPI"},
		{"a pipeline's domain", edit("wave.pinsight", "[OpenMP.default]\n", "[Flow.default]\n    flow_step = on\n\n[OpenMP.default]\n"),
			"suite/not-registered", diag.Warning, `Flow.default`, "./wave", "`./wave` is not a pipeline"},
		{"a rank beyond", mpirun,
			"suite/no-such-unit", diag.Error, `MPI.rank(4)`, "./wave", "no process has the MPI.rank 4: the program has 4 ranks"},
		{"a function that is not there", edit("wave.pinsight", "Lexgion(step)", "Lexgion(stpe)"),
			"suite/no-such-region", diag.Error, `stpe`, "./wave", "`./wave` has no function `stpe`"},
		{"a line without code", edit("wave.pinsight", "Lexgion(step)", "Lexgion(wave.c:999)"),
			"suite/no-such-region", diag.Error, `wave.c:999`, "./wave", "`./wave` has no code at `wave.c:999`"},
		{"a line that calls nothing", edit("wave.pinsight", "Lexgion(step)", "Lexgion(wave.c:5)"),
			"suite/no-such-region", diag.Error, `wave.c:5`, "./wave", "`wave.c:5` calls neither OpenMP nor MPI"},
		{"an address without code", edit("wave.pinsight", "Lexgion(step)", "Lexgion(0x77777777)"),
			"suite/no-such-region", diag.Warning, `Lexgion(0x77777777)`, "./wave", "no code at the address 0x77777777"},
		{"a plugin that needs something else", edit("wave.yml", "plugins:\n", "plugins:\n  deisa: {scheduler_info: a}\n"),
			"suite/plugin-elsewhere", diag.Error, `deisa`, "wave.yml", "the plugin `deisa` cannot run in a program"},
		{"a plugin that needs MPI", edit("wave.yml", "plugins:\n", "plugins:\n  mpi:\n"),
			"suite/plugin-elsewhere", diag.Error, `mpi`, "wave.yml", "the plugin `mpi` needs an MPI"},
		{"a function that is not exported", edit("wave.yml", "plugins:\n", calls),
			"suite/no-such-function", diag.Error, `mesure`, "wave.yml", "`./wave` exports no function `mesure`"},
		{"a function that is called otherwise", func(files map[string]string) {
			files["wave"] = b.program(waveCode, append(linkedAll, "-rdynamic")...)
			edit("wave.yml", "plugins:\n", calls)(files)
		}, "suite/no-such-function", diag.Error, `mesure`, "wave.yml", "`./wave` exports no function `mesure`"},
		{"one folder for two traces", func(files map[string]string) {
			files["wave.psdl"] = strings.Replace(files["wave.psdl"], `command "./wave"; args { "wave.yml" }`, `command "pentode"; args { "trace" "record" "--output=/scratch/t" "--" "./wave" }`, 1)
			edit("wave.psdl", `"--policy"`, `"-o" "/scratch/t" "--policy"`)(files)
		}, "suite/same-file", diag.Error, `--output=/scratch/t`, "/scratch/t", "process `east` would write its trace to the same folder as `west`"},
		{"one file of two programs", edit("wave.yml", "wave_${i}.h5", "/scratch/wave.h5"),
			"suite/same-file", diag.Error, "'/scratch/wave.h5'", "wave.yml", "processes `west` and `east` would both write `/scratch/wave.h5`"},
		{"another machine", func(files map[string]string) { files["wave.coilcfg"] = otherTarget },
			"suite/other-machine", diag.Error, `./wave`, "RISC-V", "`./wave` was built for"},
	} {
		t.Run(f.name, func(t *testing.T) {
			files := waveRun(clean)
			f.do(files)
			found := false
			for _, d := range Diagnostics(open(t, files), programHost()) {
				if d.Code.ID != f.code || strings.Trim(d.Span.Text(), `"`) != strings.Trim(f.at, `"`) {
					if d.Severity == diag.Error && d.Code.ID != f.code && d.Code.ID != "suite/host-lacks" {
						t.Errorf("also found\n%s\nwant no error but %s", lines(diag.List{d}), f.code)
					}
					continue
				}
				found = true
				if d.Severity != f.severity || !strings.Contains(d.Message, f.text) {
					t.Errorf("said as %s\nwant %s, with: %s", lines(diag.List{d}), f.severity, f.text)
				}
				if !slices.ContainsFunc(d.Labels, func(l diag.Label) bool {
					return strings.Trim(l.Span.Text(), `"`) == f.other || filepath.Base(l.Span.File.Path()) == f.other
				}) {
					t.Errorf("has no label at %s: %v", f.other, d.Labels)
				}
			}
			if !found {
				t.Errorf("not found: %s at %s; found\n%s", f.code, f.at, lines(Diagnostics(open(t, files), programHost())))
			}
		})
	}
}

// TestProgramsWithoutFaults: nothing is reported about properties of a program that are not known.
func TestProgramsWithoutFaults(t *testing.T) {
	b := newBuilder(t)
	clean := b.program(waveCode, linkedAll...)
	const loads = "#include <dlfcn.h>\n" + waveCode + "void *load(const char *name) { return dlopen(name, RTLD_NOW); }\n"
	marks := "#pragma weak pentode_trace_region_begin\nvoid pentode_trace_region_begin(const char *);\nvoid mark(void) { if (pentode_trace_region_begin) pentode_trace_region_begin(\"other\"); }\n" + waveCode
	line := 1 + strings.Count(waveCode[:strings.Index(waveCode, "return __kmpc")], "\n")
	for name, do := range map[string]func(map[string]string){
		"as it is":             func(map[string]string) {},
		"OpenMP may be loaded": func(files map[string]string) { files["wave"] = b.program(loads, "libpdi.so.1") },
		"a script":             func(files map[string]string) { files["wave"] = "#!/bin/sh\nexec true\n" },
		"a region that it marks": func(files map[string]string) {
			files["wave"] = b.program(marks, linkedAll...)
			files["wave.pinsight"] = "[Lexgion(other)]\n    max_num_traces = 5\n"
		},
		"a function that the compiler put into another": func(files map[string]string) {
			files["wave"] = b.program(strings.Replace(waveCode, "int step", "static inline __attribute__((always_inline)) int step", 1), linkedAll...)
		},
		"a function of a library": func(files map[string]string) {
			files["wave.pinsight"] = "[Lexgion(PDI_init)]\n    max_num_traces = 5\n"
		},
		"a library that is not here": func(files map[string]string) {
			files["wave"] = strings.ReplaceAll(b.program(waveCode, "libpdi.so.1"), "libpdi.so.1", "libpdi.so.9")
		},
		"ranks that a launcher may start": func(files map[string]string) {
			files["srun"] = "#!/bin/sh\n"
			files["wave"] = b.program(waveCode, append(linkedAll, "libmpi.so.40")...)
			files["wave.psdl"] = strings.Replace(files["wave.psdl"], `"./wave"`, `"./srun" "./wave"`, 1)
			files["wave.pinsight"] = "[Lexgion(step)] : OpenMP.default : MPI.rank(4)\n    max_num_traces = 5\n"
		},
		"a function that it exports": func(files map[string]string) {
			files["wave"] = b.program(waveCode, append(linkedAll, "-rdynamic")...)
			files["wave.yml"] = strings.Replace(files["wave.yml"], "plugins:\n", "plugins:\n  user_code: {on_event: {done: {measure: {}}}}\n", 1)
		},
		"another machine starts it": func(files map[string]string) {
			files["wave.psdl"] = strings.ReplaceAll(files["wave.psdl"], "localhost", "far")
			delete(files, "wave")
		},
		"two traces by relative names": func(files map[string]string) {
			files["wave.psdl"] = strings.Replace(files["wave.psdl"], `command "./wave"; args { "wave.yml" }`, `command "pentode"; args { "trace" "record" "-o=t" "--" "./wave" }`, 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := waveRun(clean)
			do(files)
			list := slices.DeleteFunc(Diagnostics(open(t, files), programHost()), func(d *diag.Diagnostic) bool { return d.Severity == diag.Info })
			if len(list) > 0 {
				t.Errorf("found\n%s\nwant at most 0", lines(list))
			}
		})
	}
	t.Run("a line of source", func(t *testing.T) {
		files := waveRun(b.program(strings.Replace(waveCode, "__kmpc_fork_call ? __kmpc_fork_call() : 0", "__kmpc_fork_call()", 1), linkedAll...))
		files["wave.pinsight"] = "[Lexgion(wave.c:" + strconv.Itoa(line) + ")]\n    max_num_traces = 5\n"
		if list := Diagnostics(open(t, files), programHost()); slices.ContainsFunc(list, func(d *diag.Diagnostic) bool { return d.Severity != diag.Info }) {
			t.Errorf("found\n%s\nwant information at most", lines(list))
		}
	})
}

// TestProgramInTheRun: the tree and the trace configuration of a program are parts of its run: they are shown, drawn and linked.
func TestProgramInTheRun(t *testing.T) {
	files := waveRun("#!/bin/sh\n")
	files["other.yml"] = "data: {x: int}\n"
	run := open(t, files)
	var lines []string
	for _, p := range Summary(run) {
		lines = append(lines, p.Lines...)
	}
	if text := strings.Join(lines, "\n"); !strings.Contains(text, "runs ./wave wave.yml, traced by wave.pinsight") || !strings.Contains(text, "rank 1: runs ./wave wave.yml\n") {
		t.Errorf("shown as\n%s\nwant %q in text and %q in text", text, "runs ./wave wave.yml, traced by wave.pinsight", "rank 1: runs ./wave wave.yml\n")
	}
	picture := Graph(run)
	for _, want := range [][3]string{
		{"launch/west", "data/wave.yml/data.u", "exposes"}, {"launch/east", "data/wave.yml/data.u", "exposes"}, {"trace/wave.pinsight/Lexgion(step)", "launch/west", "traces"},
	} {
		if !slices.ContainsFunc(picture.Edges, func(e *graph.Edge) bool { return e.From == want[0] && e.To == want[1] && e.Label == want[2] }) {
			t.Errorf("the picture has no edge %v", want)
		}
	}
	if c, inside := PartOf(run, "data/wave.yml/data.u"); c == nil || name(c) != "wave.yml" || inside != "data.u" {
		t.Errorf("a datum in the picture is of %v, %s; want c not nil, name(c) = %q and inside = %q", c, inside, "wave.yml", "data.u")
	}
	leads := 0
	for _, l := range Links(run) {
		if l.Leads && filepath.Base(l.B.File.Path()) == "wave.yml" {
			leads++
		}
	}
	if leads != 2 {
		t.Errorf("%d places lead to the tree, want 2", leads)
	}
}
