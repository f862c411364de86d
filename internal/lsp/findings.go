package lsp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// findings returns the findings in a file: as a document of its own, as a part of documents that
// include it, and as a part of its run. Findings that a comment or the project ignores are left
// out.
func (s *session) findings(path string) diag.List {
	path = filepath.Clean(path)
	if s.workspace.IsProject(path) {
		return in(path, s.workspace.Problems())
	}
	var list diag.List
	var configs []*lang.Config
	for _, root := range s.roots(path) {
		found, of := s.rootFindings(root)
		list, configs = append(list, found...), append(configs, of...)
	}
	return in(path, s.workspace.Review(in(path, list), configs...))
}

// in returns the findings of one file.
func in(path string, list diag.List) diag.List {
	var own diag.List
	for _, d := range list {
		if d.Span.File != nil && filepath.Clean(d.Span.File.Path()) == path {
			own = append(own, d)
		}
	}
	return own
}

// roots returns the documents with which a file is checked: documents that include it
// and are not included themselves, or the file itself.
func (s *session) roots(path string) []string {
	if _, err := s.workspace.Config(path); err != nil {
		return []string{path}
	}
	includers := s.Includers(path)
	roots := slices.DeleteFunc(slices.Clone(includers), func(name string) bool {
		_, err := s.workspace.Config(name)
		return err != nil || len(s.Includers(name)) > 0
	})
	if len(roots) == 0 {
		return []string{path}
	}
	return roots
}

// rootFindings returns the findings of a document, as part of its run if it has one,
// and the configurations that were checked.
func (s *session) rootFindings(path string) (diag.List, []*lang.Config) {
	c, err := s.workspace.Config(path)
	if err != nil {
		var list diag.List
		list.Add(workspace.Unreadable(path, err))
		return list, nil
	}
	if r := s.runOf(filepath.Dir(path)); r != nil {
		files := r.run.Files()
		for _, of := range files {
			if filepath.Clean(of.Document.File.Path()) == path {
				return r.list, files
			}
		}
	}
	return c.Found(), []*lang.Config{c}
}

// runOf returns the run of a folder, or nil. A folder with a single file is not a run:
// all its findings are findings of the file.
func (s *session) runOf(dir string) *runFindings {
	have := s.runs[dir]
	if have == nil || !s.Fresh(have.Needs) {
		have = &runFindings{}
		have.Needs = s.Record(func() { s.openRun(dir, have) })
		s.runs[dir] = have
	}
	if have.run == nil {
		return nil
	}
	return have
}

func (s *session) openRun(dir string, into *runFindings) {
	if !suite.IsRunFolder(dir) || !s.several(dir) {
		return
	}
	run, err := suite.Open(s.workspace, dir)
	if err != nil {
		return
	}
	into.run, into.list = run, suite.Found(run, s.host)
}

// several reports whether a folder has more than one file of our languages.
func (s *session) several(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	n := 0
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); !e.IsDir() && s.workspace.Claims(path) {
			n++
		}
	}
	return n > 1
}

// contexts returns the configurations that a file is a part of: configurations that include
// it, and its own.
func (s *session) contexts(path string) []*lang.Config {
	var list []*lang.Config
	for _, name := range append(s.Includers(path), path) {
		if c, err := s.workspace.Config(name); err == nil {
			list = append(list, c)
		}
	}
	return list
}

// diagnostics returns the findings of a file in the form of the protocol.
func (s *session) diagnostics(path string) []protocol.Diagnostic {
	items := []protocol.Diagnostic{}
	for _, d := range s.findings(path) {
		items = append(items, s.toDiagnostic(d))
	}
	return items
}

func (s *session) toDiagnostic(d *diag.Diagnostic) protocol.Diagnostic {
	out := protocol.Diagnostic{
		Range: s.rangeOf(wide(d.Span)), Severity: severities[d.Severity], Source: "pentode",
		Code: d.Code.ID, CodeDescription: &protocol.CodeDescription{Href: d.Code.URL()},
		Message: strings.Join(append(append([]string{d.Message}, d.Notes...), d.Help...), "\n"),
	}
	if d.Label != "" {
		out.Message = strings.Replace(out.Message, d.Message, d.Message+": "+d.Label, 1)
	}
	out.Message = s.shorten(out.Message)
	for _, l := range d.Labels {
		l.Message = s.shorten(l.Message)
		out.RelatedInformation = append(out.RelatedInformation, protocol.Related{Location: s.location(l.Span), Message: l.Message})
	}
	return out
}

// wide makes an empty span visible by extending it over a character.
func wide(span source.Span) source.Span {
	if text := span.File.Text(); span.Len() == 0 && span.End < len(text) && text[span.End] != '\n' && text[span.End] < 0x80 {
		span.End++
	}
	return span
}

var severities = map[diag.Severity]int{diag.Error: 1, diag.Warning: 2, diag.Info: 3}
