package target

import (
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/target/table"
	"github.com/pentode-dev/pentode/run/target/table/builtin"
)

// Machines answers questions about targets from tables. The zero value uses the built-in tables.
type Machines struct{ Tables *table.Tables }

func (m Machines) tables() *table.Tables {
	if m.Tables != nil {
		return m.Tables
	}
	return builtin.Tables()
}

// Target describes a machine and how to build for it, in the order of COIL's sections.
type Target struct {
	Span source.Span // where a file describes it; zero if a Go program made it

	PU           string
	Architecture string
	Mode         int
	Features     []string `fingerprint:"set"`

	Optimization Optimization
	Memory       Memory
	ABI          *ABI // nil if none is given
	Extensions   Extensions
	Preprocessor Preprocessor
	Linker       Linker
	Platform     Platform
}

// Optimization is what the compiler should prefer.
type Optimization struct {
	Level         int
	Size, Speed   bool
	Vectorization *int // nil leaves it to the compiler; the same for Inlining
	Inlining      *int
}

// Memory is the memory model that a program sees.
type Memory struct {
	Model       string // Protected, Flat, Segmented
	Alignment   int
	StackGrowth string // Up, Down
	Endianness  string // Little, Big
}

// ABI is a calling convention; nil values follow from its name.
type ABI struct {
	Name           string
	Parameters     []string
	Returns        []string
	StackAlignment *int
	RedZone        *int
}

// Extensions are the instruction set extensions to use.
type Extensions struct {
	SIMD, Crypto          []string `fingerprint:"set"`
	Atomics, SharedMemory bool
}

// Preprocessor holds the settings of the preprocessor.
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

// Linker holds the settings for linking a program.
type Linker struct {
	LibraryPath  string
	Libraries    []string
	EntryPoint   string
	OutputFormat string // ELF, PE, Mach-O, Raw
}

// Platform is the system that programs of a target run on, and what their code assumes about it.
// Empty values are left to the compiler. COIL's document does not define these settings; files
// have them in a separate section.
type Platform struct {
	OS, OSVersion     string // one of Systems
	Libc, LibcVersion string // one of the libraries of the system
	CodeModel         string // Tiny, Small, Kernel, Medium, Large
	Position          string // None, PIC, PIE
	FloatABI          string // Soft, SoftFP, Hard
	TLSModel          string // GlobalDynamic, LocalDynamic, InitialExec, LocalExec
	AtomicWidth       int    // the bits that the code changes atomically; 0 if it does not matter
}
