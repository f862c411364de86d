// Install builds the data store for C, C++, Fortran and Python programs and puts it in
// place: `go run ./capi/install PREFIX`. Beside it lies what programs name regions of traces with.
//
// A C compiler is needed. What needs more is left out, with a line that says so, where
// that is missing: Fortran needs gfortran, or another compiler that FC names. What was found
// is said too.
//
// `go run ./capi/install PREFIX ARCHITECTURE` builds for another architecture by its name in Go;
// CC and FC name the compilers, which otherwise are those that Debian has for it. With
// --plain, for packages, what depends on the Fortran and Python of this machine is left out.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

func main() {
	plain := flag.Bool("plain", false, "leave out what depends on the Fortran and Python of this machine")
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: go run ./capi/install [--plain] PREFIX [ARCHITECTURE]") }
	flag.Parse()
	if flag.NArg() < 1 || flag.NArg() > 2 {
		flag.Usage()
		os.Exit(2)
	}
	prefix, arch := flag.Arg(0), cmp.Or(flag.Arg(1), os.Getenv("GOARCH"), runtime.GOARCH)
	in, err := install(prefix, arch, *plain)
	for _, what := range in.found {
		fmt.Println("found:", what)
	}
	for _, what := range in.leftOut {
		fmt.Println("left out:", what)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "install:", err)
		os.Exit(1)
	}
	fmt.Print(in.use())
}

// use says how to use what is installed.
func (in *installation) use() string {
	text := fmt.Sprintf("installed in %s; to use it: . %s\n", in.prefix, word(in.at("share/pdi/env.sh")))
	if strings.ContainsAny(in.prefix, blanks) {
		text += "a shell divides what pkg-config says at the blank in that name: write eval \"cc FILE $(pkg-config --cflags --libs pdi)\"\n"
	}
	return text
}

// blanks are what divides the words of a shell.
const blanks = " \t\n"

// word writes a path so that a shell reads exactly that, as launch.Quote does: this command imports nothing of ours.
func word(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }

// installation is the work of one run.
type installation struct {
	prefix  string // where to, absolute
	source  string // the folder capi
	arch    string // in Go's words
	cc, fc  string
	found   []string // what was found on this machine, in words
	leftOut []string // what is not installed, and why
}

// tools are the prefixes of the compilers for other architectures.
var tools = map[string]string{"amd64": "x86_64-linux-gnu-", "arm64": "aarch64-linux-gnu-", "ppc64le": "powerpc64le-linux-gnu-"}

// install puts everything for an architecture under a prefix.
func install(prefix, arch string, plain bool) (*installation, error) {
	in := &installation{arch: arch, cc: "cc", fc: "gfortran"}
	if in.cross() {
		in.cc, in.fc = tools[arch]+"gcc", tools[arch]+"gfortran"
	}
	in.cc, in.fc = cmp.Or(os.Getenv("CC"), in.cc), cmp.Or(os.Getenv("FC"), in.fc)
	if _, err := exec.LookPath(in.cc); err != nil {
		return in, fmt.Errorf("the C compiler `%s` was not found: install it, or name another one in CC", in.cc)
	}
	in.found = append(in.found, "the C compiler `"+in.cc+"`, which "+firstLine(in.cc, "--version"))
	var err error
	if in.prefix, err = filepath.Abs(prefix); err != nil {
		return in, err
	}
	if strings.Contains(in.prefix, ":") {
		return in, fmt.Errorf("no program would find what is in `%s`, since lists of folders are divided at a colon: choose a name without one", in.prefix)
	}
	out, err := in.goTool("list", "-f", "{{.Dir}}", "github.com/pentode-dev/pentode/capi").Output()
	if err != nil {
		return in, errors.New("the sources were not found: run this inside the repository, or as `go run github.com/pentode-dev/pentode/capi/install`")
	}
	in.source = strings.TrimSpace(string(out))
	steps := []func() error{in.headers, in.private, in.pdi, in.paraconf, in.python, in.share, in.trace}
	if plain {
		in.leftOut = append(in.leftOut, "the Fortran interface and Python inside other programs (plugin pycall): --plain asks for it")
	} else {
		steps = append(steps, in.fortran, in.pycall)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return in, err
		}
	}
	return in, nil
}

// firstLine is how a program introduces itself.
func firstLine(program string, args ...string) string {
	out, err := exec.Command(program, args...).Output()
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" && err == nil {
			return "says `" + line + "`"
		}
	}
	return "does not say its version"
}

// cross reports whether another kind of machine than this one is to run it.
func (in *installation) cross() bool { return in.arch != runtime.GOARCH }

