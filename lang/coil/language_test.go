package coil_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang/coil"
)

// language looks for folders as --check-paths does, on a machine that has all
// but one.
var language = coil.New(coil.Options{PathExists: func(path string) bool { return path != "/does/not/exist" }})

func TestGolden(t *testing.T) { golden.Run(t, language, "testdata") }

func TestCodes(t *testing.T) { golden.Codes(t, language, "testdata", "x.coilcfg") }

func TestGoldenStyle(t *testing.T) { golden.Canonical(t, language, "canonical.coilcfg") }

func Fuzz(f *testing.F) { golden.Fuzz(f, language, "testdata", "x.coilcfg") }

func TestSplice(t *testing.T) { golden.Splice(t, language, "testdata", "x.coilcfg") }

// TestSniff: the first line that says something tells whether a file without an
// extension is of this language.
func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		"[Target]\nPU = CPU\n":                     true,
		"\n  \n# a machine\n; of ours\n[Memory]\n": true,
		"[ Optimization ] # fast\n":                true,
		"@include \"base.coilcfg\"\n":              true,
		"@include \"base.ini\"\n[Target]\n":        false,
		"@includes \"base.coilcfg\"\n":             false,
		"[Target\n":                                false,
		"[Linker]\n[Target]\n":                     false,
		"PU = CPU\n[Target]\n":                     false,
		"# [Target]\n":                             false,
		"[OpenMP.default]\n    omp_work = off\n":   false,
		"The sections [Target] and [Memory].\n":    false,
		"":                                         false,
	} {
		if got := language.Sniffs(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestComplete: keys that are written already are not offered again, and the
// others are.
func TestComplete(t *testing.T) {
	const text = "[Target]\nPU = CPU\n"
	f := source.NewFile("a.coilcfg", text)
	var got []string
	for _, c := range language.Parse(f).Resolve(&load.Env{}).Complete(f, len(text)) {
		got = append(got, c.Label)
	}
	if slices.Contains(got, "PU") || !slices.Contains(got, "Architecture") || !slices.Contains(got, "Mode") {
		t.Errorf("have %q", got)
	}
}

// TestDescribe: a feature names those that it implies, and only where there are some.
func TestDescribe(t *testing.T) {
	f := source.NewFile("a.coilcfg", "[Target]\nPU = CPU\nArchitecture = x86\nMode = 64\nFeatures = MMX,AVX2\n")
	c := language.Parse(f).Resolve(&load.Env{})
	got := map[string]string{}
	for _, o := range c.Occurrences() {
		got[o.Span.Text()] = c.Describe(o)
	}
	if d := got["AVX2"]; !strings.Contains(d, "It implies `") {
		t.Errorf("AVX2 is described as %q", d)
	}
	if d := got["MMX"]; d == "" || strings.Contains(d, "It implies") {
		t.Errorf("MMX is described as %q", d)
	}
}
