package pdi

import (
	"errors"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/expr"
)

// Dialect returns the dialect in which the model was read.
func (m *Model) Dialect() data.Dialect { return m.dialect }

// Spec returns the model for the engine. The messages of the engine name the places of declarations and their parts.
func (m *Model) Spec() data.Spec {
	s := data.Spec{Logging: m.main().section(loggingSection).Node}
	for _, f := range m.Files {
		s.Sections = append(s.Sections, data.Section{
			Types: f.section(typesSection).Node, Metadata: f.section(metadataSection).Node, Data: f.section(dataSection).Node,
			Plugins: f.section(pluginsSection).Node, PluginPath: f.section(pathSection).Node,
		})
	}
	return s
}

// Sealed reports whether the tree asks for a record of their origin, a seal, in the files that it writes, even if the run does not ask for it.
func (m *Model) Sealed() bool { return m.main().section(sealSection).text() == "true" }

// Values returns a store of the tree in which no plugin runs and some data have values. It is used to evaluate types and expressions. Declarations
// that cannot be read are left out.
func (m *Model) Values(machine *data.Machine, set []Assignment) (*data.Store, error) {
	spec := m.Spec()
	env := m.environment(machine)
	for i := range spec.Sections {
		s := &spec.Sections[i]
		s.Types, s.Metadata, s.Data = sound(env, s.Types), sound(env, s.Metadata), sound(env, s.Data)
	}
	spec.Logging = data.Text("off")
	s, err := data.New(spec, data.Options{Machine: machine, Dialect: m.dialect, Plugins: m.silent()})
	if err != nil {
		return nil, err
	}
	return s, Assign(s, set)
}

// sound removes the names whose types cannot be read from a section.
func sound(env *data.Env, section *data.Node) *data.Node {
	if section == nil || section.Kind != data.MappingNode {
		return section
	}
	kept := *section
	kept.Pairs = slices.DeleteFunc(slices.Clone(section.Pairs), func(p data.Pair) bool {
		_, problems := env.Read(p.Value)
		return slices.ContainsFunc(problems, func(e *data.Error) bool { return e.Severity == problem.Error })
	})
	return &kept
}

// Empty returns a store without a tree, with the given values.
func Empty(d data.Dialect, set []Assignment) (*data.Store, error) {
	s, err := data.New(data.Spec{Logging: data.Text("off")}, data.Options{Dialect: d})
	if err != nil {
		return nil, err
	}
	return s, Assign(s, set)
}

// silent returns the plugins of the tree without their behaviour: they only declare their types.
func (m *Model) silent() []data.Plugin {
	var list []data.Plugin
	for _, p := range m.Plugins {
		list = append(list, data.Plugin{Name: p.Name, Title: p.Name, New: func(c *data.Context) error {
			return provideTypes(m.FindPlugin(p.Name), c.Env(), c.Env().Machine)
		}})
	}
	return list
}

// Assignment is a value for a datum, as in `NAME=VALUE`. The value has the same syntax as in a tree.
type Assignment struct{ Name, Value string }

// Assign shares values in a store. A declared name has its declared type; any other name gets the type of its value.
func Assign(s *data.Store, set []Assignment) error {
	for _, a := range set {
		node := ParseNode(a.Value)
		v, err := s.Env().ParseValue(node)
		if err != nil {
			return data.Within(err, "cannot give `%s` a value", problem.Clip(a.Name, problem.Short))
		}
		template, declared := s.Template(a.Name)
		if !declared {
			if err := s.ShareValue(a.Name, v); err != nil {
				return err
			}
			continue
		}
		if err := assign(s, a.Name, template, v); err != nil {
			return data.Within(err, "cannot give `%s` the value `%s`", problem.Clip(a.Name, problem.Short), problem.Clip(a.Value, problem.Short))
		}
	}
	return nil
}

func assign(s *data.Store, name string, template *data.Template, v *data.Value) error {
	t, err := template.Evaluate()
	if err != nil {
		return err
	}
	memory, err := data.Allocate(t)
	if err != nil {
		return err
	}
	if err := v.AssignTo(t, s.Env().Machine, memory); err != nil {
		return err
	}
	return s.Share(name, memory, data.InOut)
}

// ParseNode parses a value from the command line: as YAML if it is a list or a mapping, else as plain text.
func ParseNode(text string) *data.Node {
	if !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{") {
		return data.Text(text)
	}
	tree := syntax.Parse(source.NewFile("value", text))
	if tree.Problems().HasErrors() {
		return data.Text(text)
	}
	return lower(tree.Root, nil)
}

