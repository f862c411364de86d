package target

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// recorded is a host that answers from recorded text.
func recorded(arch string, files map[string]string, commands map[string]string) Host {
	return Host{Arch: arch,
		ReadFile: func(p string) ([]byte, error) {
			if s, ok := files[p]; ok {
				return []byte(s), nil
			}
			return nil, os.ErrNotExist
		},
		Glob: func(pattern string) ([]string, error) {
			var out []string
			for p := range files {
				if ok, _ := path.Match(pattern, p); ok {
					out = append(out, p)
				}
			}
			slices.Sort(out)
			return out, nil
		},
		Run: func(name string, args ...string) ([]byte, error) {
			if s, ok := commands[filepath.Base(name)]; ok {
				return []byte(s), nil
			}
			return nil, errors.New("not installed")
		},
	}
}

func TestDetectRecorded(t *testing.T) {
	for _, c := range []struct {
		name, arch, cpuinfo string
		cpuid               []string
		has, lacks          string
		target              string
	}{
		{"desktop", "amd64", "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu cx8 cmov mmx fxsr sse sse2 ht syscall lm pni pclmulqdq ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt aes xsave avx f16c rdrand lahf_lm abm bmi1 avx2 bmi2\n\nprocessor\t: 1\nflags\t\t: fpu cx8 cmov mmx fxsr sse sse2 lm pni pclmulqdq ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt aes xsave avx f16c rdrand lahf_lm abm bmi1 avx2 bmi2\n",
			[]string{"AVX512F", "AMXFP8", "SHA512", "AVX2"}, "AVX2 FMA SSE4.2 CRC32 LZCNT SAHF BMI RDRND PCLMUL SHA512", "AVX512F SSE2 SHA AMX-FP16", "x86 64 Little 16"},
		{"unlike cores", "amd64", "flags : fpu sse sse2 pni avx xsave ssse3 sse4_1 sse4_2 popcnt sha_ni\n\nflags : fpu sse sse2 pni sha_ni\n", nil, "SSE3 SHA", "AVX SSE4.2", "x86 64 Little 16"},
		{"hidden below", "amd64", "flags : fpu sse sse2 pni avx512f avx2 avx xsave ssse3 sse4_1 sse4_2 popcnt f16c\n", nil, "AVX2 F16C", "AVX512F FMA", "x86 64 Little 16"},
		{"no kernel words", "amd64", "", []string{"AVX2", "FMA3", "AMXFP8"}, "AVX2 FMA", "AMX-FP16", "x86 64 Little 16"},
		{"words that the kernel does not have", "amd64", "flags : fpu sse sse2 amx_tile\n", []string{"AMXFP16", "AVXIFMA"}, "AMX-FP16", "AMX-INT8", "x86 64 Little 16"},
		{"old", "386", "flags : fpu mmx\n", nil, "MMX", "SSE", "x86 32 Little 16"},
		{"server", "arm64", "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp ssbs\nCPU implementer\t: 0x41\n", nil, "AES SHA2 CRC LSE FP16 RDM RCPC DOTPROD SSBS", "SVE NEON FP", "ARM 64 Little 16"},
		{"vector server", "arm64", "Features : fp asimd aes pmull sha1 sha2 crc32 atomics fphp asimdhp asimdrdm jscvt fcma lrcpc sha3 sm3 sm4 asimddp sha512 sve asimdfhm sve2 sveaes svebitperm bf16 i8mm bti\n", nil, "SVE SVE2 SVE2-AES SVE2-BITPERM BF16 I8MM FCMA JSCVT FP16FML BTI", "SME", "ARM 64 Little 16"},
		{"board", "arm", "Features : half thumb fastmult vfp edsp neon vfpv3 tls vfpv4 idiva idivt vfpd32 lpae evtstrm crc32\n", nil, "NEON VFPv4 VFPv3 IDIVA DSP CRC ARMv8-A ARMv7VE", "AES FP-ARMv8 ARMv6-M", "ARM 32 Little 8"},
		{"small board", "arm", "Features : half thumb fastmult vfp edsp vfpv3 vfpv3d16 tls\n", nil, "VFPv3-D16 VFPv2 ARMv7-A", "VFPv3 NEON ARMv7VE", "ARM 32 Little 8"},
		{"riscv", "riscv64", "processor\t: 0\nhart\t\t: 1\nisa\t\t: rv64imafdc_zicntr_zicsr_zifencei_zihpm_zba_zbb_xnosuchthing\nmmu\t\t: sv39\n", nil, "M A F D C Zba Zbb Zicsr Zmmul", "V", "RISC-V 64 Little 16"},
		{"unlike harts", "riscv64", "processor\t: 0\nhart\t\t: 2\nisa\t\t: rv64imafdcv_zba\n\nprocessor\t: 1\nhart\t\t: 1\nisa\t\t: rv64imac_zba\n", nil, "M A C Zba", "F D V", "RISC-V 64 Little 16"},
		{"riscv with versions", "riscv64", "isa\t\t: rv64i2p1m2p0a2p1_zba1p0_zvl128b1p0\n", nil, "M A Zba Zvl128b", "C", "RISC-V 64 Little 16"},
		{"power", "ppc64le", "processor\t: 0\ncpu\t\t: POWER9 (architected), altivec supported\nclock\t\t: 2500.000000MHz\n\nprocessor\t: 1\ncpu\t\t: POWER9 (architected), altivec supported\n\ntimebase\t: 512000000\nplatform\t: pSeries\n", nil, "ALTIVEC VSX POWER8-VECTOR POWER9-VECTOR CRYPTO ISA-V30-INSTRUCTIONS", "POWER10-VECTOR MMA SPE", "PowerPC 64 Little 16"},
		{"old power", "ppc64", "cpu\t\t: PPC970MP, altivec supported\n", nil, "ALTIVEC", "VSX", "PowerPC 64 Big 16"},
		{"mips", "mips64le", "system type\t\t: board\nprocessor\t\t: 0\nisa\t\t\t: mips1 mips2 mips3 mips4 mips5 mips32r1 mips32r2 mips64r1 mips64r2\nASEs implemented\t: dsp dsp2 msa\n", nil, "MIPS64R2 DSPR2 MSA", "MIPS64R5 MT", "MIPS 64 Little 16"},
		{"mainframe", "s390x", "vendor_id       : IBM/S390\n# processors    : 2\nfeatures\t: esan3 zarch stfle msa dfp highgprs te vx vxd vxe gs vxe2 sie\n\nprocessor 0: version = 00,  identification = 0123AB,  machine = 8561\n", nil, "VECTOR VECTOR-ENHANCEMENTS-2 VECTOR-PACKED-DECIMAL TRANSACTIONAL-EXECUTION", "NNP-ASSIST", "S390X 64 Big 8"},
		{"loongson", "loong64", "processor\t\t: 0\nisa\t\t\t: loongarch32 loongarch64\nFeatures\t\t: cpucfg lam ual fpu lsx lasx crc32 lvz\n", nil, "F D LSX LASX UAL LVZ", "LBT", "LoongArch 64 Little 16"},
		{"nothing known", "s390x", "", nil, "", "VECTOR", "S390X 64 Big 8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := recorded(c.arch, map[string]string{"/proc/cpuinfo": c.cpuinfo}, nil)
			h.BigEndian = c.arch == "s390x" || c.arch == "ppc64"
			if c.cpuid != nil {
				h.CPUID = func() []string { return c.cpuid }
			}
			got, err := builtIn.Detect(h)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.Fields(c.target)
			if got.Architecture != want[0] || got.Memory.Endianness != want[2] || got.Optimization.Level != 1 || !got.Optimization.Speed || got.Memory.Model != "Protected" {
				t.Errorf("%+v, want %s, %s, Protected, and level 1 for speed", got, want[0], want[2])
			}
			for _, f := range strings.Fields(c.has) {
				if !slices.Contains(got.Features, f) {
					t.Errorf("lacks %s: %v", f, got.Features)
				}
			}
			for _, f := range strings.Fields(c.lacks) {
				if slices.Contains(got.Features, f) {
					t.Errorf("has %s; want no %v in it", f, f)
				}
			}
		})
	}
	if _, err := builtIn.Detect(Host{Arch: "pdp11"}); err == nil || !strings.Contains(err.Error(), "`pdp11`") {
		t.Error(err)
	}
}

