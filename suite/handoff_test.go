package suite

import (
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/graph"
)

// handoffRun is a run whose program hands a field and a number to a pipeline.
func handoffRun() map[string]string {
	return map[string]string{
		"wave": "#!/bin/sh\n",
		"wave.psdl": `process { name "sim"; command "mpirun"; args { "-n" "2" "./wave" "wave.yml" }; host "localhost"; daemon "pentode"; }
process { name "mon"; command "pentode"; args { "run" "wave.pipe" }; host "localhost"; daemon "pentode"; }
`,
		"wave.yml": `metadata: {n: int, i: int, dt: double, steps: int8}
data:
  field: {type: array, subtype: double, size: [20, '$n']}
  cube: {type: array, subtype: float, size: [2, 3, 4]}
plugins:
  flow: {pipeline: wave.pipe, on_event: {step: [i, field]}}
`,
		"wave.pipe": `process sim
  :: program
  knobs:dt = 0.5

process paint
  :: colormap

process save
  :: image_writer
  file_name_template = wave_%03d.png

process count
  :: sink

connect from sim.field to paint.field
connect from paint.image to save.image
connect from sim.i to count.sink
`,
	}
}

// hostWithAll has every program.
func hostWithAll() Host {
	h := fixedHost()
	h.LookPath = func(command string) (string, error) { return command, nil }
	return h
}

// handoffFault is a mistake between a tree, a pipeline and a plan.
type handoffFault struct {
	name, file, old, new string
	code                 string
	severity             diag.Severity
	message              string
}

// find looks for the finding of a fault, which has a position in both files.
func (c *handoffFault) find(t *testing.T, files map[string]string) {
	t.Helper()
	if !strings.Contains(files[c.file], c.old) {
		t.Fatal("the fault changes nothing")
	}
	files[c.file] = strings.Replace(files[c.file], c.old, c.new, 1)
	list := Check(open(t, files), hostWithAll())
	if len(list) != 1 || list[0].Code.ID != c.code || list[0].Severity != c.severity || !strings.Contains(list[0].Message, c.message) || list[0].Span.IsZero() || len(list[0].Labels) == 0 {
		t.Errorf("want one %s, found\n%s", c.code, lines(list))
	}
}

// TestFaultsOfHandoffs: mistakes between a tree, the pipeline that it hands data to, and the plan.
func TestFaultsOfHandoffs(t *testing.T) {
	if list := Check(open(t, handoffRun()), hostWithAll()); len(list) > 0 {
		t.Fatalf("the run that is right has\n%s\nwant at most 0", lines(list))
	}
	for _, c := range []handoffFault{
		{"no such pipeline", "wave.yml", "pipeline: wave.pipe", "pipeline: wav.pipe", "suite/no-such-file", diag.Error, "there is no pipeline `wav.pipe`"},
		{"no process for it", "wave.pipe", ":: program\n  knobs:dt = 0.5", ":: exec\n  command = true", "suite/not-handed", diag.Error, "`wave.pipe` takes no data: it has no process of type `program`"},
		{"a datum that is not handed over", "wave.pipe", "sim.field to", "sim.fild to", "suite/no-such-datum", diag.Error, "`sim.fild` never comes: the program does not hand over `fild`"},
		{"a datum that is declared only", "wave.pipe", "sim.i to", "sim.n to", "suite/no-such-datum", diag.Error, "`sim.n` never comes: the program does not hand over `n`"},
		{"a datum that nothing takes", "wave.yml", "[i, field]", "[i, field, dt]", "suite/not-handed", diag.Warning, "`dt` is handed over, but no process of `wave.pipe` takes it"},
		{"a number for an array", "wave.pipe", "sim.field to", "sim.i to", "suite/wrong-kind", diag.Error, "`i` is a number of type `int`, but `paint.field` takes arrays"},
		{"three axes for two", "wave.yml", "size: [20, '$n']", "size: [20, '$n', 2]", "sprokit/bad-value", diag.Error, "axes"},
		{"a knob that is not there", "wave.pipe", "knobs:dt", "knobs:dtt", "suite/no-such-datum", diag.Error, "the tree has no numeric metadata for the knob `dtt`"},
		{"a knob that does not fit", "wave.pipe", "knobs:dt = 0.5", "knobs:steps = 200", "suite/wrong-kind", diag.Error, "the knob `steps` is `200`, but must be a whole number from -128 to 127"},
		{"a pipeline that runs twice", "wave.psdl", `process { name "mon"`, `process { name "mon2"; command "pentode"; args { "run" "wave.pipe" }; host "localhost"; daemon "pentode"; }
process { name "mon"`, "suite/not-handed", diag.Error, "processes `mon2` and `mon` both run `wave.pipe`, but only one of them would get the data"},
		{"two programs for a pipeline", "wave.psdl", `process { name "mon"`, `process { name "sim2"; command "./wave"; args { "wave.yml" }; host "localhost"; daemon "pentode"; }
process { name "mon"`, "suite/not-handed", diag.Error, "process `sim2` hands its data to `wave.pipe`, which already gets data from `sim`"},
		{"another machine", "wave.psdl", `"run" "wave.pipe" }; host "localhost"`, `"run" "wave.pipe" }; host "elsewhere"`, "suite/not-handed", diag.Error, "process `mon` runs the pipeline on `elsewhere`, but data can only be handed over on one machine"},
	} {
		t.Run(c.name, func(t *testing.T) { c.find(t, handoffRun()) })
	}
}

