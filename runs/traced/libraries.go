package traced

import (
	"debug/elf"
	"path/filepath"
	"slices"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/suite"
)

// linked returns the libraries with which the program is linked. It opens them once.
func (p *tracedProgram) linked() []*debuginfo.File {
	if p.asked {
		return p.libraries
	}
	p.asked = true
	for _, path := range suite.Linked(p.path) {
		if f, err := debuginfo.Open(path, debuginfo.Options{}); err == nil {
			p.libraries = append(p.libraries, f)
		}
	}
	return p.libraries
}

// hasTool reports whether a program or a library has an OpenMP tool.
func hasTool(path string) bool {
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	symbols, _ := f.DynamicSymbols() // a program without symbols has no tool that can be found
	return slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == suite.StartTool && s.Section != elf.SHN_UNDEF })
}

// replacedTools returns the libraries whose OpenMP tool the tracer replaces. It ignores runtimes, which have the function too, for tools that a
// variable names.
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