// TypeOf finds a type by its own name, or by the name of a datum that has the type.
func (m *Model) TypeOf(s *data.Store, name string) (data.Type, error) {
	if d, ok := m.types[name]; ok {
		t, err := data.ParseType(data.Text(name), s.Env())
		if err != nil { // Values left this type out; report why it could not be read
			if _, why := data.ParseType(d.value.Node, s.Env()); why != nil {
				err = why
			}
			return nil, err
		}
		return t.Evaluate()
	}
	if t, ok := s.Template(name); ok {
		return t.Evaluate()
	}
	if d, ok := m.names[name]; ok { // Values left this type out; report why it could not be read
		_, err := data.ParseType(d.value.Node, s.Env())
		return nil, err
	}
	e := data.Errorf(data.StatusValue, nil, "the tree declares no `%s`", problem.Clip(name, problem.Short))
	e.Kind = data.UnknownType
	e.Suggestion, _ = problem.Nearest(name, m.Names())
	return nil, e
}

// Layout is the layout of a type or datum of the tree on some machines.
type Layout struct {
	Name  string
	Types []data.Type // one for each machine; nil if there is no layout on one of them
	Err   error       // why it has no layout
}

// Layouts evaluates named types for some machines, with the values of some data.
func (m *Model) Layouts(machines []*data.Machine, set []Assignment, names []string) ([]Layout, error) {
	list := make([]Layout, len(names))
	for i, name := range names {
		list[i].Name = name
	}
	for _, machine := range machines {
		store, err := m.Values(machine, set)
		if err != nil {
			return nil, m.Complaint(err)
		}
		for i := range list {
			l := &list[i]
			if l.Err != nil {
				continue
			}
			var t data.Type
			if t, l.Err = m.TypeOf(store, l.Name); l.Err != nil {
				l.Types = nil
				continue
			}
			l.Types = append(l.Types, t)
		}
		store.Close()
	}
	return list, nil
}

// Unknown reports whether the tree declares nothing of this name.
func (l *Layout) Unknown() bool {
	var e *data.Error
	return errors.As(l.Err, &e) && e.Kind == data.UnknownType && e.Span.IsZero()
}

// Why returns why there is no layout.
func (l *Layout) Why() string {
	if l.Unknown() {
		return l.Err.Error()
	}
	return "`" + problem.Clip(l.Name, problem.Short) + "` has no layout: " + data.Message(l.Err)
}

// Names returns the names that the tree declares: types, metadata, data.
func (m *Model) Names() []string {
	var names []string
	for _, list := range [][]*Declaration{m.Types, m.Metadata, m.Data} {
		for _, d := range list {
			names = append(names, d.Name)
		}
	}
	return names
}

// Needs returns the names of the data whose missing values caused an error of the engine.
func Needs(err error) []string {
	var e *data.Error
	if !errors.As(err, &e) || e.Node == nil || e.Node.Kind != data.ScalarNode {
		return nil
	}
	p, failed := expr.Compile(e.Node.Text, data.Documented)
	if failed != nil {
		return nil
	}
	var names []string
	for ref := range p.Refs() {
		names = append(names, ref.Name)
	}
	return names
}

// IncludeError returns the reason why an included file could not be read, or nil. A program cannot run without the file.
func (m *Model) IncludeError() error {
	if m.includeError == nil {
		return nil
	}
	e := *m.includeError
	if e.Status == data.StatusSpecTree {
		e.Upstream("%s%s", m.includedFrom, data.UpstreamText(m.includeError))
	}
	return &e
}

// Complaint adds the place in the tree to an error of the engine.
func (m *Model) Complaint(err error) error {
	e, ok := errors.AsType[*data.Error](err)
	if !ok {
		return err
	}
	placed := e.Problem
	placed.Span = m.spanOf(e)
	return &placed
}

// spanOf returns the place of an error of the engine; for an expression, only its wrong bytes.
func (m *Model) spanOf(e *data.Error) source.Span {
	if x, ok := errors.AsType[*expr.Error](e); ok && !e.Span.IsZero() {
		return value{Node: e.Node, file: m.main()}.part(x.Offset, x.End)
	}
	return e.Span
}

// Fingerprint returns the fingerprint of the tree.
func (m *Model) Fingerprint() (fingerprint.Sum, error) {
	return data.Fingerprint(m.Spec(), m.dialect, m.known), nil
}

// environment returns the types that the engine must know to read a type: the types of the tree and of the loaded plugins.
func (m *Model) environment(machine *data.Machine) *data.Env {
	env := &data.Env{Dialect: m.dialect, Machine: machine}
	for _, d := range m.Types {
		_ = env.Define(d.Name, d.value.Node) // a duplicate is reported elsewhere
	}
	if machine == nil {
		machine = data.X86_64()
	}
	for _, p := range m.Plugins {
		_ = provideTypes(m.FindPlugin(p.Name), env, machine) // an error means that the tree has a type of the same name, which is reported elsewhere
	}
	return env
}

// layouts returns a store that knows the types of the tree. While a user edits the tree, the declarations of data may be incomplete; in that case the
// store has only the types.
func (m *Model) layouts() (*data.Store, error) {
	if s, err := m.Values(nil, nil); err == nil {
		return s, nil
	}
	spec := data.Spec{Logging: data.Text("off")}
	for _, f := range m.Files {
		spec.Sections = append(spec.Sections, data.Section{Types: f.section(typesSection).Node})
	}
	return data.New(spec, data.Options{Dialect: m.dialect})
}
