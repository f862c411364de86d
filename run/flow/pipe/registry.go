package pipe

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// A Registry holds process types and instrumentation providers by name. The zero value is empty and ready to use.
type Registry struct {
	// Complete is set if the registry has all types and algorithms of the installation, so that an unknown name is a mistake.
	Complete bool
	// Placeholders maps the name of a placeholder `[-NAME-]` in templates to the file of the program that replaces it.
	Placeholders map[string]string
	// Unread lists algorithms of the installation whose names the import could not find out.
	Unread []Unread

	types      map[string]*Type
	algorithms map[string][]*Algorithm // declared by other programs, by role
	providers  map[string]*Provider
	known      []Known
}

// NewRegistry makes a registry of the given types. It panics if Add would fail, because the list is part of a program.
func NewRegistry(types ...*Type) *Registry {
	r := &Registry{}
	for _, t := range types {
		if err := r.Add(t); err != nil {
			panic(err)
		}
	}
	return r
}

// Add adds a type. A second type of the same name, a type without a name, and contradictory flags are errors.
func (r *Registry) Add(t *Type) error {
	if t.Name == "" {
		return fmt.Errorf("a process type needs a name")
	}
	if r.types[t.Name] != nil {
		return fmt.Errorf("process type `%s` is declared twice", t.Name)
	}
	for _, p := range t.In {
		if p.Flags&Static != 0 && p.Flags&Required != 0 {
			return fmt.Errorf("input port `%s` of process type `%s` is both static and required: a static port may stay unconnected", p.Name, t.Name)
		}
		if p.Flags&(Const|Shared) != 0 {
			return fmt.Errorf("input port `%s` of process type `%s` has the flag `%s`, which only outputs have", p.Name, t.Name, (p.Flags & (Const | Shared)))
		}
	}
	for _, p := range t.Out {
		if bad := p.Flags & (Static | Mutable | NoDep); bad != 0 {
			return fmt.Errorf("output port `%s` of process type `%s` has the flag `%s`, which only inputs have", p.Name, t.Name, bad)
		}
		if p.Flags&Const != 0 && p.Flags&Shared != 0 {
			return fmt.Errorf("output port `%s` of process type `%s` is both const and shared", p.Name, t.Name)
		}
	}
	if r.types == nil {
		r.types = map[string]*Type{}
	}
	r.types[t.Name] = t
	return nil
}

// Replace adds a type, and replaces the type of the same name, if there is one.
func (r *Registry) Replace(t *Type) error {
	old := r.types[t.Name]
	delete(r.types, t.Name)
	err := r.Add(t)
	if err != nil && old != nil {
		r.types[t.Name] = old
	}
	return err
}

// Declare adds a type that another program declares. Pipelines are checked against the declaration. If this program has a type
// of the same name, a run still uses that type. A declaration that applies to one version only does not replace an exact type.
func (r *Registry) Declare(t *Type) error {
	if old := r.types[t.Name]; old != nil {
		if t.Version != "" && old.Version == "" && old.Runs() == old {
			return r.Replace(old.withRoles(t.Keys))
		}
		declared := *t
		declared.runs = old.Runs()
		declared.Embedding = old.Embedding
		declared.In, declared.Out = withPatterns(t.In, old.In), withPatterns(t.Out, old.Out)
		declared.document(cmp.Or(old.Runs(), old))
		t = &declared
	}
	return r.Replace(t)
}

// withRoles returns a copy of the type whose keys have the roles of the declared keys of the same name.
func (t *Type) withRoles(declared []Key) *Type {
	c := *t
	c.Keys = slices.Clone(t.Keys)
	for i := range c.Keys {
		if j := slices.IndexFunc(declared, func(k Key) bool { return k.Name == c.Keys[i].Name }); j >= 0 {
			c.Keys[i].Role = cmp.Or(c.Keys[i].Role, declared[j].Role)
		}
	}
	return &c
}

// document fills in documentation that the declaration lacks, from a type of the same name.
func (t *Type) document(from *Type) {
	t.Doc = cmp.Or(t.Doc, from.Doc)
	t.In, t.Out, t.Keys = slices.Clone(t.In), slices.Clone(t.Out), slices.Clone(t.Keys)
	for i := range t.In {
		if p, _ := from.FindIn(t.In[i].Name); p != nil {
			t.In[i].Doc = cmp.Or(t.In[i].Doc, p.Doc)
		}
	}
	for i := range t.Out {
		if p, _ := from.FindOut(t.Out[i].Name); p != nil {
			t.Out[i].Doc = cmp.Or(t.Out[i].Doc, p.Doc)
		}
	}
	for i := range t.Keys {
		if j := slices.IndexFunc(from.Keys, func(k Key) bool { return k.Name == t.Keys[i].Name }); j >= 0 {
			t.Keys[i].Doc = cmp.Or(t.Keys[i].Doc, from.Keys[j].Doc)
		}
	}
}

// withPatterns adds to the declared ports the patterns of old. A declaration made by running a program lacks patterns, because a
// program can list only ports that exist before anything is connected.
func withPatterns(ports, old []Port) []Port {
	ports = slices.Clip(ports)
	for i := range old {
		same := func(p Port) bool { return p.Name == old[i].Name || p.Name == "<any>" }
		if old[i].Pattern() && !slices.ContainsFunc(ports, same) {
			ports = append(ports, old[i])
		}
	}
	return ports
}

// Running returns the registry that a run uses. It has this program's own types in place of declarations of other programs.
func (r *Registry) Running() *Registry {
	if r == nil {
		return nil
	}
	all := &Registry{Complete: r.Complete, Placeholders: r.Placeholders, Unread: r.Unread, types: make(map[string]*Type, len(r.types)), algorithms: r.algorithms, providers: r.providers}
	for name, t := range r.types {
		if own := t.Runs(); own != nil && (own != t || t.Version != "") {
			exact := *own
			exact.Version = ""
			t = &exact
		}
		all.types[name] = t
	}
	return all
}

// Lookup finds a type by name.
func (r *Registry) Lookup(name string) (*Type, bool) {
	if r == nil {
		return nil, false
	}
	t, ok := r.types[name]
	return t, ok
}

// All yields the types sorted by name.
func (r *Registry) All() iter.Seq[*Type] {
	return func(yield func(*Type) bool) {
		if r == nil {
			return
		}
		for _, name := range slices.SortedFunc(maps.Keys(r.types), strings.Compare) {
			if !yield(r.types[name]) {
				return
			}
		}
	}
}

// Clone returns a copy. Additions to the copy do not change this registry.
func (r *Registry) Clone() *Registry {
	return &Registry{Complete: r.Complete, Placeholders: maps.Clone(r.Placeholders), Unread: slices.Clone(r.Unread),
		types: maps.Clone(r.types), algorithms: maps.Clone(r.algorithms), providers: maps.Clone(r.providers), known: slices.Clone(r.known)}
}
