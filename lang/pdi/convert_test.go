package pdi_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang/pdi"
)

// everything has types that C and Fortran do not have, names that one of them does not distinguish, and reserved words.
const everything = `types:
  pair: {type: struct, members: [{comm: MPI_Comm}, {comm_f: MPI_Comm_f}, {Comm: int}, {int: double}]}
  complex: {type: record, buffersize: 40, members: {_x: {disp: 3, type: int}, 9y: {disp: 8, type: pair}}}
metadata:
  n: int
  N: {type: integer, kind: 16}
  flag: {type: logical, kind: 8}
  "a name with blanks and far more letters than any compiler of Fortran has ever taken": {type: real, kind: 16}
data:
  comm: MPI_Comm
  comms: {type: array, subtype: MPI_Comm, size: [2, 3]}
  grid: {type: array, subtype: pair, size: [4, 5], subsize: [2, 5], start: [1, 0]}
  wide: {type: character, kind: 4}
plugins:
  mpi:
`

// TestConvertCompiles checks that compilers accept the output of `convert`.
func TestConvertCompiles(t *testing.T) {
	for _, c := range []struct {
		form, file string
		command    []string
	}{
		{"c", "types.c", []string{"gcc", "-std=gnu11", "-fsyntax-only"}},
		{"fortran", "types.f90", []string{"gfortran", "-w", "-fsyntax-only"}},
	} {
		t.Run(c.form, func(t *testing.T) {
			need.Program(t, c.command[0], "--version")
			config := pdi.New(pdi.Options{}).Parse(source.NewFile("a.yml", everything)).Resolve(&load.Env{Opener: source.Map{}})
			if found := config.Diagnostics(); found.HasErrors() {
				t.Fatalf("%s; want no errors", found[0].Message)
			}
			var b strings.Builder
			lost, err := config.Convert(c.form, &b)
			if err != nil || len(lost) > 0 {
				t.Fatalf("%v, %v", err, lost)
			}
			path := filepath.Join(t.TempDir(), c.file)
			if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(c.command[0], append(c.command[1:], path)...)
			cmd.Dir = filepath.Dir(path)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s\n%s", err, out, b.String())
			}
			for _, name := range []string{"pair", "complex", "n", "flag", "comm", "comms", "grid", "wide"} {
				if !strings.Contains(b.String(), name) {
					t.Errorf("`%s` is not there", name)
				}
			}
		})
	}
}
