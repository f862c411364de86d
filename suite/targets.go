package suite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/workspace"
)

// ThisHost is the name of the target that is detected on this machine.
const ThisHost = "host"

// Targets finds targets by name.
type Targets struct {
	Workspace *workspace.Workspace
	Host      func() (target.Target, error)
	// Open opens a file; it returns no document if there is no file of that name.
	Open func(path string) (*lang.Document, error)
}

// TargetNames returns the names of targets that are not files.
func TargetNames() []string { return append(preset.Names(), ThisHost) }

// MachineNames returns the names of machines that are not files.
func MachineNames() []string {
	names := append(TargetNames(), data.MachineNames()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// Target returns the target that a file, a preset or `host` describes, with the findings; with errors there is no target.
func (f Targets) Target(name string) (target.Target, diag.List, error) {
	if name == ThisHost {
		t, err := f.Host()
		return t, nil, err
	}
	doc, err := f.Open(name)
	if err != nil {
		return target.Target{}, nil, err
	}
	return f.described(name, doc)
}

// described returns the target that a file describes or, without a file, a preset of that name.
func (f Targets) described(name string, doc *lang.Document) (target.Target, diag.List, error) {
	if doc == nil {
		file, ok := preset.File(name)
		if !ok {
			help := "`pentode target list presets` lists them"
			if near, ok := problem.Nearest(name, preset.Names()); ok {
				help = fmt.Sprintf("did you mean the preset `%s`?", near)
			}
			return target.Target{}, nil, fmt.Errorf("`%s` is neither a file nor a preset; %s", problem.Clip(name, problem.Short), help)
		}
		l, err := lang.ByName(f.Workspace.Languages, "coil")
		if err != nil {
			return target.Target{}, nil, err
		}
		doc = l.Parse(file)
	}
	config := f.Workspace.Resolve(doc)
	m, ok := lang.Model[*coil.Model](config)
	if !ok {
		return target.Target{}, nil, fmt.Errorf("`%s` is a %s file; a target is a COIL configuration", name, doc.Language.Title)
	}
	if found := config.Diagnostics(); found.HasErrors() {
		return target.Target{}, found, nil
	}
	return m.Target(), nil, nil
}

// NoMachine says why a target has no sizes and alignments.
type NoMachine struct{ error }

// Machine finds the machine for a layout: a COIL file, one of the built-in tables, a preset of COIL, or `host`.
func (f Targets) Machine(name string) (*data.Machine, diag.List, error) {
	doc, err := f.Open(name)
	if err != nil {
		return nil, nil, err
	}
	if doc == nil {
		if m, ok := data.MachineNamed(name); ok {
			return m, nil, nil
		}
	}
	_, known := preset.File(name)
	var t target.Target
	var found diag.List
	switch {
	case name == ThisHost:
		t, err = f.Host()
	case doc != nil || known:
		t, found, err = f.described(name, doc)
	default:
		var names []string
		for _, m := range data.Machines() {
			names = append(names, fmt.Sprintf("%s (%s)", m.Name, m))
		}
		err = fmt.Errorf("there is no target `%s`; expected %s, the name of a processor such as arm32 or aarch64, a COIL file, or a preset from `pentode target list presets`",
			problem.Clip(name, problem.Short), strings.Join(names, ", "))
	}
	if err != nil || found.HasErrors() {
		return nil, found, err
	}
	m, err := Machine(t)
	if err != nil {
		return nil, nil, &NoMachine{err}
	}
	m.Name = name
	return m, nil, nil
}
