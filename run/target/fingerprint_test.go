package target

import (
	"reflect"
	"testing"

	"github.com/pentode-dev/pentode/core/fingerprint"
)

// TestFingerprint: different names for the same machine have the same fingerprint; any changed value changes it.
func TestFingerprint(t *testing.T) {
	var m Machines
	base := func() Target {
		d := m.Default("CPU", "x86", 64)
		d.Features = []string{"SSE4.1", "AVX"}
		d.ABI = &ABI{Name: "SystemV", Parameters: []string{"rdi", "rsi"}}
		d.Linker.Libraries = []string{"a", "b"}
		return d
	}
	one := 1
	for name, c := range map[string]struct {
		change func(*Target)
		same   bool
	}{
		"alias of the architecture": {func(t *Target) { t.Architecture = "amd64" }, true},
		"spelling of a feature":     {func(t *Target) { t.Features = []string{"avx", "sse41", "avx"} }, true},
		"case of an ABI":            {func(t *Target) { t.ABI.Name = "systemv" }, true},
		"one feature less":          {func(t *Target) { t.Features = t.Features[:1] }, false},
		"feature of no table":       {func(t *Target) { t.Features = append(t.Features, "unheard") }, false},
		"extension or feature":      {func(t *Target) { t.Features, t.Extensions.SIMD = t.Features[:1], t.Features[1:] }, false},
		"order of registers":        {func(t *Target) { t.ABI.Parameters = []string{"rsi", "rdi"} }, false},
		"order of libraries":        {func(t *Target) { t.Linker.Libraries = []string{"b", "a"} }, false},
		"level":                     {func(t *Target) { t.Optimization.Level++ }, false},
		"a number that is given":    {func(t *Target) { t.Optimization.Inlining = new(int) }, false},
		"another one":               {func(t *Target) { t.ABI.RedZone = &one }, false},
		"value of a constant":       {func(t *Target) { t.Preprocessor.Defines = []Define{{Name: "A", Kind: Integer, Text: "1"}} }, false},
	} {
		other := base()
		c.change(&other)
		if same := m.Fingerprint(base()) == m.Fingerprint(other); same != c.same {
			t.Errorf("%s: the same %v, want %v", name, same, c.same)
		}
	}
	if found := fingerprint.Neutral(reflect.TypeFor[Target]()); len(found) > 0 {
		t.Errorf("%v do not count", found)
	}
}
