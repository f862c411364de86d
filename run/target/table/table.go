// Package table holds everything that a COIL target may name: processors, architectures, modes,
// features with their implications, registers, ABIs.
//
// A table is data with an index, nothing else. The built-in tables are generated Go literals (package
// builtin), so that using them costs no start-up time; a user's table is JSON of the same shape, merged
// into a copy. All names are compared by one rule (see Normal), and every list is sorted.
//
//	data/*.json ──gen──▶ literals ─┐
//	                               ├─▶ Tables ──▶ Arch ──▶ ISA ──▶ Feature, Set
//	coil.targets ─────────With─────┘                  └──▶ Mode ──▶ registers, layout
package table

import (
	"slices"
	"strings"
)

// Tables holds everything known about machines. It is immutable.
type Tables struct {
	Archs []*Arch // sorted by PU, then name
	ABIs  []ABI   // sorted by name, then architecture
}

// Arch is one architecture of one kind of processing unit.
type Arch struct {
	PU, Name string
	Aliases  []ArchAlias
	Extra    bool // whether COIL's own documents lack it
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
	Features   []Feature // sorted by key
	Names      []Name    // every normalised spelling, sorted by text
	Base       Features  // features that every machine has; never part of a closure
	SIMD       Features
	NotSIMD    Features // accepted as SIMD, although they are floating point units
	Crypto     Features
	Conflicts  []Conflict
	Processors []Processor // sorted by name
	Open       bool        // whether no feature list is known, so that any name is accepted
	SIMT       bool        // whether it has no separate SIMD or crypto sets
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

// Conflict is a pair of features of which a machine can have only one.
type Conflict struct{ A, B ID }

// Processor is a named processor with its features, without implied ones. A compiler has an option for
// a processor if it knows the processor's name.
type Processor struct {
	Name       string
	Features   Features
	Numbers    []string // the numbers a processor of this kind reports: "0x41 0xd0c", "3931"
	Level      bool     // whether it is a level of an architecture, such as x86-64-v3, and not a product
	Source     string   // the origin of its features, if it is not the origin of the table
	GCC, Clang Option
	LLVM       Option // its name in LLVM, for rustc and others based on LLVM; default: clang's name for -march

	// GCCTune and ClangTune are the names for -mtune, if they differ from the names above: the features
	// a compiler assumes for such a name may differ from the processor's.
	GCCTune, ClangTune Option
}

// Mode is one bit width of an architecture.
type Mode struct {
	Bits        int
	Runs        []int // the other modes whose programs run on a machine in this mode
	Endianness  []string
	Rare        []string // byte orders that exist only on paper; RareNote is a remark about them
	RareNote    string
	Note        string // a remark for users of this mode, or ""
	Alignment   int    // in bytes, like Stack
	Stack       int
	Pointer     int // bits
	Models      []string
	Base        Features // features that every processor of this mode has
	CPU         string   // LLVM's name of the smallest processor
	March       string   // the start of -march, if features are appended to it
	Triples     []Variant
	Layouts     []Variant
	Registers   []string // names and ranges, "r8..r15"
	NoRegisters bool     // the machine has no registers that a program could name
}

// Variant is a text for a byte order, and perhaps for an ABI or output format: "Little", "Little/PE".
// Until is the last version of LLVM that has it, 0 for the newest known.
type Variant struct {
	For, Text string
	Until     int
}

// Feature is one feature of an ISA.
type Feature struct {
	Key, Name    string // LLVM's name, and COIL's name
	Aliases      []string
	Doubtful     []string
	Implies      Features // all directly and indirectly implied features, without the feature itself
	Modes        []int    // the modes it works in; none means all
	Group        bool     // whether it is only a name for the features it implies
	Obsolete     bool
	Experimental bool
	GCC, Clang   Option
	NVCC         Option // for a device: its name in Flag
	LLVM, Rust   string // "" or "-" if it has no name there, "a+b" if it needs two
	Unstable     bool   // whether rustc warns of its name as unstable
	Linux        string // its word in /proc/cpuinfo, "a+b" if it needs two
}

// Option is one compiler's flag for a feature or a processor.
type Option struct {
	Flag         string   // "-mavx2", or "+crc" for a suffix of -march, or a value after "fpu:", "march:", "mcpu:", "id:" or "ptx:"
	March        string   // the lowest -march that accepts Flag
	Since, Until int      // major versions, 0 for no bound
	Macro        string   // predefined when enabled; "A|B" where versions differ
	Lacks        []string // implied features that this option does not bring and that need their own flags
	Adds         []string // for a level: features that come with it, but only kernels use them and no flag asks for them
}

// In reports whether a major version of the compiler has the option; 0 means the newest version.
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
	Any                 bool // whether it exists on every architecture; its registers are not fixed
	Parameters, Returns []string
	FloatParameters     []string
	FloatReturns        []string
	Saved               []string
	Stack, RedZone      int
	Flags               []string // the flags for gcc and clang
	Env                 string   // the last part of the triple
	Needs               []string // keys of features that it needs
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

// Of lists the architectures of a kind of processing unit.
func (t *Tables) Of(pu string) []*Arch {
	var out []*Arch
	for _, a := range t.Archs {
		if a.PU == pu {
			out = append(out, a)
		}
	}
	return out
}

// Arch finds an architecture by any of its names. mode is the mode that an alias such as x86_64 implies, else 0.
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

// Mode finds a mode and its instruction set; both are nil if the architecture lacks the mode.
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

// pick returns the text for a byte order in a version of LLVM (0 for the newest). It prefers the first
// of the given qualifiers (an ABI name, an output format) that has a separate text.
func pick(vs []Variant, version int, endian string, quals ...string) string {
	for _, q := range quals {
		if text := find(vs, endian+"/"+q, version); q != "" && text != "" {
			return text
		}
	}
	return find(vs, endian, version)
}

// find returns the text for a version: among the texts whose last version is not older, the text that ends first.
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

// Triple is LLVM's triple or its first part; "" if LLVM has no such target.
func (m *Mode) Triple(endian string) string { return pick(m.Triples, 0, endian) }

// Layout is the data layout in a version of LLVM for a byte order, an ABI and an output format.
func (m *Mode) Layout(version int, endian, abi, format string) string {
	if format == "PE" || format == "Mach-O" {
		return find(m.Layouts, endian+"/"+format, version)
	}
	return pick(m.Layouts, version, endian, abi, format)
}

// Allows reports whether a byte order is usual in this mode, and whether it is possible.
func (m *Mode) Allows(endian string) (usual, possible bool) {
	usual = slices.Contains(m.Endianness, endian)
	return usual, usual || slices.Contains(m.Rare, endian)
}

// Works reports whether the feature exists in a mode.
func (f *Feature) Works(bits int) bool { return len(f.Modes) == 0 || slices.Contains(f.Modes, bits) }

// For returns the feature's option for clang or gcc.
func (f *Feature) For(clang bool) Option {
	if clang {
		return f.Clang
	}
	return f.GCC
}

// For returns the processor's option for clang or gcc.
func (p *Processor) For(clang bool) Option {
	if clang {
		return p.Clang
	}
	return p.GCC
}

// CPU is LLVM's name of the processor.
func (p *Processor) CPU() Option {
	o := p.LLVM
	if o.Flag == "" && strings.HasPrefix(p.Clang.Flag, "-march=") {
		o = p.Clang
		o.Flag = strings.TrimPrefix(o.Flag, "-march=")
	}
	return o
}

// Tune is the name of the processor for -mtune of clang or gcc; a level has none.
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