// goTool is a call of the go command for the architecture.
func (in *installation) goTool(command string, args ...string) *exec.Cmd {
	cmd := exec.Command("go", append([]string{command, "-buildvcs=false"}, args...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOOS=linux", "GOARCH="+in.arch, "CC="+in.cc)
	return cmd
}

// headers copies include/.
func (in *installation) headers() error {
	return in.copy("include", "include")
}

// private builds the small library through which the others find what libpdi offers them.
func (in *installation) private() error {
	if err := os.MkdirAll(in.at("lib"), 0o777); err != nil {
		return err
	}
	return run(exec.Command(in.cc, "-std=gnu11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", filepath.Join(in.source, "private", "private.c"),
		"-o", in.at("lib/libpdi_private.so.1"), "-Wl,-soname,libpdi_private.so.1"))
}

// pdi builds libpdi. Its soname and its symbols are the original's.
func (in *installation) pdi() error {
	link := "-Wl,-soname,libpdi.so.1 -Wl,-z,nodelete '-Wl,--version-script=" + filepath.Join(in.source, "pdi.map") + "' " +
		"-Wl,--no-as-needed '" + in.at("lib/libpdi_private.so.1") + "' -Wl,-rpath,$ORIGIN"
	library := filepath.Join(in.prefix, "lib", "libpdi.so.1")
	cmd := in.goTool("build", "-buildmode=c-shared", "-race=false", "-trimpath", `-ldflags=-s -w -buildid= "-extldflags=`+link+`"`, "-o", library, ".")
	cmd.Dir = in.source
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
		"-L", in.at("lib"), "-Wl,--no-as-needed", "-lpdi", in.at("lib/libpdi_private.so.1"), "-lpthread", "-ldl", "-Wl,-rpath,$ORIGIN")
	if err := run(cmd); err != nil {
		return err
	}
	return in.link("libparaconf.so")
}

// python copies the module, which needs no compiler.
func (in *installation) python() error { return in.copy("python", "lib/python3/dist-packages") }

// pycall notes where the library of Python is and the interpreter that it belongs to: the plugin
// starts it inside programs that are not Python. It needs a few functions of Python's stable
// interface, which it finds when it runs, so nothing is compiled for one version of Python.
func (in *installation) pycall() error {
	if in.cross() {
		in.leftOut = append(in.leftOut, "Python inside other programs (plugin pycall): PENTODE_LIBPYTHON names its library there")
		return nil
	}
	python := cmp.Or(os.Getenv("PYTHON"), "python3")
	const where = "import sysconfig as s, os, sys; print(os.path.join(s.get_config_var('LIBDIR'), s.get_config_var('INSTSONAME')), sys.executable, sep='\\n')"
	out, err := exec.Command(python, "-c", where).Output()
	library, _, _ := strings.Cut(string(out), "\n")
	shared := strings.Contains(filepath.Base(library), ".so")
	if shared {
		in.found = append(in.found, fmt.Sprintf("Python inside other programs (plugin pycall): `%s` with `%s`", python, library))
	} else {
		in.leftOut = append(in.leftOut, "Python inside other programs (plugin pycall): no python3 with a shared library was found; PYTHON names another one")
	}
	if err != nil {
		return nil
	}
	if exec.Command(python, "-c", "import numpy").Run() == nil {
		in.found = append(in.found, "numpy, for the Python module `pdi` and the plugin pycall")
	} else {
		in.leftOut = append(in.leftOut, fmt.Sprintf("numpy, without which neither the Python module `pdi` nor the plugin pycall works: `%s` does not have it; install it there, or name another interpreter in PYTHON", python))
	}
	if !shared {
		return nil
	}
	if err := os.MkdirAll(in.at("lib/pdi"), 0o777); err != nil {
		return err
	}
	return os.WriteFile(in.at("lib/pdi/libpython"), out, 0o666)
}

// share copies what other tools read. They find the rest of the installation from where they are.
func (in *installation) share() error {
	for _, f := range []struct{ from, to string }{
		{"PDIConfig.cmake", "share/pdi/cmake"}, {"PDIConfigVersion.cmake", "share/pdi/cmake"},
		{"paraconfConfig.cmake", "share/paraconf/cmake"}, {"paraconfConfigVersion.cmake", "share/paraconf/cmake"},
		{"pdi.pc", "lib/pkgconfig"}, {"env.sh", "share/pdi"}, {"pdirun", "bin"},
	} {
		if err := in.copy(filepath.Join("share", f.from), filepath.Join(f.to, f.from)); err != nil {
			return err
		}
	}
	return os.Chmod(in.at("bin/pdirun"), 0o755)
}

// trace copies what programs with regions of their own are compiled with. There is nothing to link, and the
// Fortran module is compiled with each program.
func (in *installation) trace() error {
	const bindings = "../run/trace/agent/bindings"
	for from, to := range map[string]string{
		bindings + "/pentode_trace.h": "include/pentode_trace.h", bindings + "/pentode_trace.f90": "share/pentode_trace/pentode_trace.f90",
		"share/pentode_trace.pc": "lib/pkgconfig/pentode_trace.pc", "share/pentode_traceConfig.cmake": "share/pentode_trace/cmake/pentode_traceConfig.cmake",
	} {
		if err := in.copy(filepath.FromSlash(from), to); err != nil {
			return err
		}
	}
	return nil
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
