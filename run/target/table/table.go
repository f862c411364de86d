// Package table holds what a COIL target may name: processors, architectures,
// modes, features and what each implies, registers, ABIs.
//
// A table is data with an index, nothing else. The built-in tables are
// generated Go literals (package builtin), so that using them costs no start-up
// time; a user's table is JSON of the same shape, merged over a copy. Every
// name is looked up by one rule (see Normal), every listing is sorted.
//
//	data/*.json ──gen──▶ literals ─┐
//	                               ├─▶ Tables ──▶ Arch ──▶ ISA ──▶ Feature, Set
//	coil.targets ─────────With─────┘                  └──▶ Mode ──▶ registers, layout
package table

import (
	"slices"
	"strings"
)

// Tables is everything known; it never changes once made.
type Tables struct {
	Archs []*Arch // by PU, then name
	ABIs  []ABI   // by name, then architecture
}

// Arch is one architecture of one kind of processing unit.
type Arch struct {
	PU, Name string
	Aliases  []ArchAlias
	Extra    bool // COIL's own documents do not have it
	ISAs     []ISA
}

// ArchAlias is another name of an architecture; Mode is the mode it hints at, 0 for none.
type ArchAlias struct {
	Name string
	Mode int
}

// ISA is the instruction set that some modes of an architecture share.
type ISA struct {
	Modes      []Mode
	Features   []Feature // by key
	Names      []Name    // by text: every normalised spelling
	Base       Features  // what the architecture always has; never part of a closure
	SIMD       Features
	NotSIMD    Features // accepted as SIMD, but floating point units
	Crypto     Features
	Conflicts  []Conflict
	Processors []Processor // by name
	Open       bool        // no feature list is known: any feature name is accepted
	SIMT       bool        // has no SIMD or crypto sets of its own
}

// ID is the position of a feature in its ISA.
type ID uint16

// Features lists features in rising order.
type Features []ID

// Name is one normalised spelling of a feature.
type Name struct {
	Text     string
	Feature  ID
	Doubtful bool // the word does not quite mean the feature
}

// Conflict is a pair of features that cannot both be there.
type Conflict struct{ A, B ID }

// Processor is a named processor with its features, implied ones left out. A
// compiler has an option for it where it knows it by name.
type Processor struct {
	Name       string
	Features   Features
	Numbers    []string // by which a processor tells that it is this one: "0x41 0xd0c", "3931"
	Level      bool     // a level of an architecture, such as x86-64-v3, and no product
	Source     string   // where its features are from, where that is not the table's own origin
	GCC, Clang Option
	LLVM       Option // its name in LLVM, for rustc and others that build on it; that of clang's -march where it is left out

	// The names by which compilers make code fast for it, where they are none of those above: what
	// a compiler means by such a name need not be what the processor has.
	GCCTune, ClangTune Option
}

// Mode is one bit width of an architecture.
type Mode struct {
	Bits        int
	Runs        []int // other modes whose programs a machine in this mode runs
	Endianness  []string
	Rare        []string // byte orders that exist on paper; RareNote is the remark about them
	RareNote    string
	Note        string // a remark for users of this mode, or ""
	Alignment   int    // bytes, as is Stack
	Stack       int
	Pointer     int // bits
	Models      []string
	Base        Features // what every processor of this mode has
	CPU         string   // LLVM's name of the least processor
	March       string   // what -march begins with, where features are appended to it
	Triples     []Variant
	Layouts     []Variant
	Registers   []string // names and ranges, "r8..r15"
	NoRegisters bool     // the machine has none that a program could name
}

// Variant is a text that depends on the byte order, and perhaps on an ABI or
// output format: "Little", "Little/PE". Until is the last version of LLVM that has it, 0 for
// the newest known.
type Variant struct {
	For, Text string
	Until     int
}

// Feature is one feature of an ISA.
type Feature struct {
	Key, Name    string // what LLVM calls it; how COIL writes it
	Aliases      []string
	Doubtful     []string
	Implies      Features // all of them, without itself
	Modes        []int    // the modes it works in; none means all
	Group        bool     // only a name for what it implies
	Obsolete     bool
	Experimental bool
	GCC, Clang   Option
	NVCC         Option // of a device: its name in Flag
	LLVM, Rust   string // "" or "-" where they have no name for it, "a+b" where it takes two
	Unstable     bool   // of rustc's names: it warns of them
	Linux        string // its word in /proc/cpuinfo, "a+b" where it takes two
}

// Option is one compiler's flag for a feature or a processor.
type Option struct {
	Flag         string   // "-mavx2"; "+crc" after -march; "fpu:", "march:", "mcpu:", "id:", "ptx:" otherwise
	March        string   // the least -march that takes Flag
	Since, Until int      // major versions, 0 for no bound
	Macro        string   // predefined when enabled; "A|B" where versions differ
	Lacks        []string // features that do not come with it here and need flags of their own
	Adds         []string // of a level: features that come with it, which only kernels use and programs cannot ask for
}

// In reports whether version major of the compiler has the option; 0 stands for the newest.
func (o Option) In(major int) bool {
	if o.Flag == "" {
		return false
	}
	if major == 0 {
		return o.Until == 0
	}
	return major >= o.Since && (o.Until == 0 || major <= o.Until)
}

