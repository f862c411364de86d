package target

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"
	"golang.org/x/sys/cpu"

	"github.com/pentode-dev/pentode/core/problem"
)

// Host gives access to everything that Detect reads from a machine. Tests use hosts that answer from
// recorded text.
type Host struct {
	Arch      string // as Go calls it: amd64, arm64
	BigEndian bool
	ReadFile  func(path string) ([]byte, error)
	Glob      func(pattern string) ([]string, error)
	Run       func(name string, args ...string) ([]byte, error)
	CPUID     func() []string // the processor's own list; nil if it has none
}

// commandTime limits a vendor's tool; a tool that hangs on a broken driver counts as missing.
const commandTime = 5 * time.Second

// ThisHost is the machine that the program runs on.
func ThisHost() Host {
	return Host{
		Arch:      runtime.GOARCH,
		BigEndian: cpu.IsBigEndian,
		ReadFile:  os.ReadFile,
		Glob:      filepath.Glob,
		Run: func(name string, args ...string) ([]byte, error) {
			ctx, stop := context.WithTimeout(context.Background(), commandTime)
			defer stop()
			return exec.CommandContext(ctx, name, args...).Output()
		},
		CPUID: cpuid.CPU.FeatureSet,
	}
}

// Compiler describes a compiler installed on the host. If it does not answer, the version stays 0. cmake
// may use any compiler, so both gcc and clang are asked.
func (h Host) Compiler(name string) Compiler {
	c := Compiler{Name: name}
	switch name {
	case "cmake", "meson":
		c.GCC, c.Clang = h.version("gcc"), h.version("clang")
	case "cargo":
		c.Major = h.version("rustc")
	case "nvcc":
		c.Major, c.GCC = h.version("nvcc"), h.version("gcc")
	default:
		c.Major = h.version(name)
	}
	return c
}

// Using describes a compiler or build system that works with the given program. The program is asked
// whether it is a gcc or a clang, and for its version.
func (h Host) Using(name, program string) (Compiler, error) {
	c := Compiler{Name: name, Program: program}
	text := ""
	if h.Run != nil {
		out, err := h.Run(program, "--version")
		if err == nil {
			text = string(out)
		}
	}
	switch {
	case strings.Contains(text, "clang version "):
		_, text, _ = strings.Cut(text, "clang version ")
		c.Kind, c.Clang = "clang", number(text)
	case strings.Contains(text, "Free Software Foundation"): // as many programs print
		c.Kind = "gcc"
		if out, err := h.Run(program, "-dumpversion"); err == nil {
			c.GCC = number(string(out))
		}
	}
	if c.GCC == 0 && c.Clang == 0 {
		return c, &problem.Problem{Kind: UnknownCompiler, Subject: problem.Subject{Name: program}, Message: fmt.Sprintf("`%s --version` does not print the version of a gcc or a clang", program),
			Expected: "name a compiler for C that can be run"}
	}
	if (name == "gcc" || name == "clang") && name != c.Kind {
		return c, &problem.Problem{Kind: UnknownCompiler, Subject: problem.Subject{Name: program}, Message: fmt.Sprintf("`%s` is a %s, not a %s", program, c.Kind, name),
			Expected: "ask for the flags of " + c.Kind}
	}
	if name == c.Kind {
		c.Major = cmp.Or(c.GCC, c.Clang)
	}
	if name == "cargo" {
		c.Major = h.version("rustc")
	}
	return c, nil
}

// asks maps compilers to the option that prints their version, and to the words before the number.
var asks = map[string]struct{ option, before string }{
	"gcc": {"-dumpversion", ""}, "clang": {"-dumpversion", ""}, "hipcc": {"--version", "clang version "}, "nvcc": {"--version", "release "}, "rustc": {"--version", "rustc 1."}, "go": {"version", " go1."},
	"icx": {"--version", "Compiler "}, "nvc": {"--version", "nvc "}, "zig": {"version", "0."},
}

// version asks a program for its version; 0 if it does not answer.
func (h Host) version(name string) int {
	ask, known := asks[name]
	if h.Run == nil || !known {
		return 0
	}
	out, err := h.Run(name, ask.option)
	if err != nil {
		return 0
	}
	_, text, _ := strings.Cut(string(out), ask.before)
	return number(text)
}

// number is the number at the start of a text, or 0.
func number(text string) int {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	n, _ := strconv.Atoi(text[:digits])
	return n
}

func (h Host) file(path string) string {
	if h.ReadFile == nil {
		return ""
	}
	b, err := h.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(b)
}

// cpuinfo returns the kernel's text about the processors, or "" if it describes another architecture's.
func (h Host) cpuinfo() string {
	text := h.file("/proc/cpuinfo")
	if foreign(h.Arch, text) != "" {
		return ""
	}
	return text
}

func (h Host) glob(pattern string) []string {
	if h.Glob == nil {
		return nil
	}
	paths, _ := h.Glob(pattern)
	return paths
}
