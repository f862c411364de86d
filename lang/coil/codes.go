package coil

import (
	"slices"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/lang/coil/syntax"
)

// x8664 is the beginning of examples that need a known machine.
const x8664 = "[Target]\nPU = CPU\nArchitecture = x86\nMode = 64\n"

var (
	includeMissing = &diag.Code{
		ID: "coil/include-missing", Severity: diag.Error,
		Title: "an included file does not exist",
		Doc:   "The file is looked for in the folder of the including file, then in the folders of `-I`. Names are used as written, without patterns or variables.",
		Bad:   "@include \"nowhere.coilcfg\"\n",
		Good:  "# nothing is included\n",
	}
	includeUnreadable = &diag.Code{
		ID: "coil/include-unreadable", Severity: diag.Error,
		Title: "an included file cannot be read",
		Doc:   "It is there but is a folder, is not ours to read, or is over the size limit.",
		Bad:   "@include \"/\"\n",
		Good:  "# nothing is included\n",
	}
	includeCycle = &diag.Code{
		ID: "coil/include-cycle", Severity: diag.Error,
		Title: "a file includes itself",
		Doc:   "The file includes itself directly or through others. The include that closes the cycle is left out.",
		Bad:   "@include \"x.coilcfg\"\n",
		Good:  "# nothing is included\n",
	}
	includeLimit = &diag.Code{
		ID: "coil/include-limit", Severity: diag.Error,
		Title: "too many includes",
		Doc:   "At most 64 files include each other in a chain, and at most 4096 includes make one configuration.",
		Bad:   "two files that include two files each, a hundred deep",
		Good:  "# nothing is included\n",
	}
	includeLate = &diag.Code{
		ID: "coil/include-late", Severity: diag.Warning,
		Title: "an include after settings",
		Doc:   "Included files are read first, whatever the place of the include. An include below a setting looks as if it would win, but does not.",
		Bad:   "[Target]\n@include \"base.coilcfg\"\n",
		Good:  "# includes stand at the top\n",
	}
	keyOutside = &diag.Code{
		ID: "coil/key-outside-section", Severity: diag.Error,
		Title: "a key before the first section",
		Doc:   "Every key belongs to a section.",
		Bad:   "PU = CPU\n",
		Good:  "[Target]\nPU = CPU\n",
	}
	unknownSection = &diag.Code{
		ID: "coil/unknown-section", Severity: diag.Warning,
		Title: "a section that the language does not have",
		Doc:   "The sections are Target, Optimization, Memory, ABI, Extensions, Preprocessor and Linker; names are case-sensitive. Others should begin with the name of a vendor and an underscore. They are kept and not checked.",
		Bad:   "[Notes]\nAuthor = me\n",
		Good:  "[ACME_Notes]\nAuthor = me\n",
	}
	unknownVendor = &diag.Code{
		ID: "coil/unknown-vendor", Severity: diag.Info,
		Title: "a vendor that is not known here",
		Doc:   "Sections of vendors are kept and not checked. `coil.vendor-schema` in pentode.toml describes a vendor's sections.",
		Bad:   "[ACME_Tuning]\nFast = yes\n",
		Good:  "[NVIDIA_CUDA]\nWarpScheduling = greedy\n",
	}
	unknownKey = &diag.Code{
		ID: "coil/unknown-key", Severity: diag.Warning,
		Title: "a key that the section does not have",
		Doc:   "It is kept and not checked. Names are case-sensitive.",
		Bad:   "[Target]\nColour = red\n",
		Good:  "[Target]\nPU = CPU\n",
	}
	badSection = &diag.Code{
		ID: "coil/bad-section", Severity: diag.Error,
		Title: "a section's name has characters that a name cannot have",
		Doc:   "A name begins with a letter or an underscore; letters, digits, blanks and `_ . : -` follow.",
		Bad:   "[7Zip]\n",
		Good:  "[Zip7_Tool]\n",
	}
	badKey = &diag.Code{
		ID: "coil/bad-key", Severity: diag.Error,
		Title: "a key that is not an identifier",
		Doc:   "A key begins with a letter or an underscore; letters, digits and underscores follow.",
		Bad:   "[Target]\nbit-width = 64\n",
		Good:  "[Target]\nMode = 64\n",
	}
	repeatedSection = &diag.Code{
		ID: "coil/repeated-section", Severity: diag.Info,
		Title: "a section is written twice in one file",
		Doc:   "Both count as one section.",
		Bad:   "[Target]\nPU = CPU\n[Target]\nMode = 64\n",
		Good:  "[Target]\nPU = CPU\nMode = 64\n",
	}
	repeatedKey = &diag.Code{
		ID: "coil/repeated-key", Severity: diag.Warning,
		Title: "a key is set twice in one file",
		Doc:   "The later line wins.",
		Bad:   "[Target]\nMode = 32\nMode = 64\n",
		Good:  "[Target]\nMode = 64\n",
	}
	missingSection = &diag.Code{
		ID: "coil/missing-section", Severity: diag.Error,
		Title: "a required section is missing",
		Doc:   "Target, Optimization and Memory must exist after all includes are read.",
		Bad:   "[Target]\nPU = CPU\n",
		Good:  "[Target]\n[Optimization]\n[Memory]\n",
	}
	missingKey = &diag.Code{
		ID: "coil/missing-key", Severity: diag.Error,
		Title: "a required key is missing",
		Doc:   "The required keys of a section are looked for in all files together.",
		Bad:   "[Optimization]\n",
		Good:  "[Optimization]\nLevel = 2\n",
	}
	badOverride = &diag.Code{
		ID: "coil/bad-override", Severity: diag.Error,
		Title: "`-s` does not name a setting",
		Doc:   "An override is written `-s SECTION.KEY=VALUE`. Its value is one line.",
		Bad:   "-s Mode=32",
		Good:  "# -s Target.Mode=32\n",
	}
	autoDetected = &diag.Code{
		ID: "coil/auto-detected", Severity: diag.Error,
		Title: "a placeholder for a value of the host",
		Doc:   "The language's document writes `(auto-detected)` for values that a processor without a configuration file reads from the host. A file must give the value.",
		Bad:   "[Target]\nMode = (auto-detected)\n",
		Good:  "[Target]\nMode = 64\n",
	}
	wrongType = &diag.Code{
		ID: "coil/type", Severity: diag.Error,
		Title: "a value of another type than its key takes",
		Doc:   "Numbers have no sign and no quotes; hexadecimal ones begin with `0x`. Truth values are true, false, yes, no, 1 and 0, without quotes.",
		Bad:   "[Optimization]\nLevel = \"2\"\n",
		Good:  "[Optimization]\nLevel = 2\n",
	}
	outOfRange = &diag.Code{
		ID: "coil/range", Severity: diag.Error,
		Title: "a number outside its range, or a list that is too long",
		Doc:   "Each number has its range; `pentode schema --format markdown coil` lists them. A list has at most 100,000 elements.",
		Bad:   "[Optimization]\nLevel = 4\n",
		Good:  "[Optimization]\nLevel = 3\n",
	}
	notPower = &diag.Code{
		ID: "coil/power-of-two", Severity: diag.Error,
		Title: "an alignment that is not a power of two",
		Doc:   "Alignments are 1, 2, 4, 8, 16 and so on.",
		Bad:   "[Memory]\nAlignment = 12\n",
		Good:  "[Memory]\nAlignment = 16\n",
	}
	notInSet = &diag.Code{
		ID: "coil/enum", Severity: diag.Error,
		Title: "a word that the key does not take",
		Doc:   "The words of PU, Model, StackGrowth, Endianness and OutputFormat are case-sensitive.",
		Bad:   "[Memory]\nEndianness = little\n",
		Good:  "[Memory]\nEndianness = Little\n",
	}
	emptyElement = &diag.Code{
		ID: "coil/empty-element", Severity: diag.Error,
		Title: "a list has an empty element",
		Doc:   "Elements are separated by one comma, and none follows the last. Only `\"\"` alone is an empty list.",
		Bad:   "[Target]\nFeatures = AVX2,,FMA\n",
		Good:  "[Target]\nFeatures = AVX2,FMA\n",
	}
	emptyText = &diag.Code{
		ID: "coil/empty-text", Severity: diag.Error,
		Title: "a text is empty",
		Doc:   "A text must have at least one character.",
		Bad:   "[Linker]\nEntryPoint = \"\"\n",
		Good:  "[Linker]\nEntryPoint = main\n",
	}
	quoteInside = &diag.Code{
		ID: "coil/quote-inside", Severity: diag.Error,
		Title: "a quote in the middle of a text",
		Doc:   "Quotes must enclose a whole text, or the whole value after the `=` of a constant.",
		Bad:   "[Linker]\nEntryPoint = ma\"in\"\n",
		Good:  "[Linker]\nEntryPoint = \"main\"\n",
	}
	blankInside = &diag.Code{
		ID: "coil/blank-inside", Severity: diag.Warning,
		Title: "blanks inside a text without quotes",
		Doc:   "The blanks belong to the value, which is easy to overlook.",
		Bad:   "[Linker]\nDefaultLibraryPath = /opt/my libs\n",
		Good:  "[Linker]\nDefaultLibraryPath = \"/opt/my libs\"\n",
	}
	largeValue = &diag.Code{
		ID: "coil/large-value", Severity: diag.Warning,
		Title: "a number larger than COIL can use",
		Doc:   "COIL's binary form holds stack alignments up to 32768 and red zones up to 65535; memory alignments over 65536 are unusual.",
		Bad:   "[ABI]\nName = Native\nRedZoneSize = 70000\n",
		Good:  "[ABI]\nName = Native\nRedZoneSize = 128\n",
	}
	otherSpelling = &diag.Code{
		ID: "coil/spelling", Severity: diag.Info,
		Title: "a name that is not spelt as in COIL",
		Doc:   "Architectures, features, registers and ABIs are understood in any case and by several names. `check --fix` writes COIL's own spelling.",
		Bad:   x8664 + "Features = avx2\n",
		Good:  x8664 + "Features = AVX2\n",
	}
	unknownArch = &diag.Code{
		ID: "coil/arch-pu", Severity: diag.Error,
		Title: "an architecture that the PU does not have",
		Doc:   "The architectures depend on the PU. Names are understood in any case.",
		Bad:   "[Target]\nPU = GPU\nArchitecture = x86\n",
		Good:  "[Target]\nPU = CPU\nArchitecture = x86\n",
	}
	modeArch = &diag.Code{
		ID: "coil/mode-arch", Severity: diag.Error,
		Title: "a mode that the architecture does not have",
		Doc:   "`Mode` is the width in bits. Machines of this architecture must have such a width.",
		Bad:   "[Target]\nPU = CPU\nArchitecture = x86\nMode = 128\n",
		Good:  x8664,
	}
	archHint = &diag.Code{
		ID: "coil/arch-mode", Severity: diag.Warning,
		Title: "an architecture's name contradicts the mode",
		Doc:   "Names such as x86_64 or i386 imply a width; `Mode` decides.",
		Bad:   "[Target]\nPU = CPU\nArchitecture = x86_64\nMode = 32\n",
		Good:  x8664,
	}
	doubtfulMode = &diag.Code{
		ID: "coil/doubtful-mode", Severity: diag.Warning,
		Title: "a mode that is no longer in use",
		Doc:   "The tables have a remark about this mode.",
		Bad:   "[Target]\nPU = GPU\nArchitecture = NVIDIA\nMode = 32\n",
		Good:  "[Target]\nPU = GPU\nArchitecture = NVIDIA\nMode = 64\n",
	}
	featureUnknown = &diag.Code{
		ID: "coil/feature-unknown", Severity: diag.Error,
		Title: "an unknown feature",
		Doc:   "Neither this architecture nor any other has a feature of that name. `pentode target list features ARCH` lists them.",
		Bad:   x8664 + "Features = AVX3\n",
		Good:  x8664 + "Features = AVX2\n",
	}
	featureArch = &diag.Code{
		ID: "coil/feature-arch", Severity: diag.Error,
		Title: "a feature of another architecture",
		Doc:   "The feature exists, on other machines.",
		Bad:   x8664 + "Features = NEON\n",
		Good:  x8664 + "Features = AVX2\n",
	}
	featurePrefix = &diag.Code{
		ID: "coil/feature-prefix", Severity: diag.Error,
		Title: "a feature with a sign",
		Doc:   "The list has the features of the machine; nothing can be switched off.",
		Bad:   x8664 + "Features = +avx2\n",
		Good:  x8664 + "Features = AVX2\n",
	}
	doubtfulFeature = &diag.Code{
		ID: "coil/feature-doubtful", Severity: diag.Warning,
		Title: "a feature's name that is ambiguous",
		Doc:   "The word has more than one meaning; it is read as the nearest feature.",
		Bad:   x8664 + "Features = SSE4\n",
		Good:  x8664 + "Features = SSE4.1\n",
	}
	obsoleteFeature = &diag.Code{
		ID: "coil/feature-obsolete", Severity: diag.Warning,
		Title: "a feature that compilers have dropped",
		Doc:   "Old processors have it, but compilers no longer use it.",
		Bad:   x8664 + "Features = MPX\n",
		Good:  x8664 + "Features = AVX2\n",
	}
	featureMode = &diag.Code{
		ID: "coil/feature-mode", Severity: diag.Warning,
		Title: "a feature that does not work in this mode",
		Doc:   "The processor may have it, but code of this mode cannot use it.",
		Bad:   "[Target]\nPU = CPU\nArchitecture = x86\nMode = 32\nFeatures = AMX-TILE\n",
		Good:  x8664 + "Features = AMX-TILE\n",
	}
	featureConflict = &diag.Code{
		ID: "coil/feature-conflict", Severity: diag.Warning,
		Title: "features that no machine has together",
		Doc:   "A GPU has one compute capability; an ARM processor one floating-point unit.",
		Bad:   "[Target]\nPU = GPU\nArchitecture = NVIDIA\nMode = 64\nFeatures = SM_70,SM_80\n",
		Good:  "[Target]\nPU = GPU\nArchitecture = NVIDIA\nMode = 64\nFeatures = SM_80\n",
	}
	uncheckedFeatures = &diag.Code{
		ID: "coil/features-unchecked", Severity: diag.Info,
		Title: "features that cannot be checked",
		Doc:   "The tables know the architecture, but not its features.",
		Bad:   "[Target]\nPU = DSP\nArchitecture = SHARC\nMode = 32\nFeatures = fast\n",
		Good:  x8664 + "Features = AVX2\n",
	}
	repeatedElement = &diag.Code{
		ID: "coil/repeated-element", Severity: diag.Warning,
		Title: "an element is listed twice",
		Doc:   "Once is enough. The second is often a mistake for another name.",
		Bad:   x8664 + "Features = AVX2,FMA,AVX2\n",
		Good:  x8664 + "Features = AVX2,FMA\n",
	}
	bothPreferences = &diag.Code{
		ID: "coil/size-and-speed", Severity: diag.Info,
		Title: "size and speed are both preferred",
		Doc:   "The language leaves the trade-off to the implementation. Here speed wins from level 2, and size below.",
		Bad:   "[Optimization]\nLevel = 2\nSizeOptimization = true\nSpeedOptimization = true\n",
		Good:  "[Optimization]\nLevel = 2\nSpeedOptimization = true\n",
	}
	endianness = &diag.Code{
		ID: "coil/endianness", Severity: diag.Warning,
		Title: "a byte order that the machine does not have",
		Doc:   "The language does not forbid it, but no such machine exists.",
		Bad:   x8664 + "[Memory]\nEndianness = Big\n",
		Good:  x8664 + "[Memory]\nEndianness = Little\n",
	}
	memoryModel = &diag.Code{
		ID: "coil/memory-model", Severity: diag.Warning,
		Title: "a memory model that the machine does not have",
		Doc:   "Segmented memory needs segment registers, which x86 has outside of mode 64.",
		Bad:   x8664 + "[Memory]\nModel = Segmented\n",
		Good:  x8664 + "[Memory]\nModel = Protected\n",
	}
	stackGrowth = &diag.Code{
		ID: "coil/stack-growth", Severity: diag.Warning,
		Title: "a stack that grows up",
		Doc:   "No known machine has such a stack.",
		Bad:   x8664 + "[Memory]\nStackGrowth = Up\n",
		Good:  x8664 + "[Memory]\nStackGrowth = Down\n",
	}
	badABIName = &diag.Code{
		ID: "coil/abi-name", Severity: diag.Error,
		Title: "an ABI's name has characters that a name cannot have",
		Doc:   "A name begins with a letter or an underscore; letters, digits and `_ . -` follow.",
		Bad:   "[ABI]\nName = my abi!\n",
		Good:  "[ABI]\nName = my_abi\n",
	}
	abiArch = &diag.Code{
		ID: "coil/abi-arch", Severity: diag.Error,
		Title: "an ABI of another machine",
		Doc:   "The name of a known ABI always means that ABI. Give your own ABI another name.",
		Bad:   x8664 + "[ABI]\nName = AAPCS\n",
		Good:  x8664 + "[ABI]\nName = SystemV\n",
	}
	customABI = &diag.Code{
		ID: "coil/abi-custom", Severity: diag.Info,
		Title: "an ABI of your own",
		Doc:   "It is used as it is; its registers are checked against the architecture.",
		Bad:   x8664 + "[ABI]\nName = FastCalls\n",
		Good:  x8664 + "[ABI]\nName = SystemV\n",
	}
	abiNeeds = &diag.Code{
		ID: "coil/abi-needs", Severity: diag.Warning,
		Title: "an ABI that needs a feature",
		Doc:   "The ABI passes values in registers that exist only with this feature.",
		Bad:   "[Target]\nPU = CPU\nArchitecture = RISC-V\nMode = 64\nFeatures = I\n[ABI]\nName = LP64D\n",
		Good:  "[Target]\nPU = CPU\nArchitecture = RISC-V\nMode = 64\nFeatures = D\n[ABI]\nName = LP64D\n",
	}
	unknownRegister = &diag.Code{
		ID: "coil/register", Severity: diag.Error,
		Title: "a register that the machine does not have",
		Doc:   "Names are understood in any case. Registers are listed one by one.",
		Bad:   x8664 + "[ABI]\nName = mine\nReturnRegisters = x0\n",
		Good:  x8664 + "[ABI]\nName = mine\nReturnRegisters = rax\n",
	}
	noRegisters = &diag.Code{
		ID: "coil/no-registers", Severity: diag.Warning,
		Title: "registers of a machine that has none",
		Doc:   "Programs for this machine have no registers to name; values are passed in another way.",
		Bad:   "[Target]\nPU = CPU\nArchitecture = WASM\nMode = 32\n[ABI]\nName = mine\nReturnRegisters = r0\n",
		Good:  "[Target]\nPU = CPU\nArchitecture = WASM\nMode = 32\n[ABI]\nName = mine\n",
	}
	abiRegisters = &diag.Code{
		ID: "coil/abi-registers", Severity: diag.Warning,
		Title: "registers that differ from the ABI",
		Doc:   "A known ABI defines its registers. With others, it is your own ABI and needs its own name.",
		Bad:   x8664 + "[ABI]\nName = SystemV\nReturnRegisters = rdx,rax\n",
		Good:  x8664 + "[ABI]\nName = SystemV\nReturnRegisters = rax,rdx\n",
	}
	abiNumbers = &diag.Code{
		ID: "coil/abi-numbers", Severity: diag.Warning,
		Title: "a stack alignment or red zone that differs from the ABI",
		Doc:   "A known ABI says how the stack is aligned at a call and how many bytes below the stack pointer are free to use. With other numbers, it is your own ABI and needs its own name.",
		Bad:   x8664 + "[ABI]\nName = SystemV\nStackAlignment = 8\n",
		Good:  x8664 + "[ABI]\nName = SystemV\nStackAlignment = 16\n",
	}
	extensionArch = &diag.Code{
		ID: "coil/extension", Severity: diag.Error,
		Title: "an extension that the architecture does not have",
		Doc:   "The instruction sets depend on the architecture; `pentode target list features ARCH` lists them.",
		Bad:   x8664 + "[Extensions]\nSIMD = NEON\n",
		Good:  x8664 + "Features = AVX2\n[Extensions]\nSIMD = AVX2\n",
	}
	notSIMD = &diag.Code{
		ID: "coil/not-simd", Severity: diag.Warning,
		Title: "a floating-point unit named as SIMD extension",
		Doc:   "It is accepted, because people write it, but it computes one number at a time.",
		Bad:   "[Target]\nPU = CPU\nArchitecture = ARM\nMode = 32\nFeatures = VFPv4\n[Extensions]\nSIMD = VFPv4\n",
		Good:  "[Target]\nPU = CPU\nArchitecture = ARM\nMode = 32\nFeatures = NEON\n[Extensions]\nSIMD = NEON\n",
	}
	noExtensions = &diag.Code{
		ID: "coil/no-extensions", Severity: diag.Warning,
		Title: "SIMD or cryptographic extensions of a GPU",
		Doc:   "GPUs run one instruction on many threads; they have no such sets.",
		Bad:   "[Target]\nPU = GPU\nArchitecture = NVIDIA\nMode = 64\n[Extensions]\nSIMD = AVX2\n",
		Good:  "[Target]\nPU = GPU\nArchitecture = NVIDIA\nMode = 64\n[Extensions]\nSharedMemory = true\n",
	}
	severalSIMD = &diag.Code{
		ID: "coil/several-simd", Severity: diag.Info,
		Title: "more than one SIMD extension",
		Doc:   "The language's document shows one extension; several are read as a list.",
		Bad:   x8664 + "Features = AVX2\n[Extensions]\nSIMD = AVX,AVX2\n",
		Good:  x8664 + "Features = AVX2\n[Extensions]\nSIMD = AVX2\n",
	}
	extNotInFeatures = &diag.Code{
		ID: "coil/ext-not-in-features", Severity: diag.Info,
		Title: "an extension that the features do not have",
		Doc:   "A compiler may refuse an extension that is not among the features.",
		Bad:   x8664 + "[Extensions]\nSIMD = AVX512\n",
		Good:  x8664 + "Features = AVX512F\n[Extensions]\nSIMD = AVX512\n",
	}
	sharedMemory = &diag.Code{
		ID: "coil/shared-memory", Severity: diag.Warning,
		Title: "shared memory of a processor that has none",
		Doc:   "Only GPUs have memory that a block of threads shares.",
		Bad:   x8664 + "[Extensions]\nSharedMemory = true\n",
		Good:  "[Target]\nPU = GPU\nArchitecture = NVIDIA\nMode = 64\n[Extensions]\nSharedMemory = true\n",
	}
	badDefine = &diag.Code{
		ID: "coil/define", Severity: diag.Error,
		Title: "a constant that is not `NAME` or `NAME=VALUE`",
		Doc:   "A name is an identifier; a value is a number, a quoted text or any other text, and not empty.",
		Bad:   "[Preprocessor]\nDefine = 2X=1\n",
		Good:  "[Preprocessor]\nDefine = X2=1\n",
	}
	repeatedDefine = &diag.Code{
		ID: "coil/repeated-define", Severity: diag.Warning,
		Title: "a constant is defined twice",
		Doc:   "The later one counts.",
		Bad:   "[Preprocessor]\nDefine = A=1,A=2\n",
		Good:  "[Preprocessor]\nDefine = A=2\n",
	}
	pathMissing = &diag.Code{
		ID: "coil/path-missing", Severity: diag.Warning,
		Title: "a folder that does not exist here",
		Doc:   "This is checked only with `--check-paths`, since a file may be for another machine.",
		Bad:   "[Linker]\nDefaultLibraryPath = /does/not/exist\n",
		Good:  "[Linker]\nEntryPoint = main\n",
	}
	includeFlag = &diag.Code{
		ID: "coil/include-flag", Severity: diag.Error,
		Title: "a compiler's flag instead of a folder",
		Doc:   "`Include` lists folders. `pentode target flags` turns them into flags of a compiler.",
		Bad:   x8664 + "[Preprocessor]\nInclude = -I/usr/include\n",
		Good:  x8664 + "[Preprocessor]\nInclude = /usr/include\n",
	}
	badLibrary = &diag.Code{
		ID: "coil/library", Severity: diag.Error,
		Title: "a library's name has characters that a name cannot have",
		Doc:   "A name is letters, digits and `_ + . -`.",
		Bad:   "[Linker]\nLibraries = lib c\n",
		Good:  "[Linker]\nLibraries = libc\n",
	}
	libraryPath = &diag.Code{
		ID: "coil/library-path", Severity: diag.Warning,
		Title: "a path instead of a library's name",
		Doc:   "Libraries are looked for by name.",
		Bad:   "[Linker]\nLibraries = /usr/lib/libc.so\n",
		Good:  "[Linker]\nLibraries = libc\n",
	}
	badSymbol = &diag.Code{
		ID: "coil/symbol", Severity: diag.Error,
		Title: "an entry point that cannot be a symbol",
		Doc:   "A symbol begins with a letter or one of `_ . $ @ ?`; digits may follow.",
		Bad:   "[Linker]\nEntryPoint = 2main\n",
		Good:  "[Linker]\nEntryPoint = main\n",
	}
	outputFormat = &diag.Code{
		ID: "coil/output-format", Severity: diag.Warning,
		Title: "an output format that the machine does not use",
		Doc:   "PE and Mach-O exist only for some architectures; GPUs and DSPs use ELF and raw images.",
		Bad:   "[Target]\nPU = CPU\nArchitecture = S390X\nMode = 64\n[Linker]\nOutputFormat = PE\n",
		Good:  "[Target]\nPU = CPU\nArchitecture = S390X\nMode = 64\n[Linker]\nOutputFormat = ELF\n",
	}
	platformUnfit = &diag.Code{
		ID: "coil/platform", Severity: diag.Error,
		Title: "a platform that the target cannot have",
		Doc:   "`[Pentode_Platform]` must fit the machine, the ABI and the output format: the system must use this format, and the architecture must have the code model and atomic instructions of this width.",
		Bad:   "[Linker]\nOutputFormat = ELF\n\n[Pentode_Platform]\nOS = Windows\n",
		Good:  "[Linker]\nOutputFormat = PE\n\n[Pentode_Platform]\nOS = Windows\n",
	}
	vendorValue = &diag.Code{
		ID: "coil/vendor", Severity: diag.Warning,
		Title: "a vendor's section that violates the vendor's schema",
		Doc:   "The language leaves vendors' sections alone, and so does `coil-config-validate`. Schemas for the examples of its document are built in; `coil.vendor-schema` of pentode.toml adds others.",
		Bad:   "[NVIDIA_SpecialFeatures]\nWarpSize = 64\n",
		Good:  "[NVIDIA_SpecialFeatures]\nWarpSize = 32\n",
	}
)

