package suite

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/workspace"
)

func TestIsRunFolder(t *testing.T) {
	for _, c := range []struct {
		files string
		want  bool
	}{
		{"", false},
		{"a.pipe", true},
		{"a.pipe b.pipe", false},
		{"a.pipe b.pipe c.psdl", true},
		{"a.yml a.pinsight", false},
	} {
		dir := t.TempDir()
		for _, name := range strings.Fields(c.files) {
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := IsRunFolder(dir); got != c.want {
			t.Errorf("%q: %v, want %v", c.files, got, c.want)
		}
	}
	if IsRunFolder(filepath.Join(t.TempDir(), "nowhere")) {
		t.Error("a folder that is not there is a run")
	}
}

// TestLeaves: a file that another file includes is not checked alone, even if it sets nothing; nor is a cluster that another file uses.
func TestLeaves(t *testing.T) {
	t.Chdir(t.TempDir())
	w := workspace.New(all.Languages(all.Options{}), load.NewEnv())
	var list []*lang.Config
	for _, f := range []struct{ path, text string }{
		{"part.conf", "process src :: numbers\n"},
		{"printing.cluster", "cluster printing\n  -- Prints.\n  imap from number to inner.number\n  -- In.\nprocess inner :: print_number\n  output = o\n"},
		{"a.pipe", "include part.conf\nprocess sink :: printing\nconnect from src.number to sink.number\n"},
	} {
		if err := os.WriteFile(f.path, []byte(f.text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := w.Config(f.path)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	leaves := workspace.Leaves(list)
	if len(leaves) != 1 || leaves[0] != list[2] {
		t.Fatalf("%d leaves, want a.pipe alone", len(leaves))
	}
	if found := leaves[0].Diagnostics(); found.HasErrors() {
		t.Errorf("%s; want no errors", found[0].Message)
	}
}

// TestOtherRuns changes the example into runs of other shapes, and checks the codes and positions of their findings.
func TestOtherRuns(t *testing.T) {
	replace := func(file, old, new string) func(map[string]string) {
		return func(files map[string]string) { files[file] = strings.ReplaceAll(files[file], old, new) }
	}
	without := func(names ...string) func(map[string]string) {
		return func(files map[string]string) {
			maps.DeleteFunc(files, func(name, _ string) bool { return slices.Contains(names, name) })
		}
	}
	for _, c := range []struct {
		name   string
		change []func(map[string]string)
		want   []string
	}{
		{"two trace configurations, one named", []func(map[string]string){
			func(files map[string]string) { files["other.pinsight"] = files["heat.pinsight"] },
		}, nil},
		{"two trace configurations, none named", []func(map[string]string){
			func(files map[string]string) { files["other.pinsight"] = files["heat.pinsight"] },
			replace("heat.psdl", ` "--policy" "heat.pinsight"`, ""),
		}, []string{"error suite/ambiguous at [heat.pinsight@0]"}},
		{"a cluster is no pipeline", []func(map[string]string){
			without("heat.psdl", "heat.pinsight"),
			func(files map[string]string) {
				files["part.cluster"] = "cluster part\n  -- A part.\nprocess a :: numbers\n"
			},
		}, nil},
		{"no plan", []func(map[string]string){without("heat.psdl")},
			[]string{"warning suite/no-such-unit at [heat.pinsight: MPI.rank(0-1)]"}},
		{"only a pipeline", []func(map[string]string){without("heat.psdl", "heat.coilcfg", "base.coilcfg", "heat.pinsight", "heat.yml")},
			[]string{"error suite/no-such-file at [heat.pipe: heat.yml]"}},
		{"another host is not looked at", []func(map[string]string){
			replace("heat.psdl", `"localhost"`, `"poona"`), replace("heat.psdl", `command "pentode";`, `command "solver";`),
			replace("heat.coilcfg", "SSE2", "AVX512F"),
		}, nil},
		{"programs of others register what they like", []func(map[string]string){
			replace("heat.psdl", `command "pentode";`, `command "sh";`),
			replace("heat.pinsight", "MPI.rank(0)", "OpenMP.thread(0)"), replace("heat.pinsight", "(solver, store)", "(0x400500)"),
		}, nil},
		{"a domain that is not traced has one message", []func(map[string]string){
			replace("heat.pinsight", "MPI.rank(0)", "HIP.device(0)"),
		}, []string{"warning pinsight/untraced-domain at [heat.pinsight: HIP.device(0)]"}},
		{"programs of others need the machine they were built for", []func(map[string]string){
			replace("heat.psdl", `command "pentode";`, `command "sh";`), replace("heat.coilcfg", "SSE2", "AVX512F"),
		}, []string{"error suite/host-lacks at [heat.coilcfg: AVX512F]"}},
		{"a daemon that nobody declares", []func(map[string]string){
			replace("heat.psdl", `daemon "pentode collect";`, `daemon "watchd -v";`),
		}, []string{`error suite/no-such-command at [heat.psdl: "watchd -v"]`}},
		{"a visualisation that nobody asks for", []func(map[string]string){
			func(files map[string]string) {
				files["heat.psdl"] += "\nvisi { name \"view\"; command \"plotter\"; }\n"
			},
		}, []string{`warning suite/no-such-command at [heat.psdl: "plotter"]`}},
		{"a visualisation that the page shows", []func(map[string]string){
			func(files map[string]string) {
				files["heat.psdl"] += "\nvisi { name \"view\"; command \"./bin/rthist\"; }\nvisi { name \"terrain\"; command \"plotter\"; }\n"
			},
		}, []string{`info suite/no-such-command at [heat.psdl: "./bin/rthist"]`, `info suite/no-such-command at [heat.psdl: "plotter"]`}},
		{"the variables of a plan", []func(map[string]string){
			replace("heat.pipe", "every = 20", "every = $ENV{PARADYN_TUNABLE_fieldEvery}"),
			replace("heat.psdl", `tunable_constant "samplingRate" 0.5;`, `tunable_constant "fieldEvery" 20;`),
		}, nil},
		{"a variable that nobody reads", []func(map[string]string){
			replace("heat.psdl", `tunable_constant "samplingRate" 0.5;`, `tunable_constant "fieldEvery" 20;`),
		}, []string{`info paradyn/unknown-tunable at [heat.psdl: "fieldEvery"]`}},
		{"two plans", []func(map[string]string){
			func(files map[string]string) { files["other.psdl"] = files["heat.psdl"] },
		}, []string{"error suite/ambiguous at [heat.psdl@0]"}},
		{"files in a folder below", []func(map[string]string){
			replace("heat.psdl", `"heat.pipe"`, `"parts/heat.pipe"`), replace("heat.psdl", `"heat.pinsight"`, `"parts/filter.txt"`),
			func(files map[string]string) {
				files["parts/heat.pipe"], files["parts/heat.yml"], files["parts/filter.txt"] = files["heat.pipe"], files["heat.yml"], files["heat.pinsight"]
			},
			without("heat.pipe", "heat.yml", "heat.pinsight"),
		}, nil},
		{"the tree sets its own sizes", []func(map[string]string){
			replace("heat.yml", "          - period: 100", "          - period: 100\n          - rows: 128\n          - cols: 128"),
			replace("heat.pipe", "    rows = $CONFIG{plate:rows}\n    cols = $CONFIG{plate:cols}\n    steps", "    steps"),
		}, nil},
		{"a plugin that may set anything", []func(map[string]string){
			replace("heat.yml", "  set_value:\n", "  user_code:\n    on_event:\n      step_done:\n        f: {}\n  set_value:\n"),
			replace("heat.yml", "          - period: 100\n", "          - mean: 1.0\n"),
		}, nil},
		{"data that is not used in this run", []func(map[string]string){
			replace("heat.yml", "\ndata:\n", "  depth: int\n\ndata:\n  halo: { type: array, subtype: double, size: $depth }\n"),
		}, nil},
		{"a size of a named type", []func(map[string]string){
			replace("heat.yml", "data:\n  field:\n", "types:\n  grid:\n"), replace("heat.yml", "plugins:\n", "data:\n  field: grid\nplugins:\n"),
			replace("heat.pipe", "    cols = $CONFIG{plate:cols}\n  ", "  "),
		}, []string{"error suite/not-fed at [heat.yml: cols]"}},
		{"a text whose length is a constant", []func(map[string]string){
			replace("heat.yml", "rank: int", "rank: { type: array, subtype: char, size: $width }\n  width: int"),
			replace("heat.pipe", "    rank = $ENV{PENTODE_RANK}", "    rank = first\n    width = 4"),
		}, []string{"error suite/wrong-kind at [heat.pipe: first]"}},
		{"an event that the tree raises", []func(map[string]string){
			replace("heat.yml", "on_event: step_done", "on_event: go"),
			replace("heat.yml", "  set_value:\n", "  set_value:\n    on_event:\n      step_done:\n        - event: go\n"),
		}, nil},
		{"an event for a timer", []func(map[string]string){
			replace("heat.yml", "    on_event: step_done\n", ""),
			replace("heat.yml", "plugins:\n", "plugins:\n  timer:\n    steps: { start: step_done, stop: finish }\n"),
		}, nil},
		{"a broken plan sets what it may", []func(map[string]string){
			replace("heat.pipe", "every = 20", "every = $ENV{PARADYN_TUNABLE_fieldEvery}"),
			replace("heat.psdl", `tunable_constant "samplingRate" 0.5;`, `tunable_constant "fieldEvery" 20`),
		}, []string{`error paradyn/missing-semicolon at [heat.psdl: 20]`}},
		{"a broken pipeline says nothing of others", []func(map[string]string){
			replace("heat.pipe", ":: image_writer", ":: picture_writer"),
			replace("heat.yml", "on_event: step_done", "on_event: other"),
		}, []string{"error sprokit/unknown-type at [heat.pipe: picture_writer]"}},
		{"a cluster that feeds a tree which is not there", []func(map[string]string){
			replace("heat.pipe", "connect from solver.field\n        to   store.field\n", "process st :: st\nconnect from solver.field\n        to   st.field\n"),
			func(files map[string]string) {
				files["st.cluster"] = "cluster st\n  -- Stores a field.\n  imap from field\n       to   s.field\n    -- In.\n\nprocess s :: expose\n  spec = hot.yml\n"
			},
		}, []string{"error suite/no-such-file at [st.cluster: spec]"}},
		{"a process inside a cluster", []func(map[string]string){
			replace("heat.pipe", ":: field_stats", ":: st"), replace("heat.pinsight", "(pictures)", "(measure)"),
			func(files map[string]string) {
				files["st.cluster"] = "cluster st\n  -- Measures.\n  imap from field\n       to   m.field\n    -- In.\n  omap from m.mean\n       to   mean\n    -- Out.\n\nprocess m :: field_stats\n"
			},
		}, []string{"error suite/no-such-region at [heat.pinsight: measure]"}},
		{"two pipelines with one tree, each with a store of its own", []func(map[string]string){
			func(files map[string]string) {
				files["west.pipe"] = files["heat.pipe"]
				files["heat.pipe"] = strings.Replace(files["heat.pipe"], "    cols = $CONFIG{plate:cols}\n  ", "  ", 1)
				files["heat.psdl"] = strings.Replace(files["heat.psdl"], "heat.pipe", "west.pipe", 1)
			},
		}, []string{"error suite/not-fed at [heat.yml: cols]"}},
		{"a pipeline that feeds a part of a tree", []func(map[string]string){
			func(files map[string]string) {
				files["west.pipe"] = files["heat.pipe"]
				files["heat.pipe"] = strings.NewReplacer("connect from measure.mean\n        to   store.mean\n", "", "  event = step_done\n", "").Replace(files["heat.pipe"])
				files["heat.psdl"] = strings.Replace(files["heat.psdl"], "heat.pipe", "west.pipe", 1)
			},
		}, nil},
		{"a filter in the pipeline itself", []func(map[string]string){
			replace("heat.psdl", ` "--trace" "trace.json"`, ""),
			replace("heat.pipe", "process measure\n  :: field_stats\n", "process measure\n  :: field_stats\n  _instrumentation:type = trace\n"),
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := example(t)
			for _, change := range c.change {
				change(files)
			}
			var got []string
			for _, d := range Diagnostics(open(t, files), fixedHost()) {
				if d.Severity == diag.Info && d.Code.ID != "paradyn/unknown-tunable" && d.Code != noSuchCommand {
					continue
				}
				got = append(got, d.Severity.String()+" "+d.Code.ID+" at ["+place(d.Span)+"]")
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("found %q\nwant  %q", got, c.want)
			}
		})
	}
}

// TestDiagnosticsSayOneCauseOnce: the language and the suite both find the missing variable, but it is reported once.
func TestDiagnosticsSayOneCauseOnce(t *testing.T) {
	files := example(t)
	files["heat.pipe"] = strings.Replace(files["heat.pipe"], "plate_%02d", "$ENV{NOBODY}_%02d", 1)
	list := Diagnostics(open(t, files), fixedHost())
	if len(list) != 1 || list[0].Code != notSet {
		t.Errorf("found\n%s\nwant len(list) = 1 and list[0].Code = %v", lines(list), notSet)
	}
}

func TestCodesAreDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Codes() {
		if !strings.HasPrefix(c.ID, "suite/") || seen[c.ID] || c.Title == "" || c.Doc == "" || c.Bad == "" || c.Good == "" || c.Bad == c.Good {
			t.Errorf("%s: a code has an id of its own, a title, a text, a bad and a good example", c.ID)
		}
		seen[c.ID] = true
	}
}

// TestEveryFindingIsBounded: for a configuration that names a thousand regions, only the first hundred are reported.
func TestEveryFindingIsBounded(t *testing.T) {
	files := example(t)
	for i := range 1000 {
		files["heat.pinsight"] += fmt.Sprintf("\n[Lexgion(region%d)]\n", i)
	}
	if n := len(Check(open(t, files), fixedHost())); n < 100 || n > diag.MaxPerFile+1 {
		t.Errorf("%d findings, want n at least 100 and n at most %v", n, diag.MaxPerFile+1)
	}
}

func TestGraphJoinsTheParts(t *testing.T) {
	var b strings.Builder
	if err := Graph(open(t, example(t))).Write(&b, graph.DOT); err != nil {
		t.Fatal(err)
	}
	for _, edge := range []string{
		`"launch/west" -> "flow/heat.pipe/solver"`,
		`"flow/heat.pipe/store" -> "data/heat.yml/data.field"`,
		`"flow/heat.pipe/store" -> "data/heat.yml/metadata.rows"`,
		`"trace/heat.pinsight/Lexgion(solver)" -> "flow/heat.pipe/solver"`,
	} {
		if !strings.Contains(b.String(), edge) {
			t.Errorf("the picture has no %s\n%s", edge, b.String())
		}
	}
}

func TestSummaryFitsAScreen(t *testing.T) {
	files := example(t)
	for i := range 200 {
		files["heat.pipe"] += fmt.Sprintf("process extra%d%s :: numbers\n", i, strings.Repeat("x", i%120))
	}
	total := 0
	for _, p := range Summary(open(t, files)) {
		total += len(p.Lines) + 2
		for _, line := range p.Lines {
			if n := len([]rune(line)); n > 96 {
				t.Errorf("a line has %d characters: %s; want at most 96", n, line)
			}
		}
	}
	if total > 60 {
		t.Errorf("the summary has %d lines, want at most 60", total)
	}
}

// TestSummary: a summary lists the files of a run in the order from building to tracing, each in a few lines.
func TestSummary(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	text := func(files map[string]string) string {
		var b strings.Builder
		for _, p := range Summary(open(t, files)) {
			fmt.Fprintf(&b, "%s %s\n", p.Role, filepath.Base(p.Path))
			for _, line := range p.Lines {
				fmt.Fprintf(&b, "  %s\n", strings.NewReplacer(" "+host, " here", "@"+host, "@here").Replace(line))
			}
		}
		return b.String()
	}
	const whole = `TARGET heat.coilcfg
  CPU x86 with 64 bits
  little-endian, aligned to 16 bytes, ABI SystemV
  with SSE2
LAUNCH heat.psdl
  daemon collector on here: pentode collect
  process west on here, rank 0: runs heat.pipe, traced by heat.pinsight
  process east on here, rank 1: runs heat.pipe, traced by heat.pinsight
FLOW heat.pipe
  solver :: heat → paint, measure, store
  paint :: colormap → pictures
  measure :: field_stats → store
  pictures :: image_writer
  store :: expose → heat.yml
DATA heat.yml
  metadata rows, cols, rank, step, mean, steps, period
  data field
  plugins set_value, decl_hdf5
TRACE heat.pinsight
  Flow.default  flow_push = off
  Lexgion.default  tracing_rate = 10
  Lexgion(solver)  on MPI.rank(0-1), tracing_rate = 1
  Lexgion(store)  on MPI.rank(0-1), tracing_rate = 1
  Lexgion(pictures)  on MPI.rank(0), tracing_rate = 2, max_num_traces = 5
`
	if diff := cmp.Diff(whole, text(example(t))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const few = `TARGET a.coilcfg
  CPU ARM with 64 bits
  big-endian, aligned to 16 bytes
LAUNCH a.psdl
  daemon watch@here on here: watch
  process west on here, rank 0: runs sh -c true
  process east on here, rank 1: runs a.pipe
FLOW a.pipe
  first :: numbers → last
  last :: expose → a.yml
DATA a.yml
  types cell
  metadata a, b, c, d, e, f, g, h and 1 more
  plugins decl_hdf5
`
	if diff := cmp.Diff(few, text(map[string]string{
		"a.coilcfg": siteTarget("Big"),
		"a.psdl": `process { name "west"; command "sh"; args { "-c" "true" }; host "localhost"; daemon "watch"; }` + "\n" +
			`process { name "east"; command "pentode"; args { "run" "a.pipe" }; host "localhost"; daemon "watch"; }` + "\n",
		"a.pipe": "process first\n  :: numbers\n\nprocess last\n  :: expose\n  spec = a.yml\n\nconnect from first.number to last.a\n",
		"a.yml":  "types: {cell: double}\nmetadata: {a: int, b: int, c: int, d: int, e: int, f: int, g: int, h: int, i: int}\nplugins: {decl_hdf5: {file: x.h5}}\n",
	})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEveryRecordIsChecked: a record with a wrong layout does not hide another one.
func TestEveryRecordIsChecked(t *testing.T) {
	files := example(t)
	files["heat.yml"] += "\ntypes:\n"
	for _, name := range []string{"one", "two"} {
		files["heat.yml"] += "  " + name + ":\n    type: record\n    buffersize: 16\n    members:\n      id: { type: int32, disp: 0 }\n      mass: { type: double, disp: 4 }\n"
	}
	found := 0
	for _, d := range Check(open(t, files), fixedHost()) {
		if d.Code == misaligned {
			found++
		}
	}
	if found != 2 {
		t.Errorf("%d of 2 records are found, want 2", found)
	}
}

// TestSummaryCountsTheRest: a summary gives the number of lines that it leaves out.
func TestSummaryCountsTheRest(t *testing.T) {
	files := example(t)
	whole := map[string]int{}
	for _, p := range Summary(open(t, files)) {
		whole[filepath.Base(p.Path)] = len(p.Lines)
	}
	const more = 20
	for i := range more {
		files["heat.pipe"] += fmt.Sprintf("process extra%d :: numbers\n", i)
	}
	for _, p := range Summary(open(t, files)) {
		n, last := len(p.Lines), p.Lines[len(p.Lines)-1]
		if filepath.Base(p.Path) != "heat.pipe" {
			continue
		}
		if want := fmt.Sprintf("… and %d more", whole["heat.pipe"]+more-(n-1)); last != want {
			t.Errorf("%d lines, the last is %q, want %q", n, last, want)
		}
		return
	}
	t.Error("the summary has no pipeline")
}

// TestAmbiguousFolders: if a folder has two files for one part, the finding says what to do.
func TestAmbiguousFolders(t *testing.T) {
	for _, c := range []struct{ copied, help string }{
		{"heat.psdl", "keep one here, and move the others to separate folders"},
		{"heat.coilcfg", "name one in the plan or the pipeline, or move the others to another folder"},
	} {
		files := example(t)
		files["other"+filepath.Ext(c.copied)] = files[c.copied]
		list := slices.DeleteFunc(Diagnostics(open(t, files), fixedHost()), func(d *diag.Diagnostic) bool { return d.Code != ambiguous })
		if len(list) != 1 || strings.Join(list[0].Help, "") != c.help || len(list[0].Labels) != 1 {
			t.Errorf("two of %s: %s; want len(list) = 1, strings.Join(list[0].Help, \"\") = %v and len(list[0].Labels) = 1", c.copied, lines(list), c.help)
			continue
		}
		if other := place(list[0].Labels[0].Span); other != "other"+filepath.Ext(c.copied)+"@0" {
			t.Errorf("the other of %s is %s", c.copied, other)
		}
	}
}

// TestNamedByThePipeline: if there are several trees, the pipeline chooses by name, even without a plan.
func TestNamedByThePipeline(t *testing.T) {
	files := example(t)
	delete(files, "heat.psdl")
	files["aside.yml"] = files["heat.yml"]
	run := open(t, files)
	if c := run.Configs[Data]; c == nil || filepath.Base(c.Document.File.Path()) != "heat.yml" {
		t.Errorf("the tree is %v, want c not nil and filepath.Base(c.Document.File.Path()) = %q", c, "heat.yml")
	}
	for _, d := range Diagnostics(run, fixedHost()) {
		if d.Code == ambiguous {
			t.Errorf("%v; want other than %v", d.Message, ambiguous)
		}
	}
}
