package target

import (
	"strings"
	"testing"
)

// TestIdentify: a processor is named by its number if it reports one, else by its features.
func TestIdentify(t *testing.T) {
	v3 := "fpu cx8 cmov mmx fxsr sse sse2 syscall lm pni pclmulqdq ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt aes xsave avx f16c rdrand lahf_lm abm bmi1 avx2 bmi2 fsgsbase xsaveopt invpcid"
	caches := func(cpuinfo string) map[string]string {
		return map[string]string{"/proc/cpuinfo": cpuinfo,
			"/sys/devices/system/cpu/cpu0/cache/index0/level": "1\n", "/sys/devices/system/cpu/cpu0/cache/index0/type": "Data\n", "/sys/devices/system/cpu/cpu0/cache/index0/size": "48K\n",
			"/sys/devices/system/cpu/cpu0/cache/index2/level": "2\n", "/sys/devices/system/cpu/cpu0/cache/index2/type": "Unified\n", "/sys/devices/system/cpu/cpu0/cache/index2/size": "2048K\n",
			"/sys/class/dmi/id/sys_vendor": "Maker\n"}
	}
	for _, c := range []struct {
		name, arch string
		files      map[string]string
		want       string
	}{
		{"Intel", "amd64", caches("processor : 0\nvendor_id : GenuineIntel\nmodel name : A Core i7\nflags : " + v3 + " \n\nprocessor : 1\nvendor_id : GenuineIntel\nflags : " + v3 + " \n"),
			"Processor: A Core i7, by its features haswell. | 2 processors to the system; caches of the first: L1d 48K, L2 2048K."},
		{"hypervisor", "amd64", caches("processor : 0\nvendor_id : GenuineIntel\nmodel name : A Core i7\nflags : hypervisor " + v3 + "\n"),
			"Processor: A Core i7, by its features haswell. | 1 processor to the system; caches of the first: L1d 48K, L2 2048K. | It runs under a hypervisor, Maker, which may hide features."},
		{"ARM", "arm64", map[string]string{"/proc/cpuinfo": "processor : 0\nFeatures : fp asimd\nCPU implementer : 0x41\nCPU part : 0xd0c\n"}, "Processor: neoverse-n1. | 1 processor to the system."},
		{"unknown ARM", "arm64", map[string]string{"/proc/cpuinfo": "processor : 0\nFeatures : fp asimd\nCPU implementer : 0x41\nCPU part : 0xfff\n"}, "1 processor to the system."},
		{"Z", "s390x", map[string]string{"/proc/cpuinfo": "vendor_id : IBM/S390\nfeatures : esan3\nprocessor 0: version = 00,  identification = 0123AB,  machine = 3931\n"}, "Processor: z16. | 1 processor to the system."},
		{"POWER", "ppc64le", map[string]string{"/proc/cpuinfo": "processor : 0\ncpu : POWER9 (architected), altivec supported\n"}, "Processor: POWER9 (architected), altivec supported, pwr9. | 1 processor to the system."},
		{"QEMU", "amd64", map[string]string{"/proc/cpuinfo": "processor : 0\nmodel name : QEMU Virtual CPU\nflags : fpu sse sse2\n"}, "Processor: QEMU Virtual CPU. | 1 processor to the system. | It runs under QEMU, which may hide features."},
		{"emulated", "arm64", map[string]string{"/proc/cpuinfo": "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel name\t: A Core i7\nflags\t\t: fpu aes sse2 \n"}, "It runs under an emulator on a processor of x86, which may hide features."},
		{"nothing", "amd64", nil, ""},
	} {
		if got := strings.Join(builtIn.Identify(recorded(c.arch, c.files, nil)).Lines(), " | "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
	// The features of another architecture's file have no meaning here, even if some are spelled the same.
	h := recorded("arm64", map[string]string{"/proc/cpuinfo": "cpu family : 6\nflags : fpu aes sse2\n"}, nil)
	if x, err := builtIn.Detect(h); err != nil || len(x.Features) > 0 {
		t.Errorf("%v %v", x.Features, err)
	}
	if id := builtIn.Identify(Host{Arch: "pdp11"}); id.Processor != "" || len(id.Lines()) > 0 {
		t.Errorf("%+v, want id.Processor = nothing and len(id.Lines()) at most 0", id)
	}
}
