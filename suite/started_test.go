package suite

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/graph"
)

// startedRun is a run whose pipeline traces a program.
func startedRun(program string) map[string]string {
	return map[string]string{
		"wave":      program,
		"wave.psdl": `process { name "all"; command "pentode"; args { "run" "wave.pipe" }; host "localhost"; daemon "pentode"; }` + "\n",
		"wave.pipe": "process wave\n  :: exec\n  command = pentode trace record --policy wave.pinsight -- ./wave wave.yml\n" +
			"process out\n  :: text_write\n  file_name = out.txt\nconnect from wave.line\n        to   out.text\n",
		"wave.yml":      waveRun("")["wave.yml"],
		"wave.pinsight": waveRun("")["wave.pinsight"],
	}
}

// TestFaultsOfStartedPrograms: a program that a pipeline starts is compared with its files like a program of the plan.
func TestFaultsOfStartedPrograms(t *testing.T) {
	b := newBuilder(t)
	clean := b.program(waveCode, linkedAll...)
	edit := func(file, old, text string) func(map[string]string) {
		return func(files map[string]string) { files[file] = strings.Replace(files[file], old, text, 1) }
	}
	const command = "pentode trace record --policy wave.pinsight -- ./wave wave.yml"
	for _, f := range []struct {
		name            string
		do              func(map[string]string)
		code, at, other string
		text, help      string
	}{
		{"nothing wrong", func(map[string]string) {}, "", "", "", "", ""},
		{"not traced", func(files map[string]string) {
			edit("wave.pipe", command, "./wave wave.yml")(files)
			delete(files, "wave.pinsight")
		}, "", "", "", "", ""},
		{"in the folder above", func(files map[string]string) {
			files["run/wave.pipe"] = strings.Replace(files["wave.pipe"], command, "../wave", 1)
			files["run/wave.psdl"] = files["wave.psdl"]
			delete(files, "wave.pipe")
			delete(files, "wave.psdl")
		}, "", "", "", "", ""},
		{"no program to trace", edit("wave.pipe", "-- ./wave", "-- ./wav"),
			"suite/no-such-command", strings.Replace(command, "./wave", "./wav", 1), "wave.psdl", "there is no program `./wav` that process `wave` could trace", ""},
		{"not built", func(files map[string]string) {
			edit("wave.pipe", command, "./wave")(files)
			delete(files, "wave")
			delete(files, "wave.pinsight")
			files["wave.f90"] = "end\n"
		}, "suite/no-such-command", "./wave", "wave.psdl", "there is no program `./wave` that process `wave` could start", "build it first: `wave.f90` is in the folder"},
		{"no trace configuration", edit("wave.pipe", "wave.pinsight", "wav.pinsight"),
			"suite/no-such-file", strings.Replace(command, "wave.pinsight", "wav.pinsight", 1), "wave.pinsight", "there is no trace configuration `wav.pinsight`", "did you mean `wave.pinsight`?"},
		{"no tree", edit("wave.pipe", "wave.yml", "wav.yml"),
			"suite/no-such-file", strings.Replace(command, "wave.yml", "wav.yml", 1), "wave.yml", "there is no specification tree `wav.yml`", ""},
		{"nothing to trace", edit("wave.pipe", " -- ./wave wave.yml", ""),
			"suite/bad-arguments", "pentode trace record --policy wave.pinsight", "wave.pipe", "process `wave` has nothing to trace", ""},
		{"no OpenMP", func(files map[string]string) { files["wave"] = b.program(waveCode, "libpdi.so.1") },
			"suite/not-registered", "OpenMP.default", "wave.pipe", "`./wave` is not linked with OpenMP", ""},
		{"a function that is not there", edit("wave.pinsight", "Lexgion(step)", "Lexgion(stpe)"),
			"suite/no-such-region", "stpe", "wave.pipe", "`./wave` has no function `stpe`", "did you mean `step`?"},
	} {
		t.Run(f.name, func(t *testing.T) {
			files := startedRun(clean)
			f.do(files)
			run := open(t, files)
			if _, below := files["run/wave.pipe"]; below {
				var err error
				if run, err = Open(run.workspace, filepath.Join(run.Dir, "run")); err != nil {
					t.Fatal(err)
				}
			}
			list := slices.DeleteFunc(Diagnostics(run, programHost()), func(d *diag.Diagnostic) bool { return d.Severity == diag.Info })
			if f.code == "" {
				if len(list) > 0 {
					t.Errorf("found\n%s\nwant at most 0", lines(list))
				}
				return
			}
			if len(list) != 1 || list[0].Code.ID != f.code || list[0].Span.Text() != f.at || !strings.Contains(list[0].Message, f.text) {
				t.Fatalf("found\n%s\nwant %s at %s: %s", lines(list), f.code, f.at, f.text)
			}
			if !slices.ContainsFunc(list[0].Labels, func(l diag.Label) bool { return filepath.Base(l.Span.File.Path()) == f.other }) {
				t.Errorf("has no label in %s: %v", f.other, list[0].Labels)
			}
			if f.help != "" && !slices.Contains(list[0].Help, f.help) {
				t.Errorf("does not help with `%s`, but %q", f.help, list[0].Help)
			}
		})
	}
}