// TestHandoffInTheRun: in the picture of the run, data that a tree hands over lead to the pipeline, however the two are started.
func TestHandoffInTheRun(t *testing.T) {
	const pipeline = `process { name "mon"; command "pentode"; args { "run" "wave.pipe" }; host "localhost"; daemon "pentode"; }`
	for name, change := range map[string]func(map[string]string){
		"both":    func(map[string]string) {},
		"no plan": func(files map[string]string) { delete(files, "wave.psdl") },
		"program alone": func(files map[string]string) {
			files["wave.psdl"] = strings.Replace(files["wave.psdl"], pipeline, "", 1)
		},
		"other pipelines": func(files map[string]string) {
			files["other.pipe"] = "process a\n  :: numbers\n"
			delete(files, "wave.psdl")
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := handoffRun()
			change(files)
			run := open(t, files)
			picture := Graph(run)
			if !slices.ContainsFunc(picture.Edges, func(e *graph.Edge) bool {
				return e.From == "data/wave.yml/plugins.flow" && e.To == "flow/wave.pipe/sim" && e.Label == "hands over"
			}) {
				t.Error("tree and pipeline are not joined")
			}
			for _, n := range picture.Nodes {
				if c, _ := PartOf(run, n.ID); c == nil {
					t.Errorf("`%s` is in no file", n.ID)
				}
			}
		})
	}
}

// TestSitesOfHandoffs: several programs that each run a part of a pipeline are allowed.
func TestSitesOfHandoffs(t *testing.T) {
	files := handoffRun()
	files["wave.psdl"] = strings.Replace(files["wave.psdl"], `process { name "mon"; command "pentode"; args { "run" "wave.pipe" }`, `process { name "far"; command "pentode"; args { "run" "wave.pipe" "--site" "a" }; host "localhost"; daemon "pentode"; }
process { name "mon"; command "pentode"; args { "run" "wave.pipe" "--site" "b" }`, 1)
	if list := Check(open(t, files), hostWithAll()); strings.Contains(lines(list), "both run") {
		t.Errorf("%s; want no %q in it", lines(list), "both run")
	}
}

// TestRanksOfHandoffs: each rank that hands data over has a process that takes them.
func TestRanksOfHandoffs(t *testing.T) {
	b := newBuilder(t)
	program := b.program(waveCode, "libpdi.so.1")
	run := func() map[string]string {
		files := handoffRun()
		files["wave"] = program
		return files
	}
	if list := Check(open(t, run()), hostWithAll()); len(list) > 0 {
		t.Errorf("%s; want at most 0", lines(list))
	}
	for _, c := range []handoffFault{
		{"a rank that hands nothing over", "wave.pipe", "knobs:dt = 0.5", "rank = 1", "suite/not-handed", diag.Error, "takes the data of rank 1, but that rank hands over no data"},
		{"a rank that nothing takes", "wave.yml", "pipeline: wave.pipe,", "pipeline: wave.pipe, ranks: each,", "suite/not-handed", diag.Error, "no process of `wave.pipe` takes the data of rank 1"},
	} {
		t.Run(c.name, func(t *testing.T) { c.find(t, run()) })
	}
}

// TestHandoffWithoutPlan: a program that the plan does not start is checked with its pipeline too.
func TestHandoffWithoutPlan(t *testing.T) {
	files := handoffRun()
	delete(files, "wave.psdl")
	if list := Check(open(t, files), fixedHost()); len(list) > 0 {
		t.Errorf("%s; want at most 0", lines(list))
	}
	files["wave.pipe"] = strings.Replace(files["wave.pipe"], "sim.field", "sim.fild", 1)
	if list := Check(open(t, files), fixedHost()); len(list) != 1 || list[0].Code.ID != "suite/no-such-datum" {
		t.Errorf("%s; want len(list) = 1 and list[0].Code.ID = %q", lines(list), "suite/no-such-datum")
	}
}
