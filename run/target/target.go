// Package target is the engine behind COIL: what a machine is, what runs on it,
// and what a compiler must be told to build for it.
//
// A Target is a plain value, whether it comes from a file, from a preset or from
// this host. What its names mean is looked up in tables (package table), by the
// methods of Machines. Targets are ordered by what they can run, so "will it run
// there" and "what runs on all of these" are one comparison and one meet of
// feature sets.
//
//	.coilcfg ──lang/coil──▶ Target ──┬─▶ Compat, Meet, Satisfies
//	Host ──Detect──────────▶         └─▶ Flags, LLVM
//
// What is wrong is a problem.Problem of one of the kinds below, and so is what a
// compiler cannot be told.
package target

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/target/table"
	"github.com/pentode-dev/pentode/run/target/table/builtin"
)

// Machines answers questions about targets from tables. The zero value has the
// tables that come with the program.
type Machines struct{ Tables *table.Tables }

func (m Machines) tables() *table.Tables {
	if m.Tables != nil {
		return m.Tables
	}
	return builtin.Tables()
}

// Target is one machine and how to build for it, in the order of COIL's sections.
type Target struct {
	Span source.Span // where it is described; zero where a Go program made it

	PU           string
	Architecture string
	Mode         int
	Features     []string `fingerprint:"set"`

	Optimization Optimization
	Memory       Memory
	ABI          *ABI // nil where none is given
	Extensions   Extensions
	Preprocessor Preprocessor
	Linker       Linker
	Platform     Platform
}

// Optimization is what the compiler should prefer.
type Optimization struct {
	Level         int
	Size, Speed   bool
	Vectorization *int // nil leaves it to the compiler, as with Inlining
	Inlining      *int
}

// Memory is how memory looks to a program.
type Memory struct {
	Model       string // Protected, Flat, Segmented
	Alignment   int
	StackGrowth string // Up, Down
	Endianness  string // Little, Big
}

// ABI is a calling convention; what is nil follows from its name.
type ABI struct {
	Name           string
	Parameters     []string
	Returns        []string
	StackAlignment *int
	RedZone        *int
}

// Extensions are instruction set extensions to be used.
type Extensions struct {
	SIMD, Crypto          []string `fingerprint:"set"`
	Atomics, SharedMemory bool
}

// Preprocessor is what a source text sees.
type Preprocessor struct {
	Defines  []Define `fingerprint:"set"`
	Includes []string
}

// Define is one constant; Text is its value without quotes.
type Define struct {
	Name string
	Kind DefineKind
	Text string
}

// DefineKind is the kind of a constant's value.
type DefineKind uint8

const (
	Flag DefineKind = iota // a name alone
	Integer
	Float
	String // quoted
	Bare   // any other text
)

// Linker is how a program is put together.
type Linker struct {
	LibraryPath  string
	Libraries    []string
	EntryPoint   string
	OutputFormat string // ELF, PE, Mach-O, Raw
}

// Default is COIL's default configuration for a machine: what holds where nothing is configured.
func (m Machines) Default(pu, arch string, mode int) Target {
	t := Target{PU: pu, Architecture: arch, Mode: mode,
		Optimization: Optimization{Level: 1, Speed: true},
		Memory:       Memory{Model: "Protected", Alignment: 1, StackGrowth: "Down", Endianness: "Little"}}
	v := m.look(t)
	if v.mode != nil {
		t.Architecture = v.arch.Name
		t.Memory.Alignment = v.mode.Alignment
		t.Memory.Endianness = v.mode.Endianness[0]
		if !slices.Contains(v.mode.Models, t.Memory.Model) {
			t.Memory.Model = v.mode.Models[0]
		}
	}
	return t
}

// view is a target with its names understood.
type view struct {
	t      Target
	tables *table.Tables
	arch   *table.Arch // nil where unknown, then also isa and mode
	isa    *table.ISA
	mode   *table.Mode
	set    table.Set // what the machine has: features with all they imply, and the mode's base
	open   []string  // feature names no table knows, normalised and sorted
}

func (m Machines) look(t Target) view {
	v := view{t: t, tables: m.tables()}
	v.arch, _ = v.tables.Arch(t.PU, t.Architecture)
	if v.arch != nil {
		v.isa, v.mode = v.arch.Mode(t.Mode)
	}
	unknown := t.Features
	if v.isa != nil {
		v.set, unknown = v.isa.Meaning(t.Features)
		v.set = v.set.Union(v.isa.Always(v.mode, v.set))
	}
	for _, n := range unknown {
		v.open = append(v.open, table.Normal(n))
	}
	slices.Sort(v.open)
	v.open = slices.Compact(v.open)
	return v
}

// base is what every machine of a mode has.
func base(s *table.ISA, m *table.Mode) table.Set { return s.Always(m, table.Set{}) }

// arm32 reports whether the target is a 32-bit ARM, which has a profile and a floating point unit.
func (v *view) arm32() bool { return v.t.PU == "CPU" && v.archName() == "ARM" && v.t.Mode == 32 }

// archName is the canonical name of the architecture, or what was written.
func (v *view) archName() string {
	if v.arch != nil {
		return v.arch.Name
	}
	return v.t.Architecture
}

// abi is the target's ABI in the tables; nil for none and for custom ones.
func (v *view) abi() *table.ABI {
	if v.t.ABI == nil {
		return nil
	}
	a, _ := v.tables.ABI(v.t.ABI.Name, v.t.PU, v.archName(), v.t.Mode)
	return a
}

// endian is the target's byte order, the mode's own where none is given.
func (v *view) endian() string {
	if v.t.Memory.Endianness == "" && v.mode != nil {
		return v.mode.Endianness[0]
	}
	return v.t.Memory.Endianness
}

func quote(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = "`" + n + "`"
	}
	return strings.Join(out, ", ")
}
