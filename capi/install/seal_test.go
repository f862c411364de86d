package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/data/declhdf5"
)

// TestSealed checks that a program writes seals to its files if its run or its tree asks for them, and
// otherwise adds nothing.
func TestSealed(t *testing.T) {
	program := compile(t, prefix(t), "results.c")
	first := string(seal.Seal{Run: "first", Program: "pentode"}.Text())
	for _, c := range []struct {
		asked  string
		tree   bool // the tree asks for seals
		sealed bool
		run    string
	}{{"", false, false, ""}, {seal.Off, true, false, ""}, {"{", true, false, ""}, {first, false, true, "first"}, {"", true, true, ""}} {
		dir := t.TempDir()
		cmd := exec.Command(program, "save", "1")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), seal.Variable+"="+c.asked)
		if c.tree {
			cmd.Env = append(cmd.Env, "SEALED=1")
		}
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s, %v", text, err)
		}
		s, err := declhdf5.Sealed(filepath.Join(dir, "a.h5"))
		switch {
		case !c.sealed && err != seal.ErrNone, c.sealed && (err != nil || s.Run != c.run || filepath.Base(s.Program) != filepath.Base(program)):
			t.Errorf("%+v: %+v, %v", c, s, err)
		}
	}
}
