package runs

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/plugin"
	"github.com/pentode-dev/pentode/run/data/plugin/usercode"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// outFolder makes the folder for the output of the pipeline and its plugins: the folder in the options, else the folder that the plan gave this
// process, else none. Other runs cannot use it until unlock is called.
func (p *pipeRun) outFolder() (unlock func(), err error) {
	dir := cmp.Or(p.Results, os.Getenv(outVariable))
	if dir == "" && p.Pipeline.Dir == "" {
		return func() {}, nil
	}
	full, err := filepath.Abs(cmp.Or(dir, p.Pipeline.Dir))
	if dir == "" { // results go beside older files, so there is no folder to lock
		p.engine.Out, p.engine.Fenced = full, !p.AllowOutside
		return func() {}, err
	}
	if err == nil {
		err = os.MkdirAll(full, 0o755)
	}
	if err != nil {
		return nil, fmt.Errorf("the folder `%s` for the results cannot be made: %w", dir, problem.Reason(err))
	}
	p.engine.Out, p.engine.Fenced = full, !p.AllowOutside && os.Getenv(outsideVariable) == ""
	if p.led() { // its leader has locked it for all sites
		return func() {}, nil
	}
	return lockOut(full, dir)
}

// openStores opens the trees that a pipeline names. Messages of their plugins go to the log, and their files go to the same folder as the pipeline's.
func (p *pipeRun) openStores() (suite.Stores, error) {
	dir, err := filepath.Abs(filepath.Dir(p.path))
	if err != nil {
		return nil, errors.New("the working directory no longer exists")
	}
	return func(name string) (*data.Store, error) {
		path := beneath(dir, name)
		c, err := p.file(path, "pdi", (*workspace.Workspace).Config)
		if err != nil {
			return nil, fmt.Errorf("the tree `%s` cannot be read: %w", path, problem.Reason(err))
		}
		m, ok := lang.Model[*pdi.Model](c)
		if !ok {
			return nil, fmt.Errorf("`%s` is not a specification tree", path)
		}
		if found := c.Diagnostics(); found.HasErrors() {
			p.Events(Found{found})
			return nil, fmt.Errorf("the tree `%s` has errors", path)
		}
		store, err := data.New(m.Spec(), data.Options{
			Dialect: m.Dialect(),
			Plugins: plugin.List(plugin.Program{Functions: p.function, Own: m.OwnPlugins()}),
			Place:   data.Pipelines,
			Host:    data.Host{Console: p.Log, Dir: p.engine.Out, Fenced: p.engine.Fenced, Seal: p.seals},
		})
		if err != nil {
			return nil, m.Complaint(err)
		}
		return store, nil
	}, nil
}

// function returns a replacement for a function that a tree calls: it reports the call.
func (p *pipeRun) function(name string) (usercode.Function, error) {
	return func(*data.Store) error {
		fmt.Fprintf(p.Log, "function `%s` is called here\n", visible.Text(name))
		return nil
	}, nil
}

// file returns a file of another language that the run needs. It opens the file if it was not read yet.
func (o *Options) file(path, language string, open func(w *workspace.Workspace, path string) (*lang.Config, error)) (*lang.Config, error) {
	if o.files != nil && len(o.Workspace.Env.Overrides) == 0 { // overrides in files are valid for all languages
		if c := o.files.Known(path, language); c != nil {
			return c, nil
		}
	}
	own, err := other(o.Workspace, language)
	if err != nil {
		return nil, err
	}
	return open(own, path)
}

// other returns a workspace for files of another language that a run needs, without the overrides of the first language.
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
