package target

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/target/table"
)

// cc writes the flags of gcc and clang, which agree in most things.
func (w *writer) cc(stage Stage) {
	if !w.machine() {
		return
	}
	w.convention()
	w.features()
	w.tune()
	w.platform(stage)
	if stage == Linking {
		w.link("-Wl,")
		return
	}
	w.optimize()
	for _, d := range w.t.Preprocessor.Defines {
		w.add("-D" + d.c())
	}
	for _, dir := range w.t.Preprocessor.Includes {
		w.add("-I" + dir)
	}
}

// machine chooses architecture, mode and byte order. One clang serves all architectures; a gcc serves the one it was built for, so only its
// mode can be chosen. machine reports whether the compiler has the architecture at all.
func (w *writer) machine() bool {
	arch, endian := w.view.arch, w.view.endian()
	if _, possible := w.view.mode.Allows(endian); !possible {
		w.note(KeyEndianness, "%s is never %s-endian: no flag", arch.Name, strings.ToLower(endian))
	}
	if w.t.Memory.Model == "Segmented" {
		w.note(KeyModel, "%s has no flag for the Segmented memory model", w.c.Name)
	}
	if w.t.Memory.StackGrowth == "Up" {
		w.note(KeyStackGrowth, "%s has no flag for a stack that grows up", w.c.Name)
	}
	if w.clang() {
		since, young := clangSince[arch.PU+" "+arch.Name]
		switch {
		case w.triple == "" || young && since == 0:
			w.noTarget("clang has no target for %s %s: no flags", arch.PU, arch.Name)
			return false
		case young && w.c.Major != 0 && w.c.Major < since:
			w.noTarget("clang %d has no target for %s %s: it came with version %d", w.c.Major, arch.PU, arch.Name, since)
			return false
		}
		w.add("--target=" + w.triple)
		if arch.Name == "WASM" {
			w.add("-mcpu=" + w.view.mode.CPU) // the default processor of newer versions has more features
		}
		if strings.HasPrefix(w.triple, "arm64-apple-") {
			w.add("-mcpu=generic") // otherwise clang 16 adds the features of a processor of its own choice to -march
		}
		if strings.HasPrefix(w.triple, "amdgcn-") {
			w.add("-nogpulib") // clang does not include the vendor's device library, and fails without it
		}
		return true
	}
	if !slices.Contains(gccArchs, arch.PU+" "+arch.Name) || w.t.Mode > 64 {
		w.noTarget("gcc has no target for %s %s: no flags", arch.PU, arch.Name)
		return false
	}
	big := endian == "Big"
	switch arch.Name {
	case "x86":
		if w.abi == nil || w.abi.Name != "x32" {
			w.add("-m" + strconv.Itoa(w.t.Mode))
		}
	case "PowerPC", "SPARC":
		w.add("-m" + strconv.Itoa(w.t.Mode))
		if arch.Name == "PowerPC" {
			w.add(either(big, "-mbig-endian", "-mlittle-endian"))
		}
	case "S390X":
		w.add("-m64")
	case "ARM", "C6000":
		w.add(either(big, "-mbig-endian", "-mlittle-endian"))
	case "MIPS":
		w.add(either(big, "-EB", "-EL"))
	}
	return true
}

// gccArchs are the architectures that a gcc can be built for.
var gccArchs = []string{"CPU x86", "CPU ARM", "CPU RISC-V", "CPU PowerPC", "CPU MIPS", "CPU SPARC", "CPU S390X", "CPU LoongArch",
	"CPU M68K", "CPU AVR", "CPU MSP430", "CPU BPF", "CPU Xtensa", "DSP C6000", "DSP Blackfin", "DSP HiFi"}

// clangSince is the clang version that added a late architecture; 0 means that clang does not have it yet, although LLVM does.
var clangSince = map[string]int{"CPU LoongArch": 16, "CPU Xtensa": 0}

