package traced

import (
	"debug/elf"
	"path/filepath"
	"slices"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/suite"
)

// linked opens the libraries that the program is linked with, once.
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
	symbols, _ := f.DynamicSymbols() // a program without any has no tool that is found
	return slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == suite.StartTool && s.Section != elf.SHN_UNDEF })
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
