package coil_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
)

// whole is a configuration without findings; the tests below change one line of
// it.
const whole = `[Target]
PU = CPU
Architecture = x86
Mode = 64

[Optimization]
Level = 2

[Memory]
Model = Protected
Alignment = 16
StackGrowth = Down
Endianness = Little
`

// with returns the configuration with some lines replaced, if they set the same
// keys, and the other lines added at its end.
func with(changes ...string) string {
	text := whole
	for _, c := range changes {
		key, _, ok := strings.Cut(c, " =")
		at := strings.Index(text, "\n"+key+" =")
		if !ok || at < 0 || strings.Contains(c, "\n") {
			text += c + "\n"
			continue
		}
		end := at + 1 + strings.IndexByte(text[at+1:], '\n')
		text = text[:at+1] + c + text[end:]
	}
	return text
}

// without returns the configuration without a key.
func without(key string) string {
	var b strings.Builder
	for line := range strings.Lines(whole) {
		if !strings.HasPrefix(line, key+" =") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// inTarget returns the configuration with another line in its first section.
func inTarget(line string) string {
	return strings.Replace(whole, "Mode = 64\n", "Mode = 64\n"+line+"\n", 1)
}

func resolved(l *lang.Language, files source.Map) *lang.Config {
	return l.Parse(source.NewFile("x.coilcfg", files["x.coilcfg"])).Resolve(&load.Env{Opener: files, Dir: "."})
}

// found returns the severities and codes of the findings, such as `error type`.
func found(c *lang.Config) []string {
	var list []string
	for _, d := range c.Diagnostics() {
		list = append(list, d.Severity.String()+" "+strings.TrimPrefix(d.Code.ID, "coil/"))
	}
	slices.Sort(list)
	return list
}

func expect(t *testing.T, c *lang.Config, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := found(c); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
		for _, d := range c.Diagnostics() {
			t.Logf("%s: %s", d.Span, d.Message)
		}
	}
	if errors := slices.ContainsFunc(want, func(w string) bool { return strings.HasPrefix(w, "error") }); c.Diagnostics().HasErrors() != errors {
		t.Errorf("valid is %v, want %v", !c.Diagnostics().HasErrors(), errors)
	}
}

// TestRequirements checks that a finding is reported for each sentence of the
// document's "Valid Requirements" and "Required Validation Rules" that a file
// violates.
func TestRequirements(t *testing.T) {
	for _, tc := range []struct {
		section, sentence string
		text              string
		want              []string
	}{
		{"Target", "All fields in [Target] section are required", without("PU"), []string{"error missing-key"}},
		{"Target", "All fields in [Target] section are required (Architecture)", without("Architecture"), []string{"error missing-key"}},
		{"Target", "All fields in [Target] section are required (Mode)", without("Mode"), []string{"error missing-key"}},
		{"Target", "All fields in [Target] section are required (Features are optional)", whole, nil},
		{"Target", "PU must be one of the defined processing units", with("PU = FPGA"), []string{"error enum"}},
		{"Target", "Architecture must be valid for the selected PU", with("Architecture = NVIDIA"), []string{"error arch-pu"}},
		{"Target", "Mode must be valid for the selected Architecture", with("Mode = 8"), []string{"error mode-arch"}},
		{"Target", "Features must be valid for the selected Architecture", inTarget("Features = NEON"), []string{"error feature-arch"}},

		{"Optimization", "Level must be between 0 and 3", with("Level = 4"), []string{"error range"}},
		{"Optimization", "If both SizeOptimization and SpeedOptimization are true, the implementation decides the trade-off",
			with("[Optimization]\nSizeOptimization = true\nSpeedOptimization = true"), []string{"info size-and-speed", "info repeated-section"}},
		{"Optimization", "VectorizationLevel must be between 0 and 2", with("[Optimization]\nVectorizationLevel = 3"), []string{"error range", "info repeated-section"}},
		{"Optimization", "InliningLevel must be between 0 and 2", with("[Optimization]\nInliningLevel = 3"), []string{"error range", "info repeated-section"}},

		{"Memory", "Model must be one of the defined memory models", with("Model = Paged"), []string{"error enum"}},
		{"Memory", "Alignment must be a power of 2", with("Alignment = 24"), []string{"error power-of-two"}},
		{"Memory", `StackGrowth must be "Up" or "Down"`, with("StackGrowth = Sideways"), []string{"error enum"}},
		{"Memory", `Endianness must be "Little" or "Big"`, with("Endianness = Middle"), []string{"error enum"}},

		{"ABI", "Name must be a defined ABI name or a custom ABI identifier", with("[ABI]\nName = ab(c"), []string{"error abi-name"}},
		{"ABI", "Name must be a defined ABI name or a custom ABI identifier (custom)", with("[ABI]\nName = MyOwn"), []string{"info abi-custom"}},
		{"ABI", "Name is required if the section is present", with("[ABI]\nStackAlignment = 16"), []string{"error missing-key"}},
		{"ABI", "Register names must be valid for the target architecture", with("[ABI]\nName = SystemV\nReturnRegisters = rax,x0"), []string{"error register"}},
		{"ABI", "StackAlignment must be a power of 2", with("[ABI]\nName = SystemV\nStackAlignment = 10"), []string{"error power-of-two"}},
		{"ABI", "RedZoneSize must be a non-negative integer", with("[ABI]\nName = SystemV\nRedZoneSize = -1"), []string{"error type"}},

		{"Extensions", "All extensions must be valid for the target architecture (SIMD)", with("[Extensions]\nSIMD = NEON"), []string{"error extension"}},
		{"Extensions", "All extensions must be valid for the target architecture (Crypto)", with("[Extensions]\nCrypto = ZKN"), []string{"error extension"}},
		{"Extensions", "Extensions may be validated at compile time for compatibility", with("[Extensions]\nSIMD = AVX512"), []string{"info ext-not-in-features"}},

		{"Preprocessor", "Define format must be NAME or NAME=VALUE", with("[Preprocessor]\nDefine = 1A=2"), []string{"error define"}},
		{"Preprocessor", "Include paths must be valid file system paths", with("[Preprocessor]\nInclude = /usr/include,\"\""), []string{"error empty-element"}},

		{"Linker", "DefaultLibraryPath must be a valid directory path", with("[Linker]\nDefaultLibraryPath = \"\""), []string{"error empty-text"}},
		{"Linker", "Libraries must be valid library names", with("[Linker]\nLibraries = lib*"), []string{"error library"}},
		{"Linker", "EntryPoint must be a valid symbol name", with("[Linker]\nEntryPoint = 0main"), []string{"error symbol"}},
		{"Linker", "OutputFormat must be a supported format (ELF, PE, Mach-O, Raw)", with("[Linker]\nOutputFormat = COFF"), []string{"error enum"}},

		{"rules", "Required sections must be present (Target)", strings.Replace(whole, "[Target]\nPU = CPU\nArchitecture = x86\nMode = 64\n", "", 1), []string{"error missing-section"}},
		{"rules", "Required sections must be present (Optimization)", strings.Replace(whole, "[Optimization]\nLevel = 2\n", "", 1), []string{"error missing-section"}},
		{"rules", "Required sections must be present (Memory)", whole[:strings.Index(whole, "[Memory]")], []string{"error missing-section"}},
		{"rules", "Section names must be valid", with("[A/B]"), []string{"error bad-section"}},
		{"rules", "Unknown sections should be prefixed with vendor identifier", with("[Custom]\nA = 1"), []string{"warning unknown-section"}},
		{"rules", "Unknown sections should be prefixed with vendor identifier (one that is)", with("[NVIDIA_Other]\nA = 1"), nil},
		{"rules", "Required keys must be present in their respective sections", without("Endianness"), []string{"error missing-key"}},
		{"rules", "Keys must be valid identifiers", inTarget("a-b = 1"), []string{"error bad-key"}},
		{"rules", "Unknown keys should trigger warnings", inTarget("Colour = red"), []string{"warning unknown-key"}},
		{"rules", "Values must be of the correct type (integer)", with("Level = high"), []string{"error type"}},
		{"rules", "Values must be of the correct type (boolean)", with("[Extensions]\nAtomicOperations = maybe"), []string{"error type"}},
		{"rules", "Numeric values must be within valid ranges", with("Mode = 7"), []string{"error range"}},
		{"rules", "Enumerations must be from the allowed set", with("PU = cpu"), []string{"error enum"}},
		{"rules", "Lists must contain valid elements", inTarget("Features = AVX2,,FMA"), []string{"error empty-element"}},
		{"rules", "Architecture must be valid for the selected PU", with("PU = GPU"), []string{"error arch-pu"}},
		{"rules", "Features must be valid for the selected Architecture", inTarget("Features = SM_70"), []string{"error feature-arch"}},
		{"rules", "Extensions must be valid for the selected Architecture", with("[Extensions]\nSIMD = SVE2"), []string{"error extension"}},
	} {
		t.Run(tc.section+": "+tc.sentence, func(t *testing.T) {
			c := resolved(language, source.Map{"x.coilcfg": tc.text})
			expect(t, c, tc.want...)
			judgedAlike(t, c)
		})
	}
}

// openCase is a test case for a question that the language's document leaves
// open.
type openCase struct {
	what  string
	text  string
	files source.Map
	want  []string
	value string // settings that must exist, as `show` prints them
}

// TestOpenQuestions has at least one case for each question that the language's
// document leaves open.
func TestOpenQuestions(t *testing.T) {
	for _, tc := range []openCase{
		{what: "a comment line has a sign, with blanks before it", text: with("  # one", "\t; two")},
		{what: "a comment may follow a value after a blank", text: with("Mode = 64 # bits", "Model = Protected ; yes"), value: "Target.Mode = 64"},
		{what: "a sign inside a word belongs to it", text: with("[Linker]\nDefaultLibraryPath = C:\\a;C:\\b#1"), value: `Linker.DefaultLibraryPath = C:\a;C:\b#1`},
		{what: "a sign in quotes belongs to the text", text: with("[Linker]\nDefaultLibraryPath = \"/a # b\""), value: "Linker.DefaultLibraryPath = /a # b"},
		{what: "a comment is no value", text: with("Level = # x"), want: []string{"error value-missing"}},
		{what: "comments after headers and includes", text: "@include \"b.coilcfg\" # base\n" + with("[ARM_X] ; end"), files: source.Map{"b.coilcfg": ""}},
		{what: "hexadecimal with letters", text: with("Alignment = 0x1000", "Mode = 0X40"), value: "Memory.Alignment = 4096\nTarget.Mode = 64"},
		{what: "leading zeros are decimal", text: with("Mode = 0064"), value: "Target.Mode = 64"},
		{what: "no sign", text: with("Level = +2"), want: []string{"error type"}},
		{what: "more than 64 bits", text: with("Level = 18446744073709551616"), want: []string{"error range"}},
		{what: "truth values in any case", text: with("[Extensions]\nAtomicOperations = YES"), value: "Extensions.AtomicOperations = true"},
		{what: "enumerations are case-sensitive", text: with("Endianness = LITTLE"), want: []string{"error enum"}},
		{what: "names of the tables are not", text: with("Architecture = X86", "[ABI]\nName = sysv\nReturnRegisters = RAX,RDX"),
			want: []string{"info spelling", "info spelling", "info spelling", "info spelling"}},
		{what: "1 is what the key makes of it", text: with("Level = 1", "[Extensions]\nAtomicOperations = 1"),
			value: "Optimization.Level = 1\nExtensions.AtomicOperations = true"},
		{what: "types without a key", text: with("[ARM_X]\nA = 7.0\nB = 1\nC = yes\nD = \"1\"\nE = a, b"),
			value: "ARM_X.A = 7.0\nARM_X.B = 1\nARM_X.C = true\nARM_X.D = 1\nARM_X.E = a,b"},
		{what: "a quoted number is a text", text: with(`Level = "2"`), want: []string{"error type"}},
		{what: "a quoted truth value is a text", text: with("[Extensions]\nAtomicOperations = \"true\""), want: []string{"error type"}},
		{what: "words may have quotes", text: with(`PU = "CPU"`, `Architecture = "x86"`), value: "Target.PU = CPU"},
		{what: "a backslash is a backslash", text: with("[Linker]\nDefaultLibraryPath = \"C:\\new\""), value: `Linker.DefaultLibraryPath = C:\new`},
		{what: "an unclosed quote", text: with("[Linker]\nDefaultLibraryPath = \"/a"), want: []string{"error unclosed-quote"}},
		{what: "blanks inside a text stay", text: with("[Linker]\nDefaultLibraryPath = /a  b"), want: []string{"warning blank-inside"}, value: "Linker.DefaultLibraryPath = /a  b"},
		{what: "blanks inside a section's name are one", text: with("[ARM_A  B]\nX = 1", "[ARM_A B]\nY = 2"), want: []string{"info repeated-section"}, value: "ARM_A B.Y = 2"},
		{what: "keys are identifiers", text: inTarget("9a = 1"), want: []string{"error bad-key"}},
		{what: "sections have a few more characters", text: with("[ARM_a.b:c-d e]\nX = 1")},
		{what: "one value is a list of one", text: inTarget("Features = AVX2"), value: "Target.Features = AVX2"},
		{what: "blanks around commas do not count", text: inTarget("Features = AVX2 , FMA"), value: "Target.Features = AVX2,FMA"},
		{what: "no comma at the end", text: inTarget("Features = AVX2,"), want: []string{"error empty-element"}},
		{what: "quotes protect commas", text: with("[Preprocessor]\nInclude = \"/a,b\",/c"), value: `Preprocessor.Include = "/a,b",/c`},
		{what: "two quotes empty an inherited list", text: "@include \"b.coilcfg\"\n" + inTarget(`Features = ""`),
			files: source.Map{"b.coilcfg": "[Target]\nFeatures = AVX2\n"}, value: `Target.Features = ""`},
		{what: "values of constants", text: with(`[Preprocessor]` + "\n" + `Define = DEBUG=1,PLATFORM="x64",V=1.5,F,T=a=b`), value: `Preprocessor.Define = DEBUG=1,PLATFORM="x64",V=1.5,F,T=a=b`},
		{what: "a constant with `=` and nothing", text: with("[Preprocessor]\nDefine = A="), want: []string{"error define"}},
		{what: "a constant twice", text: with("[Preprocessor]\nDefine = A=1,A=2"), want: []string{"warning repeated-define"}},
		{what: "features are optional", text: whole},
		{what: "what is required may be inherited", text: "@include \"b.coilcfg\"\n[Target]\nMode = 32\n", files: source.Map{"b.coilcfg": whole}, value: "Target.Mode = 32"},
		{what: "a section twice is one", text: with("[Target]\nFeatures = AVX2"), want: []string{"info repeated-section"}, value: "Target.Features = AVX2"},
		{what: "a key twice, the last wins", text: inTarget("Mode = 32"), want: []string{"warning repeated-key"}, value: "Target.Mode = 32"},
		{what: "a key before any section", text: "PU = CPU\n" + whole, want: []string{"error key-outside-section"}},
		{what: "vendors' sections", text: with("[NVIDIA_A]\nX = 1")},
		{what: "unknown vendors", text: with("[ACME_A]\nX = 1"), want: []string{"info unknown-vendor"}},
		{what: "other unknown sections", text: with("[Linkr]\nX = 1"), want: []string{"warning unknown-section"}},
		{what: "unknown keys are kept", text: inTarget("Colour = red"), want: []string{"warning unknown-key"}, value: "Target.Colour = red"},
		{what: "a misspelt required key is one finding", text: with("Level = 2"), value: "Optimization.Level = 2"},
		{what: "a misspelt required key is one finding", text: strings.Replace(whole, "Level", "Levl", 1), want: []string{"error missing-key"}},
		{what: "SharedMemory of a GPU", text: with("PU = GPU", "Architecture = NVIDIA", "[Extensions]\nSharedMemory = true")},
		{what: "SharedMemory of a CPU", text: with("[Extensions]\nSharedMemory = true"), want: []string{"warning shared-memory"}},
		{what: "a GPU needs StackGrowth, too", text: strings.Replace(with("PU = GPU", "Architecture = NVIDIA"), "StackGrowth = Down\n", "", 1), want: []string{"error missing-key"}},
		{what: "an include is read first wherever it stands", text: whole + "@include \"b.coilcfg\"\n", files: source.Map{"b.coilcfg": "[Target]\nMode = 32\n"},
			want: []string{"warning include-late"}, value: "Target.Mode = 64"},
		{what: "an include does not change the section", text: strings.Replace(whole, "PU = CPU\n", "@include \"b.coilcfg\"\nPU = CPU\n", 1), files: source.Map{"b.coilcfg": "[Linker]\nEntryPoint = main\n"},
			want: []string{"warning include-late"}, value: "Target.PU = CPU"},
		{what: "a later include wins over an earlier one", text: "@include \"b.coilcfg\"\n@include \"c.coilcfg\"\n" + without("Mode"),
			files: source.Map{"b.coilcfg": "[Target]\nMode = 32\n", "c.coilcfg": "[Target]\nMode = 16\n"}, value: "Target.Mode = 16"},
		{what: "a list is replaced as a whole", text: "@include \"b.coilcfg\"\n[Target]\nFeatures = SSE4.2\n", files: source.Map{"b.coilcfg": inTarget("Features = AVX2,FMA")}, value: "Target.Features = SSE4.2"},
		{what: "paths begin where the including file is", text: "@include sub/b.coilcfg\n" + without("Mode"),
			files: source.Map{"sub/b.coilcfg": "@include \"c.coilcfg\"\n", "sub/c.coilcfg": "[Target]\nMode = 32\n"}, value: "Target.Mode = 32"},
		{what: "a file that is not there", text: "@include \"*.coilcfg\"\n" + whole, want: []string{"error include-missing"}},
		{what: "a circle", text: "@include \"b.coilcfg\"\n" + whole, files: source.Map{"b.coilcfg": "@include \"x.coilcfg\"\n"}, want: []string{"error include-cycle"}},
		{what: "the same file by two ways is no circle", text: "@include \"b.coilcfg\"\n@include \"c.coilcfg\"\n" + without("Mode"),
			files: source.Map{"b.coilcfg": "@include \"d.coilcfg\"\n", "c.coilcfg": "@include \"d.coilcfg\"\n", "d.coilcfg": "[Target]\nMode = 32\n"}, value: "Target.Mode = 32"},
		{what: "Mode is 8 to 128", text: with("Mode = 129"), want: []string{"error range"}},
		{what: "size and speed together", text: strings.Replace(whole, "Level = 2\n", "Level = 2\nSizeOptimization = true\nSpeedOptimization = true\n", 1), want: []string{"info size-and-speed"}},
		{what: "no alignment of zero", text: with("Alignment = 0"), want: []string{"error power-of-two"}},
		{what: "large alignments", text: with("Alignment = 131072"), want: []string{"warning large-value"}},
		{what: "the largest alignment", text: with("Alignment = 2147483648"), want: []string{"warning large-value"}},
		{what: "over the largest alignment", text: with("Alignment = 4294967296"), want: []string{"error range"}},
		{what: "folders need not exist", text: with("[Preprocessor]\nInclude = /arm-none-eabi/include")},
		{what: "unless asked for", text: with("[Preprocessor]\nInclude = /does/not/exist"), want: []string{"warning path-missing"}},
		{what: "libraries", text: with("[Linker]\nLibraries = libstdc++,foo-1.2,libc_s")},
		{what: "a library by its path", text: with("[Linker]\nLibraries = /usr/lib/libc.a"), want: []string{"warning library-path"}},
		{what: "symbols", text: with("[Linker]\nEntryPoint = ?start@@YAXXZ")},
		{what: "formats of other machines", text: with("Architecture = RISC-V", "[Linker]\nOutputFormat = Mach-O"), want: []string{"warning output-format"}},
		{what: "formats of GPUs", text: with("PU = GPU", "Architecture = NVIDIA", "[Linker]\nOutputFormat = PE"), want: []string{"warning output-format"}},
		{what: "a big-endian x86", text: with("Endianness = Big"), want: []string{"warning endianness"}},
		{what: "segments in 64 bits", text: with("Model = Segmented"), want: []string{"warning memory-model"}},
		{what: "segments in 32 bits", text: with("Mode = 32", "Model = Segmented")},
		{what: "segments of an ARM", text: with("Architecture = ARM", "Model = Segmented"), want: []string{"warning memory-model"}},
		{what: "a big-endian GPU", text: with("PU = GPU", "Architecture = NVIDIA", "Endianness = Big"), want: []string{"warning endianness"}},
		{what: "a stack that grows up", text: with("StackGrowth = Up"), want: []string{"warning stack-growth"}},
		{what: "several SIMD extensions", text: inTarget("Features = AVX2") + "[Extensions]\nSIMD = AVX2,SSE4.2\n", want: []string{"info several-simd"}},
		{what: "an extension that no feature brings", text: inTarget("Features = AVX2") + "[Extensions]\nCrypto = AES\n", want: []string{"info ext-not-in-features"}},
		{what: "an extension beside a list that is wrong", text: inTarget("Features = AVX2,,FMA") + "[Extensions]\nSIMD = AVX2\n", want: []string{"error empty-element"}},
		{what: "an extension beside a feature that is misspelt", text: inTarget("Features = AVX22") + "[Extensions]\nSIMD = AVX2\n", want: []string{"error feature-unknown"}},
		{what: "a placeholder is no value", text: with("Mode = (auto-detected)"), want: []string{"error auto-detected"}},
		{what: "defaults fill no gaps", text: without("Level"), want: []string{"error missing-key"}},
		{what: "PUs of the past", text: with("PU = TPU"), want: []string{"error enum"}},
		{what: "a byte order mark", text: "\ufeff" + whole, value: "Target.PU = CPU"},
		{what: "CRLF", text: strings.ReplaceAll(whole, "\n", "\r\n"), value: "Target.PU = CPU"},
		{what: "lone CR", text: strings.ReplaceAll(whole, "\n", "\r"), value: "Target.PU = CPU"},
		{what: "NUL", text: whole + "\x00", want: []string{"error file/nul-byte"}},
		{what: "not UTF-8", text: whole + "# caf\xe9\n", want: []string{"warning not-utf8"}},
		{what: "no negative red zone", text: with("[ABI]\nName = SystemV\nRedZoneSize = -1"), want: []string{"error type"}},
		{what: "a large red zone", text: with("[ABI]\nName = SystemV\nRedZoneSize = 65536"), want: []string{"warning large-value"}},
		{what: "a large stack alignment", text: with("[ABI]\nName = SystemV\nStackAlignment = 65536"), want: []string{"warning large-value"}},
	} {
		t.Run(tc.what, func(t *testing.T) {
			files := source.Map{"x.coilcfg": tc.text}
			for name, text := range tc.files {
				files[name] = text
			}
			c := resolved(language, files)
			expect(t, c, tc.want...)
			judgedAlike(t, c)
			have := golden.Settings(c, false)
			for line := range strings.Lines(tc.value) {
				if line = strings.TrimSuffix(line, "\n"); !strings.Contains("\n"+have, "\n"+line+"\n") {
					t.Errorf("there is no setting %q in\n%s", line, have)
				}
			}
			golden.Laws(t, language, &load.Env{Opener: files, Dir: "."}, source.NewFile("x.coilcfg", tc.text))
		})
	}
}

// TestLongList: a list that is far too long is refused before it costs time.
func TestLongList(t *testing.T) {
	expect(t, resolved(language, source.Map{"x.coilcfg": inTarget("Features = " + strings.Repeat("AVX2,", 200_000) + "FMA")}), "error range")
}

// TestFragment checks that a file that is only included by others need not be
// complete.
func TestFragment(t *testing.T) {
	l := coil.New(coil.Options{Fragment: true})
	expect(t, resolved(l, source.Map{"x.coilcfg": "[Target]\nMode = 32\n"}))
	expect(t, resolved(l, source.Map{"x.coilcfg": "[Target]\nMode = 7\n"}), "error range")
}

// TestFixes applies every safe fix and expects a file without findings.
func TestFixes(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{with("PU = cpu"), "PU = CPU"},
		{with(`Level = "2"`), "Level = 2\n"},
		{strings.Replace(whole, "Level", "level", 1), "Level = 2"},
		{strings.Replace(whole, "Alignment", "Alignmnet", 1), "Alignment = 16"},
		{strings.Replace(whole, "[Memory]", "[memory]", 1), "[Memory]"},
		{strings.Replace(whole, "[Memory]", "[Memory", 1), "[Memory]\n"},
		{with("[Extensions]\natomicoperations = true"), "AtomicOperations = true"},
		{inTarget("Features = sse42,Avx512_Vnni"), "Features = SSE4.2,AVX512VNNI"},
		{inTarget(`Features = "avx2",FMA`), `Features = "AVX2",FMA`},
		{with("[ABI]\nName = x86_64_sysv"), "Name = SystemV"},
		{with("[Linker]\nDefaultLibraryPath = /a b"), `DefaultLibraryPath = "/a b"`},
		{inTarget("Features = AVX2,"), "Features = AVX2\n"},
		{inTarget("Features = AVX2,,FMA"), "Features = AVX2,FMA\n"},
		{inTarget("Features = ,AVX2"), "Features = AVX2\n"},
	} {
		f := source.NewFile("x.coilcfg", tc.text)
		var edits []source.Edit
		for _, d := range language.Parse(f).Resolve(&load.Env{Opener: source.Map{}, Dir: "."}).Diagnostics() {
			for _, fix := range d.Fixes {
				if fix.Safe {
					edits = append(edits, fix.Edits...)
				}
			}
		}
		text, err := source.Apply(f, edits)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text, tc.want) {
			t.Errorf("%q is not in\n%s", tc.want, text)
		}
		for _, d := range resolved(language, source.Map{"x.coilcfg": text}).Diagnostics() {
			t.Errorf("%q still has %s: %s", tc.want, d.Code.ID, d.Message)
		}
	}
}
