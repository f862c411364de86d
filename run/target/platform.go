package target

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// system is an operating system and its names in other programs.
type system struct {
	formats, libcs             []string // the usual one first
	llvm, cmake, meson, golang string
	machines                   []string // the machines it runs on; nil for any
}

var systems = map[string]system{
	"Android": {[]string{"ELF"}, []string{"Bionic"}, "linux-android", "Android", "android", "android", []string{"x86 32", "x86 64", "ARM 32", "ARM 64", "RISC-V 64"}},
	"FreeBSD": {[]string{"ELF"}, []string{"libc"}, "freebsd", "FreeBSD", "freebsd", "freebsd", nil},
	"iOS":     {[]string{"Mach-O"}, []string{"libSystem"}, "ios", "iOS", "darwin", "ios", []string{"ARM 64", "x86 64"}},
	"Linux":   {[]string{"ELF"}, []string{"glibc", "musl"}, "linux", "Linux", "linux", "linux", nil},
	"macOS":   {[]string{"Mach-O"}, []string{"libSystem"}, "macosx", "Darwin", "darwin", "darwin", []string{"ARM 64", "x86 64", "x86 32", "PowerPC 32", "PowerPC 64"}},
	"NetBSD":  {[]string{"ELF"}, []string{"libc"}, "netbsd", "NetBSD", "netbsd", "netbsd", nil},
	"None":    {[]string{"Raw", "ELF"}, []string{"newlib", "picolibc"}, "none", "Generic", "none", "", nil},
	"OpenBSD": {[]string{"ELF"}, []string{"libc"}, "openbsd", "OpenBSD", "openbsd", "openbsd", nil},
	"Windows": {[]string{"PE"}, []string{"MSVC", "MinGW"}, "windows", "Windows", "windows", "windows", []string{"x86 32", "x86 64", "ARM 32", "ARM 64"}},
}

// Systems lists the operating systems, sorted.
func Systems() []string { return slices.Sorted(maps.Keys(systems)) }

