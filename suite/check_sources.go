package suite

import (
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/lang/pdi/calls"
)

// sourced checks a tree against the sources that the debug information of its program names, unless the project names the sources. If two programs
// read one tree, neither needs to call all of it.
func (c *checker) sourced(o *owned, t *Tree) {
	m, ok := model[*pdi.Model](t.Config)
	if !ok || o.binary == nil || m.KnowsProgram() {
		return
	}
	if first, ok := c.code.readers[t.Config]; ok && first != o.binary.path {
		if first != "" {
			delete(c.known, t.Config)
		}
		c.code.readers[t.Config] = ""
		return
	}
	c.code.readers[t.Config] = o.binary.path
	sources := c.code.sources[o.binary.path]
	if sources == nil {
		sources = &calls.Sources{Paths: o.binary.sources()}
		c.code.sources[o.binary.path] = sources
	}
	if len(sources.Paths) == 0 {
		return
	}
	env := c.workspace.EnvOf(t.Config.Document)
	c.known[t.Config] = m.Against(env, sources.Read(env.Opener))
}

// unsourced removes what the tree learned from sources of the project, because a pipeline feeds it.
func (c *checker) unsourced(tree *lang.Config) {
	if m, ok := model[*pdi.Model](tree); ok && m.KnowsProgram() {
		c.known[tree] = m.Against(c.workspace.EnvOf(tree.Document), nil)
	}
}

// sources returns the source files of a program that still exist. It returns none if another library of the program calls PDI, because the sources of
// that library are not known.
func (b *executable) sources() []string {
	if !b.linked(pdiLibrary) || slices.ContainsFunc(b.objects, callsPDI) {
		return nil
	}
	f, err := debuginfo.Open(b.path, debuginfo.Options{})
	if err != nil {
		return nil // tracing the program explains why
	}
	defer f.Close()
	all, err := f.Sources()
	if err != nil {
		return nil
	}
	var list []string
	for _, path := range all {
		if !calls.Reads(path) || strings.HasPrefix(path, "/usr/") {
			continue
		}
		if _, err := os.Stat(path); err != nil {
			return nil // built elsewhere, or moved since then
		}
		list = append(list, path)
	}
	return list
}

// callsPDI reports whether a library needs functions of PDI.
func callsPDI(path string) bool {
	if pdiLibrary(filepath.Base(path)) {
		return false
	}
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	symbols, _ := f.ImportedSymbols() // a library without symbols needs none
	return slices.ContainsFunc(symbols, func(s elf.ImportedSymbol) bool { return strings.HasPrefix(s.Name, "PDI_") })
}
