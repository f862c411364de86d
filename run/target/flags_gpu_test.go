package target

import (
	"strings"
	"testing"
)

func device(arch string, features ...string) Target {
	return Target{PU: "GPU", Architecture: arch, Mode: 64, Features: features, Optimization: Optimization{Level: 2, Speed: true}}
}

// TestDeviceFlags: nvcc and hipcc get the devices in their own words, and the flags of a
// processor for the host's code.
func TestDeviceFlags(t *testing.T) {
	defines := device("NVIDIA", "SM_90")
	defines.Preprocessor = Preprocessor{Defines: []Define{{"N", Integer, "3"}}, Includes: []string{"/opt/x"}}
	defines.Linker = Linker{LibraryPath: "/opt/l", Libraries: []string{"libm"}}
	small := device("NVIDIA", "SM_90")
	small.Optimization = Optimization{Level: 2, Size: true, Vectorization: num(1), Inlining: num(1)}
	raw := machine("x86", 64, "AVX2")
	raw.Linker = Linker{EntryPoint: "start", OutputFormat: "Raw", Libraries: []string{"m"}}
	for _, c := range []struct {
		name  string
		t     Target
		c     Compiler
		stage Stage
		want  string
		notes string
	}{
		{"one device", device("NVIDIA", "SM_90a"), Compiler{Name: "nvcc"}, Compiling, "-arch=sm_90a -Xptxas=-O2", ""},
		{"a family", device("NVIDIA", "SM_103f"), Compiler{Name: "nvcc", Major: 13}, Linking, "-arch=sm_103f", ""},
		{"several", device("NVIDIA", "SM_90", "SM_80"), Compiler{Name: "nvcc"}, Linking, "-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90", ""},
		{"several without a future", device("NVIDIA", "SM_80", "SM_90a"), Compiler{Name: "nvcc"}, Linking, "-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90a,code=sm_90a", ""},
		{"dropped", device("NVIDIA", "SM_70"), Compiler{Name: "nvcc", Major: 13}, Linking, "", "nvcc has no flag for `SM_70` after version 12; nvcc needs a device among the features; without one it chooses a device itself"},
		{"not dropped yet", device("NVIDIA", "SM_70"), Compiler{Name: "nvcc", Major: 12}, Linking, "-arch=sm_70", ""},
		{"to come", device("NVIDIA", "SM_107"), Compiler{Name: "nvcc", Major: 13}, Linking, "", "nvcc has no flag for `SM_107`; nvcc needs a device among the features; without one it chooses a device itself"},
		{"too new", device("NVIDIA", "SM_110"), Compiler{Name: "nvcc", Major: 12}, Linking, "", "nvcc 12 has no flag for `SM_110`: it came with version 13; nvcc needs a device among the features; without one it chooses a device itself"},
		{"texts", defines, Compiler{Name: "nvcc"}, Compiling, "-arch=sm_90 -Xptxas=-O2 -DN=3 -I/opt/x", ""},
		{"libraries", defines, Compiler{Name: "nvcc"}, Linking, "-arch=sm_90 -L/opt/l -lm", ""},
		{"what nvcc cannot", small, Compiler{Name: "nvcc"}, Compiling, "-arch=sm_90 -Xptxas=-O2", "nvcc has no flag for small device code: SizeOptimization; nvcc has no flag for VectorizationLevel; nvcc has no flag for InliningLevel"},
		{"host", raw, Compiler{Name: "nvcc"}, Compiling, "-Xcompiler=-m64 -Xcompiler=-march=x86-64 -Xcompiler=-mavx2 -Xcompiler=-O1", ""},
		{"host link", raw, Compiler{Name: "nvcc"}, Linking, `-Xcompiler=-m64 -Xcompiler=-march=x86-64 -Xcompiler=-mavx2 -lm -Xcompiler=-Wl\,-e\,start -Xcompiler=-Wl\,--oformat=binary`, ""},
		{"old host", machine("x86", 64, "SM3"), Compiler{Name: "nvcc", GCC: 12}, Linking, "-Xcompiler=-m64 -Xcompiler=-march=x86-64", "gcc 12 has no flag for `SM3`: it came with version 14"},
		{"not NVIDIA", device("AMD", "gfx942"), Compiler{Name: "nvcc"}, Linking, "", "nvcc has no target for GPU AMD 64: no flags"},
		{"AMD", device("AMD", "gfx942"), Compiler{Name: "hipcc"}, Compiling, "--offload-arch=gfx942 -O2", ""},
		{"AMD with more", device("AMD", "gfx90a", "gfx942", "xnack", "sramecc", "cumode"), Compiler{Name: "hipcc"}, Linking, "--offload-arch=gfx90a:xnack+:sramecc+ --offload-arch=gfx942:xnack+:sramecc+ -mcumode", ""},
		{"AMD too new", device("AMD", "gfx942"), Compiler{Name: "hipcc", Major: 15}, Linking, "", "hipcc 15 has no flag for `gfx942`: it came with version 17; hipcc needs a device among the features; without one it chooses a device itself"},
		{"AMD as young as clang", device("AMD", "gfx1100"), Compiler{Name: "hipcc", Major: 15}, Linking, "--offload-arch=gfx1100", "`gfx1100` came with the clang of hipcc 15: hipcc refuses it with an older device library, such as Debian 12's"},
		{"AMD older than clang", device("AMD", "gfx1100"), Compiler{Name: "hipcc", Major: 16}, Linking, "--offload-arch=gfx1100", ""},
		{"AMD host", machine("x86", 64, "AVX2"), Compiler{Name: "hipcc"}, Compiling, "-march=x86-64 -mavx2 -O1", ""},
		{"not AMD", gpuExample(), Compiler{Name: "hipcc"}, Linking, "", "hipcc has no target for GPU NVIDIA 64: no flags"},
	} {
		flags, notes, err := builtIn.Flags(c.t, c.c, c.stage)
		if got := strings.Join(flags, " "); err != nil || got != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", c.name, err, got, c.want)
		}
		if got := strings.Join(messages(notes), "; "); got != c.notes {
			t.Errorf("%s: notes\n got %s\nwant %s", c.name, got, c.notes)
		}
	}
}
