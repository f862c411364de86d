package target

import (
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

// Platform is the system that programs of a target run on, and what their code assumes of it. What
// is empty is left to the compiler. COIL's document has no place for it: files say it in a
// section of their own.
type Platform struct {
	OS, OSVersion     string // one of Systems
	Libc, LibcVersion string // one that the system has
	CodeModel         string // Tiny, Small, Kernel, Medium, Large
	Position          string // None, PIC, PIE
	FloatABI          string // Soft, SoftFP, Hard
	TLSModel          string // GlobalDynamic, LocalDynamic, InitialExec, LocalExec
	AtomicWidth       int    // bits that the code changes as one; 0 for none that matters
}