// ABI is one calling convention on one architecture.
type ABI struct {
	Name                string
	Aliases             []string
	PU, Arch            string
	Modes               []int
	Any                 bool // means something on every architecture; registers are not fixed
	Parameters, Returns []string
	FloatParameters     []string
	FloatReturns        []string
	Saved               []string
	Stack, RedZone      int
	Flags               []string // what gcc and clang want to hear
	Env                 string   // last part of the triple
	Needs               []string // feature keys without which it cannot work
}

// PUs lists the kinds of processing units.
func (t *Tables) PUs() []string {
	var out []string
	for _, a := range t.Archs {
		if !slices.Contains(out, a.PU) {
			out = append(out, a.PU)
		}
	}
	slices.Sort(out)
	return out
}

// Of lists the architectures of a PU.
func (t *Tables) Of(pu string) []*Arch {
	var out []*Arch
	for _, a := range t.Archs {
		if a.PU == pu {
			out = append(out, a)
		}
	}
	return out
}

// Arch finds an architecture of a PU by any of its names. The mode is what an
// alias such as x86_64 says about it, else 0.
func (t *Tables) Arch(pu, name string) (a *Arch, mode int) {
	want := Normal(name)
	for _, a := range t.Archs {
		if a.PU != pu {
			continue
		}
		if alike(a.Name, want) {
			return a, 0
		}
		for _, al := range a.Aliases {
			if alike(al.Name, want) {
				return a, al.Mode
			}
		}
	}
	return nil, 0
}

// Bits lists the modes of an architecture.
func (a *Arch) Bits() []int {
	var out []int
	for i := range a.ISAs {
		for _, m := range a.ISAs[i].Modes {
			out = append(out, m.Bits)
		}
	}
	slices.Sort(out)
	return out
}

// Mode finds a mode and its instruction set; nil, nil where the architecture lacks it.
func (a *Arch) Mode(bits int) (*ISA, *Mode) {
	for i := range a.ISAs {
		s := &a.ISAs[i]
		for j := range s.Modes {
			if s.Modes[j].Bits == bits {
				return s, &s.Modes[j]
			}
		}
	}
	return nil, nil
}

// pick finds the text for a byte order in a version of LLVM (0 for the newest),
// preferring the first of the given qualifiers (an ABI name, an output format) that
// has one of its own.
func pick(vs []Variant, version int, endian string, quals ...string) string {
	for _, q := range quals {
		if text := find(vs, endian+"/"+q, version); q != "" && text != "" {
			return text
		}
	}
	return find(vs, endian, version)
}

// find is the text that holds in a version: of those that end later, the one that ends first.
func find(vs []Variant, want string, version int) string {
	text, until := "", 0
	for _, v := range vs {
		switch {
		case v.For != want || v.Until != 0 && (version == 0 || version > v.Until):
		case text == "" || v.Until != 0 && (until == 0 || v.Until < until):
			text, until = v.Text, v.Until
		}
	}
	return text
}

// Triple is LLVM's triple or the first part of it; "" where LLVM has no such target.
func (m *Mode) Triple(endian string) string { return pick(m.Triples, 0, endian) }

// Layout is the data layout of a version of LLVM for a byte order, an ABI and an output format.
func (m *Mode) Layout(version int, endian, abi, format string) string {
	if format == "PE" || format == "Mach-O" {
		return find(m.Layouts, endian+"/"+format, version)
	}
	return pick(m.Layouts, version, endian, abi, format)
}

// Allows reports whether a byte order is usual here, and whether it exists at all.
func (m *Mode) Allows(endian string) (usual, possible bool) {
	usual = slices.Contains(m.Endianness, endian)
	return usual, usual || slices.Contains(m.Rare, endian)
}

// Works reports whether the feature exists in a mode.
func (f *Feature) Works(bits int) bool { return len(f.Modes) == 0 || slices.Contains(f.Modes, bits) }

// For is the option of one of the two compilers.
func (f *Feature) For(clang bool) Option {
	if clang {
		return f.Clang
	}
	return f.GCC
}

// For is the option of one of the two compilers.
func (p *Processor) For(clang bool) Option {
	if clang {
		return p.Clang
	}
	return p.GCC
}

// CPU is the name that LLVM has for a processor.
func (p *Processor) CPU() Option {
	o := p.LLVM
	if o.Flag == "" && strings.HasPrefix(p.Clang.Flag, "-march=") {
		o = p.Clang
		o.Flag = strings.TrimPrefix(o.Flag, "-march=")
	}
	return o
}

// Tune is the name by which one of the two compilers makes code fast for a processor; none for a level.
func (p *Processor) Tune(clang bool) Option {
	var o Option
	switch {
	case p.Level:
		return o
	case clang:
		o = p.ClangTune
		if o.Flag == "" {
			o = p.CPU()
		}
	default:
		o = p.GCCTune
		if o.Flag == "" {
			o = p.GCC
		}
	}
	o.Flag = strings.TrimPrefix(o.Flag, "-march=")
	return o
}

// Macros lists the names of which the compiler defines at least one.
func (o Option) Macros() []string {
	if o.Macro == "" {
		return nil
	}
	return strings.Split(o.Macro, "|")
}
