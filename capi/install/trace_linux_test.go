package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// checkTraced runs a program with regions: alone, and with a library that replaces the tracer and prints
// the calls it receives.
func checkTraced(t *testing.T, program string) {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("cc", "-shared", "-fPIC", testdata(t, "tracer.c"), "-o", filepath.Join(dir, "tracer.so")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for preload, want := range map[string]string{"": "4\n", "./tracer.so": "begin step\nmark half\nend step\nknob depth\n7\n"} {
		cmd := exec.Command(program)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "LD_PRELOAD="+preload)
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("%s with the tracer %q: %v, it says\n%swant\n%s", filepath.Base(program), preload, err, out, want)
		}
	}
}

// TestTracePkgConfig compiles programs with regions as docs/tracing.md shows it.
func TestTracePkgConfig(t *testing.T) {
	need.Slow(t)
	need.Program(t, "pkg-config", "--version")
	p := prefix(t)
	t.Setenv("PKG_CONFIG_PATH", filepath.Join(p, "lib/pkgconfig"))
	for _, c := range []struct{ compiler, source, asked string }{{"cc", "traced.c", "--cflags"}, {"gfortran", "traced.f90", "--variable=fortran"}} {
		t.Run(c.compiler, func(t *testing.T) {
			need.Program(t, c.compiler, "--version")
			// pkg-config escapes a blank in a path with a backslash.
			cmd := exec.Command("/bin/sh", "-c", "eval "+c.compiler+" $(pkg-config "+c.asked+` pentode_trace) '"$0"' -o program`, testdata(t, c.source))
			cmd.Dir = t.TempDir()
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			checkTraced(t, filepath.Join(cmd.Dir, "program"))
		})
	}
}

// TestTraceCMake builds a project with two programs that use the same module, and one in which the
// language is missing.
func TestTraceCMake(t *testing.T) {
	need.Slow(t) // CMake tries each compiler twice
	cmake := need.Program(t, "cmake", "--version")
	need.Program(t, "make", "--version")
	need.Program(t, "gfortran", "--version")
	p := prefix(t)
	project := func(languages, rest string) (dir string, out []byte, err error) {
		dir = t.TempDir()
		text := "cmake_minimum_required(VERSION 3.16)\nproject(example " + languages + ")\n" + rest
		if err := os.WriteFile(filepath.Join(dir, "CMakeLists.txt"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err = exec.Command(cmake, "-S", dir, "-B", dir, "-DCMAKE_PREFIX_PATH="+p).CombinedOutput()
		return dir, out, err
	}
	dir, out, err := project("C Fortran", "find_package(pentode_trace REQUIRED COMPONENTS C f90)\n"+
		`add_executable(c "`+testdata(t, "traced.c")+"\")\ntarget_link_libraries(c pentode::trace)\n"+
		`add_executable(first "`+testdata(t, "traced.f90")+"\")\ntarget_link_libraries(first pentode::trace_f90)\n"+
		`add_executable(second "`+testdata(t, "traced.f90")+"\")\ntarget_link_libraries(second pentode::trace_f90)\n")
	if err == nil {
		out, err = exec.Command(cmake, "--build", dir).CombinedOutput()
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, program := range []string{"c", "first", "second"} {
		checkTraced(t, filepath.Join(dir, program))
	}
	const says = "f90 needs the language Fortran in project()"
	if _, out, err := project("C", "find_package(pentode_trace REQUIRED COMPONENTS f90)\n"); err == nil || !strings.Contains(strings.Join(strings.Fields(string(out)), " "), says) { // CMake breaks lines
		t.Errorf("%v\n%s\nwant %q", err, out, says)
	}
}
