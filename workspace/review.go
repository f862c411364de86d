package workspace

import (
	"slices"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace/project"
)

// Review returns the findings to show: each once, at most a fixed number for each
// file, and none that a comment or a project silences. It adds findings about
// comments that do not silence anything.
func (w *Workspace) Review(found diag.List, configs ...*lang.Config) diag.List {
	s := newSilences(w, nil)
	for _, c := range configs {
		for _, f := range c.Files() {
			s.add(f, c.Document.Language)
		}
	}
	list := s.apply(Unique(found))
	list = append(list, s.idle(configs)...)
	var shown diag.List
	for _, d := range list {
		shown = append(shown, w.projectOf(d.Span.File).Review(diag.List{d})...)
	}
	shown.Sort()
	return shown.Limit()
}

func (w *Workspace) projectOf(f *source.File) *project.Project {
	if f == nil {
		return w.scope(".", true).project
	}
	return w.scope(f.Path(), false).project
}

// Unique removes repeated findings, such as those in a file that is included by
// two others.
func Unique(list diag.List) diag.List {
	type key struct {
		code, path, message string
		start               int
	}
	seen := map[key]bool{}
	var out diag.List
	for _, d := range list {
		k := key{code: d.Code.ID, message: d.Message, start: d.Span.Start}
		if d.Span.File != nil {
			k.path = canonical(d.Span.File.Path())
		}
		if !seen[k] {
			seen[k] = true
			out = append(out, d)
		}
	}
	return out
}

// silences are the comments that hide findings, by file.
type silences struct {
	workspace *Workspace
	language  *lang.Language // the language of files that were not added; if nil, comments in such files are not read
	files     map[string]*silencedFile
}

type silencedFile struct {
	document *lang.Document
	list     []lang.Silence
	used     map[place]bool // the codes in comments that have silenced a finding
}

func newSilences(w *Workspace, l *lang.Language) *silences {
	return &silences{workspace: w, language: l, files: map[string]*silencedFile{}}
}

// add reads the comments of a file.
func (s *silences) add(f *source.File, l *lang.Language) *silencedFile {
	path := canonical(f.Path())
	known := s.files[path]
	if known == nil {
		known = &silencedFile{used: map[place]bool{}}
		if l != nil && lang.MaySilence(f) {
			known.document = l.Parse(f)
			known.list = known.document.Silences()
		}
		s.files[path] = known
	}
	return known
}

// apply drops the findings that a comment silences.
func (s *silences) apply(list diag.List) diag.List {
	var out diag.List
	for _, d := range list {
		if !s.silenced(d) {
			out = append(out, d)
		}
	}
	return out
}

func (s *silences) silenced(d *diag.Diagnostic) bool {
	if d.Span.File == nil || d.Code == diag.TooMany {
		return false
	}
	f := s.add(d.Span.File, s.language)
	if len(f.list) == 0 {
		return false
	}
	line := d.Span.Position().Line
	silenced := false
	for _, c := range f.list {
		for _, code := range c.Codes {
			if line >= c.First && line <= c.Last && project.MatchCode(code.Text(), d.Code.ID) {
				f.used[placeOf(code)] = true
				silenced = true
			}
		}
	}
	return silenced
}

// idle returns findings about comments that do not silence anything although a
// check looks for their codes. If only the other dialect has the code, the check
// is made in that dialect.
func (s *silences) idle(configs []*lang.Config) diag.List {
	var list diag.List
	done := map[*silencedFile]bool{}
	for _, c := range configs {
		for _, file := range c.Files() {
			f := s.files[canonical(file.Path())]
			if f == nil || len(f.list) == 0 || done[f] {
				continue
			}
			done[f] = true
			list = append(list, s.idleIn(f, readers(configs, file))...)
		}
	}
	return list
}

// readers returns the configurations that read a file.
func readers(configs []*lang.Config, f *source.File) []*lang.Config {
	path := canonical(f.Path())
	return slices.DeleteFunc(slices.Clone(configs), func(c *lang.Config) bool { return !isMadeOf(c, path) })
}

func (s *silences) idleIn(f *silencedFile, by []*lang.Config) diag.List {
	var list diag.List
	for _, silence := range f.list {
		for _, code := range silence.Codes {
			if f.used[placeOf(code)] {
				continue
			}
			if d := s.unknown(code); d != nil {
				list.Add(d)
				continue
			}
			if s.lookedFor(f, code.Text(), by) && !s.otherDialect(code, by) {
				list.Add(diag.New(lang.UnusedIgnore, code, "there is no finding `%s` to silence here", code.Text()).
					Helped("remove it: it would hide the next one"))
			}
		}
	}
	return list
}

// unknown returns a finding if no diagnostic has the code in a comment, otherwise
// nil.
func (s *silences) unknown(code source.Span) *diag.Diagnostic {
	if s.workspace.Projects == nil {
		return nil
	}
	names := s.workspace.Projects.Names.Codes
	if slices.ContainsFunc(names, func(id string) bool { return project.MatchCode(code.Text(), id) }) {
		return nil
	}
	return diag.New(lang.UnknownIgnore, code, "no finding has the code `%s`", problem.Clip(code.Text(), problem.Short)).
		Helped("%s", problem.Advise(code.Text(), names, "each finding shows its code in brackets"))
}

// lookedFor reports whether a check would have found a code: the file's language
// has it, the project does not ignore it, and all rules were applied.
func (s *silences) lookedFor(f *silencedFile, pattern string, by []*lang.Config) bool {
	if slices.ContainsFunc(by, (*lang.Config).Partial) {
		return false
	}
	p := s.workspace.projectOf(f.document.File)
	return slices.ContainsFunc(f.document.Language.Codes, func(c *diag.Code) bool {
		return !c.AtRun && project.MatchCode(pattern, c.ID) && p.Wants(c.ID, f.document.File)
	})
}

// otherDialect reports whether a comment silences a finding in the other dialect.
// A file may be written for both dialects.
func (s *silences) otherDialect(code source.Span, by []*lang.Config) bool {
	for _, c := range by {
		env := s.workspace.EnvOf(c.Document)
		env.Dialect = load.Upstream - env.Dialect
		other := newSilences(s.workspace, c.Document.Language)
		other.apply(c.Document.Resolve(env, c.Lower...).Found())
		if f := other.files[canonical(code.File.Path())]; f != nil && f.used[placeOf(code)] {
			return true
		}
	}
	return false
}
