package runs

import (
	"debug/elf"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/suite"
)

// linked opens the libraries that the program is linked with, once. The loader
// itself says which they are; one that does not say leaves them unknown.
func (p *tracedProgram) linked() []*debuginfo.File {
	if p.asked {
		return p.libraries
	}
	p.asked = true
	loader := loaderOf(p.path)
	if loader == "" {
		return nil
	}
	out, err := exec.Command(loader, "--list", p.path).Output()
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(out)) {
		// 	libx.so => /path/of/libx.so (0x7f0000000000)
		_, path, ok := strings.Cut(strings.TrimSpace(line), " => ")
		if end := strings.LastIndex(path, " (0x"); ok && end > 0 {
			if f, err := debuginfo.Open(path[:end], debuginfo.Options{}); err == nil {
				p.libraries = append(p.libraries, f)
			}
		}
	}
	return p.libraries
}

// startTool is the function by which an OpenMP runtime finds the tool that it starts:
// that of the program, else of a preloaded library, else of one that is linked.
const startTool = "ompt_start_tool"

// hasTool reports whether a program or a library has an OpenMP tool.
func hasTool(path string) bool {
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	symbols, _ := f.DynamicSymbols() // a program without any has no tool that is found
	return slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == startTool && s.Section != elf.SHN_UNDEF })
}

// replacedTools are the libraries with a tool whose place the tracer takes. A runtime
// has the function, too, for tools that are given in a variable.
func (p *tracedProgram) replacedTools() (names []string) {
	if p.omp != llvmOpenMP || p.tool {
		return nil
	}
	for _, f := range p.linked() {
		if name := filepath.Base(f.Path); !suite.LLVMOpenMP(name) && hasTool(f.Path) {
			names = append(names, name)
		}
	}
	return names
}

// loaderOf is the loader that a program asks for, or empty.
func loaderOf(path string) string {
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for _, s := range f.Progs {
		if s.Type != elf.PT_INTERP || s.Filesz > 4096 {
			continue
		}
		name := make([]byte, s.Filesz)
		if _, err := s.ReadAt(name, 0); err == nil {
			return strings.TrimRight(string(name), "\x00")
		}
	}
	return ""
}
