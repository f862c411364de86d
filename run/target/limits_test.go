package target

import (
	"slices"
	"testing"

	"github.com/pentode-dev/pentode/run/target/table/builtin"
)

func TestNVIDIA(t *testing.T) {
	for name, want := range map[string]DeviceLimits{
		"SM_30":  {32, 63, 48 << 10, 48 << 10, "6.0"},
		"SM_70":  {32, 255, 48 << 10, 96 << 10, "6.0"},
		"SM_75":  {32, 255, 48 << 10, 64 << 10, "6.3"},
		"SM_80":  {32, 255, 48 << 10, 163 << 10, "7.0"},
		"SM_86":  {32, 255, 48 << 10, 99 << 10, "7.1"},
		"SM_87":  {32, 255, 48 << 10, 163 << 10, "7.4"},
		"SM_89":  {32, 255, 48 << 10, 99 << 10, "7.8"},
		"sm_90a": {32, 255, 48 << 10, 227 << 10, "8.0"},
		"SM_121": {32, 255, 48 << 10, 99 << 10, "8.8"},
	} {
		if got, ok := NVIDIA(name); !ok || got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	for _, name := range []string{"SM_71", "PTX70", "", "sm_", "SM_a"} {
		if _, ok := NVIDIA(name); ok {
			t.Errorf("%q has limits, want none", name)
		}
	}
	// Every SM feature of the tables must have limits.
	a, _ := builtin.Tables().Arch("GPU", "NVIDIA")
	s, _ := a.Mode(64)
	for _, f := range s.Features {
		if f.Key[0] == 's' {
			if l, ok := NVIDIA(f.Name); !ok || l.PTX == "" {
				t.Errorf("%s: %+v, want its limits, with PTX", f.Name, l)
			}
		}
	}
}

func TestFormats(t *testing.T) {
	if got := Formats("CPU", "x86"); !slices.Contains(got, "Mach-O") {
		t.Errorf("x86: %v, want %q in it", got, "Mach-O")
	}
	if got := Formats("GPU", "ARM"); !slices.Equal(got, []string{"ELF", "Raw"}) {
		t.Errorf("a GPU: %v, want %v", got, []string{"ELF", "Raw"})
	}
}
