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

// Targets finds targets by the names that people give them.
type Targets struct {
	Workspace *workspace.Workspace
	Host      func() (target.Target, error)
	// Open opens a file; it returns no document where there is none of that name.
	Open func(path string) (*lang.Document, error)
}

// TargetNames are the names of targets besides files.
func TargetNames() []string { return append(preset.Names(), ThisHost) }

// MachineNames are the names of machines besides files.
func MachineNames() []string {
	names := append(TargetNames(), data.MachineNames()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// Target is what a file, a preset or `host` describes, with what is found in it: with errors it is no target.
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

// described is what a file describes, or without one a preset of that name.
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

// NoMachine is why a target has no sizes and alignments.
type NoMachine struct{ error }

// Machine finds the machine that a layout is for: a COIL file, one of the tables that are built in, a preset of COIL, or
// `host`.
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
		err = fmt.Errorf("there is no target `%s`; there are %s, names of processors such as arm32 or aarch64, COIL files, and what `pentode target list presets` lists",
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
