package target

import (
	"slices"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/target/table"
)

// writer collects flags and notes for one target and compiler.
type writer struct {
	t      Target
	view   view
	c      Compiler
	abi    *table.ABI // nil if there is none, or a custom one
	triple string
	flags  []string
	since  map[string]int // for a flag that not all versions have: the first version that has it
	notes  problem.List
	noted  map[string]bool // messages of notes already written
	common *Compiler       // for a toolchain file: allows only processors that its gcc and its clang know; else nil
}

func newWriter(v view, c Compiler) *writer {
	return &writer{t: v.t, view: v, c: c, abi: v.abi(), triple: v.triple(), since: map[string]int{}, noted: map[string]bool{}}
}

// addSince adds a flag that only newer versions have.
func (w *writer) addSince(flag string, since int) {
	w.add(flag)
	if since > 0 {
		w.since[flag] = since
	}
}

func (w *writer) add(flags ...string) { w.flags = append(w.flags, flags...) }

// note reports, once, a setting that the compiler has no flag for.
func (w *writer) note(key Key, format string, args ...any) {
	w.report(info(NoFlag, key, format, args...))
}

// noTarget reports that the compiler does not build for the machine.
func (w *writer) noTarget(format string, args ...any) {
	w.report(info(NoTarget, KeyArchitecture, format, args...))
}

func (w *writer) report(p *problem.Problem) {
	if !w.noted[p.Message] {
		w.noted[p.Message] = true
		p.Span = w.t.Span
		w.notes = append(w.notes, p)
	}
}

// wanted lists the features that the target names, extensions included, each once. An unknown name becomes a note.
func (w *writer) wanted() []*table.Feature {
	var out []*table.Feature
	for _, n := range slices.Concat(w.t.Features, w.t.Extensions.SIMD, w.t.Extensions.Crypto) {
		m := w.view.isa.Feature(n)
		if m.Feature == nil || m.How == table.Prefixed {
			w.note(KeyFeatures, "`%s` is not a known feature of %s: no flag", n, w.view.arch.Name)
			continue
		}
		for _, f := range w.members(m.Feature) {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// members returns the features of a group, or the feature itself.
func (w *writer) members(f *table.Feature) []*table.Feature {
	if !f.Group {
		return []*table.Feature{f}
	}
	var out []*table.Feature
	for _, id := range w.view.isa.Reduce(f.Implies.Set()) {
		out = append(out, &w.view.isa.Features[id])
	}
	return out
}

// isBase reports whether every machine of the mode has the feature anyway.
func (w *writer) isBase(f *table.Feature) bool {
	named, _ := w.view.isa.Meaning(w.t.Features)
	return w.view.isa.Always(w.view.mode, named).Has(w.view.isa.Feature(f.Key).ID)
}

// notePreference adds a note that says whether size or speed wins.
func (w *writer) notePreference() {
	if o := w.t.Optimization; o.Size && o.Speed && o.Level > 0 {
		w.note(KeyLevel, "`SizeOptimization` and `SpeedOptimization` are both on: at level %d %s wins", o.Level, either(o.forSize(), "size", "speed"))
	}
}

// forSize reports whether size goes before speed. If both are asked for, speed wins from
// optimisation level 2 on.
func (o Optimization) forSize() bool {
	if o.Size && o.Speed {
		return o.Level < 2
	}
	return o.Size
}

// clang reports whether the flags are for a clang; otherwise they are for a gcc.
func (w *writer) clang() bool { return w.c.Name == "clang" || w.c.Name == "hipcc" }
