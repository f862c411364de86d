package pinsight_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
)

var language = pinsight.New(pinsight.Options{})

func TestGolden(t *testing.T) { golden.Run(t, language, "testdata") }

func TestCodes(t *testing.T) { golden.Codes(t, language, "testdata", "x.pinsight") }

func TestGoldenStyle(t *testing.T) { golden.Canonical(t, language, "canonical.pinsight") }

func Fuzz(f *testing.F) { golden.Fuzz(f, language, "testdata", "x.pinsight") }

func TestSplice(t *testing.T) { golden.Splice(t, language, "testdata", "x.pinsight") }

// TestEditOfAnOverride: a setting of the command line cannot be set in the file.
func TestEditOfAnOverride(t *testing.T) {
	f := source.NewFile("a.pinsight", "[Lexgion.default]\n    tracing_rate = 2\n    max_num_traces = 3\n")
	c := language.Parse(f).Resolve(&load.Env{Overrides: []load.Override{{Key: "Lexgion.default.tracing_rate", Value: "5"}}})
	if _, err := c.Edit(lang.Assignment{Key: "Lexgion.default.tracing_rate", Value: "7"}); err == nil || !strings.Contains(err.Error(), "is set on the command line") {
		t.Errorf("have %v", err)
	}
	edited, err := c.Edit(lang.Assignment{Key: "Lexgion.default.max_num_traces", Value: "7"})
	if err != nil || !strings.Contains(edited.Changes[0].Text, "max_num_traces = 7") {
		t.Errorf("have %v", err)
	}
}

// TestEditAtTheEnd: a new section begins on a new line, after an empty line unless it is the first section.
func TestEditAtTheEnd(t *testing.T) {
	const section = "[Lexgion.default]\n    tracing_rate = 7\n"
	for text, want := range map[string]string{
		"": section, "#": "#\n\n" + section, "# rates": "# rates\n\n" + section, "# rates\n": "# rates\n\n" + section,
		"[Lexgion.default]":                                                         section,
		"[Lexgion.default]\n    max_num_traces = 3":                                 "[Lexgion.default]\n    max_num_traces = 3\n    tracing_rate = 7\n",
		"[Lexgion.default]\n[OpenMP.default]\n":                                     section + "[OpenMP.default]\n",
		"[Lexgion.default]\n[RESET Lexgion.default]\n[OpenMP.default]\n":            "[Lexgion.default]\n[RESET Lexgion.default]\n[OpenMP.default]\n\n" + section,
		"[RESET Lexgion.default]\n[SET Lexgion.default]\n[OpenMP.default]\n":        "[RESET Lexgion.default]\n[SET Lexgion.default]\n    tracing_rate = 7\n[OpenMP.default]\n",
		"[Lexgion.default]\n# last\n[MPI.rank(0)] : MPI.default : OpenMP.thread(1)": section + "# last\n[MPI.rank(0)] : MPI.default : OpenMP.thread(1)",
	} {
		c := language.Parse(source.NewFile("a.pinsight", text)).Resolve(&load.Env{})
		edited, err := c.Edit(lang.Assignment{Key: "Lexgion.default.tracing_rate", Value: "7"})
		if err != nil || edited.Changes[0].Text != want {
			t.Errorf("%q: %v, %+v", text, err, edited.Changes)
		}
	}
}

// TestDeclaredOnce: the first mention of a section or region declares it, and the others refer to it.
func TestDeclaredOnce(t *testing.T) {
	f := source.NewFile("a.pinsight", "[Lexgion(work, 0x10)]\n    tracing_rate = 2\n[Lexgion.default]\n[REMOVE Lexgion(work)]\n[Lexgion.default]\n    tracing_rate = 3\n")
	var got []string
	for _, o := range language.Parse(f).Resolve(&load.Env{}).Occurrences() {
		if o.Def {
			got = append(got, o.Span.Text()+" "+o.Span.String())
		}
	}
	if want := "work a.pinsight:1:10, 0x10 a.pinsight:1:16, Lexgion.default a.pinsight:3:2"; strings.Join(got, ", ") != want {
		t.Errorf("declared are %s, want %s", strings.Join(got, ", "), want)
	}
}

