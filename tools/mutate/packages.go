package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A Package is a package of the module.
type Package struct {
	Name  string   // its folder below the root
	Files []string // its files on this system, without tests
	Deps  []string // itself and the packages of the module that it and its tests need
	Tests bool     // it has tests
	Aid   bool     // it exists for tests
}

// list returns the packages of the module.
func list(c *Clone) ([]Package, error) {
	out, err := output(c.dir, "go", "list", "-json=ImportPath,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports", "./...")
	if err != nil {
		return nil, err
	}
	type listed struct {
		ImportPath                         string
		GoFiles, CgoFiles                  []string
		TestGoFiles, XTestGoFiles          []string
		Imports, TestImports, XTestImports []string
	}
	byName := map[string]listed{}
	var names []string
	for d := json.NewDecoder(strings.NewReader(out)); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(l.ImportPath, module+"/")
		byName[name] = l
		names = append(names, name)
	}
	var need func(name string, tests bool, deps []string) []string
	need = func(name string, tests bool, deps []string) []string {
		l, ok := byName[name]
		if !ok || slices.Contains(deps, name) {
			return deps
		}
		deps = append(deps, name)
		imports := l.Imports
		if tests {
			imports = slices.Concat(imports, l.TestImports, l.XTestImports)
		}
		for _, path := range imports {
			if ours, ok := strings.CutPrefix(path, module+"/"); ok {
				deps = need(ours, false, deps)
			}
		}
		return deps
	}
	var packages []Package
	for _, name := range names {
		l := byName[name]
		packages = append(packages, Package{
			Name: name, Files: append(l.GoFiles, l.CgoFiles...), Deps: need(name, true, nil),
			Tests: len(l.TestGoFiles)+len(l.XTestGoFiles) > 0,
			Aid:   slices.Contains(l.Imports, "testing") || strings.HasSuffix(name, "test"),
		})
	}
	return packages, nil
}

// leftOut are the packages that are not changed and whose tests do not judge: they
// measure, draw or pack, or their tests build a library or start an editor.
var leftOut = []string{"bench", "capi", "cmd", "docs", "editors", "examples", "internal/arch", "packaging"}

func isLeftOut(name string) bool {
	return slices.ContainsFunc(leftOut, func(out string) bool { return name == out || strings.HasPrefix(name, out+"/") })
}

// sitesOf finds the mutants of every area.
func sitesOf(c *Clone, packages []Package) (map[string][]Site, error) {
	sites := map[string][]Site{}
	for _, p := range packages {
		if p.Aid || isLeftOut(p.Name) {
			continue
		}
		for _, file := range p.Files {
			name := p.Name + "/" + file
			text, err := os.ReadFile(filepath.Join(c.dir, name))
			if err != nil {
				return nil, err
			}
			found, err := Sites(name, text)
			if err != nil {
				return nil, err
			}
			sites[area(name)] = append(sites[area(name)], found...)
		}
	}
	return sites, nil
}

// area returns the part of the program that a file belongs to: the first folder of
// its path, and the second one below run, lang and internal.
func area(file string) string {
	parts := strings.Split(filepath.Dir(file), "/")
	if len(parts) > 1 && slices.Contains([]string{"run", "lang", "internal"}, parts[0]) {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// recordAll records the coverage of the tests of every package, in all clones at once.
func recordAll(clones []*Clone, packages []Package, cache string, skip *regexp.Regexp) ([]*Cover, error) {
	queue := make(chan Package, len(packages))
	for _, p := range packages {
		if p.Tests && !isLeftOut(p.Name) {
			queue <- p
		}
	}
	close(queue)
	var mu sync.Mutex
	var covers []*Cover
	err := each(clones, func(c *Clone) error {
		for p := range queue {
			cover, err := Record(c, p, cache, skip)
			if err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "mutate: %s: %d tests and parts, %d fail\n", p.Name, len(cover.Tests), len(cover.Failed))
			mu.Lock()
			covers = append(covers, cover)
			mu.Unlock()
		}
		return nil
	})
	return covers, err
}

// everything returns the coverage to assume if nothing was recorded. The tests of
// the named packages run all files; with the name `nearest`, the tests of a package
// run its own files, and the files of packages below it that have no tests.
func everything(packages []Package, by []string) []*Cover {
	nearest := func(name string) string {
		for name != "." && !slices.ContainsFunc(packages, func(p Package) bool { return p.Name == name && p.Tests }) {
			name = filepath.Dir(name)
		}
		return name
	}
	var covers []*Cover
	for _, p := range packages {
		all := slices.Contains(by, p.Name)
		if !p.Tests || isLeftOut(p.Name) || !all && by[0] != "nearest" {
			continue
		}
		c := &Cover{Package: p.Name}
		for _, of := range packages {
			if all || nearest(of.Name) == p.Name {
				for _, file := range of.Files {
					c.Blocks = append(c.Blocks, Block{File: of.Name + "/" + file, LastLine: math.MaxInt})
				}
			}
		}
		ran := make([]uint64, len(c.Blocks)/64+1)
		for i := range ran {
			ran[i] = ^uint64(0)
		}
		c.Tests = []Test{{Name: ".*", Seconds: allSeconds, Ran: ran}}
		covers = append(covers, c)
	}
	return covers
}

// allSeconds is the time that all tests of a package are expected to take.
const allSeconds = 30