// TestSharedTraceConfiguration: names are reported that neither the program nor the pipeline sharing a trace configuration has.
func TestSharedTraceConfiguration(t *testing.T) {
	b := newBuilder(t)
	shared := func(change ...string) map[string]string {
		files := startedRun(b.program(waveCode, linkedAll...))
		files["wave.psdl"] = strings.Replace(files["wave.psdl"], `"wave.pipe"`, `"wave.pipe" "--policy" "wave.pinsight" "--trace" "trace.json"`, 1)
		files["wave.pinsight"] += "\n[Lexgion(out)]\n    max_num_traces = 3\n\n[Lexgion(measure)] : OpenMP.default : Flow.process(1)\n    max_num_traces = 2\n"
		files["wave.pinsight"] = strings.NewReplacer(change...).Replace(files["wave.pinsight"])
		return files
	}
	for _, c := range []struct {
		name          string
		files         map[string]string
		code, message string // empty: no finding
		help          string
	}{
		{"both have all", shared(), "", "", ""},
		{"a function", shared("(measure)", "(mesure)"), "suite/no-such-region", "`./wave` has no function `mesure`, and the pipeline has no process with this name", "did you mean `measure`?"},
		{"a process", shared("(out)", "(outt)"), "suite/no-such-region", "`./wave` has no function `outt`, and the pipeline has no process with this name", "did you mean `out`?"},
		{"a domain", shared("[OpenMP.default]\n    omp_parallel_begin", "[MPI.default]\n    MPI_Send", "OpenMP.default : Flow", "MPI.default : Flow"), "suite/not-registered", "`./wave` is not linked with an MPI", ""},
		{"units of the pipeline", shared("Flow.process(1)", "Flow.process(7)"), "suite/no-such-unit", "no process has the Flow.process 7", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := slices.DeleteFunc(Diagnostics(open(t, c.files), programHost()), func(d *diag.Diagnostic) bool { return d.Severity == diag.Info })
			if c.code == "" {
				if len(list) > 0 {
					t.Errorf("found\n%s\nwant at most 0", lines(list))
				}
				return
			}
			if len(list) != 1 || list[0].Code.ID != c.code || !strings.Contains(list[0].Message, c.message) || c.help != "" && !slices.Contains(list[0].Help, c.help) {
				t.Errorf("found\n%s\nwant %s: %s", lines(list), c.code, c.message)
			}
		})
	}
}

