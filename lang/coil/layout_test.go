package coil_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/run/target"
)

var dataLayout = regexp.MustCompile(`(?m)^target datalayout = "(.*)"$`)

// kinds are the presets that differ in more than features: one for each triple and convention.
func kinds(t *testing.T) map[string]target.Target {
	t.Helper()
	all := map[string]target.Target{}
	for _, name := range preset.Names() {
		f, _ := preset.File(name)
		x := read(t, f)
		view, _ := target.Machines{}.LLVM(x, 0)
		abi := ""
		if x.ABI != nil {
			abi = x.ABI.Name
		}
		if kind := fmt.Sprint(view.Triple, " ", abi); view.Triple != "" && all[kind].PU == "" {
			all[kind] = x
		}
	}
	return all
}

// TestPresetLayouts: every clang lays data out as `convert --to llvm-N` says of its version.
func TestPresetLayouts(t *testing.T) {
	all := kinds(t)
	for _, c := range compilers {
		if c.Name != "clang" {
			continue
		}
		t.Run(c.program, func(t *testing.T) {
			t.Parallel()
			clang := need.Program(t, c.program, "--version")
			for kind, x := range all {
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
					t.Errorf("%s: %s lays out\n%s, the table has\n%s", kind, c.program, got, view.DataLayout)
				}
			}
		})
	}
}
