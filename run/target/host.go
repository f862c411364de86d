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
	if name == "cmake" {
		c.GCC, c.Clang = h.Compiler("gcc").Major, h.Compiler("clang").Major
		return c
	}
	if h.Run == nil || name != "gcc" && name != "clang" {
		return c
	}
	if out, err := h.Run(name, "-dumpversion"); err == nil {
		major, _, _ := strings.Cut(strings.TrimSpace(string(out)), ".")
		if n, err := strconv.Atoi(major); err == nil && n > 0 {
			c.Major = n
		}
	}
	return c
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