// TestDescribe: every kind of word has its own description.
func TestDescribe(t *testing.T) {
	f := source.NewFile("a.pinsight", "[OpenMP.default]\n    trace_mode = monitor\n    OpenMP.thread = (0-3)\n    omp_parallel_begin = on\n\n[OpenMP.thread(0-1)]\n    omp_parallel_begin = off\n")
	want := map[lang.Kind]string{
		lang.Domain: "domain `OpenMP`\n\nUnits: ", lang.Unit: "unit `thread` of the domain `OpenMP`, 0 to ",
		lang.Event: "event `omp_parallel_begin` of the domain `OpenMP`, group `", lang.Key: "`trace_mode`",
	}
	c := language.Parse(f).Resolve(&load.Env{})
	for _, o := range c.Occurrences() {
		begin, known := want[o.Kind]
		if got := c.Describe(o); known && !strings.HasPrefix(got, begin) {
			t.Errorf("`%s` is described as %q, want %q", o.Span.Text(), got, begin)
		}
		delete(want, o.Kind)
	}
	for kind := range want {
		t.Errorf("nothing is of kind %v", kind)
	}
}

// TestSniff: the first header decides whether a file without an extension belongs to this language.
func TestSniff(t *testing.T) {
	golden.Sniffs(t, language, map[string]bool{
		"[Lexgion.default]\n":                     true,
		"\n  # rates\n  [Lexgion(0x10)]\n":        true,
		"[RESET Lexgion.default]\n":               true,
		"[REMOVE OpenMP.thread(*)]\n":             true,
		"[SET MPI.default]\n":                     true,
		"[OpenMP(parallel).default] : x\n":        true,
		"[Own.default]\n":                         true,
		"[Own.other]\n":                           false,
		"[OpenMP]\n":                              false,
		"[Knob]\n":                                false,
		"tracing_rate = 2\n[Lexgion.default]\n":   false,
		"# [Lexgion.default]\n":                   false,
		"[Target]\nPU = CPU\n[Lexgion.default]\n": false,
		"": false,
	})
}

const speaking = `[OpenMP.default]
    OpenMP.thread = (0-3)
    omp_work = off
[MPI.rank(0-1)] : MPI.default
    MPI_Send = off
[Lexgion.default]
    tracing_rate = 2
[Lexgion(MPI).default]
[Lexgion(0x10, MPI:send)] : OpenMP.default : MPI.rank(5)
    MPI.MPI_Recv = off
[Lexgion(0x20)]
[REMOVE Lexgion(0x20)]
`

// TestMentions lists the parts of the program that a configuration names, except removed ones. The upstream dialect has no such list.
func TestMentions(t *testing.T) {
	var got []string
	for m := range model(t, "a.pinsight", speaking).Mentions() {
		words := []string{m.Domain}
		if m.Kind != "" {
			words = append(words, m.Kind, m.Set.String())
		}
		if m.Region != (trace.Match{}) {
			words = append(words, m.Region.String())
		}
		if m.Event != "" {
			words = append(words, m.Event)
		}
		got = append(got, strings.TrimSpace(strings.Join(words, " "))+" at "+m.Span.Text())
	}
	want := `OpenMP at OpenMP.default
OpenMP thread 0-3 at OpenMP.thread = (0-3)
OpenMP omp_work at omp_work = off
MPI rank 0-1 at MPI.rank(0-1)
MPI at MPI.default
MPI MPI_Send at MPI_Send = off
MPI at Lexgion(MPI).default
Lexgion(0x10) at Lexgion(0x10, MPI:send)
MPI rank 5 at MPI.rank(5)
OpenMP at OpenMP.default
MPI MPI_Recv at MPI.MPI_Recv = off
MPI Lexgion(MPI:send) at MPI:send
MPI rank 5 at MPI.rank(5)
OpenMP at OpenMP.default
MPI MPI_Recv at MPI.MPI_Recv = off`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	if list := slices.Collect(upstream(t, "a.pinsight", speaking).Mentions()); list != nil {
		t.Errorf("upstream: %v, want none", list)
	}
}

