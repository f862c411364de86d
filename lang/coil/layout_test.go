package coil_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/target"
)

var dataLayout = regexp.MustCompile(`(?m)^target datalayout = "(.*)"$`)

// kinds returns the presets that differ in more than features: one for each triple and
// convention.
func kinds(t *testing.T) map[string]target.Target {
	t.Helper()
	all := map[string]target.Target{}
	for _, p := range presets(t) {
		view, _ := target.Machines{}.LLVM(p.Target, 0)
		abi := ""
		if p.ABI != nil {
			abi = p.ABI.Name
		}
		if kind := fmt.Sprint(view.Triple, " ", abi); view.Triple != "" && all[kind].PU == "" {
			all[kind] = p.Target
		}
	}
	return all
}

// TestPresetLayouts: every clang uses the data layout that `convert --to llvm-N` writes for
// its version.
func TestPresetLayouts(t *testing.T) {
	all := kinds(t)
	names, step := slices.Sorted(maps.Keys(all)), sampled(t)
	for index, c := range compilers {
		if c.Name != "clang" {
			continue
		}
		t.Run(c.program, func(t *testing.T) {
			t.Parallel()
			clang := need.Program(t, c.program, "--version")
			for i := index % step; i < len(names); i += step {
				kind, x := names[i], all[names[i]]
				flags, notes, err := target.Machines{}.Flags(x, c.Compiler, target.Compiling)
				if err != nil {
					t.Fatal(err)
				}
				view, _ := target.Machines{}.LLVM(x, c.Major)
				if len(flags) == 0 || strings.HasPrefix(view.Triple, "spirv") {
					continue // clang has no such target, or leaves it to another program
				}
				out, err := exec.Command(clang, append(flags, "-S", "-emit-llvm", "-o", "-", "-x", "c", os.DevNull)...).CombinedOutput()
				found := dataLayout.FindSubmatch(out)
				if err != nil || found == nil {
					t.Errorf("%s: %s: %v %v\n%.400s", kind, strings.Join(flags, " "), err, notes, out)
				} else if got := string(found[1]); got != view.DataLayout {
					t.Errorf("%s: %s lays out\n%s, the table has\n%s\nwant %v", kind, c.program, got, view.DataLayout, view.DataLayout)
				}
			}
		})
	}
}
