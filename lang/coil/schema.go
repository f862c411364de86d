package coil

import (
	"strconv"

	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/run/target"
)

// The sections and keys that the code names.
const (
	targetSection  = "Target"
	optimizeSect   = "Optimization"
	memorySection  = "Memory"
	abiSection     = "ABI"
	extSection     = "Extensions"
	preprocSection = "Preprocessor"
	linkerSection  = "Linker"
	ownVendor      = "Pentode"
	platformSect   = ownVendor + "_Platform"
)

// The forms of names as regular expressions for the JSON Schema. The resolver has
// equivalent functions in text.go.
const (
	defineForm  = `^[A-Za-z_][A-Za-z0-9_]*([ \t]*=[ \t]*.+)?$`
	libraryForm = `^[A-Za-z0-9_+./\\-]+$`
	symbolForm  = `^[A-Za-z_.$@?][A-Za-z0-9_.$@?]*$`
	abiForm     = `^[A-Za-z_][A-Za-z0-9_.+-]*$`
	someText    = `^.+$`
	versionForm = `^[0-9]+(\.[0-9]+)*$`
)

// powers returns the powers of two up to a limit, as decimal texts.
func powers(limit int) []string {
	var list []string
	for n := 1; n <= limit; n *= 2 {
		list = append(list, strconv.Itoa(n))
	}
	return list
}