// convention chooses the ABI and the target's changes to it.
func (w *writer) convention() {
	if w.t.ABI == nil {
		return
	}
	x86 := w.view.arch.Name == "x86" && w.t.PU == "CPU"
	stack, redZone := w.view.mode.Stack, either(x86 && w.t.Mode == 64, 128, 0) // the values of the machine's own ABI
	switch {
	case w.abi == nil:
		w.note(KeyABI, "`%s` is a custom ABI: no flag for its registers", w.t.ABI.Name)
	case w.abi.Any:
		w.add(w.abi.Flags...)
		return
	default:
		w.knownABI()
		stack, redZone = w.abi.Stack, w.abi.RedZone
	}
	if z := w.t.ABI.RedZone; z != nil && *z != redZone {
		if *z == 0 && (x86 && w.t.Mode == 64 || w.clang() && w.abi != nil && w.abi.Name == "Apple") {
			w.add("-mno-red-zone")
		} else {
			w.note(KeyRedZone, "%s cannot set a red zone of %d bytes", w.c.Name, *z)
		}
	}
	if a := w.t.ABI.StackAlignment; a != nil && *a != stack {
		w.stackAlignment(*a, x86)
	}
}

// knownABI writes the flags of an ABI that the compiler knows.
func (w *writer) knownABI() {
	switch {
	case w.abi.Name == "Win64" && !strings.Contains(w.triple, "windows"):
		if w.clang() {
			w.note(KeyABI, "clang takes the Win64 ABI from the output format: set OutputFormat = PE")
		} else {
			w.add("-mabi=ms")
		}
	case w.abi.Name == "x32" && w.clang():
	default:
		w.add(w.abi.Flags...)
	}
}

// stackAlignment sets a stack alignment other than the ABI's, if the compiler can: only gcc on x86, from the
// size of a register up to 4096 bytes.
func (w *writer) stackAlignment(bytes int, x86 bool) {
	switch least := w.t.Mode / 8; {
	case w.clang():
		w.add("-mstack-alignment=" + strconv.Itoa(bytes))
	case !x86:
		w.note(KeyStackAlignment, "gcc cannot set the stack alignment of %s", w.view.arch.Name)
	case bytes < least || bytes > maxGCCStack:
		w.note(KeyStackAlignment, "gcc aligns the stack to %d to %d bytes in mode %d, not to %d", least, maxGCCStack, w.t.Mode, bytes)
	default:
		w.add("-mpreferred-stack-boundary=" + strconv.Itoa(bits.Len(uint(bytes))-1))
	}
}

// maxGCCStack is the largest stack alignment that gcc accepts, in bytes.
const maxGCCStack = 4096

// features writes -march with its suffixes, -mfpu, -mcpu and the flags of single features.
func (w *writer) features() {
	m := &march{base: w.view.mode.March}
	if w.view.arch.Name == "x86" && w.t.PU == "CPU" {
		m.base = w.view.mode.CPU
	}
	wanted := w.wanted()
	w.nearest(m, wanted)
	if w.view.arm32() {
		w.arm(m, wanted)
	}
	for _, f := range wanted {
		if !f.Works(w.t.Mode) {
			w.note(KeyFeatures, "`%s` does not work in mode %d: no flag", f.Name, w.t.Mode)
			continue
		}
		w.feature(f, m, true)
		if w.view.arch.Name == "RISC-V" {
			// Compilers differ in which implied features they add to an ISA string, so all of them are written.
			for _, id := range f.Implies {
				w.feature(&w.view.isa.Features[id], m, false)
			}
		}
	}
	switch {
	case w.view.arch.Name == "RISC-V":
		w.riscv(m)
	case w.view.arm32() && (w.abi == nil || len(w.abi.Flags) == 0):
		// A compiler built to pass floats in registers refuses a machine that has no float registers.
		w.add("-mfloat-abi=" + cmp.Or(strings.ToLower(w.t.Platform.FloatABI), either(w.view.hasFPU(), "softfp", "soft")))
	case w.view.arch.Name == "MIPS" && w.t.Platform.FloatABI != "":
		w.add("-m" + strings.ToLower(w.t.Platform.FloatABI) + "-float")
	}
	m.flags(w)
}

