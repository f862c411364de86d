package pdi

import (
	"errors"
	"path/filepath"
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

// resolve reads the trees of a document and lists their declarations.
func resolve(o Options, env *load.Env, tree *syntax.Tree) *Model {
	m := &Model{
		options: o, known: o.known(),
		types: map[string]*Declaration{}, plugins: map[string]*Plugin{},
	}
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
	stack  []*File // the files being read, outermost first
	full   bool    // no more includes: a limit was reached
}

// document converts a tree to the engine's nodes. A file that is included twice is converted once.
func (r *resolver) document(tree *syntax.Tree, f *File) value {
	v := value{lower(tree.Root, tree.File()), tree.Root, f}
	r.docs[tree.File()] = v
	return v
}

// rootOf finds the specification tree in a document: the selected part or, if no part is selected, the whole document. If the document has none
// of the sections, the tree is the value of its key `pdi`.
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

// declare lists the entries of a section. If two have the same name, the first counts.
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

// loneTree reports whether at most one file of the project may be a tree.
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

// exists reports whether a file exists, however large it is.
func exists(env *load.Env, path string) bool {
	if env.Opener == nil {
		return false
	}
	_, err := env.Opener.Open(path)
	var large *source.TooLarge
	return err == nil || errors.As(err, &large)
}

// include reads the trees that f includes, then adds f itself.
func (r *resolver) include(f *File) {
	r.stack = append(r.stack, f)
	if inc := f.section(includeSection); !inc.absent() {
		switch {
		case inc.is(data.SequenceNode) && len(inc.Items) == 0 && !f.damaged(inc.span()):
			r.refuse(inc.span(), "`include` lists no file").NoScalar(inc.Node)
		case inc.is(data.SequenceNode):
			for _, item := range inc.items() {
				r.includeOne(f, item)
			}
		default:
			r.includeOne(f, inc)
		}
	}
	r.stack = r.stack[:len(r.stack)-1]
	r.Files = append(r.Files, f)
}

// refuse reports a malformed include.
func (r *resolver) refuse(at source.Span, format string, args ...any) *data.Error {
	return r.report(r.problems.Report(badInclude, at, format, args...), data.StatusSpecTree)
}

// report converts a finding in the includes to the error that a running program gets. Only the first one is kept.
func (r *resolver) report(d *diag.Diagnostic, status data.Status) *data.Error {
	e := data.Errorf(status, nil, "%s", d.Message)
	e.Span = d.Span
	if r.includeError != nil {
		return e
	}
	r.includeError = e
	for _, f := range r.stack {
		if f.Frame.Parent != nil {
			r.includedFrom += "included from (" + f.written + ")" + f.Subtree
		}
	}
	return e
}

// includeOne reads one file, or one part of it.
func (r *resolver) includeOne(f *File, inc value) {
	if r.full || f.damaged(inc.span()) {
		return
	}
	path, subtree, ok := r.directive(inc)
	if !ok {
		return
	}
	frame, problem := r.loader.Include(f.Frame, path.span(), r.candidates(f, path.Text)...)
	if problem != nil && problem.Kind == load.Cycle {
		// It is not a cycle if another part of the same file is included.
		frame, problem = r.otherPart(f, problem, subtree)
	}
	if problem != nil {
		r.full = problem.Kind == load.Limit
		d := problem.Diagnostic(includeCodes)
		if problem.Kind == load.Missing && r.dialect == data.Upstream && !filepath.IsAbs(path.Text) && path.Text != "~" {
			d.As(diag.Warning).Note("the original program looks for it in the folder where the run starts, which may be another one")
		}
		r.problems.Add(d)
		if problem.Kind == load.Cycle {
			r.report(d, data.StatusSpecTree).UpstreamAt(inc.Node, "Circular include of `(%s)%s'", path.Text, subtree)
			return
		}
		if e := r.report(d, data.StatusSystem); problem.Kind == load.Missing {
			e.Upstream("Unable to include file `%s': No such file or directory", path.Text)
		}
		return
	}
	for _, have := range r.Files {
		if have.Tree.File() == frame.File && have.Subtree == subtree {
			return
		}
	}
	r.read(&File{Frame: frame, Subtree: subtree, written: path.Text, model: r.Model})
}

// directive reads an include, which is a path, or a mapping with a path and a part.
func (r *resolver) directive(inc value) (path value, subtree string, ok bool) {
	switch {
	case inc.is(data.SequenceNode):
		r.refuse(inc.span(), "expected a file to include, found %s", inc.name()).NoScalar(inc.Node)
		return path, "", false
	case inc.is(data.MappingNode):
		path, sub := inc.get("file"), inc.get("subtree")
		for key, val := range inc.pairs() {
			switch {
			case !key.is(data.ScalarNode):
				r.refuse(key.span(), "an include has the keys `file` and `subtree`, not %s", key.name()).NoScalar(key.Node)
			case !val.is(data.ScalarNode):
				r.refuse(val.span(), "expected a text after `%s`, found %s", key.Text, val.name()).NoScalar(val.Node)
			case key.Text == "file" || key.Text == "subtree":
				continue
			default:
				r.report(r.problems.Report(badInclude, key.span(), "an include has the keys `file` and `subtree`, not %s", key.name()).
					Suggest(true, "file", "subtree"), data.StatusSpecTree).
					Upstream("unexpected key in include directive: `%s', only `file' and `subtree' allowed", key.Text)
			}
			return path, "", false
		}
		missing := ""
		switch {
		case path.absent():
			missing = "file"
		case sub.absent():
			missing = "subtree"
		default:
			return path, sub.Text, true
		}
		r.report(r.problems.Report(badInclude, inc.span(), "an include that is a mapping needs `file` and `subtree`, each with a text").
			Helped("for a whole file write `include: FILE`"), data.StatusSpecTree).
			Upstream("missing `'%s` key in include directive", missing)
		return path, "", false
	}
	if inc.Text == "" {
		r.report(r.problems.Report(badInclude, inc.span(), "`include` names no file"), data.StatusSystem).
			Upstream("Unable to include file `': No such file or directory")
		return path, "", false
	}
	return inc, "", true
}

// damaged reports whether a place contains a syntax error or is inside one.
func (f *File) damaged(at source.Span) bool {
	for _, d := range f.Tree.Problems() {
		if d.Severity == diag.Error && (at.Contains(d.Span) || d.Span.Contains(at)) {
			return true
		}
	}
	return false
}

// candidates returns the paths at which an included file may be.
func (r *resolver) candidates(f *File, path string) []string {
	if filepath.IsAbs(path) {
		return []string{path}
	}
	list := []string{filepath.Join(filepath.Dir(f.Tree.File().Path()), path)}
	for _, dir := range append([]string{""}, r.env.Include...) {
		if p := filepath.Join(dir, path); p != list[0] {
			list = append(list, p)
		}
	}
	return list
}

// otherPart returns the frame for an include of another part of a file that is being read. If the include is a cycle, it returns the problem.
func (r *resolver) otherPart(f *File, p *load.Problem, subtree string) (*load.Frame, *load.Problem) {
	for _, open := range r.stack {
		if open.Tree.File() == p.Target.File && open.Subtree == subtree {
			return nil, p
		}
	}
	return &load.Frame{File: p.Target.File, Parent: f.Frame, At: p.At, Depth: f.Frame.Depth + 1}, nil
}

// read parses an included file and the files it includes.
func (r *resolver) read(f *File) {
	file := f.Frame.File
	if doc, ok := r.docs[file]; ok {
		f.Tree = doc.file.Tree
		f.doc = value{doc.Node, doc.syn, f}
	} else {
		f.Tree = syntax.Parse(file)
		f.doc = r.document(f.Tree, f)
		for _, d := range f.Tree.Problems() {
			seen := *d
			r.problems.Add(included(&seen, f))
		}
	}
	if d := f.Tree.Unreadable(); d != nil {
		at := d.Span.File.Position(d.Span.Start)
		r.report(d, data.StatusSystem).Upstream("Unable to include file `%s': can not parse file `%[1]s`\n%d:%d: Error: %s", f.written, at.Line-1, at.Column-1, d.Message)
	}
	f.root = r.rootOf(f)
	r.include(f)
}

// included adds the chain of includes that led to its file to a finding.
func included(d *diag.Diagnostic, f *File) *diag.Diagnostic {
	if chain := f.note(); chain != "" {
		d.Note("%s is %s", f.Tree.File().Path(), chain)
	}
	return d
}