// keyTable returns a table with every key of the language. It is built on demand,
// since most runs of the program need it at most once.
func keyTable() *schema.Schema {
	level := func(name, doc string, limit float64, required bool) schema.Key {
		return schema.Key{Name: name, Type: schema.Int, Min: schema.At(0), Max: schema.At(limit), Required: required, Doc: doc}
	}
	return &schema.Schema{
		Title: "COIL configuration",
		Doc: "The target that a COIL program is compiled for. Each file describes one target. `@include \"base.coilcfg\"` inherits from another file; " +
			"the file's own settings win over included ones.",
		Open: true,
		Sections: []schema.Section{
			{Name: targetSection, Required: true, Open: true, Doc: "The machine: kind of processor, architecture, mode.", Keys: []schema.Key{
				{Name: "PU", Type: schema.Enum, Enum: []string{"CPU", "GPU", "NPU", "DSP"}, Required: true, Example: "CPU",
					Doc: "The kind of processing unit."},
				{Name: "Architecture", Type: schema.String, Format: someText, Required: true, Example: "x86",
					Doc: "The architecture. The choice depends on the PU. `pentode target list arch` lists them."},
				{Name: "Mode", Type: schema.Int, Min: schema.At(8), Max: schema.At(128), Required: true, Example: "64",
					Doc: "The width in bits. The choice depends on the architecture."},
				{Name: "Features", Type: schema.List, Format: someText, Example: "SSE4.2,AVX2,FMA",
					Doc: "The features of the processor beyond the base of its mode. Each feature includes the ones it implies."},
			}},
			{Name: optimizeSect, Required: true, Open: true, Doc: "The goals of the compiler.", Keys: []schema.Key{
				level("Level", "How much to optimise; 3 is the most.", 3, true),
				{Name: "SizeOptimization", Type: schema.Bool, Doc: "Prefer small code. With both preferences on, speed wins from level 2 and size below."},
				{Name: "SpeedOptimization", Type: schema.Bool, Doc: "Prefer fast code. `Level` decides how much is done for it: `-O2` at level 2, nothing at level 0."},
				level("VectorizationLevel", "How eagerly to vectorise; 2 is aggressive.", 2, false),
				level("InliningLevel", "How eagerly to inline; 2 is aggressive.", 2, false),
			}},
			{Name: memorySection, Required: true, Open: true, Doc: "How memory looks to a program.", Keys: []schema.Key{
				{Name: "Model", Type: schema.Enum, Enum: []string{"Protected", "Flat", "Segmented"}, Required: true,
					Doc: "Whether accesses are checked, not checked, or go through segments."},
				{Name: "Alignment", Type: schema.Int, Enum: powers(target.MaxAlignment), Required: true, Example: "16",
					Doc: "The default alignment of memory in bytes: a power of two."},
				{Name: "StackGrowth", Type: schema.Enum, Enum: []string{"Up", "Down"}, Required: true, Doc: "The direction in which the stack grows."},
				{Name: "Endianness", Type: schema.Enum, Enum: []string{"Little", "Big"}, Required: true, Doc: "The order of bytes."},
			}},
			{Name: abiSection, Open: true, Doc: "How functions call each other.", Keys: []schema.Key{
				{Name: "Name", Type: schema.String, Format: abiForm, Required: true, Example: "SystemV",
					Doc: "A known ABI, or a name of your own for a custom one. `pentode target list abi` lists the known ones."},
				{Name: "ParameterRegisters", Type: schema.List, Format: someText, Example: "rdi,rsi,rdx,rcx,r8,r9",
					Doc: "The registers that carry parameters, in order."},
				{Name: "ReturnRegisters", Type: schema.List, Format: someText, Example: "rax,rdx",
					Doc: "The registers that carry the results of a function."},
				{Name: "StackAlignment", Type: schema.Int, Enum: powers(target.MaxAlignment), Example: "16",
					Doc: "The alignment of the stack at a call, in bytes: a power of two. COIL's binary form holds at most 32768."},
				{Name: "RedZoneSize", Type: schema.Int, Min: schema.At(0), Example: "128",
					Doc: "The bytes below the stack pointer that interrupts and signals do not change. COIL's binary form holds at most 65535."},
			}},
			{Name: extSection, Open: true, Doc: "Instruction set extensions to be used.", Keys: []schema.Key{
				{Name: "SIMD", Type: schema.List, Format: someText, Example: "AVX2", Doc: "The vector extension."},
				{Name: "Crypto", Type: schema.List, Format: someText, Example: "AES,SHA", Doc: "The cryptographic extensions."},
				{Name: "AtomicOperations", Type: schema.Bool, Doc: "Whether atomic operations are used."},
				{Name: "SharedMemory", Type: schema.Bool, Doc: "Whether the shared memory of a GPU is used."},
			}},
			{Name: preprocSection, Open: true, Doc: "The constants and folders of the preprocessor.", Keys: []schema.Key{
				{Name: "Define", Type: schema.List, Format: defineForm, Example: `DEBUG=1,PLATFORM="x64"`,
					Doc: "Constants: `NAME`, or `NAME=VALUE` with a number, a quoted text, or any other text."},
				{Name: "Include", Type: schema.List, Format: someText, Example: "/usr/include,/opt/coil/include",
					Doc: "Where included source files are looked for."},
			}},
			{Name: linkerSection, Open: true, Doc: "How a program is put together.", Keys: []schema.Key{
				{Name: "DefaultLibraryPath", Type: schema.Path, Format: someText, Example: "/usr/lib/coil", Doc: "Where libraries are looked for."},
				{Name: "Libraries", Type: schema.List, Format: libraryForm, Example: "libc,libm", Doc: "The libraries to link."},
				{Name: "EntryPoint", Type: schema.String, Format: symbolForm, Example: "main", Doc: "The symbol where a program begins."},
				{Name: "OutputFormat", Type: schema.Enum, Enum: []string{"ELF", "PE", "Mach-O", "Raw"}, Doc: "The format of the output file."},
			}},
			{Name: platformSect, Open: true, Doc: "The system that programs run on, and what their code assumes about it. This is an extension; the document of the language leaves extensions to vendors. " +
				"`coil-config-validate` ignores it.", Keys: []schema.Key{
				{Name: "OS", Type: schema.Enum, Enum: target.Systems(), Doc: "The operating system; by default, the usual one for the output format."},
				{Name: "OSVersion", Type: schema.String, Format: versionForm, Example: "14.0", Doc: "The least version of the system that programs run on."},
				{Name: "Libc", Type: schema.Enum, Enum: target.Libcs(), Doc: "The C library. The choice depends on the system."},
				{Name: "LibcVersion", Type: schema.String, Format: versionForm, Example: "2.36", Doc: "The least version of the library."},
				{Name: "CodeModel", Type: schema.Enum, Enum: []string{"Tiny", "Small", "Kernel", "Medium", "Large"}, Doc: "How far apart code and data may be. The choice depends on the architecture."},
				{Name: "PositionIndependence", Type: schema.Enum, Enum: []string{"None", "PIC", "PIE"}, Doc: "Whether code can run at any address: not at all, in libraries and programs, or only in programs."},
				{Name: "FloatABI", Type: schema.Enum, Enum: []string{"Soft", "SoftFP", "Hard"}, Doc: "Whether floating-point numbers are computed and passed in floating-point registers. If the `[ABI]` decides this too, both must agree."},
				{Name: "TLSModel", Type: schema.Enum, Enum: []string{"GlobalDynamic", "LocalDynamic", "InitialExec", "LocalExec"}, Doc: "How variables of a thread are found."},
				{Name: "AtomicWidth", Type: schema.Int, Enum: []string{"8", "16", "32", "64", "128"}, Example: "64", Doc: "The widest value in bits that the code changes atomically. The machine must have instructions for it."},
			}},
			{Name: "VENDOR_NAME", Pattern: `[A-Za-z][A-Za-z0-9]*_.+`, Open: true,
				Doc: "A vendor's own keys, in a section that begins with the vendor's name and an underscore. Their values are kept as they are."},
		},
	}
}

// isListKey reports for the formatter whether a key has a list. A vendor's key of
// the same name is a list, too, as soon as it has a comma.
func isListKey(key string) bool {
	switch key {
	case "Features", "ParameterRegisters", "ReturnRegisters", "SIMD", "Crypto", "Define", "Include", "Libraries":
		return true
	}
	return false
}
