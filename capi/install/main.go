// Install builds the data store for C, C++, Fortran and Python programs and puts it in
// place: `go run ./capi/install PREFIX`.
//
// A C compiler is needed. What needs more is left out, with a line that says so, where
// that is missing: Fortran needs gfortran. With --plain what depends on the Fortran and
// Python of this machine is left out in any case, so that the result can be used on
// another one; GOARCH and CC then name the machine it is for.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	args := os.Args[1:]
	plain := len(args) > 0 && args[0] == "--plain"
	if plain {
		args = args[1:]
	}
	if len(args) != 1 || strings.HasPrefix(args[0], "-") {
		fmt.Fprintln(os.Stderr, "usage: go run ./capi/install [--plain] PREFIX")
		os.Exit(2)
	}
	left, err := install(args[0], plain)
	for _, what := range left {
		fmt.Println("left out:", what)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "install:", err)
		os.Exit(1)
	}
	fmt.Printf("installed in %s; to use it: . %s\n", args[0], filepath.Join(args[0], "share/pdi/env.sh"))
}

// installation is the work of one run.
type installation struct {
	prefix  string // where to, absolute
	source  string // the folder capi
	cc      string
	leftOut []string
}

// install puts everything under a prefix and returns what was left out.
func install(prefix string, plain bool) ([]string, error) {
	in := &installation{cc: "cc"}
	if cc := os.Getenv("CC"); cc != "" {
		in.cc = cc
	}
	if _, err := exec.LookPath(in.cc); err != nil {
		return nil, errors.New("no C compiler was found: install one, or name it in CC")
	}
	var err error
	if in.prefix, err = filepath.Abs(prefix); err != nil {
		return nil, err
	}
	out, err := exec.Command("go", "list", "-buildvcs=false", "-f", "{{.Dir}}", "github.com/pentode-dev/pentode/capi").Output()
	if err != nil {
		return nil, errors.New("the sources were not found: run this inside the repository, or as `go run github.com/pentode-dev/pentode/capi/install`")
	}
	in.source = strings.TrimSpace(string(out))
	steps := []func() error{in.headers, in.pdi, in.paraconf, in.python, in.share}
	if !plain {
		steps = append(steps, in.fortran, in.pycall)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return in.leftOut, err
		}
	}
	return in.leftOut, nil
}

// headers copies include/.
func (in *installation) headers() error {
	return in.copy("include", "include")
}

// pdi builds libpdi. Its soname and its symbols are the original's.
func (in *installation) pdi() error {
	link := "-Wl,-soname,libpdi.so.1 -Wl,-z,nodelete '-Wl,--version-script=" + filepath.Join(in.source, "pdi.map") + "'"
	library := filepath.Join(in.prefix, "lib", "libpdi.so.1")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-buildmode=c-shared", "-race=false", "-trimpath", `-ldflags=-s -w -buildid= "-extldflags=`+link+`"`, "-o", library, ".")
	cmd.Dir = in.source
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	if err := run(cmd); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(in.prefix, "lib", "libpdi.so.h")); err != nil { // of what Go exports to C
		return err
	}
	return in.link("libpdi.so")
}

func (in *installation) paraconf() error {
	cmd := exec.Command(in.cc, "-std=gnu11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-I", in.at("include"),
		filepath.Join(in.source, "paraconf", "paraconf.c"), "-o", in.at("lib/libparaconf.so.1"),
		"-Wl,-soname,libparaconf.so.1", "-Wl,--version-script="+filepath.Join(in.source, "paraconf", "paraconf.map"),
		"-L", in.at("lib"), "-lpdi", "-lpthread", "-Wl,-rpath,$ORIGIN")
	if err := run(cmd); err != nil {
		return err
	}
	return in.link("libparaconf.so")
}

// python copies the module, which needs no compiler.
func (in *installation) python() error { return in.copy("python", "lib/python3/dist-packages") }

// pycall notes where the library of Python is: the plugin starts it inside programs
// that are not Python.
func (in *installation) pycall() error {
	const where = "import sysconfig as s, os; print(os.path.join(s.get_config_var('LIBDIR'), s.get_config_var('INSTSONAME')))"
	out, err := exec.Command(cmp.Or(os.Getenv("PYTHON"), "python3"), "-c", where).Output()
	library := strings.TrimSpace(string(out))
	if err != nil || !strings.Contains(filepath.Base(library), ".so") {
		in.leftOut = append(in.leftOut, "Python inside other programs (plugin pycall): no python3 with a shared library was found; PYTHON names another one")
		return nil
	}
	if err := os.MkdirAll(in.at("lib/pdi"), 0o777); err != nil {
		return err
	}
	return os.WriteFile(in.at("lib/pdi/libpython"), []byte(library+"\n"), 0o666)
}

// share copies what other tools read. They find the rest of the installation from where they are.
func (in *installation) share() error {
	for _, f := range []struct{ from, to string }{
		{"PDIConfig.cmake", "share/pdi/cmake"}, {"PDIConfigVersion.cmake", "share/pdi/cmake"},
		{"paraconfConfig.cmake", "share/paraconf/cmake"},
		{"pdi.pc", "lib/pkgconfig"}, {"env.sh", "share/pdi"}, {"pdirun", "bin"},
	} {
		if err := in.copy(filepath.Join("share", f.from), filepath.Join(f.to, f.from)); err != nil {
			return err
		}
	}
	return os.Chmod(in.at("bin/pdirun"), 0o755)
}

// at is a path in the installation.
func (in *installation) at(path string) string {
	return filepath.Join(in.prefix, filepath.FromSlash(path))
}

// link gives a library the name that compilers look for.
func (in *installation) link(name string) error {
	path := in.at("lib/" + name)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Symlink(name+".1", path)
}

// copy copies a file or a folder of the sources.
func (in *installation) copy(from, to string) error {
	from, to = filepath.Join(in.source, from), in.at(to)
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o666)
	})
}

// run runs a compiler and shows what it says only where it fails.
func run(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s failed:\n%s", filepath.Base(cmd.Path), out)
	}
	return nil
}
