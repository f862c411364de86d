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

// claimTrace makes the folder of a trace, and returns its name: the one that was asked for, or one after the program. The
// traces of the ranks of several nodes lie beside each other. In a run that is one below the results of
// its process; the trace of an earlier run is replaced there, and two programs of one
// process get two folders. Otherwise a folder that was asked for must be new.
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

// runFile holds the name of the run that a trace belongs to, in the folder of the trace.
const runFile = "run"

// ofEarlierRun reports whether a folder is the trace of another run.
func ofEarlierRun(path, run string) bool {
	text, err := os.ReadFile(filepath.Join(path, runFile))
	_, isTrace := os.Stat(filepath.Join(path, "ctf"))
	return err == nil && isTrace == nil && strings.TrimSpace(string(text)) != run
}

// holdFolder lets one program at a time look for a name in a folder. A folder that
// cannot be locked is used without.
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