// TestStartedProgramInTheRun: in the picture of the run, a program that a pipeline starts exposes data and is traced; it is shown with its process.
func TestStartedProgramInTheRun(t *testing.T) {
	run := open(t, startedRun("#!/bin/sh\n"))
	shown := ""
	for _, p := range Summary(run) {
		shown += strings.Join(p.Lines, "\n") + "\n"
	}
	if !strings.Contains(shown, "wave :: exec, runs ./wave wave.yml, traced by wave.pinsight") {
		t.Errorf("shown as\n%s\nwant %q in it", shown, "wave :: exec, runs ./wave wave.yml, traced by wave.pinsight")
	}
	picture := Graph(run)
	for _, want := range [][3]string{
		{"flow/wave.pipe/wave", "data/wave.yml/data.u", "exposes"}, {"trace/wave.pinsight/Lexgion(step)", "flow/wave.pipe/wave", "traces"},
	} {
		if !slices.ContainsFunc(picture.Edges, func(e *graph.Edge) bool { return e.From == want[0] && e.To == want[1] && e.Label == want[2] }) {
			t.Errorf("the picture has no edge %v", want)
		}
	}
}

// TestTraceConfigurationOfAProgram: if the arguments of a program name no trace configuration, its environment or the folder does.
func TestTraceConfigurationOfAProgram(t *testing.T) {
	plan := func(text string) map[string]string {
		return map[string]string{
			"wave": "#!/bin/sh\n", "wave.psdl": text + "\n",
			"own.pinsight": "[OpenMP.default]\n    omp_parallel_begin = on\n",
		}
	}
	const traced = `process { name "all"; command "pentode"; args { "trace" "record" "--" "./wave" }; host "localhost"; daemon "pentode"; }`
	for _, c := range []struct {
		name     string
		variable string
		files    map[string]string
		want     string // the configuration, and the variable that names it
		found    string
	}{
		{"nothing names one", "", plan(traced), "", ""},
		{"a variable", "own.pinsight", plan(traced), "own.pinsight PINSIGHT_TRACE_CONFIG_FILE", ""},
		{"a variable that leads nowhere", "lost.pinsight", plan(traced), "lost.pinsight PINSIGHT_TRACE_CONFIG_FILE", "the variable PINSIGHT_TRACE_CONFIG_FILE names it"},
		{"an argument before a variable", "lost.pinsight", plan(strings.Replace(traced, `"--"`, `"--policy" "own.pinsight" "--"`, 1)), "own.pinsight ", ""},
		{"env before the program", "", plan(strings.NewReplacer(`"pentode"; args { "trace" "record" "--"`, `"env"; args { "A=1" "PINSIGHT_TRACE_CONFIG_FILE=own.pinsight"`).Replace(traced)),
			"own.pinsight PINSIGHT_TRACE_CONFIG_FILE", ""},
		{"another machine has its own variables", "own.pinsight", plan(strings.Replace(traced, "localhost", "far", 1)), "", ""},
		{"a traced daemon", "own.pinsight", plan(`daemon { name "all"; command "pentode trace record -- ./wave"; host "localhost"; }`), "own.pinsight PINSIGHT_TRACE_CONFIG_FILE", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := open(t, c.files)
			plain := run.workspace.Env.Lookup
			run.workspace.Env.Lookup = func(name string) (string, bool) {
				if name == PolicyVariable {
					return c.variable, c.variable != ""
				}
				return plain(name)
			}
			run, err := Open(run.workspace, run.Dir)
			if err != nil {
				t.Fatal(err)
			}
			have := ""
			for _, p := range run.owners() {
				if p.Policy != nil {
					have += p.Policy.Text + " " + p.Variable
				}
			}
			if have != c.want {
				t.Errorf("the program has `%s`, want `%s`", have, c.want)
			}
			note := ""
			for _, d := range Diagnostics(run, programHost()) {
				if d.Code == noSuchFile {
					note = strings.Join(d.Notes, "\n")
				}
			}
			if note != c.found {
				t.Errorf("said `%s`, want `%s`", note, c.found)
			}
		})
	}
	files := plan(traced)
	files[DefaultPolicy] = "[OpenMP.default]\n    omp_parallel_begin = on\n"
	if own := open(t, files).owners(); len(own) != 1 || own[0].Policy == nil || own[0].Policy.Text != DefaultPolicy {
		t.Errorf("the configuration of the folder is not found: %+v", own)
	}
}
