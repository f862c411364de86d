package pinsight

import (
	"strings"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
)

// overrides applies `-s SECTION.KEY=VALUE`, each as if a section with the key
// stood at the end of the file, and returns these texts.
func (r *resolver) overrides(list []load.Override) []*source.File {
	own := r.tree
	defer func() { r.tree = own }()
	var files []*source.File
	for _, o := range list {
		section, name, ok := splitKey(r.Model, o.Key)
		if !ok || strings.ContainsAny(o.Key+o.Value, "\r\n") {
			f := source.NewFile("command line", o.Key+" = "+o.Value)
			r.report(badOverride, f.Span(0, len(o.Key)), "`%s` does not name a setting; one is `SECTION.KEY`, its value one line", o.Key).
				Helped("for instance `-s Lexgion.default.tracing_rate=10`")
			continue
		}
		f := source.NewFile("command line", "["+section+"]\n    "+name+" = "+o.Value+"\n")
		files = append(files, f)
		r.tree = syntax.Parse(f)
		r.problems = append(r.problems, r.tree.Problems()...)
		for i := range r.tree.Sections {
			r.section(&r.tree.Sections[i])
		}
	}
	return files
}
