package coil_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
)

// language checks folders as with --check-paths. All folders exist but one.
var language = coil.New(coil.Options{PathExists: func(path string) bool { return path != "/does/not/exist" }})

func TestGolden(t *testing.T) { golden.Run(t, language, "testdata") }

func TestCodes(t *testing.T) { golden.Codes(t, language, "testdata", "x.coilcfg") }

func TestGoldenStyle(t *testing.T) { golden.Canonical(t, language, "canonical.coilcfg") }

func Fuzz(f *testing.F) { golden.Fuzz(f, language, "testdata", "x.coilcfg") }

func TestSplice(t *testing.T) { golden.Splice(t, language, "testdata", "x.coilcfg") }

// TestSniff: the first line with content decides whether a file without an
// extension belongs to this language.
func TestSniff(t *testing.T) {
	golden.Sniffs(t, language, map[string]bool{
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
	})
}

// TestComplete: keys that are written already are not offered again, the others
// are.
func TestComplete(t *testing.T) {
	const text = "[Target]\nPU = CPU\n"
	f := source.NewFile("a.coilcfg", text)
	var got []string
	for _, c := range language.Parse(f).Resolve(&load.Env{}).Complete(f, len(text)) {
		got = append(got, c.Label)
	}
	if slices.Contains(got, "PU") || !slices.Contains(got, "Architecture") || !slices.Contains(got, "Mode") {
		t.Errorf("have %q, want no %q in got, %q in got and %q in got", got, "PU", "Architecture", "Mode")
	}
}

// TestCompleteMachine: the registers and features of the machine are offered,
// except those in the list already. If the machine is not known well enough,
// nothing is offered.
func TestCompleteMachine(t *testing.T) {
	const x86, arm = "PU = CPU\nArchitecture = x86\nMode = 64\n", "PU = CPU\nArchitecture = ARM\nMode = 64\n"
	const nvidia, sharc = "PU = GPU\nArchitecture = NVIDIA\nMode = 64\n", "PU = DSP\nArchitecture = SHARC\nMode = 32\n"
	for _, c := range []struct{ machine, line, offered, never string }{
		{x86, "[ABI]\nReturnRegisters = rdi,", "rax eax xmm0", "rdi x0"},
		{strings.Replace(x86, "64", "32", 1), "[ABI]\nReturnRegisters = ", "eax", "rax rdi"},
		{"PU = CPU\n", "[ABI]\nReturnRegisters = ", "", "rax eax"},
		{x86, "Features = SSE2,", "AVX2 AES", "SSE2 MPX NEON"},
		{x86, "[Extensions]\nSIMD = ", "AVX2", "AES"},
		{x86, "[Extensions]\nCrypto = ", "AES", "AVX2"},
		{arm, "Features = ", "SVE", "AVX2"},
		{nvidia, "Features = ", "SM_70", "AVX2"},
		{nvidia, "[Extensions]\nSIMD = ", "", "SM_70"},
		{sharc, "Features = ", "", "AVX2 anything"},
		{"PU = CPU\n", "Features = ", "", "AVX2"},
		{x86, "[Extensions]\nAtomicOperations = ", "true false", "yes"},
	} {
		text := "[Target]\n" + c.machine + c.line
		f := source.NewFile("a.coilcfg", text)
		var got []string
		for _, item := range language.Parse(f).Resolve(&load.Env{}).Complete(f, len(text)) {
			got = append(got, item.Label)
		}
		if c.offered == "" && len(got) > 0 {
			t.Errorf("%q offers %q, want nothing", text, got)
		}
		for _, name := range strings.Fields(c.offered) {
			if !slices.Contains(got, name) {
				t.Errorf("%q: `%s` is not offered", text, name)
			}
		}
		for _, name := range strings.Fields(c.never) {
			if slices.Contains(got, name) {
				t.Errorf("%q: `%s` is offered, want no %v in it", text, name, name)
			}
		}
	}
}

// TestFixedNames: the words of the language cannot be renamed, a vendor's can.
func TestFixedNames(t *testing.T) {
	golden.FixedNames(t, language, "a.coilcfg", "[Target]\nPU = CPU\nNothing = 1\nFeatures = AVX2\n[ARM_X]\nPU = 1\n",
		"section Target, key Target.PU, key Target.Features, feature AVX2",
		"key Target.Nothing, section ARM_X, key ARM_X.PU")
}

