package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/declhdf5"
	"github.com/pentode-dev/pentode/run/data/plugin"
	"github.com/pentode-dev/pentode/workspace"
)

// store opens the data store of a specification tree for processes of the
// type `expose`. Only a pipeline that runs has stores.
func (a *app) store(path string) (*data.Store, error) {
	if a.stores == nil {
		return nil, fmt.Errorf("the tree `%s` is opened when the pipeline runs", path)
	}
	return a.stores(path)
}

// openStore makes the store of a tree with all its plugins. What they say goes
// to log.
func openStore(w *workspace.Workspace, path string, log io.Writer) (*data.Store, error) {
	own, err := other(w, "pdi")
	if err != nil {
		return nil, err
	}
	config, err := own.Config(path)
	if err != nil {
		return nil, errors.New(source.Explain(path, err))
	}
	m, ok := lang.Model[*pdi.Model](config)
	if !ok {
		return nil, fmt.Errorf("`%s` is not a PDI specification tree", path)
	}
	if found := onlyErrors(config.Diagnostics()); len(found) > 0 {
		return nil, fmt.Errorf("%s: %s; `pentode check %s` says more", found[0].Span, found[0].Message, path)
	}
	printer := &app{out: log}
	s, err := data.New(m.Spec(), data.Options{
		Dialect: m.Dialect(),
		Plugins: append(plugin.Builtin(printer.functions(m)), declhdf5.Plugin()),
		Host:    data.Host{Console: log},
	})
	if err != nil {
		return nil, m.Complaint(err)
	}
	return s, nil
}

// other is a workspace for files of another language that a run needs.
// Overrides and the language of the command line belong to the first.
func other(w *workspace.Workspace, language string) (*workspace.Workspace, error) {
	env := *w.Env
	env.Overrides = nil
	own := workspace.New(w.Languages, &env)
	var err error
	own.Force, err = lang.ByName(w.Languages, language)
	return own, err
}