func TestDetectThisHost(t *testing.T) {
	if _, ok := goArchs[runtime.GOARCH]; !ok {
		t.Skipf("%s has no COIL name", runtime.GOARCH)
	}
	got, err := builtIn.Detect(ThisHost())
	if err != nil {
		t.Fatal(err)
	}
	if v := builtIn.Satisfies(got, got); !v.OK() {
		t.Errorf("this host does not satisfy itself: %s", v)
	}
	if _, unknown := builtIn.look(got).isa.Meaning(got.Features); len(unknown) > 0 {
		t.Errorf("detected features that the tables lack: %v", unknown)
	}
}

// TestCurrent: a program is built without the features that compilers have dropped, even if the machine has them.
func TestCurrent(t *testing.T) {
	got, err := builtIn.Detect(recorded("amd64", map[string]string{"/proc/cpuinfo": "flags : fpu sse sse2 pni ssse3 mpx sha_ni\n"}, nil))
	if err != nil || !slices.Contains(got.Features, "MPX") {
		t.Fatal(got.Features, err)
	}
	current := builtIn.Current(got)
	if want := []string{"SHA", "SSE3", "SSSE3"}; !slices.Equal(current.Features, want) || !slices.Contains(got.Features, "MPX") {
		t.Errorf("%q of %q, want %q", current.Features, got.Features, want)
	}
	if unknown := (Target{PU: "CPU", Architecture: "PDP-11", Features: []string{"MPX"}}); !slices.Equal(builtIn.Current(unknown).Features, unknown.Features) {
		t.Error("features of an unknown machine are left out")
	}
	if v := builtIn.Satisfies(got, current); !v.OK() {
		t.Errorf("the machine does not satisfy what is built for it: %s", v)
	}
}

