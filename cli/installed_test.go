package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestPythonOfTheProgram runs a Python process with an interpreter that has no package `pentode`. The
// program finds the package that was installed next to it, even if it is started through a link. If
// there is none, it reports what to install.
func TestPythonOfTheProgram(t *testing.T) {
	need.Slow(t)
	python := need.Program(t, "python3", "--version")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	bin, lib := filepath.Join(root, "usr", "bin"), filepath.Join(root, "usr", "lib", "pentode")
	links, work := filepath.Join(root, "links"), filepath.Join(root, "work")
	for _, dir := range []string{bin, lib, links, work} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program, link := filepath.Join(bin, "pentode"), filepath.Join(links, "pentode")
	if err := os.WriteFile(program, text, 0o755); err != nil {
		t.Fatal(err)
	}
	need.Ability(t, "links", os.Symlink(program, link))
	write(t, filepath.Join(work, "twice.py"), `from pentode import Process, port


class Twice(Process):
    number = port.input("integer")
    double = port.output("integer")

    def step(self, number):
        return 2 * number
`)
	write(t, filepath.Join(work, "twice.pipe"), `process n :: numbers
  end = 3
process t :: python
  class = twice.Twice
process p :: print_number
  output = out.txt
connect from n.number to t.number
connect from t.double to p.number
`)
	run := func(program string, flags ...string) (string, error) {
		cmd := exec.Command(program, append([]string{"run", "twice.pipe"}, flags...)...)
		cmd.Dir, cmd.Env = work, append(os.Environ(), "PYTHONPATH=", "PYTHONNOUSERSITE=1", "PENTODE_PYTHON="+python)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	const want = "has no package `pentode`, and this installation came without it: name the folder `python` of Pentode's sources in `path` or PYTHONPATH, or install the package with `pip install ./python` there"
	for _, flags := range [][]string{nil, {"--dry-run"}} {
		if out, err := run(program, flags...); err == nil || !strings.Contains(out, "cannot run here: the interpreter `"+python+"` "+want) {
			t.Errorf("without the package, %q: %v\n%s", flags, err, out)
		}
	}
	source := filepath.Join(golden.Root(t), "python")
	folders := []string{filepath.Join(lib, "python"), filepath.Join(bin, "python")}
	if !need.Full() {
		folders = folders[:1]
	}
	for _, folder := range folders {
		need.Ability(t, "links", os.Symlink(source, folder))
		for _, program := range []string{program, link} {
			for _, flags := range [][]string{{"--dry-run"}, nil} {
				if out, err := run(program, flags...); err != nil || strings.Contains(out, "numpy") {
					t.Errorf("with %s, %q: %v\n%s", folder, flags, err, out)
				}
			}
			if got, _ := os.ReadFile(filepath.Join(work, "out.txt")); string(got) != "0\n2\n4\n" {
				t.Errorf("with %s the pipeline wrote\n%s\nwant %q", folder, got, "0\n2\n4\n")
			}
		}
		if err := os.Remove(folder); err != nil {
			t.Fatal(err)
		}
	}
}
