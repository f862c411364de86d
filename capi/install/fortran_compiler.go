package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// family describes the Fortran compilers of one vendor.
type family struct {
	says       string // a text that identifies the family in the output of --version
	id         string // CMake's name for them, used in the name of the folder of modules
	moduleFlag string // the option that names the folder for compiled modules
}

var families = []family{
	{"GNU Fortran", "GNU", "-J"},
	{"flang", "LLVMFlang", "-J"},
	{"ifx", "IntelLLVM", "-module"},
	{"ifort", "Intel", "-module"},
	{"nvfortran", "NVHPC", "-module"},
	{"pgfortran", "PGI", "-module"},
	{"Cray Fortran", "Cray", "-J"},
	{"XL Fortran", "XL", "-qmoddir"},
}

// fortranCompiler is a compiler and its properties.
type fortranCompiler struct {
	path       string
	tag        string // the name of the folder for its modules: family and version
	moduleFlag string
	types      []fortranType // the types that it supports
	anyRank    bool          // it supports arguments of any type and rank
	missing    []string      // types that it does not support, as texts for the user
}

// fortranType is an intrinsic type with its kinds.
type fortranType struct {
	name  string
	kinds []int
}

// fortranTypes are the types for which PDI_access exists. Every compiler supports their kinds up to 8;
// larger kinds are tried out.
var fortranTypes = []fortranType{
	{"character", []int{1, 4}},
	{"complex", []int{4, 8, 16}},
	{"integer", []int{1, 2, 4, 8, 16}},
	{"logical", []int{1, 2, 4, 8, 16}},
	{"real", []int{4, 8, 16}},
}

var versionNumber = regexp.MustCompile(`[0-9]+\.[0-9]+`)

// newFortranCompiler finds out which compiler is at the path and which kinds it supports.
func newFortranCompiler(path string) (*fortranCompiler, error) {
	out, err := exec.Command(path, "--version").Output()
	i := slices.IndexFunc(families, func(f family) bool { return strings.Contains(string(out), f.says) })
	if err != nil || i < 0 {
		var names []string
		for _, f := range families {
			names = append(names, f.says)
		}
		return nil, fmt.Errorf("the output of `%s --version` names none of the known Fortran compilers (%s): set FC to use another compiler", path, strings.Join(names, ", "))
	}
	_, after, _ := strings.Cut(string(out), families[i].says)
	version := versionNumber.FindString(after)
	if version == "" {
		return nil, fmt.Errorf("the output of `%s --version` has no version: set FC to use another compiler", path)
	}
	c := &fortranCompiler{path: path, tag: families[i].id + "-" + version, moduleFlag: families[i].moduleFlag}
	if c.anyRank, err = c.accepts("subroutine s(data)\n  use iso_c_binding\n  " + anything + "\n  type(c_ptr) :: p\n  p = c_loc(data)\nend subroutine s\n"); err != nil {
		return nil, err
	}
	for _, t := range fortranTypes {
		have := fortranType{name: t.name}
		for _, kind := range t.kinds {
			ok, err := c.knows(t.name, kind)
			if err != nil {
				return nil, err
			}
			if ok {
				have.kinds = append(have.kinds, kind)
			} else {
				c.missing = append(c.missing, t.name+"(kind="+strconv.Itoa(kind)+")")
			}
		}
		c.types = append(c.types, have)
	}
	return c, nil
}

// knows reports whether the compiler supports a kind of a type.
func (c *fortranCompiler) knows(name string, kind int) (bool, error) {
	if kind <= 8 && name != "character" || kind == 1 {
		return true, nil
	}
	return c.accepts(fmt.Sprintf("subroutine s(x)\n  %s(kind=%d), pointer :: x\n  nullify(x)\nend subroutine s\n", name, kind))
}

// accepts reports whether the compiler compiles a text.
func (c *fortranCompiler) accepts(text string) (bool, error) {
	dir, err := os.MkdirTemp("", "pdi-fortran-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "try.f90")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		return false, err
	}
	return exec.Command(c.path, "-c", file, "-o", filepath.Join(dir, "try.o")).Run() == nil, nil
}

// anything declares an argument of any type and rank in standard Fortran.
const anything = "type(*), target, asynchronous :: data(..)"

// bytes replaces the declaration `anything` for compilers that lack it: the procedure receives the
// address of the argument as an array of bytes. The directive compare is added to the interface, so
// that the compiler does not check the type and the rank of the argument.
const (
	bytes   = "integer(kind=1), target, asynchronous :: data(*)"
	compare = "\n    !dir$ ignore_tkr data"
)

// procedures replaces the declaration `anything` in a text with procedures, if the compiler does not
// support it.
func (c *fortranCompiler) procedures(text string) []byte {
	if !c.anyRank {
		text = strings.ReplaceAll(text, anything, bytes)
	}
	return []byte(text)
}

// interfaces does the same for a text with interfaces, and adds the directive `compare`.
func (c *fortranCompiler) interfaces(text string) []byte {
	if !c.anyRank {
		text = strings.ReplaceAll(text, anything, bytes+compare)
	}
	return []byte(text)
}

// compile compiles a file to a library and writes its modules to a folder.
func (c *fortranCompiler) compile(in *installation, name, modules, file string, flags ...string) error {
	if err := os.MkdirAll(modules, 0o777); err != nil {
		return err
	}
	args := append([]string{"-O1", "-w", "-fPIC", "-shared", c.moduleFlag, modules, file, "-o", in.at("lib/lib" + name + ".so.1"),
		"-Wl,-soname,lib" + name + ".so.1", "-L" + in.at("lib"), "-Wl,-rpath,$ORIGIN"}, flags...)
	if err := run(exec.Command(c.path, args...)); err != nil {
		return err
	}
	return in.link("lib" + name + ".so")
}
