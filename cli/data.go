package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/core/debuginfo/structs"
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/suite"
)

// machine finds the machine whose layout a verb shows. The flags for specification trees do not apply to it.
func (a *app) machine(name string) (*data.Machine, error) {
	other := *a
	other.files.lang, other.files.overrides = "", nil
	w, err := other.workspace()
	if err != nil {
		return nil, err
	}
	find, err := other.finding(w)
	if err != nil {
		return nil, err
	}
	m, found, err := find.Machine(name)
	if _, none := errors.AsType[*suite.NoMachine](err); none {
		return nil, a.no(err)
	}
	if err == nil {
		err = a.refuse(found)
	}
	return m, err
}

// dataSpec is a specification tree and what a verb needs to use it.
type dataSpec struct {
	model  *pdi.Model
	config *lang.Config
	values []pdi.Assignment
}

// takesValues adds the flag that gives data values to a verb.
func (a *app) takesValues(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&a.files.values, "set", nil, "give a datum a value: `NAME=VALUE` (repeatable)")
}

// dataValues returns the data values given on the command line.
func (a *app) dataValues() ([]pdi.Assignment, error) {
	var values []pdi.Assignment
	for _, s := range a.files.values {
		name, value, ok := strings.Cut(s, "=")
		switch {
		case !ok || name == "":
			return nil, fmt.Errorf("--set takes NAME=VALUE, not `%s`", s)
		case strings.ContainsAny(name, ".["):
			return nil, fmt.Errorf("--set gives a datum a value, and `%s` is not the name of a datum; -s overrides a setting of the tree", name)
		}
		values = append(values, pdi.Assignment{Name: name, Value: value})
	}
	return values, nil
}

// dataSpec opens a specification tree. If the tree has errors, it shows them and returns an error.
func (a *app) dataSpec(path string) (*dataSpec, error) {
	s, err := a.readSpec(path)
	if err != nil {
		return nil, err
	}
	return s, a.refuse(onlyErrors(s.config.Diagnostics()))
}

// readSpec opens a specification tree, which may have errors.
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
	for _, v := range values {
		if names := m.Names(); !slices.Contains(names, v.Name) {
			return nil, fmt.Errorf("--set gives `%s` a value, which `%s` does not declare%s", v.Name, path, near(v.Name, names))
		}
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

// store makes a data store from the tree and the values on the command line.
func (s *dataSpec) store(m *data.Machine) (*data.Store, error) {
	store, err := s.model.Values(m, s.values)
	if err != nil {
		return nil, s.model.Complaint(err)
	}
	return store, nil
}

// dialect returns the dialect of --as, for verbs that need no file.
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

// needed returns a hint that names the values missing from an evaluation.
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

func (a *app) dataImportVerb() *cobra.Command {
	var program string
	cmd := &cobra.Command{
		Use:     "import --elf PROGRAM STRUCT",
		Short:   "Convert a struct of a compiled program into a type of a tree",
		Long:    "Reads the layout of a struct from the debug information of a program (compile with -g). Writes the structs inside it, then the\nstruct itself, as records with the offsets that the compiler chose.",
		Example: examples("pentode data import --elf ./sim particle", "pentode data import --elf ./sim particle > types.yml"),
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if program == "" {
				return errors.New("give the program with --elf")
			}
			f, err := debuginfo.Open(program, debuginfo.Options{})
			if err != nil {
				return err
			}
			defer f.Close()
			all := structs.Of(f)
			s, err := all.Struct(args[0])
			if err != nil {
				return fmt.Errorf("%w%s", err, nearStruct(all, args[0]))
			}
			return pdi.WriteStruct(a.exact(), args[0], s)
		},
	}
	cmd.Flags().StringVar(&program, "elf", "", "the `PROGRAM`, an ELF file with debug information")
	return cmd
}

// nearStruct suggests a struct of the program with a similar name.
func nearStruct(all *structs.Program, name string) string {
	names, err := all.Names()
	if err != nil {
		return ""
	}
	return near(name, names)
}

// targetTypes are the types of a tree on one machine.
type targetTypes struct {
	machine *data.Machine
	types   []namedType
}

type namedType struct {
	name string
	data.Type
}

// typesFor evaluates types for machines. A type without a layout on one of the machines is reported and left out.
func (a *app) typesFor(spec *dataSpec, machines []*data.Machine, names []string) ([]targetTypes, error) {
	layouts, err := spec.model.Layouts(machines, spec.values, names)
	if err != nil {
		return nil, a.no(err)
	}
	all := make([]targetTypes, len(machines))
	for i, m := range machines {
		all[i].machine = m
	}
	for _, l := range layouts {
		if l.Unknown() {
			return nil, errors.New(l.Why())
		}
		if l.Err != nil {
			fmt.Fprintf(a.err, "pentode: %s\n", l.Why())
			if help := needed(l.Err); help != "" {
				fmt.Fprintf(a.err, "  %s\n", help)
			}
		}
		for i, t := range l.Types {
			all[i].types = append(all[i].types, namedType{l.Name, t})
		}
	}
	return all, nil
}
