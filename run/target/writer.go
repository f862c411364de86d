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
	abi    *table.ABI // nil for none and custom ones
	triple string
	flags  []string
	since  map[string]int // the first version that has a flag, where not all have it
	notes  problem.List
	noted  map[string]bool // their messages
	common *Compiler       // of a toolchain file: only processors that its gcc and its clang know; else nil
}

func newWriter(v view, c Compiler) *writer {
	return &writer{t: v.t, view: v, c: c, abi: v.abi(), triple: v.triple(), since: map[string]int{}, noted: map[string]bool{}}
}

// addSince adds a flag that not all versions have.
func (w *writer) addSince(flag string, since int) {
	w.add(flag)
	if since > 0 {
		w.since[flag] = since
	}
}

func (w *writer) add(flags ...string) { w.flags = append(w.flags, flags...) }

// note reports once that the compiler cannot be told something.
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

// wanted lists the features the target names, extensions included, each once;
// names no table knows become notes.
func (w *writer) wanted() []*table.Feature {
	var out []*table.Feature
	for _, n := range slices.Concat(w.t.Features, w.t.Extensions.SIMD, w.t.Extensions.Crypto) {
		m := w.view.isa.Feature(n)
		if m.Feature == nil || m.How == table.Prefixed {
			w.note(KeyFeatures, "`%s` is not a feature of %s that we know: no flag", n, w.view.arch.Name)
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

// members is what a group stands for; any other feature is itself.
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

// based reports whether every machine of the mode has the feature anyway.
func (w *writer) based(f *table.Feature) bool {
	named, _ := w.view.isa.Meaning(w.t.Features)
	return w.view.isa.Always(w.view.mode, named).Has(w.view.isa.Feature(f.Key).ID)
}

// preference notes which of two wishes for optimising is followed.
func (w *writer) preference() {
	if o := w.t.Optimization; o.Size && o.Speed && o.Level > 0 {
		w.note(KeyLevel, "`SizeOptimization` and `SpeedOptimization` are both on: at level %d %s wins", o.Level, either(o.forSize(), "size", "speed"))
	}
}

// forSize reports whether size goes before speed. Where both are asked for, speed
// wins at the levels that spend time on it.
func (o Optimization) forSize() bool {
	if o.Size && o.Speed {
		return o.Level < 2
	}
	return o.Size
}

// clang reports whether the flags are for clang, else they are for gcc.
func (w *writer) clang() bool { return w.c.Name == "clang" || w.c.Name == "hipcc" }
