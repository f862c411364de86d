package coil_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
)

// TestOneCauseOneMessage checks that a mistake such as a habit from another format
// or a forgotten line gives exactly one finding, at the right place and with
// advice.
func TestOneCauseOneMessage(t *testing.T) {
	swap := func(old, new string) string { return strings.Replace(whole, old, new, 1) }
	for _, c := range []struct{ name, text, want, help string }{
		{"colon", swap("Mode = 64", "Mode: 64"), "4:1 missing-equals", "write `Mode = 64`"},
		{"no sign", swap("Mode = 64", "Mode 64"), "4:1 missing-equals", "write `key = value`"},
		{"hyphen in a key", swap("Mode =", "Mo-de ="), "4:1 missing-key", "did you mean `Mode`?"},
		{"hyphen in another key", inTarget("Fea-tures = AVX"), "5:1 bad-key", "did you mean `Features`?"},
		{"two brackets", swap("[Target]", "[[Target]]"), "1:2 missing-section", "did you mean `Target`?"},
		{"two brackets elsewhere", with("[[Linker]]\nEntryPoint = main"), "14:2 bad-section", "one pair of brackets is enough: `[Linker]`"},
		{"no header at all", swap("[Target]\n", ""), "1:1 key-outside-section", "it belongs below `[Target]`"},
		{"a key before its section", "Mode = 64\n" + without("Mode"), "1:1 key-outside-section", "it belongs below `[Target]`"},
		{"header forgotten", swap("[Memory]\n", ""), "9:1 missing-section", "write `[Memory]` above it"},
		{"in another section", without("Mode") + "Mode = 64\n", "13:1 missing-key", "move the line below `[Target]`"},
		{"include without a file", "@include\n", "1:1 value-missing", "@include"},
		{"include with more", "@include \"base.coilcfg\" x\n", "1:25 text-after-quote", "write a line for each"},
		{"include of two", "@include \"a.coilcfg\", \"b.coilcfg\"\n", "1:21 text-after-quote", "write a line for each"},
		{"include without its sign", "include \"base.coilcfg\"\n", "1:1 missing-equals", "an include begins with `@`"},
		{"include in capitals", "@INCLUDE \"base.coilcfg\"\n", "1:1 unknown-directive", "did you mean `@include`?"},
		{"quoted list", inTarget(`Features = "AVX2,FMA"`), "5:12 feature-unknown", "the quotes make it one element"},
		{"semicolons", inTarget("Features = AVX2;FMA"), "5:12 feature-unknown", "separated by commas"},
		{"two extensions", with("[Extensions]\nSIMD = AVX AVX2"), "15:8 extension", "separated by commas"},
		{"two libraries", with("[Linker]\nLibraries = libc libm"), "15:13 library", "separated by commas"},
		{"the flag of a library", with("[Linker]\nLibraries = -lc"), "15:13 library", "write `c`"},
		{"the flag of a folder", with("[Preprocessor]\nInclude = -I/x"), "15:11 include-flag", "write `/x`"},
		{"on", with("[Extensions]\nAtomicOperations = on"), "15:20 type", "write `true`"},
		{"disabled", with("[Extensions]\nAtomicOperations = disabled"), "15:20 type", "write `false`"},
		{"a truth misspelt", with("[Extensions]\nAtomicOperations = ture"), "15:20 type", "did you mean `true`?"},
		{"apostrophes", with("[Linker]\nEntryPoint = 'main'"), "15:14 symbol", "a quote is `\"`"},
		{"blank in an ABI", with("[ABI]\nName = System V"), "15:8 abi-name", "did you mean `SystemV`?"},
		{"two words", with("Endianness = Little,Big"), "13:14 enum", "it takes one of them"},
		{"two architectures", with("Architecture = x86,ARM"), "3:16 arch-pu", "a target has one architecture"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := resolved(coil.New(coil.Options{Validator: true}), source.Map{"x.coilcfg": c.text}).Diagnostics()
			if len(found) != 1 {
				t.Fatalf("%d findings: %v, want 1", len(found), found)
			}
			d := found[0]
			at := d.Span.File.Position(d.Span.Start)
			if got := fmt.Sprintf("%d:%d %s", at.Line, at.Column, strings.TrimPrefix(d.Code.ID, "coil/")); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if help := strings.Join(d.Help, "\n"); !strings.Contains(help, c.help) {
				t.Errorf("help %q, want %q", help, c.help)
			}
		})
	}
}

// TestDefineForms: blanks around the sign of a constant and quotes around all of
// it have no meaning.
func TestDefineForms(t *testing.T) {
	c := resolved(coil.New(coil.Options{}), source.Map{"x.coilcfg": with("[Preprocessor]\nDefine = A = 3,\"B=x,y\",C=\"x,y\",\"D\", E")})
	expect(t, c)
	var got []string
	m, _ := lang.Model[*coil.Model](c)
	for _, d := range m.Target().Preprocessor.Defines {
		got = append(got, fmt.Sprintf("%s %d %s", d.Name, d.Kind, d.Text))
	}
	if want := "A 1 3; B 4 x,y; C 3 x,y; D 0 ; E 0 "; strings.Join(got, "; ") != want {
		t.Errorf("%s, want %s", strings.Join(got, "; "), want)
	}
}

// TestVendorValues: vendors' sections are checked against the device, however it
// is spelt.
func TestVendorValues(t *testing.T) {
	gpu := func(device, lines string) string {
		return strings.Replace(with("PU = GPU", "Architecture = NVIDIA"), "Mode = 64\n", "Mode = 64\nFeatures = "+device+"\n", 1) + lines + "\n"
	}
	for text, want := range map[string]string{
		gpu("SM_70", "[NVIDIA_CUDA]\nComputeCapability = 7.0\nSharedMemoryBankSize = 8"): "",
		gpu("sm-70", "[NVIDIA_CUDA]\nComputeCapability = 7.5"):                           "the compute capability of `sm-70` is 7.0",
		gpu("SM_70", "[NVIDIA_CUDA]\nSharedMemoryBankSize = 5"):                          "`SharedMemoryBankSize` takes one of 4, 8",
		gpu("PTX70", "[NVIDIA_CUDA]\nComputeCapability = seven"):                         "`ComputeCapability` takes a value such as 7.0",
	} {
		var got []string
		for _, d := range resolved(coil.New(coil.Options{}), source.Map{"x.coilcfg": text}).Diagnostics() {
			if d.Code.ID == "coil/vendor" {
				got = append(got, d.Message)
			}
		}
		if all := strings.Join(got, "; "); !strings.Contains(all, want) || want == "" && all != "" {
			t.Errorf("%q, want %q in\n%s", all, want, text)
		}
	}
}

// TestWrongCaseOfInherited: a section in the wrong case has a safe fix if renaming
// it changes nothing else.
func TestWrongCaseOfInherited(t *testing.T) {
	for line, safe := range map[string]bool{"InliningLevel = 1": true, "Level = 3": false} {
		c := resolved(coil.New(coil.Options{}), source.Map{"base.coilcfg": whole, "x.coilcfg": "@include \"base.coilcfg\"\n[optimization]\n" + line + "\n"})
		found := c.Diagnostics()
		if len(found) != 1 || len(found[0].Fixes) != 1 || found[0].Fixes[0].Safe != safe {
			t.Errorf("%s: %v, want len(found) = 1, len(found[0].Fixes) = 1 and found[0].Fixes[0].Safe = %v", line, found, safe)
		}
	}
}
