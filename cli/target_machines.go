package cli

import (
	"fmt"
	"os"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/workspace"
)

// thisHost is the name of the target that is detected on this machine.
const thisHost = "host"

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
	if name == thisHost {
		machines, err := a.machines()
		if err != nil {
			return target.Target{}, err
		}
		return machines.Detect(target.ThisHost())
	}
	doc, err := a.targetDocument(w, name)
	if err != nil {
		return target.Target{}, err
	}
	config := w.Resolve(doc)
	m, ok := lang.Model[*coil.Model](config)
	if !ok {
		return target.Target{}, fmt.Errorf("`%s` is a %s file; a target is a COIL configuration", name, doc.Language.Title)
	}
	if err := a.refuse(config.Diagnostics()); err != nil {
		return target.Target{}, err
	}
	return m.Target(), nil
}

// targetDocument opens a file, else a preset of that name.
func (a *app) targetDocument(w *workspace.Workspace, name string) (*lang.Document, error) {
	if _, err := os.Stat(name); err == nil || name == "-" {
		return a.open(w, name)
	}
	f, ok := preset.File(name)
	if !ok {
		help := "`pentode target list presets` lists them"
		if near, ok := problem.Nearest(name, preset.Names()); ok {
			help = fmt.Sprintf("did you mean the preset `%s`?", near)
		}
		return nil, fmt.Errorf("`%s` is neither a file nor a preset; %s", name, help)
	}
	l, err := lang.ByName(w.Languages, "coil")
	if err != nil {
		return nil, err
	}
	return l.Parse(f), nil
}
