package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/suite"
)

// otherNames are names that people have for the presets.
var otherNames = map[string]string{
	"x86_64": "x86-64", "amd64": "x86-64", "x64": "x86-64", "aarch64": "lp64", "arm64": "lp64", "riscv64": "lp64", "ppc64le": "lp64",
	"win64": "llp64", "windows": "llp64", "arm": "ilp32", "arm32": "ilp32", "riscv32": "ilp32", "mipsel": "ilp32",
	"x86": "i386", "i686": "i386", "s390x": "big-endian", "ppc64": "big-endian", "powerpc64": "big-endian", "sparc64": "big-endian",
	"ppc32": "big-endian-32", "ppc": "big-endian-32", "powerpc": "big-endian-32", "sparc": "big-endian-32", "mips": "big-endian-32",
}

// machine finds the machine that a layout is for: a COIL file, one of the tables that are built in, a preset
// of COIL, or `host`.
func (a *app) machine(name string) (*data.Machine, error) {
	_, notFile := os.Stat(name)
	table := strings.ToLower(name)
	if other, ok := otherNames[table]; ok {
		table = other
	}
	var names []string
	for _, m := range data.Machines() {
		if m.Name == table && notFile != nil {
			m.Name = name
			return m, nil
		}
		names = append(names, fmt.Sprintf("%s (%s)", m.Name, m))
	}
	if _, ok := preset.File(name); !ok && notFile != nil && name != thisHost && name != "-" {
		return nil, fmt.Errorf("there is no target `%s`; there are %s, names of processors such as arm32 or aarch64, COIL files, and what `pentode target list presets` lists",
			name, strings.Join(names, ", "))
	}
	return a.coilMachine(name)
}

// coilMachine makes the machine of a COIL target. The flags about the tree do not concern it.
func (a *app) coilMachine(name string) (*data.Machine, error) {
	other := *a
	other.files.lang, other.files.overrides = "", nil
	w, err := other.workspace()
	if err != nil {
		return nil, err
	}
	t, err := other.target(w, name)
	if err != nil {
		return nil, err
	}
	m, err := suite.Machine(t)
	if err != nil {
		return nil, a.no(err)
	}
	m.Name = name
	return m, nil
}

// dataSpec is a specification tree that a verb works on.
type dataSpec struct {
	model  *pdi.Model
	config *lang.Config
	values []pdi.Assignment
}

// takesValues gives a verb the flag for values of data.
func (a *app) takesValues(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&a.files.values, "set", nil, "the value of a datum: `NAME=VALUE` (repeatable)")
}

// dataValues are the values of data that the command line gives.
func (a *app) dataValues() ([]pdi.Assignment, error) {
	var values []pdi.Assignment
	for _, s := range a.files.values {
		name, value, ok := strings.Cut(s, "=")
		switch {
		case !ok || name == "":
			return nil, fmt.Errorf("--set takes NAME=VALUE, not `%s`", s)
		case strings.ContainsAny(name, ".["):
			return nil, fmt.Errorf("--set gives a datum its value, and `%s` is no name of one; a setting of the tree is overridden with -s", name)
		}
		values = append(values, pdi.Assignment{Name: name, Value: value})
	}
	return values, nil
}

// dataSpec opens a specification tree. One with errors is said so and is none.
func (a *app) dataSpec(path string) (*dataSpec, error) {
	s, err := a.readSpec(path)
	if err != nil {
		return nil, err
	}
	return s, a.refuse(onlyErrors(s.config.Diagnostics()))
}

// readSpec opens a specification tree, with errors or without.
func (a *app) readSpec(path string) (*dataSpec, error) {
	values, err := a.dataValues()
	if err != nil {
		return nil, err
	}
	_, c, err := a.read([]string{path}, "pdi")
	if err != nil {
		return nil, err
	}
	m, ok := lang.Model[*pdi.Model](c)
	if !ok {
		return nil, fmt.Errorf("`%s` is not a PDI specification tree", path)
	}
	return &dataSpec{model: m, config: c, values: values}, nil
}

func onlyErrors(list diag.List) diag.List {
	var errs diag.List
	for _, d := range list {
		if d.Severity == diag.Error {
			errs = append(errs, d)
		}
	}
	return errs
}

// store makes a store of the tree with the values of the command line.
func (s *dataSpec) store(m *data.Machine) (*data.Store, error) {
	store, err := s.model.Values(m, s.values)
	if err != nil {
		return nil, s.model.Complaint(err)
	}
	return store, nil
}

// dialect is what --as says, for verbs that need no file.
func (a *app) dialect() (data.Dialect, error) {
	w, err := a.workspace()
	if err != nil {
		return data.Documented, err
	}
	p, err := a.here()
	if err != nil {
		return data.Documented, err
	}
	dialect := w.Env.Dialect
	if own, ok := p.Dialect("pdi"); ok && !a.files.asGiven {
		dialect = own
	}
	if dialect == load.Upstream {
		return data.Upstream, nil
	}
	return data.Documented, nil
}

// needed says which values an evaluation lacks.
func needed(err error) string {
	names := pdi.Needs(err)
	if len(names) == 0 {
		return ""
	}
	for i, n := range names {
		names[i] = "--set " + n + "=…"
	}
	return "give values with " + strings.Join(names, " ")
}
