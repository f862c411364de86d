package pdi

import (
	"path/filepath"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
)

// include reads the trees that f includes, then adds f itself.
func (r *resolver) include(f *File) {
	r.stack = append(r.stack, f)
	if inc := f.section(includeSection); !inc.absent() {
		switch {
		case inc.is(data.SequenceNode) && len(inc.Items) == 0 && !f.damaged(inc.span()):
			r.problems.Report(badInclude, inc.span(), "`include` lists no file")
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

// includeOne reads one file, or one part of it.
func (r *resolver) includeOne(f *File, inc value) {
	path, subtree := inc, ""
	switch {
	case r.full, f.damaged(inc.span()):
		return
	case inc.is(data.SequenceNode):
		r.problems.Report(badInclude, inc.span(), "expected a file to include, found %s", inc.name())
		return
	case inc.is(data.MappingNode):
		for key := range inc.pairs() {
			if key.is(data.ScalarNode) && (key.Text == "file" || key.Text == "subtree") {
				continue
			}
			r.problems.Report(badInclude, key.span(), "an include has the keys `file` and `subtree`, not %s", key.name()).
				Suggest(true, "file", "subtree")
			return
		}
		path = inc.get("file")
		sub := inc.get("subtree")
		if !path.is(data.ScalarNode) || !sub.is(data.ScalarNode) {
			r.problems.Report(badInclude, inc.span(), "an include that is a mapping needs `file` and `subtree`, each with a text").
				Helped("for a whole file write `include: FILE`")
			return
		}
		subtree = sub.Text
	}
	if path.Text == "" {
		r.problems.Report(badInclude, inc.span(), "`include` names no file")
		return
	}
	frame, problem := r.loader.Include(f.Frame, path.span(), r.candidates(f, path.Text)...)
	if problem != nil && problem.Kind == load.Cycle {
		// Another part of a file that is being read is no cycle.
		frame, problem = r.otherPart(f, problem, subtree)
	}
	if problem != nil {
		r.full = problem.Kind == load.Limit
		d := problem.Diagnostic(includeCodes)
		if problem.Kind == load.Missing && r.dialect == data.Upstream && !filepath.IsAbs(path.Text) && path.Text != "~" {
			d.As(diag.Warning).Note("the original program looks for it in the folder where the run starts, which may be another one")
		}
		r.problems.Add(d)
		return
	}
	for _, have := range r.Files {
		if have.Tree.File() == frame.File && have.Subtree == subtree {
			return
		}
	}
	r.read(frame, subtree)
}

// damaged reports whether the syntax is wrong at a place, or inside of it.
func (f *File) damaged(at source.Span) bool {
	for _, d := range f.Tree.Problems() {
		if d.Severity == diag.Error && (at.Contains(d.Span) || d.Span.Contains(at)) {
			return true
		}
	}
	return false
}

// candidates are the paths where an included file may be.
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

// otherPart tells a cycle from the use of two parts of one file.
func (r *resolver) otherPart(f *File, p *load.Problem, subtree string) (*load.Frame, *load.Problem) {
	for _, open := range r.stack {
		if open.Tree.File() == p.Target.File && open.Subtree == subtree {
			return nil, p
		}
	}
	return &load.Frame{File: p.Target.File, Parent: f.Frame, At: p.At, Depth: f.Frame.Depth + 1}, nil
}

// read parses an included file and what it includes.
func (r *resolver) read(frame *load.Frame, subtree string) {
	f := &File{Frame: frame, Subtree: subtree, model: r.Model}
	if doc, ok := r.docs[frame.File]; ok {
		f.Tree = doc.file.Tree
		f.doc = value{doc.Node, doc.syn, f}
	} else {
		f.Tree = syntax.Parse(frame.File)
		f.doc = r.document(f.Tree, f)
		for _, d := range f.Tree.Problems() {
			seen := *d
			r.problems.Add(included(&seen, f))
		}
	}
	f.root = r.rootOf(f)
	r.include(f)
}

// included adds to a finding in another file how that file came here.
func included(d *diag.Diagnostic, f *File) *diag.Diagnostic {
	if chain := f.note(); chain != "" {
		d.Note("%s is %s", f.Tree.File().Path(), chain)
	}
	return d
}
