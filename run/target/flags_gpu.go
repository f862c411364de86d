package target

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/target/table"
)

// nvcc writes the flags of NVIDIA's compiler. Flags for the processor are meant for the host
// compiler, to which nvcc passes them.
func (w *writer) nvcc(stage Stage) {
	if w.t.PU == "CPU" {
		for _, f := range w.host("gcc", w.c.GCC, stage) {
			if !ownOfDriver(f) {
				f = "-Xcompiler=" + strings.ReplaceAll(f, ",", `\,`)
			}
			w.add(f)
		}
		return
	}
	if w.view.arch.Name != "NVIDIA" || w.t.Mode != 64 {
		w.noTarget("nvcc has no target for %s %s %d: no flags", w.t.PU, w.view.arch.Name, w.t.Mode)
		return
	}
	if devices := w.devices(func(f *table.Feature) table.Option { return f.NVCC }); len(devices) == 1 {
		w.addSince("-arch="+devices[0].NVCC.Flag, devices[0].NVCC.Since)
	} else {
		w.gencode(devices)
	}
	if stage == Compiling {
		w.add("-Xptxas=-O" + strconv.Itoa(w.t.Optimization.Level))
		w.deviceOptions("nvcc")
	}
	w.deviceTexts(stage)
}

// gencode writes the flags for several devices. For future devices it adds the PTX text of the last, most capable one,
// unless that text is valid for only one device or family.
func (w *writer) gencode(devices []*table.Feature) {
	for i, f := range devices {
		number := strings.TrimPrefix(f.NVCC.Flag, "sm_")
		w.addSince("-gencode=arch=compute_"+number+",code="+f.NVCC.Flag, f.NVCC.Since)
		if last := i == len(devices)-1; last && strings.TrimRight(number, "af") == number {
			w.add("-gencode=arch=compute_" + number + ",code=compute_" + number)
		}
	}
}

// hipcc writes the flags of AMD's compiler. It is a clang, so it takes the flags of the host's processor unchanged.
func (w *writer) hipcc(stage Stage) {
	if w.t.PU == "CPU" {
		w.add(slices.DeleteFunc(w.host("clang", w.c.Major, stage), func(f string) bool { return strings.HasPrefix(f, "--target=") })...)
		return
	}
	if w.view.arch.Name != "AMD" || w.t.Mode != 64 {
		w.noTarget("hipcc has no target for %s %s %d: no flags", w.t.PU, w.view.arch.Name, w.t.Mode)
		return
	}
	var ids string
	for _, f := range w.wanted() {
		if id, ok := strings.CutPrefix(f.Clang.Flag, "id:"); ok {
			ids += ":" + id
		}
	}
	for _, f := range w.devices(func(f *table.Feature) table.Option { return f.Clang }) {
		w.addSince("--offload-arch="+strings.TrimPrefix(f.Clang.Flag, "mcpu:")+ids, f.Clang.Since)
		if f.Clang.Since != 0 && f.Clang.Since == w.c.Major {
			w.note(KeyFeatures, "`%s` came with the clang of hipcc %d: hipcc refuses it with an older device library, such as Debian 12's", f.Name, w.c.Major)
		}
	}
	for _, f := range w.wanted() {
		if strings.HasPrefix(f.Clang.Flag, "-") && f.Clang.In(w.c.Major) {
			w.addSince(f.Clang.Flag, f.Clang.Since)
		}
	}
	if stage == Compiling {
		w.optimize()
	}
	w.deviceTexts(stage)
}

// devices returns the devices that a target names, the least capable first. A note names each device that the compiler has
// no flag for.
func (w *writer) devices(option func(*table.Feature) table.Option) []*table.Feature {
	var out []*table.Feature
	for _, f := range w.wanted() {
		o := option(f)
		switch device := o.Flag != "" && !strings.HasPrefix(o.Flag, "-") && !strings.HasPrefix(o.Flag, "id:"); {
		case !o.In(w.c.Major):
			w.noteMissing(f, o)
		case device:
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b *table.Feature) int {
		return either(implies(w.view.isa, b, a), -1, either(implies(w.view.isa, a, b), 1, 0))
	})
	if len(out) == 0 {
		w.note(KeyFeatures, "%s needs a device among the features; without one it chooses a device itself", w.c.Name)
	}
	return out
}

// host returns the flags for the compiler of the host's code.
func (w *writer) host(name string, major int, stage Stage) []string {
	o := newWriter(w.view, Compiler{Name: name, Major: major, Tune: w.c.Tune})
	o.cc(stage)
	for _, n := range o.notes {
		w.report(n)
	}
	return o.flags
}

// ownOfDriver reports whether nvcc itself takes a gcc flag, for host and device code.
func ownOfDriver(flag string) bool {
	return slices.ContainsFunc([]string{"-D", "-I", "-L", "-l"}, func(p string) bool { return strings.HasPrefix(flag, p) })
}

// deviceOptions adds a note for each optimisation that the device compiler has no flag for.
func (w *writer) deviceOptions(name string) {
	o := w.t.Optimization
	if o.Level > 0 && o.forSize() {
		w.note(KeyLevel, "%s has no flag for small device code: SizeOptimization", name)
	}
	if o.Vectorization != nil {
		w.note(KeyVectorization, "%s has no flag for VectorizationLevel", name)
	}
	if o.Inlining != nil {
		w.note(KeyInlining, "%s has no flag for InliningLevel", name)
	}
}

// deviceTexts writes defines and include paths when compiling, or libraries when linking.
func (w *writer) deviceTexts(stage Stage) {
	if stage == Compiling {
		for _, d := range w.t.Preprocessor.Defines {
			w.add("-D" + d.c())
		}
		for _, dir := range w.t.Preprocessor.Includes {
			w.add("-I" + dir)
		}
		return
	}
	if w.t.Linker.LibraryPath != "" {
		w.add("-L" + w.t.Linker.LibraryPath)
	}
	w.add(w.libraries()...)
}
