package target

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/target/table"
)

// Compiler is the compiler that flags are for.
type Compiler struct {
	Name  string // one of Compilers
	Major int    // its version, of rustc the number behind `1.` and of zig that behind `0.`; 0 for the newest known

	Unstable bool   // rustc: with the features that it warns of
	Tune     string // the processor of the tables that code is made fast for, though it runs on others; "" for none

	// A file for a build system is for both of them, and nvcc has a gcc behind it: their
	// versions; 0 for Major.
	GCC, Clang int

	// Program is the compiler that a build system will use, and Kind whether it is a gcc or a
	// clang; "" where any may come.
	Program, Kind string
}

// WritesFile reports whether flags are the lines of a file.
func (c Compiler) WritesFile() bool {
	return slices.Contains([]string{"cargo", "cmake", "meson"}, c.Name)
}

// version is that of a compiler which a file is for.
func (c Compiler) version(name string) int {
	if name == "gcc" {
		return cmp.Or(c.GCC, c.Major)
	}
	return cmp.Or(c.Clang, c.Major)
}

var compilers = []string{"aocc", "armclang", "cargo", "clang", "cmake", "gcc", "go", "hipcc", "icx", "meson", "nvc", "nvcc", "rustc", "zig"}

// Compilers lists the compilers Flags knows, sorted.
func Compilers() []string { return slices.Clone(compilers) }

// Stage is what the flags are used for.
type Stage uint8

const (
	Compiling Stage = iota
	Linking
)

// Flags is what a compiler must be told to build for t: only flags that it has.
// What it cannot be told is in notes. For a build system the flags are the lines
// of a file, whatever the stage; for go they are settings of its environment.
func (m Machines) Flags(t Target, c Compiler, stage Stage) (flags []string, notes problem.List, err error) {
	w, err := m.write(t, c, stage)
	if err != nil {
		return nil, nil, err
	}
	return w.flags, w.notes, nil
}

// Oldest is the oldest version of a compiler that the tables were held against;
// flags that it has may be older.
func Oldest(compiler string) int {
	if compiler == "clang" {
		return 13
	}
	return 11
}

// Versions is the first major version of the compiler that takes a flag and means
// what it says, for each flag that may be younger than the oldest of them.
func (m Machines) Versions(t Target, c Compiler, stage Stage) (map[string]int, error) {
	w, err := m.write(t, c, stage)
	if err != nil {
		return nil, err
	}
	return w.since, nil
}

func (m Machines) write(t Target, c Compiler, stage Stage) (*writer, error) {
	if !slices.Contains(compilers, c.Name) {
		near, _ := problem.Nearest(c.Name, compilers)
		return nil, &problem.Problem{
			Kind: UnknownCompiler, Subject: problem.Subject{Name: c.Name}, Message: fmt.Sprintf("there are no flags for `%s`", c.Name),
			Expected: "known are " + strings.Join(compilers, ", "), Suggestion: near,
		}
	}
	v := m.look(t)
	if v.mode == nil {
		p := wrong(UnknownMachine, KeyArchitecture, "there are no flags for %s `%s` with mode %d: the tables do not have it", t.PU, t.Architecture, t.Mode)
		p.Span = t.Span
		return nil, p
	}
	if err := v.tunable(c.Tune); err != nil {
		return nil, err
	}
	w := newWriter(v, c)
	w.preference()
	w.untuned()
	switch c.Name {
	case "aocc", "armclang", "icx":
		w.derived(stage)
	case "cargo":
		w.cargo()
	case "cmake":
		w.cmake()
	case "go":
		w.golang()
	case "meson":
		w.meson()
	case "hipcc":
		w.hipcc(stage)
	case "nvc":
		w.nvc(stage)
	case "nvcc":
		w.nvcc(stage)
	case "rustc":
		w.rustc(stage)
	case "zig":
		w.zig(stage)
	default:
		w.cc(stage)
	}
	return w, nil
}

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