func TestDetectGPUs(t *testing.T) {
	h := recorded("amd64", map[string]string{
		"/sys/bus/pci/devices/0000:01:00.0/class":            "0x030200\n",
		"/sys/bus/pci/devices/0000:01:00.0/vendor":           "0x10de\n",
		"/sys/bus/pci/devices/0000:00:02.0/class":            "0x030000\n",
		"/sys/bus/pci/devices/0000:00:02.0/vendor":           "0x8086\n",
		"/sys/bus/pci/devices/0000:00:1f.0/class":            "0x060100\n",
		"/sys/class/kfd/kfd/topology/nodes/0/properties":     "cpu_cores_count 64\ngfx_target_version 0\n",
		"/sys/class/kfd/kfd/topology/nodes/1/properties":     "simd_count 440\ngfx_target_version 90010\n",
		"/sys/class/kfd/kfd/topology/nodes/2/properties":     "gfx_target_version 110000\n",
		"/sys/class/kfd/kfd/topology/nodes/3/properties":     "gfx_target_version 90010\n",
		"/sys/class/kfd/kfd/topology/nodes/4/properties":     "gfx_target_version x\n",
		"/sys/class/kfd/kfd/topology/nodes/6/properties":     "gfx_target_version 100300\n",
		"/sys/class/kfd/kfd/topology/nodes/5/io_links/0/abc": "",
	}, map[string]string{"nvidia-smi": "7.0\n9.0\n7.0\nnonsense\n"})
	gpus, notes := builtIn.DetectGPUs(h)
	var got []string
	for _, g := range gpus {
		got = append(got, g.Architecture+" "+strings.Join(g.Features, ","))
	}
	if want := []string{"NVIDIA SM_70", "NVIDIA SM_90a", "AMD gfx90a", "AMD gfx1100", "AMD gfx1030", "Intel "}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if len(notes) != 1 || !strings.Contains(notes[0].Message, "Intel") {
		t.Errorf("%q, want len(notes) = 1 and %q in notes[0].Message", notes, "Intel")
	}
	// Without the vendor's program, the PCI number identifies the device.
	numbers := map[string]string{}
	for i, d := range []string{"0x10de 0x2330", "0x10de 0x20b0", "0x10de 0x20b5", "0x10de 0x26b9", "0x8086 0x0bd5", "0x8086 0x56a0"} {
		vendor, device, _ := strings.Cut(d, " ")
		dir := "/sys/bus/pci/devices/" + string(rune('a'+i))
		numbers[dir+"/class"], numbers[dir+"/vendor"], numbers[dir+"/device"] = "0x030200\n", vendor+"\n", device+"\n"
	}
	gpus, notes = builtIn.DetectGPUs(recorded("amd64", numbers, nil))
	got = nil
	for _, g := range gpus {
		got = append(got, g.Architecture+" "+strings.Join(g.Features, ","))
	}
	if want := []string{"NVIDIA SM_90a", "NVIDIA SM_80", "NVIDIA SM_89", "Intel pvc", "Intel acm_g10"}; !slices.Equal(got, want) || len(notes) > 0 {
		t.Errorf("%q, want %q; %q", got, want, notes)
	}
	// A GPU that does not answer, or that no table knows, is named in a note and left out.
	h = recorded("amd64", map[string]string{
		"/sys/bus/pci/devices/a/class": "0x030000", "/sys/bus/pci/devices/a/vendor": "0x10de",
		"/sys/bus/pci/devices/b/class": "0x038000", "/sys/bus/pci/devices/b/vendor": "0x1002",
		"/sys/class/kfd/kfd/topology/nodes/1/properties": "gfx_target_version 10203\n",
	}, map[string]string{"nvidia-smi": "1.1\n"})
	gpus, notes = builtIn.DetectGPUs(h)
	if len(gpus) != 0 || len(notes) != 2 || !strings.Contains(notes[0].Message, "`nvidia-smi` does not answer") || !strings.Contains(notes[1].Message, "amdkfd does not list it") {
		t.Errorf("%v %q, want len(gpus) = 0, len(notes) = 2, %q in notes[0].Message and %q in notes[1].Message", gpus, notes, "`nvidia-smi` does not answer", "amdkfd does not list it")
	}
	if gpus, notes := builtIn.DetectGPUs(Host{}); len(gpus)+len(notes) != 0 {
		t.Errorf("an empty host has %v %q, want 0", gpus, notes)
	}
}

