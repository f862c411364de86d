package target

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/problem"
)

// TestTune: code runs on the target and is made fast for a processor that the compiler knows by its name.
func TestTune(t *testing.T) {
	for _, c := range []struct {
		t     Target
		c     Compiler
		want  string // "" for no flag
		notes string
	}{
		{machine("x86", 64), Compiler{Name: "gcc", Major: 13, Tune: "znver4"}, "-mtune=znver4", ""},
		{machine("x86", 64), Compiler{Name: "gcc", Major: 12, Tune: "ZNVER4"}, "", "gcc 12 has no -mtune for `znver4`: it came with version 13"},
		{machine("ARM", 64), Compiler{Name: "clang", Major: 16, Tune: "neoverse-n1"}, "-mtune=neoverse-n1", ""},
		{machine("ARM", 64), Compiler{Name: "gcc", Major: 12, Tune: "neoverse-n1"}, "", "the tables have no name of gcc for `neoverse-n1` to tune for: no -mtune"},
		{machine("x86", 64), Compiler{Name: "clang", Tune: "x86-64-v3"}, "", "the tables have no name of clang for `x86-64-v3` to tune for: no -mtune"},
		{machine("x86", 64), Compiler{Name: "nvcc", Major: 13, GCC: 13, Tune: "znver4"}, "-Xcompiler=-mtune=znver4", ""},
	} {
		flags, notes, err := builtIn.Flags(c.t, c.c, Compiling)
		has := slices.ContainsFunc(flags, func(f string) bool { return strings.Contains(f, "-mtune") })
		if err != nil || has != (c.want != "") || has && !slices.Contains(flags, c.want) {
			t.Errorf("%+v: %q %v, want %s", c.c, flags, err, c.want)
		}
		if got := strings.Join(messages(notes), "; "); got != c.notes {
			t.Errorf("%+v: %s, want %s", c.c, got, c.notes)
		}
	}
	_, _, err := builtIn.Flags(machine("x86", 64), Compiler{Name: "gcc", Tune: "znver"}, Compiling)
	var p *problem.Problem
	if !errors.As(err, &p) || p.Message != "there is no processor `znver` of x86 to tune for" || !strings.HasPrefix(p.Suggestion, "znver") {
		t.Errorf("%v", err)
	}
}

// TestBothWishes: where size and speed are both asked for, a note says which one the flags follow.
func TestBothWishes(t *testing.T) {
	for level, want := range map[int]string{0: "-O0 ", 1: "-Os `SizeOptimization` and `SpeedOptimization` are both on: at level 1 size wins", 2: "-O2 `SizeOptimization` and `SpeedOptimization` are both on: at level 2 speed wins"} {
		x := machine("x86", 64)
		x.Optimization = Optimization{Level: level, Size: true, Speed: true}
		flags, notes, err := builtIn.Flags(x, Compiler{Name: "gcc", Major: 12}, Compiling)
		if err != nil {
			t.Fatal(err)
		}
		notes = slices.DeleteFunc(notes, func(p *problem.Problem) bool { return strings.HasPrefix(p.Message, "level 0") })
		if got := flags[len(flags)-1] + " " + strings.Join(messages(notes), "; "); got != want {
			t.Errorf("level %d: %s", level, got)
		}
	}
}
