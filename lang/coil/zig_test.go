package coil_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/run/target/table/builtin"
)

// TestPresetZig checks that zig accepts the machine, processor and features of every preset for which it has a
// target. The features that it switches on must match the preset, and a note must name each missing one.
func TestPresetZig(t *testing.T) {
	zig := need.Program(t, "zig", "version")
	c, cache, step := target.ThisHost().Compiler("zig"), t.TempDir(), sampled(t)
	asked := map[string][]string{} // from flags to the features that zig switched on
	for i := 0; i < len(presets(t)); i += step {
		p := presets(t)[i]
		flags, notes, err := target.Machines{}.Flags(p.Target, c, target.Compiling)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(notes, refusal) {
			continue
		}
		line := strings.Join(flags, " ")
		if asked[line] == nil {
			cmd := exec.Command(zig, append([]string{"build-obj", "--show-builtin"}, flags...)...)
			cmd.Env = append(os.Environ(), "ZIG_GLOBAL_CACHE_DIR="+cache, "ZIG_LOCAL_CACHE_DIR="+cache)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%s: zig %s: %v\n%.600s", p.name, line, err, out)
				continue
			}
			asked[line] = zigFeatures(string(out))
		}
		checkZig(t, p, line, asked[line], notes)
	}
	if len(asked) < 160/step {
		t.Errorf("only %d were asked", len(asked))
	}
}

// zigFeatures reads the features of a processor from the builtin module of a Zig program.
func zigFeatures(builtin string) []string {
	_, text, _ := strings.Cut(builtin, ".featureSet(&.{")
	text, _, _ = strings.Cut(text, "})")
	names := []string{}
	for line := range strings.Lines(text) {
		names = append(names, strings.Trim(strings.TrimSpace(line), `.@",`))
	}
	return names
}

// zigWord returns an LLVM name as Zig writes it.
func zigWord(name string) string { return strings.NewReplacer("-", "_", ".", "_").Replace(name) }

// zigQuiet are features of RISC-V that come with others: the parts of A and C, and the subset E of I.
var zigQuiet = map[string]bool{"zca": true, "zaamo": true, "zalrsc": true, "e": true}

// checkZig compares the features that zig switched on with the preset's.
func checkZig(t *testing.T, p presetTarget, line string, on []string, notes problem.List) {
	t.Helper()
	arch, _ := builtin.Tables().Arch(p.PU, p.Architecture)
	isa, mode := arch.Mode(p.Mode)
	has, _ := isa.Meaning(slices.Concat(p.Features, p.Extensions.SIMD, p.Extensions.Crypto))
	has = has.Union(isa.Always(mode, has))
	if slices.Contains(on, "sve_bitperm") { // the new name of a feature that the old name still switches on
		on = append(on, "sve2_bitperm")
	}
	whole := p.Architecture == "x86" || p.Architecture == "RISC-V" || p.Architecture == "ARM" && p.Mode == 64 // the tables have every feature of these machines
	for i := range isa.Features {
		f := &isa.Features[i]
		if f.Group || f.LLVM == "-" || quiet[f.Key] || zigQuiet[f.Key] || strings.HasPrefix(f.Clang.Flag, "arch:") || strings.HasPrefix(f.Clang.Flag, "fpu:") {
			continue
		}
		all := true
		for name := range strings.SplitSeq(f.LLVM, "+") {
			all = all && slices.Contains(on, zigWord(strings.TrimPrefix(name, "experimental-")))
		}
		noted := slices.ContainsFunc(notes, func(n *problem.Problem) bool { return strings.Contains(n.Message, "`"+f.Name+"`") })
		if want := has.Has(isa.Feature(f.Key).ID); want && !all && !noted {
			t.Errorf("%s: zig %s loses `%s` without a word", p.name, line, f.Name)
		} else if all && !want && whole && strings.Contains(line, "-mcpu="+zigWord(mode.CPU)+"+") { // LLVM decides what a processor's name includes
			t.Errorf("%s: zig %s switches on `%s`, which the preset does not have", p.name, line, f.Name)
		}
	}
}
