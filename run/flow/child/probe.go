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

// probeTime is how long an interpreter may take to answer. A slower one is not refused: its start will show
// whether it works.
const probeTime = 20 * time.Second

// probeScript prints the modules that an interpreter lacks. It imports only the package `pentode`, because a
// folder of that name may be something else.
const probeScript = `
from importlib.util import find_spec

def has(name):
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False

print("lacks", *(m for m in ("pentode.__main__", "numpy") if not has(m)))
`

// probed is the result of probing an interpreter: why it does not start, or what it lacks.
type probed struct {
	start error
	lacks []string
}

// probeKey is the key of an interpreter, with its folder and variables, among the shared values of a plan.
type probeKey string

// probePython checks whether the interpreter of a process exists and has what a class needs, once for all
// processes with the same interpreter. Whatever this does not show is left to the start.
func probePython(s *scope, folder string) error {
	command := interpreter(s)
	prog, err := pythonProgram(s, searched(s, folder), command, "-c", probeScript)
	if err != nil {
		return nil // starting the program reports this with its place
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

// probe runs the script.
func probe(ctx context.Context, as *exec.Cmd) probed {
	if info, err := os.Stat(as.Dir); as.Dir != "" && (err != nil || !info.IsDir()) {
		return probed{} // says nothing about the interpreter
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

// lacksPackage returns the error of an interpreter without the package `pentode`.
func lacksPackage(command string) error {
	return fmt.Errorf("the interpreter `%s` has no package `pentode`, and this installation came without it: name the folder `python` of Pentode's sources in `path` or PYTHONPATH, or install the package with `pip install ./python` there", command)
}