// TestSetAtTheEnd: a new line goes below the last line of its section, a new
// section follows an empty line, and a text has quotes if it needs them.
func TestSetAtTheEnd(t *testing.T) {
	for _, c := range []struct{ text, key, value, want string }{
		{"", "ARM_X.a", "1", "[ARM_X]\na = 1\n"},
		{"#", "ARM_X.a", "1", "#\n\n[ARM_X]\na = 1\n"},
		{"# x\n", "ARM_X.a", "1", "# x\n\n[ARM_X]\na = 1\n"},
		{"# x\r", "ARM_X.a", "1", "# x\r\n[ARM_X]\na = 1\n"},
		{"[ARM_X]", "ARM_X.a", "1", "[ARM_X]\na = 1\n"},
		{"[ARM_X]\nb = 2", "ARM_X.a", "1", "[ARM_X]\nb = 2\na = 1\n"},
		{"[ARM_X]\nb = 2 # two\n\n# end\n", "ARM_X.a", "1", "[ARM_X]\nb = 2 # two\na = 1\n\n# end\n"},
		{"[ARM_X]\n[Linker]\n[ARM_X]\n[Memory]\n", "ARM_X.a", "1", "[ARM_X]\n[Linker]\n[ARM_X]\na = 1\n[Memory]\n"},
		{"[ARM_X]\na =\n", "ARM_X.a", "1", "[ARM_X]\na = 1\n"},
		{"[ARM_X]\na = 1\n", "ARM_X.a", "1", ""},
		{"[Linker]\n", "Linker.DefaultLibraryPath", "/a b", "[Linker]\nDefaultLibraryPath = \"/a b\"\n"},
		{"[Linker]\n", "Linker.DefaultLibraryPath", "/a", "[Linker]\nDefaultLibraryPath = /a\n"},
		{"[Linker]\n", "Linker.Libraries", "c,m", "[Linker]\nLibraries = c,m\n"},
		{"", "ARM_X.a", "1\n2", "the value of `ARM_X.a` has a line break; a value is one line"},
		{"", "Linkr.EntryPoint", "x", "there is no setting `Linkr.EntryPoint`; did you mean `Linker.EntryPoint`?"},
		{"", "Linker.Nothing", "x", "there is no setting `Linker.Nothing`; write `SECTION.KEY`, for instance `Target.Mode`"},
		{"", "A-B_X.a", "1", "there is no setting `A-B_X.a`; write `SECTION.KEY`, for instance `Target.Mode`"},
		{"", "_X.a", "1", "there is no setting `_X.a`; write `SECTION.KEY`, for instance `Target.Mode`"},
		{"", "Target", "1", "there is no setting `Target`; write `SECTION.KEY`, for instance `Target.Mode`"},
	} {
		edited, err := language.Parse(source.NewFile("a.coilcfg", c.text)).Resolve(&load.Env{}).Edit(lang.Assignment{Key: c.key, Value: c.value})
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case len(edited.Changes) > 0:
			got = edited.Changes[0].Text
		}
		if got != c.want {
			t.Errorf("%s=%s in %q\n got %q\nwant %q", c.key, c.value, c.text, got, c.want)
		}
	}
}

// TestDescribe: the description of a feature lists the features it implies, if
// there are any.
func TestDescribe(t *testing.T) {
	f := source.NewFile("a.coilcfg", "[Target]\nPU = CPU\nArchitecture = x86\nMode = 64\nFeatures = MMX,AVX2\n")
	c := language.Parse(f).Resolve(&load.Env{})
	got := map[string]string{}
	for _, o := range c.Occurrences() {
		got[o.Span.Text()] = c.Describe(o)
	}
	if d := got["AVX2"]; !strings.Contains(d, "It implies `") {
		t.Errorf("AVX2 is described as %q, want %q in it", d, "It implies `")
	}
	if d := got["MMX"]; d == "" || strings.Contains(d, "It implies") {
		t.Errorf("MMX is described as %q, want d other than nothing and no %q in d", d, "It implies")
	}
}