// Libcs lists the C libraries of all systems, sorted.
func Libcs() []string {
	var out []string
	for _, s := range systems {
		out = append(out, s.libcs...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// os is the system that a target is for: the system it names, or the default for its output format.
func (v *view) os() string {
	switch format := v.t.Linker.OutputFormat; {
	case v.t.Platform.OS != "":
		return v.t.Platform.OS
	case v.bare():
		return "None"
	case format == "PE":
		return "Windows"
	case format == "Mach-O":
		return "macOS"
	}
	return "Linux"
}

// codeModels maps architectures with several code models to the compilers' words for them.
var codeModels = map[string]map[string]string{
	"x86 64":       {"Small": "small", "Kernel": "kernel", "Medium": "medium", "Large": "large"},
	"ARM 64":       {"Tiny": "tiny", "Small": "small", "Large": "large"},
	"RISC-V 32":    {"Small": "medlow", "Medium": "medany"},
	"RISC-V 64":    {"Small": "medlow", "Medium": "medany"},
	"PowerPC 64":   {"Small": "small", "Medium": "medium", "Large": "large"},
	"SPARC 64":     {"Small": "medlow", "Medium": "medmid", "Large": "medany"},
	"LoongArch 64": {"Small": "normal", "Medium": "medium", "Large": "extreme"},
}

// floatABIs lists the float conventions of the architectures that have several.
var floatABIs = map[string][]string{"ARM 32": {"Soft", "SoftFP", "Hard"}, "RISC-V 32": {"Soft", "Hard"}, "RISC-V 64": {"Soft", "Hard"}, "MIPS 32": {"Soft", "Hard"}, "MIPS 64": {"Soft", "Hard"}}

// Unfit lists the settings of a target's platform that its machine does not support or that contradict another key.
func (m Machines) Unfit(t Target) problem.List {
	v := m.look(t)
	if v.mode == nil || t.Platform == (Platform{}) {
		return nil
	}
	u := &unfit{view: &v, p: t.Platform, name: fmt.Sprintf("%s %d", v.arch.Name, t.Mode)}
	if t.PU != "CPU" {
		for _, row := range u.texts() {
			u.report(row.key, "", "only processors of the kind CPU have a platform, and this is a %s", t.PU)
		}
	} else {
		u.system()
		u.code()
		u.floats()
	}
	if widest := m.AtomicBits(t); t.Platform.AtomicWidth > widest {
		u.report(KeyAtomicWidth, wider(&v, t.Platform.AtomicWidth), "%s changes at most %d bits as one, not %d", u.name, widest, t.Platform.AtomicWidth)
	}
	return u.found
}

// unfit collects the settings that do not suit the machine.
type unfit struct {
	*view
	p     Platform
	name  string // the architecture and its mode
	found problem.List
}

func (u *unfit) report(key Key, expected, format string, args ...any) {
	p := wrong(Contradiction, key, format, args...)
	p.Expected = expected
	u.found = append(u.found, p)
}

type platformText struct {
	key  Key
	text string
}

// texts returns the keys that are set, without the width of atomics.
func (u *unfit) texts() []platformText {
	all := []platformText{{KeyOS, u.p.OS}, {KeyOSVersion, u.p.OSVersion}, {KeyLibc, u.p.Libc}, {KeyLibcVersion, u.p.LibcVersion}, {KeyCodeModel, u.p.CodeModel},
		{KeyPosition, u.p.Position}, {KeyFloatABI, u.p.FloatABI}, {KeyTLSModel, u.p.TLSModel}}
	return slices.DeleteFunc(all, func(t platformText) bool { return t.text == "" })
}

// system checks system and library against the machine and the output format.
func (u *unfit) system() {
	os := u.os()
	s, format := systems[os], u.t.Linker.OutputFormat
	arm, _ := armArch(u.isa, u.set)
	switch {
	case u.p.OS == "":
	case s.machines != nil && !slices.Contains(s.machines, u.name):
		u.report(KeyOS, "", "%s does not run on %s", os, u.name)
	case u.arm32() && bare(arm) && os != "None":
		u.report(KeyOS, "write None", "no operating system runs on %s", arm.Name)
	case format != "" && !slices.Contains(s.formats, format):
		u.report(KeyOS, "", "programs of %s come as %s, and `OutputFormat` is %s", os, strings.Join(s.formats, " or "), format)
	}
	if u.p.OSVersion != "" && (u.p.OS == "" || u.p.OS == "None") {
		u.report(KeyOSVersion, "", "the version needs the name of the system: set `OS`")
	}
	if u.p.Libc != "" && !slices.Contains(s.libcs, u.p.Libc) {
		u.report(KeyLibc, "it has "+strings.Join(s.libcs, ", "), "%s has no C library `%s`", either(os == "None", "a machine without a system", os), u.p.Libc)
	}
	if u.p.LibcVersion != "" && u.p.Libc == "" {
		u.report(KeyLibcVersion, "", "the version needs the name of the library: set `Libc`")
	}
}

// code checks code model, position and thread-local storage against the machine and against each other.
func (u *unfit) code() {
	models := codeModels[u.name]
	independent := u.p.Position == "PIC" || u.p.Position == "PIE"
	switch _, has := models[u.p.CodeModel]; {
	case u.p.CodeModel == "":
	case models == nil:
		u.report(KeyCodeModel, "leave it out", "%s has no choice of code models", u.name)
	case !has:
		u.report(KeyCodeModel, "there are "+strings.Join(slices.Sorted(maps.Keys(models)), ", "), "%s has no code model `%s`", u.name, u.p.CodeModel)
	case independent && (u.p.CodeModel == "Kernel" || u.name == "ARM 64" && u.p.CodeModel == "Large"):
		u.report(KeyCodeModel, "", "code of the model `%s` has a fixed address on %s, and `PositionIndependence` is %s", u.p.CodeModel, u.name, u.p.Position)
	}
	switch os := u.os(); {
	case u.p.Position != "" && os == "Windows":
		u.report(KeyPosition, "leave it out", "Windows moves every program itself: compilers have no choice there")
	case u.p.Position == "None" && (os == "macOS" || os == "iOS") && u.name == "ARM 64":
		u.report(KeyPosition, "leave it out", "%s starts no program with a fixed address on ARM 64", os)
	}
	if u.p.TLSModel == "LocalExec" && u.p.Position == "PIC" {
		u.report(KeyTLSModel, "write InitialExec, or PIE", "`LocalExec` is for the program alone, and code with `PositionIndependence = PIC` may be in a library")
	}
}

// floats checks the float convention against machine and ABI.
func (u *unfit) floats() {
	all := floatABIs[u.name]
	said := ""
	if a := u.abi(); a != nil && all != nil {
		hard := slices.ContainsFunc(a.Flags, func(f string) bool {
			return strings.HasSuffix(f, "hard") || strings.HasSuffix(f, "d") || strings.HasSuffix(f, "f")
		})
		said = either(hard, "Hard", "Soft")
	}
	switch p := u.p.FloatABI; {
	case p == "" || p == "Hard" && all == nil:
	case all == nil:
		u.report(KeyFloatABI, "leave it out", "%s passes floating-point numbers in floating-point registers: it has no %s", u.name, p)
	case !slices.Contains(all, p):
		u.report(KeyFloatABI, "there are "+strings.Join(all, ", "), "%s has no convention `%s` for floating-point numbers", u.name, p)
	case u.arch.Name != "MIPS" && said != "" && (said == "Hard") != (p == "Hard"):
		u.report(KeyFloatABI, "", "the ABI `%s` is %s, and `FloatABI` is %s", u.t.ABI.Name, said, p)
	case u.arm32() && p == "Hard" && !u.hasFPU():
		u.report(KeyFloatABI, "add its unit to `Features`, such as VFPv4", "`Hard` needs a floating-point unit, and the target names none")
	}
}

// wider names the feature that lets a machine change that many bits atomically.
func wider(v *view, bits int) string {
	for _, a := range atomics[v.arch.PU+" "+v.arch.Name] {
		if a.mode == v.t.Mode && a.bits >= bits && a.feature != "" {
			return fmt.Sprintf("machines with `%s` do", v.isa.Feature(a.feature).Name)
		}
	}
	return ""
}

// bare reports whether a program of the target runs without an operating system.
func (v *view) bare() bool {
	arm, _ := armArch(v.isa, v.set)
	return v.t.PU != "CPU" || v.t.Linker.OutputFormat == "Raw" || v.arm32() && bare(arm) || slices.Contains([]string{"AVR", "MSP430"}, v.archName())
}

// triple is LLVM's name of the machine and its system. Most architectures have one triple for each output
// format and ABI; those with a fixed environment have a single complete one.
func (v *view) triple() string {
	arch := v.mode.Triple(v.endian())
	if arch == "" || strings.Contains(arch, "-") {
		return arch
	}
	env := ""
	if a := v.abi(); a != nil {
		env = a.Env
	}
	arm32 := v.arm32()
	if arm32 {
		if a, _ := armArch(v.isa, v.set); a != nil {
			arch = armTriple(a, v.endian() == "Big")
		}
		if env == "" {
			env = either(v.t.Platform.FloatABI == "Hard", "eabihf", "eabi")
		}
	}
	os, version := v.os(), v.t.Platform.OSVersion
	switch os {
	case "Windows":
		return arch + "-pc-windows-" + either(v.t.Platform.Libc == "MinGW", "gnu", "msvc")
	case "macOS", "iOS":
		if arch == "aarch64" {
			arch = "arm64"
		}
		return arch + "-apple-" + systems[os].llvm + version
	case "None":
		if arm32 {
			return arch + "-none-" + env
		}
		return arch + "-unknown-none-elf"
	case "FreeBSD", "NetBSD", "OpenBSD":
		return arch + "-unknown-" + systems[os].llvm + version
	case "Android":
		return arch + "-unknown-linux-android" + either(arm32, "eabi", "") + version
	}
	switch v.arch.Name {
	case "BPF":
		return arch + "-unknown-unknown"
	case "Xtensa":
		return arch + "-unknown-none-elf"
	}
	libc := either(v.t.Platform.Libc == "musl", "musl", "gnu")
	if env == "" && v.arch.Name == "MIPS" && v.t.Mode == 64 {
		env = "abi64"
	}
	return arch + "-unknown-linux-" + libc + strings.TrimPrefix(env, "gnu")
}

// AtomicBits is the widest value, in bits, that the target can compare and swap atomically. It is 0 if the
// target has no such instruction or the tables do not know the machine.
func (m Machines) AtomicBits(t Target) int {
	v := m.look(t)
	if v.mode == nil {
		return 0
	}
	has := v.set
	if arch, _ := armArch(v.isa, v.set); v.arm32() && arch == nil { // no architecture is named, so the mode's default applies
		has = has.Union(v.isa.Closure(v.isa.Feature(v.mode.March).ID))
	}
	widest := 0
	for _, a := range atomics[v.arch.PU+" "+v.arch.Name] {
		if a.mode == t.Mode && a.bits > widest && (a.feature == "" || has.Has(v.isa.Feature(a.feature).ID)) {
			widest = a.bits
		}
	}
	return widest
}

// atomic is an atomic width, available on all machines of a mode or on those with a feature.
type atomic struct {
	mode    int
	feature string
	bits    int
}

// atomics lists the atomic widths of the instruction sets, from the manuals: compare and swap, or paired load and store instructions.
var atomics = map[string][]atomic{
	"CPU x86":       {{16, "cx8", 64}, {16, "", 32}, {32, "cx8", 64}, {32, "", 32}, {64, "", 64}, {64, "cx16", 128}},
	"CPU ARM":       {{32, "armv6", 32}, {32, "armv6k", 64}, {32, "armv7-m", 32}, {32, "armv8-m.base", 32}, {64, "", 128}},
	"CPU RISC-V":    {{32, "a", 32}, {32, "zacas", 64}, {64, "a", 64}, {64, "zacas", 128}},
	"CPU PowerPC":   {{32, "", 32}, {64, "", 64}, {64, "quadword-atomics", 128}},
	"CPU S390X":     {{64, "", 128}},
	"CPU MIPS":      {{32, "", 32}, {64, "", 64}},
	"CPU SPARC":     {{64, "", 64}},
	"CPU LoongArch": {{32, "", 32}, {64, "", 64}},
	"CPU WASM":      {{32, "", 64}, {64, "", 64}},
	"CPU BPF":       {{64, "", 64}},
	"CPU VE":        {{64, "", 64}},
	"CPU Xtensa":    {{32, "s32c1i", 32}},
	"GPU NVIDIA":    {{64, "", 64}},
	"GPU AMD":       {{64, "", 64}},
	"DSP Hexagon":   {{32, "", 64}},
}