func TestHostCompiler(t *testing.T) {
	h := recorded("amd64", nil, map[string]string{"gcc": "12\n", "clang": "14.0.6\n",
		"nvcc":  "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.88\n",
		"hipcc": "HIP version: 5.2.21153-0\nDebian clang version 15.0.6\nTarget: x86_64-pc-linux-gnu\n",
		"rustc": "rustc 1.63.0\n"})
	for name, want := range map[string]int{"gcc": 12, "clang": 14, "nvcc": 13, "hipcc": 15, "rustc": 63, "tcc": 0} {
		if got := h.Compiler(name).Major; got != want {
			t.Errorf("%s %d, want %d", name, got, want)
		}
	}
	for _, want := range []Compiler{{Name: "cmake", GCC: 12, Clang: 14}, {Name: "nvcc", Major: 13, GCC: 12}} {
		if got := h.Compiler(want.Name); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if got := recorded("amd64", nil, map[string]string{"gcc": "none\n"}).Compiler("gcc"); got.Major != 0 {
		t.Errorf("%+v, want 0", got)
	}
}

// TestHostUsing: a program is asked whether it is a gcc or a clang.
func TestHostUsing(t *testing.T) {
	h := recorded("amd64", nil, map[string]string{
		"clang-16": "Debian clang version 16.0.6 (15~deb12u1)\nTarget: x86_64-pc-linux-gnu\n",
		"tcc":      "tcc version 0.9.27\n", "rustc": "rustc 1.63.0\n",
	})
	other := h.Run
	h.Run = func(name string, args ...string) ([]byte, error) {
		if name == "aarch64-linux-gnu-gcc" {
			return []byte(map[string]string{"--version": "aarch64-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0\nCopyright (C) 2022 Free Software Foundation, Inc.\n", "-dumpversion": "12\n"}[args[0]]), nil
		}
		return other(name, args...)
	}
	for _, want := range []Compiler{
		{Name: "cmake", Program: "aarch64-linux-gnu-gcc", Kind: "gcc", GCC: 12},
		{Name: "gcc", Major: 12, Program: "aarch64-linux-gnu-gcc", Kind: "gcc", GCC: 12},
		{Name: "meson", Program: "/usr/bin/clang-16", Kind: "clang", Clang: 16},
		{Name: "cargo", Major: 63, Program: "clang-16", Kind: "clang", Clang: 16},
	} {
		if got, err := h.Using(want.Name, want.Program); err != nil || got != want {
			t.Errorf("%+v, want %+v, %v", got, want, err)
		}
	}
	for _, program := range []string{"tcc", "nosuch"} {
		if _, err := h.Using("cmake", program); err == nil || !strings.Contains(err.Error(), "`"+program+" --version` does not print the version of a gcc or a clang") {
			t.Error(err)
		}
	}
}

func FuzzCPUInfo(f *testing.F) {
	f.Add("amd64", "flags : sse avx2\n")
	f.Add("riscv64", "isa : rv64imafdc_zba\n")
	f.Add("arm64", "Features : fp asimd sve\n")
	f.Fuzz(func(t *testing.T, arch, text string) {
		got, err := builtIn.Detect(recorded(arch, map[string]string{"/proc/cpuinfo": text}, nil))
		if err != nil {
			return
		}
		if !builtIn.Compat(got, got, Run).OK() {
			t.Fatal("a detected host must run its own code")
		}
	})
}