// TestAddresses: every address in a header can be replaced.
func TestAddresses(t *testing.T) {
	f := source.NewFile("a.pinsight", speaking)
	var edits []source.Edit
	for i, a := range pinsight.Addresses(language.Parse(f).Resolve(&load.Env{})) {
		edits = append(edits, a.Edit(0xa0+uint64(i)+a.Value))
	}
	got, err := source.Apply(f, edits)
	want := strings.NewReplacer("[Lexgion(0x10,", "[Lexgion(0xb0,", "[Lexgion(0x20", "[Lexgion(0xc1", "REMOVE Lexgion(0x20", "REMOVE Lexgion(0xc2").Replace(speaking)
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestWindowEnd checks what the engine does when a window ends.
func TestWindowEnd(t *testing.T) {
	for value, want := range map[string]string{
		"OFF":                          "MPI:OFF OpenMP:OFF",
		"MPI:OFF, OpenMP : STANDBY":    "MPI:OFF OpenMP:STANDBY",
		"MPI:OFF":                      "MPI:OFF",
		"INTROSPECT:5:a.sh":            "after a.sh and 5 s",
		"INTROSPECT:-1:a.sh:MPI:OFF":   "after a.sh and -1 s MPI:OFF",
		"introspect:0:a.sh:MONITORING": "after a.sh and 0 s MPI:MONITORING OpenMP:MONITORING",
	} {
		for trigger, all := range map[string]bool{"": false, "    window_end_trigger = first\n": false, "    window_end_trigger = ALL\n": true} {
			text := "[Lexgion.default]\n    window_end_action = " + value + "\n" + trigger
			m := model(t, "a.pinsight", text)
			end := m.Layers().(*trace.Config).Default.End
			var got []string
			if i := end.Introspect; i != nil {
				got = append(got, fmt.Sprintf("after %s and %d s", i.Script, i.Pause))
			}
			for _, domain := range []string{"MPI", "OpenMP"} {
				if mode, ok := end.Modes[domain]; ok {
					got = append(got, domain+":"+mode.String())
				}
			}
			if strings.Join(got, " ") != want || end.All != all {
				t.Errorf("%s\n got %s, all %v\nwant %s, all %v", text, got, end.All, want, all)
			}
		}
	}
}

// TestCatalogue: a catalogue file adds domains or replaces them, and its mistakes are reported.
func TestCatalogue(t *testing.T) {
	for _, c := range []struct{ text, config, want string }{
		{`{"domains": [{"name": "Solver", "units": [{"name": "process", "low": 1, "high": 3}], "groups": [{"name": "g", "events": [{"name": "a"}, {"name": "b", "id": 7, "on": true}, {"name": "c"}]}]}]}`,
			"[Solver.default]\n    a = on\n    b = off\n    c = on\n[Solver.process(1-3)]\n[OpenMP.default]\n    omp_work = off\n", ""},
		{`{"domains": [{"name": "Solver", "units": [{"name": "process", "low": 1, "high": 3}], "groups": []}]}`, "[Solver.process(0-3)]\n", "pinsight/outside-range"},
		{`{"domains": [{"name": "OpenMP", "groups": [{"name": "g", "events": [{"name": "only"}]}]}]}`, "[OpenMP.default]\n    only = on\n    omp_work = off\n", "pinsight/unknown-event"},
		{`{"domains": [{"name": "S", "groups": [{"name": "g", "events": [{"name": "e", "id": -1}]}]}]}`, "", "event `e` of `S` has the id -1; ids are 0 to"},
		{`{"domains": [{"name": "S", "groups": [{"name": "g", "events": [{"name": "e", "id": 1000000}]}]}]}`, "", "event `e` of `S` has the id 1000000; ids are 0 to"},
		{`{"domains": []}`, "", "the catalogue has no `domains`"},
		{`[`, "", "the catalogue does not have the expected JSON form"},
	} {
		catalogue, err := pinsight.Builtin().With(strings.NewReader(c.text))
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			f := source.NewFile("a.pinsight", c.config)
			for _, d := range pinsight.New(pinsight.Options{Catalog: catalogue}).Parse(f).Resolve(&load.Env{}).Diagnostics() {
				if d.Severity != diag.Info && d.Code.ID != "pinsight/not-installed" {
					got += d.Code.ID
				}
			}
		}
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestFixedNames: only regions can be renamed.
func TestFixedNames(t *testing.T) {
	golden.FixedNames(t, language, "a.pinsight", "[OpenMP.default]\n    omp_work = off\n[OpenMP.thread(0)] : OpenMP.default\n[Lexgion(work)]\n    tracing_rate = 2\n[Knob]\n    size = 3\n",
		"section OpenMP.default, event OpenMP.omp_work, domain OpenMP, unit OpenMP.thread, section OpenMP.default, section OpenMP.default, key tracing_rate, section Knob, key size",
		"region work")
}