// includeCodes are this language's codes for the loader's problems.
var includeCodes = load.Codes{Missing: includeMissing, Unreadable: includeUnreadable, Cycle: includeCycle, Limit: includeLimit}

// codes are all codes of the language.
var codes = slices.Concat(syntax.Codes, []*diag.Code{
	includeMissing, includeUnreadable, includeCycle, includeLimit, includeLate, keyOutside,
	unknownSection, unknownVendor, unknownKey, badSection, badKey, repeatedSection,
	repeatedKey, missingSection, missingKey, badOverride, autoDetected, wrongType,
	outOfRange, notPower, notInSet, emptyElement, emptyText, quoteInside,
	blankInside, largeValue, otherSpelling, unknownArch, modeArch, archHint,
	doubtfulMode, featureUnknown, featureArch, featurePrefix, doubtfulFeature, obsoleteFeature,
	featureMode, featureConflict, uncheckedFeatures, repeatedElement, bothPreferences,
	endianness, memoryModel, stackGrowth, badABIName, abiArch, customABI,
	abiNeeds, unknownRegister, noRegisters, abiRegisters, abiNumbers, extensionArch, notSIMD,
	noExtensions, severalSIMD, extNotInFeatures, sharedMemory, badDefine, repeatedDefine,
	pathMissing, includeFlag, badLibrary, libraryPath, badSymbol, outputFormat, platformUnfit, vendorValue,
})
