package coil_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/run/target/table/builtin"
)

// TestHipcc: hipcc takes every AMD device that we give it, unless a note says that it may not. It refuses the devices
// that we say it does not have. A kernel for the presets becomes code for their devices.
func TestHipcc(t *testing.T) {
	need.Slow(t)
	hipcc := need.Program(t, "hipcc", "--version")
	dir := t.TempDir()
	kernel := filepath.Join(dir, "kernel.hip")
	if err := os.WriteFile(kernel, []byte("__attribute__((global)) void one(int *x) { *x = 1; }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	// hipcc complains of each device, so one run can test many.
	ask := func(devices []string, more ...string) string {
		cmd := exec.Command(hipcc, slices.Concat(devices, more, []string{"--cuda-device-only", "-c", kernel, "-o", filepath.Join(dir, "out")})...)
		cmd.Env = append(os.Environ(), "HIP_PLATFORM=amd") // without this variable, hipcc decides by looking for a GPU
		out, err := cmd.CombinedOutput()
		if err != nil && !strings.Contains(string(out), "error") {
			t.Errorf("hipcc %s: %v\n%s", strings.Join(devices, " "), err, out)
		}
		return string(out)
	}
	c := target.ThisHost().Compiler("hipcc")
	var given, young, denied []string
	for _, name := range amdDevices() {
		flags, notes := hipFlags(t, name, c)
		switch {
		case len(flags) == 0:
			if flags, _ := hipFlags(t, name, target.Compiler{Name: "hipcc"}); len(flags) > 0 {
				denied = append(denied, flags...)
			}
		case slices.ContainsFunc(notes, func(p *problem.Problem) bool { return strings.Contains(p.Message, "device library") }):
			young = append(young, flags...)
		default:
			given = append(given, flags...)
		}
	}
	if len(given) < 30 || len(denied) == 0 {
		t.Errorf("%d are given, %d are not", len(given), len(denied))
	}
	if out := ask(given, "-###"); strings.Contains(out, "error:") {
		t.Errorf("hipcc %s:\n%s", strings.Join(given, " "), errors(out))
	}
	for _, line := range strings.Split(errors(ask(young, "-###")), "\n") {
		if line != "" && !strings.Contains(line, "device library") {
			t.Errorf("hipcc %s: %s; want %q in it", strings.Join(young, " "), line, "device library")
		}
	}
	refused := ask(denied, "-###")
	for _, flag := range denied {
		if device := strings.TrimPrefix(flag, "--offload-arch="); !strings.Contains(refused, "'"+device+"'") && device != "gfx940" { // clang 15 knew half of this early device
			t.Errorf("hipcc takes %s, and we say that it does not", flag)
		}
	}

	var made []string
	for _, p := range presets(t) {
		if flag := "--offload-arch=" + p.name; p.Architecture == "AMD" && slices.Contains(given, flag) {
			made = append(made, flag)
		}
	}
	if out := ask(made); len(made) == 0 || out != "" {
		t.Errorf("hipcc %s:\n%s\nwant len(made) other than 0 and out = nothing", strings.Join(made, " "), out)
	}
	code, err := os.ReadFile(filepath.Join(dir, "out"))
	for _, flag := range made {
		if device := strings.TrimPrefix(flag, "--offload-arch="); err != nil || !strings.Contains(string(code), "amdgcn-amd-amdhsa--"+device) {
			t.Errorf("there is no code for %s: %v", device, err)
		}
	}
}

// amdDevices returns the names of all AMD devices.
func amdDevices() (names []string) {
	arch, _ := builtin.Tables().Arch("GPU", "AMD")
	isa, _ := arch.Mode(64)
	for i := range isa.Features {
		if f := &isa.Features[i]; strings.HasPrefix(f.Clang.Flag, "mcpu:") {
			names = append(names, f.Name)
		}
	}
	return names
}

// hipFlags returns the flags that name a device for hipcc.
func hipFlags(t *testing.T, device string, c target.Compiler) (flags []string, notes problem.List) {
	t.Helper()
	x := target.Machines{}.Default("GPU", "AMD", 64)
	x.Features = []string{device}
	flags, notes, err := target.Machines{}.Flags(x, c, target.Linking)
	if err != nil {
		t.Fatal(err)
	}
	return flags, notes
}

// errors returns the lines with a compiler's error messages.
func errors(out string) string {
	var lines []string
	for line := range strings.Lines(out) {
		if strings.Contains(line, "error:") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return strings.Join(lines, "\n")
}