// nearest starts -march with the largest processor that the compiler knows and that has no feature beyond the target's.
func (w *writer) nearest(m *march, wanted []*table.Feature) {
	s := w.view.isa
	if w.t.Mode != 64 {
		return // the tables list only 64-bit processors
	}
	have, _ := s.Meaning(names(wanted))
	have = have.Union(s.Always(w.view.mode, have))
	p := s.Nearest(have, func(p *table.Processor) bool {
		if w.common != nil && !(p.GCC.In(w.common.version("gcc")) && p.Clang.In(w.common.version("clang"))) {
			return false
		}
		return p.For(w.clang()).In(w.c.Major)
	})
	if p == nil {
		return
	}
	o := p.For(w.clang())
	m.base, m.since, m.given = strings.TrimPrefix(o.Flag, "-march="), o.Since, s.Brings(p, o)
	if w.clang() {
		m.given = w.brings(p, o, w.c.Major)
	}
	if w.common != nil {
		m.given = s.Brings(p, p.GCC).Intersect(w.brings(p, p.Clang, w.common.version("clang")))
	}
}

// brings returns the features that a processor's name switches on in a version of LLVM; 0 means the newest. From LLVM 20 on, most
// processors no longer include CLDEMOTE.
func (w *writer) brings(p *table.Processor, o table.Option, llvm int) table.Set {
	out := w.view.isa.Brings(p, o)
	if f := w.view.isa.Feature("cldemote"); f.Feature != nil && (llvm == 0 || llvm >= 20) {
		var gone table.Set
		gone.Add(f.ID)
		out = out.Minus(gone)
	}
	return out
}

// feature adds the flag of one feature to the option it belongs to.
func (w *writer) feature(f *table.Feature, m *march, named bool) {
	if m.given.Has(w.view.isa.Feature(f.Key).ID) {
		return
	}
	o := f.For(w.clang())
	if !o.In(w.c.Major) {
		if named && !w.isBase(f) && (o.Flag != "" || o.Macro == "") {
			w.noteMissing(f, o)
		}
		return
	}
	if o.Macro == "" && named && !w.isBase(f) {
		w.report(info(NoMacro, KeyFeatures, "`%s` has a flag but no macro in %s", f.Name, w.c.Name))
	}
	kind, text, _ := strings.Cut(o.Flag, ":")
	if o.March != "" && !m.takes(w, o.March) {
		w.note(KeyFeatures, "%s takes `%s` only from %s on, which the target may not be: no flag", w.c.Name, f.Name, o.March)
		return
	}
	if w.common != nil && strings.HasPrefix(o.Flag, "+") && !w.inBoth(f, named) {
		return
	}
	switch {
	case kind == "arch", f.Key == "thumb": // 32-bit ARM: the architecture is already written
	case strings.HasPrefix(o.Flag, "-"):
		m.single(w.view.isa, o.Flag, f, o.Since)
	case strings.HasPrefix(o.Flag, "+"):
		m.suffix(o.Flag[1:])
		m.since = max(m.since, o.Since)
	case kind == "fpu":
		m.fpus = append(m.fpus, f)
	case kind == "ptx":
		for _, word := range []string{"-Xclang", "-target-feature", "-Xclang", text} {
			m.singles = append(m.singles, single{word, f, 0})
		}
	case kind == "id":
		m.ids = append(m.ids, text)
	case kind == "march", kind == "mcpu", kind == "mmcu":
		m.device(w, kind, text, f)
	}
	for _, key := range o.Lacks {
		if g := w.view.isa.Feature(key); g.Feature != nil {
			w.feature(g.Feature, m, false)
		}
	}
}

