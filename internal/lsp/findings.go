package lsp

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// runFindings are the findings of a run folder.
type runFindings struct {
	list diag.List
	run  *suite.Run // nil where the folder is none

	links  []suite.Link // once linked is set
	linked bool
	joined map[place][]place // the links by place, once they are asked for
	workspace.Needs
}

// findings are all findings in a file: as a document of its own or as a part of
// those that include it, and between the files of a run, as far as comments and
// the project want them.
func (s *Server) findings(path string) diag.List {
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

// in are the findings of one file.
func in(path string, list diag.List) diag.List {
	var own diag.List
	for _, d := range list {
		if d.Span.File != nil && filepath.Clean(d.Span.File.Path()) == path {
			own = append(own, d)
		}
	}
	return own
}

// roots are the documents that a file is checked with: those that include it
// and are not included themselves, or the file itself.
func (s *Server) roots(path string) []string {
	if _, err := s.workspace.Config(path); err != nil {
		return []string{path}
	}
	includers := s.session.Includers(path)
	roots := slices.DeleteFunc(slices.Clone(includers), func(name string) bool {
		_, err := s.workspace.Config(name)
		return err != nil || len(s.session.Includers(name)) > 0
	})
	if len(roots) == 0 {
		return []string{path}
	}
	return roots
}

// rootFindings are those of a document, as it is in its run where it has one,
// with the configurations that were checked.
func (s *Server) rootFindings(path string) (diag.List, []*lang.Config) {
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

// runOf is the run of a folder, or nil. A folder with one file is none: what
// could be said about it is said about the file.
func (s *Server) runOf(dir string) *runFindings {
	have := s.runs[dir]
	if have == nil || !s.session.Fresh(have.Needs) {
		have = &runFindings{}
		have.Needs = s.session.Record(func() { s.openRun(dir, have) })
		s.runs[dir] = have
	}
	if have.run == nil {
		return nil
	}
	return have
}

func (s *Server) openRun(dir string, into *runFindings) {
	if !suite.IsRunFolder(dir) || !s.several(dir) {
		return
	}
	run, err := suite.Open(s.workspace, dir)
	if err != nil {
		return
	}
	into.run, into.list = run, suite.Found(run, s.options.Host)
}

// several reports whether a folder has more than one file of our languages.
func (s *Server) several(dir string) bool {
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

// contexts are the configurations that a file is a part of: those that include
// it, and its own.
func (s *Server) contexts(path string) []*lang.Config {
	var list []*lang.Config
	for _, name := range append(s.session.Includers(path), path) {
		if c, err := s.workspace.Config(name); err == nil {
			list = append(list, c)
		}
	}
	return list
}
