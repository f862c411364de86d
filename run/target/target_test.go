package target

import "github.com/pentode-dev/pentode/core/problem"

var builtIn Machines

// messages returns the texts of problems.
func messages(list problem.List) []string {
	var out []string
	for _, p := range list {
		out = append(out, p.Message)
	}
	return out
}

// Targets used by several tests: the document's three examples and some machines.

func num(n int) *int { return &n }

func x86Example() Target {
	return Target{PU: "CPU", Architecture: "x86", Mode: 64, Features: []string{"SSE4.2", "AVX2", "FMA"},
		Memory:       Memory{"Protected", 16, "Down", "Little"},
		ABI:          &ABI{Name: "SystemV", Parameters: []string{"rdi", "rsi", "rdx", "rcx", "r8", "r9"}, Returns: []string{"rax", "rdx"}, StackAlignment: num(16), RedZone: num(128)},
		Optimization: Optimization{Level: 2, Speed: true},
		Extensions:   Extensions{SIMD: []string{"AVX2"}, Atomics: true},
		Preprocessor: Preprocessor{Defines: []Define{{"LINUX", Integer, "1"}, {"X86_64", Integer, "1"}}, Includes: []string{"/usr/include", "/usr/local/include"}},
		Linker:       Linker{LibraryPath: "/usr/lib", Libraries: []string{"libc", "libm"}, EntryPoint: "main", OutputFormat: "ELF"}}
}

func armExample() Target {
	return Target{PU: "CPU", Architecture: "ARM", Mode: 32, Features: []string{"NEON", "VFPv4"},
		Memory:       Memory{"Protected", 8, "Down", "Little"},
		ABI:          &ABI{Name: "AAPCS", Parameters: []string{"r0", "r1", "r2", "r3"}, Returns: []string{"r0", "r1"}, StackAlignment: num(8), RedZone: num(0)},
		Optimization: Optimization{Level: 2, Size: true},
		Extensions:   Extensions{SIMD: []string{"NEON"}, Atomics: true},
		Preprocessor: Preprocessor{Defines: []Define{{"EMBEDDED", Integer, "1"}}},
		Linker:       Linker{Libraries: []string{"libc_s"}, EntryPoint: "Reset_Handler", OutputFormat: "Raw"}}
}

func gpuExample() Target {
	return Target{PU: "GPU", Architecture: "NVIDIA", Mode: 64, Features: []string{"SM_70"},
		Memory:       Memory{"Protected", 16, "Down", "Little"},
		Optimization: Optimization{Level: 3, Speed: true, Vectorization: num(2)},
		Extensions:   Extensions{Atomics: true, SharedMemory: true}}
}

// machine is a default target with some features.
func machine(arch string, mode int, features ...string) Target {
	t := builtIn.Default("CPU", arch, mode)
	t.Features = features
	return t
}
