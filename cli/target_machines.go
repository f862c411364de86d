package cli

import (
	"os"

	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

const thisHost = suite.ThisHost

// machines are those that are known, with those of the command line, else of the
// project.
func (a *app) machines() (target.Machines, error) {
	p, err := a.here()
	if err != nil {
		return target.Machines{}, err
	}
	o, err := a.files.options.coil(p)
	if err == nil {
		err = a.usable(p)
	}
	return target.Machines{Tables: o.Tables}, err
}

// targets are what several names describe.
func (a *app) targets(w *workspace.Workspace, names []string) ([]target.Target, error) {
	list := make([]target.Target, len(names))
	for i, n := range names {
		var err error
		if list[i], err = a.target(w, n); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// target is what a file, a preset or `host` describes. Errors in it are shown and
// end the verb.
func (a *app) target(w *workspace.Workspace, name string) (target.Target, error) {
	find, err := a.finding(w)
	if err != nil {
		return target.Target{}, err
	}
	t, found, err := find.Target(name)
	if err == nil {
		err = a.refuse(found)
	}
	return t, err
}

// finding finds targets by the names of the command line.
func (a *app) finding(w *workspace.Workspace) (suite.Targets, error) {
	machines, err := a.machines()
	return suite.Targets{
		Workspace: w,
		Host:      func() (target.Target, error) { return machines.Detect(target.ThisHost()) },
		Open: func(path string) (*lang.Document, error) {
			if _, err := os.Stat(path); err != nil && path != "-" {
				return nil, nil
			}
			return a.open(w, path)
		},
	}, err
}