// inBoth reports whether both compilers of a file accept a suffix of -march. If a compiler lacks it, inBoth adds a note.
func (w *writer) inBoth(f *table.Feature, named bool) bool {
	if !f.GCC.In(w.common.version("gcc")) || !f.Clang.In(w.common.version("clang")) {
		return false
	}
	if f.GCC.Flag != f.Clang.Flag && named {
		w.note(KeyFeatures, "gcc and clang have no flag in common for `%s`: it is not in the file", f.Name)
	}
	return f.GCC.Flag == f.Clang.Flag
}

func (w *writer) noteMissing(f *table.Feature, o table.Option) {
	switch {
	case o.Flag == "":
		w.note(KeyFeatures, "%s has no flag for `%s`", w.c.Name, f.Name)
	case o.Until != 0 && (w.c.Major == 0 || w.c.Major > o.Until):
		w.note(KeyFeatures, "%s has no flag for `%s` after version %d", w.c.Name, f.Name, o.Until)
	default:
		w.note(KeyFeatures, "%s %d has no flag for `%s`: it came with version %d", w.c.Name, w.c.Major, f.Name, o.Since)
	}
}

func (w *writer) optimize() {
	o := w.t.Optimization
	if o.Level == 0 && (o.Speed || o.Size) {
		w.note(KeyLevel, "level 0 optimises neither for speed nor for size: -O0")
	}
	switch {
	case o.Level == 0 || !o.forSize():
		w.add("-O" + strconv.Itoa(o.Level))
	case o.Level == 3 && (w.clang() || w.c.Major == 0 || w.c.Major >= 12):
		w.add("-Oz")
	default:
		w.add("-Os")
	}
	level := func(p *int, byLevel [3][]string) {
		if p != nil && *p >= 0 && *p < 3 {
			w.add(byLevel[*p]...)
		}
	}
	if w.clang() {
		level(o.Vectorization, [3][]string{{"-fno-vectorize", "-fno-slp-vectorize"}, nil, {"-fvectorize"}})
		level(o.Inlining, [3][]string{{"-fno-inline"}, {"-finline-hint-functions"}, {"-finline-functions"}})
		return
	}
	level(o.Vectorization, [3][]string{{"-fno-tree-vectorize"}, nil, {"-ftree-vectorize"}})
	level(o.Inlining, [3][]string{{"-fno-inline"}, nil, {"-finline-functions"}})
}

// link writes the linker's flags; pass is the prefix with which the driver hands a flag to the linker.
func (w *writer) link(pass string) {
	l := w.t.Linker
	if l.LibraryPath != "" {
		w.add("-L" + l.LibraryPath)
	}
	w.add(w.libraries()...)
	switch {
	case l.EntryPoint == "main" && l.OutputFormat != "Raw":
		w.note(KeyEntryPoint, "`main` is what the C start-up code calls: no flag for the entry point")
	case l.EntryPoint != "":
		w.add(pass + "-e," + l.EntryPoint)
	}
	switch l.OutputFormat {
	case "Raw":
		w.add(pass + "--oformat=binary")
	case "PE", "Mach-O":
		if !w.clang() {
			w.note(KeyOutputFormat, "a gcc links one output format: for %s use a gcc built for it", l.OutputFormat)
		}
	}
}

func (w *writer) libraries() []string {
	out := make([]string, len(w.t.Linker.Libraries))
	for i, lib := range w.t.Linker.Libraries {
		out[i] = libFlag(lib)
	}
	return out
}

