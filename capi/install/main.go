// Install builds and installs the data store for C, C++, Fortran and Python programs: `go run ./capi/install
// PREFIX`. It also installs the files with which programs name regions of traces.
//
// A C compiler is needed. Parts with further needs are left out, with a message, if these are missing: Fortran needs
// gfortran, or another compiler that FC names. The installation also reports what it found.
//
// `go run ./capi/install PREFIX ARCHITECTURE` builds for another architecture, given by its name in Go; CC and FC
// name the compilers, by default Debian's cross compilers. With --plain, for packages, the parts that depend on the
// Fortran and Python of this machine are left out.
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
	plain := flag.Bool("plain", false, "leave out the parts that depend on the Fortran and Python of this machine")
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

// use explains how to use the installation.
func (in *installation) use() string {
	text := fmt.Sprintf("installed in %s; to use it: . %s\n", in.prefix, word(in.at("share/pdi/env.sh")))
	if strings.ContainsAny(in.prefix, blanks) {
		text += "a shell splits the output of pkg-config at the blank in that name: write eval \"cc FILE $(pkg-config --cflags --libs pdi)\"\n"
	}
	return text
}

// blanks are the characters at which a shell splits words.
const blanks = " \t\n"

// word quotes a path for a shell. It repeats launch.Quote, because this command must not import other packages of the
// module.
func word(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }

// installation is the state of one installation.
type installation struct {
	prefix  string // the absolute path of the folder to install to
	source  string // the folder capi
	arch    string // the architecture in Go's terms
	cc, fc  string
	found   []string // what was found on this machine, in words
	leftOut []string // the parts that are not installed, and why
}

// tools maps an architecture to the prefix of its cross compilers' names.
var tools = map[string]string{"amd64": "x86_64-linux-gnu-", "arm64": "aarch64-linux-gnu-", "ppc64le": "powerpc64le-linux-gnu-"}

// install installs everything for an architecture under a prefix.
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
		return in, fmt.Errorf("programs could not find files in `%s`, because lists of folders are separated by colons: choose a name without a colon", in.prefix)
	}
	out, err := in.goTool("list", "-f", "{{.Dir}}", "github.com/pentode-dev/pentode/capi").Output()
	if err != nil {
		return in, errors.New("the sources were not found: run this inside the repository, or as `go run github.com/pentode-dev/pentode/capi/install`")
	}
	in.source = strings.TrimSpace(string(out))
	steps := []func() error{in.headers, in.private, in.pdi, in.paraconf, in.python, in.share, in.trace}
	if plain {
		in.leftOut = append(in.leftOut, "the Fortran interface and Python inside other programs (plugin pycall): because of --plain")
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

// firstLine returns the first line that a program prints, which usually has its name and version.
func firstLine(program string, args ...string) string {
	out, err := exec.Command(program, args...).Output()
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" && err == nil {
			return "says `" + line + "`"
		}
	}
	return "does not report its version"
}

// cross reports whether the installation is for another architecture than this machine's.
func (in *installation) cross() bool { return in.arch != runtime.GOARCH }

// goTool returns a go command that builds for the architecture.
func (in *installation) goTool(command string, args ...string) *exec.Cmd {
	cmd := exec.Command("go", append([]string{command, "-buildvcs=false"}, args...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOOS=linux", "GOARCH="+in.arch, "CC="+in.cc)
	return cmd
}

// headers copies the folder include.
func (in *installation) headers() error {
	return in.copy("include", "include")
}

// private builds libpdi_private, in which libpdi stores the address of the functions that it offers to the other
// installed libraries.
func (in *installation) private() error {
	if err := os.MkdirAll(in.at("lib"), 0o777); err != nil {
		return err
	}
	return run(exec.Command(in.cc, "-std=gnu11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", filepath.Join(in.source, "private", "private.c"),
		"-o", in.at("lib/libpdi_private.so.1"), "-Wl,-soname,libpdi_private.so.1"))
}

// pdi builds libpdi, with the soname and the symbols of the original.
func (in *installation) pdi() error {
	link := "-Wl,-soname,libpdi.so.1 -Wl,-z,nodelete '-Wl,--version-script=" + filepath.Join(in.source, "pdi.map") + "' " +
		"-Wl,--no-as-needed '" + in.at("lib/libpdi_private.so.1") + "' -Wl,-rpath,$ORIGIN"
	library := filepath.Join(in.prefix, "lib", "libpdi.so.1")
	cmd := in.goTool("build", "-buildmode=c-shared", "-race=false", "-trimpath", `-ldflags=-s -w -buildid= "-extldflags=`+link+`"`, "-o", library, ".")
	cmd.Dir = in.source
	if err := run(cmd); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(in.prefix, "lib", "libpdi.so.h")); err != nil { // go build also writes this C header, which nothing needs
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

// python copies the Python module, which needs no compiler.
func (in *installation) python() error { return in.copy("python", "lib/python3/dist-packages") }

// pycall records where Python's library and interpreter are: in a program that is not Python, the plugin `pycall`
// starts this Python. The plugin looks up a few functions of Python's stable interface at run time, so it works with
// any version of Python.
func (in *installation) pycall() error {
	if in.cross() {
		in.leftOut = append(in.leftOut, "Python inside other programs (plugin pycall): set PENTODE_LIBPYTHON to its library there")
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
		in.leftOut = append(in.leftOut, "Python inside other programs (plugin pycall): no python3 with a shared library was found; set PYTHON to use another one")
	}
	if err != nil {
		return nil
	}
	if exec.Command(python, "-c", "import numpy").Run() == nil {
		in.found = append(in.found, "numpy, for the Python module `pdi` and the plugin pycall")
	} else {
		in.leftOut = append(in.leftOut, fmt.Sprintf("numpy, which the Python module `pdi` and the plugin pycall need: `%s` lacks it; install it there, or set PYTHON to use another interpreter", python))
	}
	if !shared {
		return nil
	}
	if err := os.MkdirAll(in.at("lib/pdi"), 0o777); err != nil {
		return err
	}
	return os.WriteFile(in.at("lib/pdi/libpython"), out, 0o666)
}

// share copies the files that CMake, pkg-config and shells read. They find the rest of the installation by relative
// paths.
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

// trace copies what a program needs to name regions of its trace: a C header, and the source of a Fortran module that
// is compiled with each program. No library has to be linked.
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

// at returns a path in the installation.
func (in *installation) at(path string) string {
	return filepath.Join(in.prefix, filepath.FromSlash(path))
}

// link adds a link with the name by which linkers look for a library.
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

// run runs a compiler and prints its output if it fails.
func run(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s failed:\n%s", filepath.Base(cmd.Path), out)
	}
	return nil
}
