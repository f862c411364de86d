package child

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// probeTime limits how long the check of an interpreter may take. A slower interpreter is not refused,
// because the run will show whether it works.
const probeTime = 20 * time.Second

// probeScript prints the modules that an interpreter lacks. It looks for pentode.__main__, because any
// folder named pentode would count as a package.
const probeScript = `
from importlib.util import find_spec

def has(name):
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False

print("lacks", *(m for m in ("pentode.__main__", "numpy") if not has(m)))
`

// probed is the result of checking an interpreter: why it does not start, or which modules it lacks.
type probed struct {
	start error
	lacks []string
}

// probeKey is the key under which a plan's shared values keep the result for an interpreter, with its folder
// and variables.
type probeKey string

// probePython checks whether the interpreter of a process exists and has the modules that a class needs.
// Processes with the same interpreter share one check. Problems that the check cannot find are reported when
// the interpreter starts.
func probePython(s *scope, folder string) error {
	command := interpreter(s)
	prog, err := pythonProgram(s, searched(s, folder), command, "-c", probeScript)
	if err != nil {
		return nil // starting the program reports this error, with its place in the file
	}
	key := probeKey(strings.Join(append([]string{command, prog.cmd.Dir}, slices.Sorted(slices.Values(prog.cmd.Env))...), "\x00"))
	found := s.Shared(key, func() any { return probe(s.Context(), prog.cmd) }).(probed)
	switch {
	case found.start != nil && s.Value("interpreter") == "" && s.Value("venv") != "":
		return s.Errorf("venv", "the virtual environment `%s` has no interpreter that starts (%v): make one with `python3 -m venv %[1]s`", beside(s, s.Value("venv")), found.start)
	case found.start != nil:
		return s.Errorf("interpreter", "the interpreter `%s` cannot be started (%v): install Python 3.9 or newer, as the package python3 of your system, or name another interpreter in `%sinterpreter`, `%[3]svenv` or PENTODE_PYTHON", command, found.start, s.prefix)
	case slices.Contains(found.lacks, "pentode.__main__"):
		return lacksPackage(command)
	case slices.Contains(found.lacks, "numpy") && s.CarriesArrays():
		return s.Values().Warnf(s.prefix+"interpreter", "the interpreter `%s` has no numpy, so arrays reach the class as bytes with a shape: install it with `%[1]s -m pip install numpy`, or as the package python3-numpy of your system", command)
	}
	return nil
}

// probe runs probeScript and reads its output.
func probe(ctx context.Context, as *exec.Cmd) probed {
	if info, err := os.Stat(as.Dir); as.Dir != "" && (err != nil || !info.IsDir()) {
		return probed{} // the folder does not exist, so the interpreter cannot be checked there
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, as.Args[0], as.Args[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = as.Dir, as.Env, time.Second
	ownGroup(cmd)
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return probed{start: startReason(err)}
	}
	if words := strings.Fields(string(out)); err == nil && len(words) > 0 && words[0] == "lacks" {
		return probed{lacks: words[1:]}
	}
	return probed{}
}

// lacksPackage returns the error for an interpreter without the package `pentode`.
func lacksPackage(command string) error {
	return fmt.Errorf("the interpreter `%s` has no package `pentode`, and this installation came without it: name the folder `python` of Pentode's sources in `path` or PYTHONPATH, or install the package with `pip install ./python` there", command)
}
