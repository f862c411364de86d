package pinsight_test

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
)

var language = pinsight.New(pinsight.Options{})

func TestGolden(t *testing.T) { golden.Run(t, language, "testdata") }

func TestCodes(t *testing.T) { golden.Codes(t, language, "testdata", "x.pinsight") }

func TestGoldenStyle(t *testing.T) { golden.Canonical(t, language, "canonical.pinsight") }

func Fuzz(f *testing.F) { golden.Fuzz(f, language, "testdata", "x.pinsight") }

func TestSplice(t *testing.T) { golden.Splice(t, language, "testdata", "x.pinsight") }

// TestEditOfAnOverride: what the command line decides cannot be set in the file.
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

// TestEditAtTheEnd: a new section begins on a line of its own, after an empty line
// unless it is the first.
func TestEditAtTheEnd(t *testing.T) {
	const section = "[Lexgion.default]\n    tracing_rate = 7\n"
	for text, want := range map[string]string{
		"": section, "#": "#\n\n" + section, "# rates": "# rates\n\n" + section, "# rates\n": "# rates\n\n" + section,
		"[Lexgion.default]":                         section,
		"[Lexgion.default]\n    max_num_traces = 3": "[Lexgion.default]\n    max_num_traces = 3\n    tracing_rate = 7\n",
	} {
		c := language.Parse(source.NewFile("a.pinsight", text)).Resolve(&load.Env{})
		edited, err := c.Edit(lang.Assignment{Key: "Lexgion.default.tracing_rate", Value: "7"})
		if err != nil || edited.Changes[0].Text != want {
			t.Errorf("%q: %v, %+v", text, err, edited.Changes)
		}
	}
}

// TestDeclaredOnce: the first mention of a section or region declares it, and the
// others lead there.
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
