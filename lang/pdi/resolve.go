package pdi

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/calls"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
)

// resolve brings the trees of a document together and lists what they declare.
func resolve(o Options, env *load.Env, tree *syntax.Tree) *Model {
	m := &Model{
		options: o,
		types:   map[string]*Declaration{}, plugins: map[string]*Plugin{},
	}
	m.checked = sync.OnceValue(func() diag.List { return check(m) })
	m.places = sync.OnceValue(m.index)
	m.store = sync.OnceValues(m.layouts)
	m.exists = func(path string) bool { return exists(env, path) }
	m.search, _ = env.Getenv("PDI_PLUGIN_PATH")
	if o.Program != nil && env.Opener != nil {
		m.sources, m.alone = o.Program(env.Opener), loneTree(env)
	}
	if env.Dialect == load.Upstream {
		m.dialect = data.Upstream
	}
	r := &resolver{Model: m, env: env, loader: load.NewLoader(env), docs: map[*source.File]value{}}
	f := &File{Tree: tree, Frame: env.Root(tree.File()), Subtree: o.Subtree, model: m}
	f.doc = r.document(tree, f)
	if o.root != nil {
		f.root = f.doc.at(o.root)
	} else {
		f.root = r.rootOf(f)
	}
	r.include(f)
	r.override(env.Overrides)
	count := 0
	for _, f := range m.Files {
		count += f.section(metadataSection).count() + f.section(dataSection).count()
	}
	m.names = make(map[string]*Declaration, count)
	for _, f := range m.Files {
		m.declare(f, typesSection, &m.Types, m.types)
		m.loadPlugins(f)
	}
	for _, f := range m.Files {
		m.declare(f, metadataSection, &m.Metadata, m.names)
	}
	for _, f := range m.Files {
		m.declare(f, dataSection, &m.Data, m.names)
	}
	return m
}

type resolver struct {
	*Model
	env    *load.Env
	loader *load.Loader
	docs   map[*source.File]value
	stack  []*File // the files that are being read, outermost first
	full   bool    // no more includes: a limit was reached
}

// document lowers a tree; one that is included twice is lowered once.
func (r *resolver) document(tree *syntax.Tree, f *File) value {
	v := value{lower(tree.Root, tree.File()), tree.Root, f}
	r.docs[tree.File()] = v
	return v
}

// at finds the value that is written as a node of the tree.
func (v value) at(n *syntax.Node) value {
	if v.syn == nil || v.syn.Resolved() == n {
		return v
	}
	for _, item := range v.items() {
		if found := item.at(n); found.syn != nil {
			return found
		}
	}
	for key, val := range v.pairs() {
		for _, part := range []value{key, val} {
			if found := part.at(n); found.syn != nil {
				return found
			}
		}
	}
	return value{}
}

// rootOf finds the specification tree in a document: the part that was asked
// for, else the whole, or what stands behind `pdi` where the whole has none of the sections.
func (r *resolver) rootOf(f *File) value {
	if f.Subtree != "" {
		v, err := ypath(f.doc, f.Subtree)
		if err != nil {
			at := f.doc.span()
			if f.Frame.Parent != nil {
				at = f.Frame.At
			}
			r.report(r.problems.Report(badSubtree, at, "`%s` has no subtree `%s`: %s", f.Tree.File().Path(), f.Subtree, err.Message).
				Helped("a subtree is written `.key`, `[2]` or both: `.runs[2].pdi`"), data.StatusSystem).
				Upstream("Unable to include subtree `%s' from file `%s': %s", f.Subtree, f.written, data.UpstreamText(err))
			return value{&data.Node{}, nil, f}
		}
		return v
	}
	for _, section := range []string{typesSection, dataSection, metadataSection, pluginsSection} {
		if _, _, ok := f.doc.find(section); ok {
			return f.doc
		}
	}
	if _, v, ok := f.doc.find("pdi"); ok && v.is(data.MappingNode) {
		return v
	}
	return f.doc
}

// section is a part of a tree by its name. The first of several counts, as in
// the original program.
func (f *File) section(name string) value { return f.root.get(name) }

// declare lists the entries of a section. Of two with one name the first counts.
func (m *Model) declare(f *File, section string, list *[]*Declaration, names map[string]*Declaration) {
	sec := f.section(section)
	slab := make([]Declaration, sec.count())
	*list = slices.Grow(*list, sec.count())
	for key, val := range sec.pairs() {
		if _, twice := names[key.Text]; twice || !key.is(data.ScalarNode) {
			continue
		}
		d := &slab[0]
		slab = slab[1:]
		*d = Declaration{Section: section, Name: key.Text, file: f, key: key, value: val}
		names[d.Name] = d
		*list = append(*list, d)
	}
}

func (m *Model) loadPlugins(f *File) {
	for key, val := range f.section(pluginsSection).pairs() {
		if _, twice := m.plugins[key.Text]; twice || !key.is(data.ScalarNode) {
			continue
		}
		p := &Plugin{Name: key.Text, key: key, config: val}
		m.plugins[p.Name] = p
		m.Plugins = append(m.Plugins, p)
	}
}

// loneTree reports whether a project has no second file that may be a tree.
func loneTree(env *load.Env) bool {
	if env.Names == nil {
		return true
	}
	count := 0
	for _, name := range env.Names() {
		if strings.HasSuffix(name, ".yml") || strings.HasSuffix(name, ".yaml") || calls.Reads(name) && (strings.Contains(name, ".yml.") || strings.Contains(name, ".yaml.")) {
			count++
		}
	}
	return count <= 1
}

// exists reports whether a file is there, however large it is.
func exists(env *load.Env, path string) bool {
	if env.Opener == nil {
		return false
	}
	_, err := env.Opener.Open(path)
	var large *source.TooLarge
	return err == nil || errors.As(err, &large)
}
