package target

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"
	"golang.org/x/sys/cpu"
)

// Host is everything Detect may ask a machine. Tests answer from recorded text.
type Host struct {
	Arch      string // as Go calls it: amd64, arm64
	BigEndian bool
	ReadFile  func(path string) ([]byte, error)
	Glob      func(pattern string) ([]string, error)
	Run       func(name string, args ...string) ([]byte, error)
	CPUID     func() []string // the processor's own list; nil where there is none
}

// commandTime bounds a vendor's tool; one that hangs on a broken driver counts as missing.
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

// Compiler is a compiler as the host has it. Where it does not answer, the version stays open.
// cmake uses any, so that both of its compilers are asked.
func (h Host) Compiler(name string) Compiler {
	c := Compiler{Name: name}
	switch name {
	case "cmake":
		c.GCC, c.Clang = h.version("gcc"), h.version("clang")
	case "nvcc":
		c.Major, c.GCC = h.version("nvcc"), h.version("gcc")
	default:
		c.Major = h.version(name)
	}
	return c
}

// asks is how compilers are asked for their version, and the words before its number.
var asks = map[string]struct{ option, before string }{
	"gcc": {"-dumpversion", ""}, "clang": {"-dumpversion", ""}, "hipcc": {"--version", "clang version "}, "nvcc": {"--version", "release "}, "rustc": {"--version", "rustc 1."},
}

// version asks a program for its version; 0 where it does not answer.
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

func (h Host) glob(pattern string) []string {
	if h.Glob == nil {
		return nil
	}
	paths, _ := h.Glob(pattern)
	return paths
}