// libFlag returns -l and a library name, or the name alone if it is a path. A name with a version is a file name.
func libFlag(lib string) string {
	switch {
	case strings.ContainsAny(lib, `/\`):
		return lib
	case strings.Contains(lib, ".so."):
		return "-l:" + lib
	}
	return "-l" + libName(lib)
}

// libName returns the name that -l expects: libm, libm.so and m all become m.
func libName(lib string) string {
	name := strings.TrimPrefix(lib, "lib")
	if name == "" {
		name = lib
	}
	for _, ext := range []string{".a", ".so", ".dylib", ".lib"} {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// c writes the define as C compilers expect it after -D.
func (d Define) c() string {
	switch d.Kind {
	case Flag:
		return d.Name
	case String:
		return fmt.Sprintf("%s=%q", d.Name, d.Text)
	}
	return d.Name + "=" + d.Text
}

// platform writes the flags for code model, position independence and thread-local storage.
func (w *writer) platform(stage Stage) {
	p := w.t.Platform
	if word := codeModels[fmt.Sprintf("%s %d", w.view.arch.Name, w.t.Mode)][p.CodeModel]; word != "" && w.t.PU == "CPU" {
		w.add("-mcmodel=" + word)
	}
	switch {
	case w.view.os() == "Windows":
	case stage == Compiling:
		w.add(map[string][]string{"None": {"-fno-pie"}, "PIC": {"-fPIC"}, "PIE": {"-fPIE"}}[p.Position]...)
	default:
		w.add(map[string][]string{"None": {"-no-pie"}, "PIE": {"-pie"}}[p.Position]...)
	}
	if stage == Compiling && p.TLSModel != "" {
		w.add("-ftls-model=" + tlsWords[p.TLSModel])
	}
	if p.OSVersion != "" && (p.OS == "Linux" || p.OS == "Windows") {
		w.note(KeyOSVersion, "%s has no flag for the version of %s", w.c.Name, p.OS)
	}
	if p.LibcVersion != "" {
		w.note(KeyLibcVersion, "%s has no flag for the version of %s", w.c.Name, p.Libc)
	}
}

// tlsWords maps models of thread-local storage to the compilers' words.
var tlsWords = map[string]string{"GlobalDynamic": "global-dynamic", "LocalDynamic": "local-dynamic", "InitialExec": "initial-exec", "LocalExec": "local-exec"}

// processor finds a processor in the tables by name.
func (v *view) processor(name string) *table.Processor {
	for i := range v.isa.Processors {
		if p := &v.isa.Processors[i]; strings.EqualFold(p.Name, name) {
			return p
		}
	}
	return nil
}

// tunable returns an error if the architecture does not have the processor to tune for.
func (v *view) tunable(name string) error {
	if name == "" || v.processor(name) != nil {
		return nil
	}
	var known []string
	for _, p := range v.isa.Processors {
		known = append(known, p.Name)
	}
	near, _ := problem.Nearest(name, known)
	return &problem.Problem{Kind: UnknownMachine, Subject: problem.Subject{Name: name}, Message: fmt.Sprintf("there is no processor `%s` of %s to tune for", name, v.arch.Name),
		Expected: "`pentode target list presets` lists them", Suggestion: near}
}

// tune writes the flag that names the processor to optimise for.
func (w *writer) tune() {
	if w.c.Tune == "" {
		return
	}
	p := w.view.processor(w.c.Tune)
	switch o := p.Tune(w.clang()); {
	case o.Flag == "":
		w.note(KeyFeatures, "the tables have no name that %s uses for `%s`: no -mtune", w.c.Name, p.Name)
	case !o.In(w.c.Major):
		w.note(KeyFeatures, "%s %d has no -mtune for `%s`: it came with version %d", w.c.Name, w.c.Major, p.Name, o.Since)
	default:
		w.addSince("-mtune="+o.Flag, o.Since)
	}
}

// noteUntuned adds a note if a compiler can only optimise for the processor that it builds for.
func (w *writer) noteUntuned() {
	if w.c.Tune != "" && slices.Contains([]string{"cargo", "go", "nvc", "rustc", "zig"}, w.c.Name) {
		w.note(KeyFeatures, "%s can tune only for the processor that it builds for: no flag for `%s`", w.c.Name, w.c.Tune)
	}
}
