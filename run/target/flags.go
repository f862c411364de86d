package target

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// Flags returns the compiler flags for t, only those that the compiler has. The notes name
// the settings that it has no flag for. For a build system the flags are the lines of a
// file, whatever the stage; for go they are settings of its environment.
func (m Machines) Flags(t Target, c Compiler, stage Stage) (flags []string, notes problem.List, err error) {
	w, err := m.write(t, c, stage)
	if err != nil {
		return nil, nil, err
	}
	return w.flags, w.notes, nil
}

// Versions returns, for each flag that may be younger than the oldest supported version,
// the first major version of the compiler that accepts the flag and acts on it.
func (m Machines) Versions(t Target, c Compiler, stage Stage) (map[string]int, error) {
	w, err := m.write(t, c, stage)
	if err != nil {
		return nil, err
	}
	return w.since, nil
}

func (m Machines) write(t Target, c Compiler, stage Stage) (*writer, error) {
	if !slices.Contains(compilers, c.Name) {
		near, _ := problem.Nearest(c.Name, compilers)
		return nil, &problem.Problem{
			Kind: UnknownCompiler, Subject: problem.Subject{Name: c.Name}, Message: fmt.Sprintf("there are no flags for `%s`", c.Name),
			Expected: "known are " + strings.Join(compilers, ", "), Suggestion: near,
		}
	}
	v := m.look(t)
	if v.mode == nil {
		p := wrong(UnknownMachine, KeyArchitecture, "there are no flags for %s `%s` with mode %d: the tables do not have it", t.PU, t.Architecture, t.Mode)
		p.Span = t.Span
		return nil, p
	}
	if err := v.tunable(c.Tune); err != nil {
		return nil, err
	}
	w := newWriter(v, c)
	w.notePreference()
	w.noteUntuned()
	switch c.Name {
	case "aocc", "armclang", "icx":
		w.derived(stage)
	case "cargo":
		w.cargo()
	case "cmake":
		w.cmake()
	case "go":
		w.golang()
	case "meson":
		w.meson()
	case "hipcc":
		w.hipcc(stage)
	case "nvc":
		w.nvc(stage)
	case "nvcc":
		w.nvcc(stage)
	case "rustc":
		w.rustc(stage)
	case "zig":
		w.zig(stage)
	default:
		w.cc(stage)
	}
	return w, nil
}
