package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/declhdf5"
	"github.com/pentode-dev/pentode/run/data/plugin"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// outVariable tells a process of a plan where its results go.
const outVariable = "PENTODE_OUT"

// outFolder makes the folder for what the pipeline and its plugins write by a
// relative name: that of --out, else the one that the plan gave this process,
// else none.
func (p *pipeRun) outFolder() (string, error) {
	dir := cmp.Or(p.out, os.Getenv(outVariable))
	if dir == "" {
		return "", nil
	}
	full, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(full, 0o755)
	}
	if err != nil {
		return "", fmt.Errorf("the folder `%s` for the results cannot be made: %w", dir, flow.Reason(err))
	}
	return full, nil
}

// inside is a name as seen from a folder; no folder is the current one.
func inside(dir, name string) string {
	if dir == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// openStores opens the trees that a pipeline names beside itself. What their
// plugins say goes to log, and their files into the folder out.
func openStores(w *workspace.Workspace, pipe, out string, log io.Writer) (suite.Stores, error) {
	dir, err := filepath.Abs(filepath.Dir(pipe))
	if err != nil {
		return nil, errors.New("the working directory is not there any more")
	}
	trees, err := other(w, "pdi")
	if err != nil {
		return nil, err
	}
	shown := visible.NewWriter(log)
	printer := &app{out: shown, err: shown}
	return func(name string) (*data.Store, error) {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, name)
		}
		c, err := trees.Config(path)
		if err != nil {
			return nil, fmt.Errorf("the tree `%s` cannot be read: %w", path, flow.Reason(err))
		}
		m, ok := lang.Model[*pdi.Model](c)
		if !ok {
			return nil, fmt.Errorf("`%s` is not a specification tree", path)
		}
		if found := c.Diagnostics(); found.HasErrors() {
			printer.say(found)
			return nil, fmt.Errorf("the tree `%s` has errors", path)
		}
		store, err := data.New(m.Spec(), data.Options{
			Dialect: m.Dialect(),
			Plugins: append(plugin.Builtin(printer.function), declhdf5.Plugin()),
			Host:    data.Host{Console: log, Dir: out},
		})
		if err != nil {
			return nil, m.Complaint(err)
		}
		return store, nil
	}, nil
}

// other is a workspace for files of another language that a run needs.
// Overrides and the language of the command line belong to the first.
func other(w *workspace.Workspace, language string) (*workspace.Workspace, error) {
	own, err := w.As(language)
	if err != nil {
		return nil, err
	}
	env := *w.Env
	env.Overrides = nil
	own.Env = &env
	return own, nil
}
