package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// claimTrace makes the folder of a trace, and returns its name: the requested name, or a name made from the program. The traces
// of ranks on several nodes get folders beside each other. In a run, the folder is below the results of its process; it replaces
// the trace of an earlier run, and two programs of one process get two folders. Otherwise the requested folder must not exist.
func claimTrace(out, program, node string) (string, error) {
	results, asked := os.Getenv(outVariable), out != ""
	switch name := filepath.Base(program); {
	case !asked && results != "":
		out = name + "-trace"
	case !asked:
		out = name + "-" + time.Now().Format("20060102-150405")
	}
	out = filepath.Join(beneath(results, out), node)
	parent := filepath.Dir(out)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return "", err
	}
	defer holdFolder(parent)()
	run := os.Getenv(runVariable)
	for path, n := out, 2; ; path, n = fmt.Sprintf("%s-%d", out, n), n+1 {
		err := os.Mkdir(path, 0o777)
		if errors.Is(err, fs.ErrExist) && results != "" && ofEarlierRun(path, run) {
			err = errors.Join(os.RemoveAll(path), os.Mkdir(path, 0o777))
		}
		switch {
		case errors.Is(err, fs.ErrExist) && asked && results == "":
			return "", &Misfit{fmt.Sprintf("`%s` exists already", out), "Trace.Out"}
		case errors.Is(err, fs.ErrExist):
			continue
		case err != nil:
			return "", err
		}
		if run == "" {
			return path, nil
		}
		return path, os.WriteFile(filepath.Join(path, runFile), []byte(run+"\n"), 0o666)
	}
}

// runFile is a file in the folder of a trace with the name of the run to which the trace belongs.
const runFile = "run"

// ofEarlierRun reports whether a folder contains the trace of another run.
func ofEarlierRun(path, run string) bool {
	text, err := os.ReadFile(filepath.Join(path, runFile))
	_, isTrace := os.Stat(filepath.Join(path, "ctf"))
	return err == nil && isTrace == nil && strings.TrimSpace(string(text)) != run
}

// holdFolder lets only one program at a time look for a name in a folder. A folder that cannot be locked is used without a lock.
func holdFolder(dir string) (release func()) {
	f, err := os.Open(dir)
	if err != nil {
		return func() {}
	}
	for errors.Is(lockFile(f), errHeld) {
		time.Sleep(time.Millisecond)
	}
	return func() { f.Close() }
}
