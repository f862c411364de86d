//go:build linux

package collect

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace/agent"
)

// BenchmarkUntraced measures, in each language, what a region costs in a program that is not
// traced: half of the time of a begin and an end.
func BenchmarkUntraced(b *testing.B) {
	dir := b.TempDir()
	for name, text := range map[string][]byte{"pentode_trace.h": agent.Header, "pentode_trace.f90": agent.Fortran} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for _, language := range []struct{ name, compiler, source string }{{"C", "gcc", "pairs.c"}, {"C++", "g++", "pairs.cc"}, {"Fortran", "gfortran", "pairs.f90"}} {
		compiler := need.Program(b, language.compiler, "--version")
		program := filepath.Join(dir, language.source+".out")
		args := []string{"-O2", "-I", dir, "-J", dir, filepath.Join("testdata", language.source), "-o", program}
		if language.name == "Fortran" {
			args = append([]string{filepath.Join(dir, "pentode_trace.f90")}, args...)
		} else {
			args = append(args[:3], args[5:]...) // -J is a flag of Fortran
		}
		if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		out, err := exec.Command(program, "10000000").Output()
		if err != nil {
			b.Fatal(err)
		}
		pair, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(pair/2, "ns/event-untraced-in-"+language.name)
	}
	b.ReportMetric(0, "ns/op") // the time to compile
}
