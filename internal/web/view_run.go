package web

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/internal/web/watch"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// runAnswer is the overview of the folder.
type runAnswer struct {
	Root     string          `json:"root"` // the prefix of the paths in all answers
	Name     string          `json:"name"`
	Full     string          `json:"full"` // the absolute path, for links to an editor
	ReadOnly bool            `json:"read_only"`
	IsRun    bool            `json:"is_run"`
	Starts   string          `json:"starts"` // what `start` starts: the folder, or nothing
	Parts    []suite.Part    `json:"parts"`
	Files    []fileEntry     `json:"files"`
	Check    json.RawMessage `json:"check"`   // as `check --format json`
	Groups   []groupEntry    `json:"groups"`  // as `check --group`
	Many     bool            `json:"many"`    // there are many findings, so that groups are shown first
	Settled  string          `json:"settled"` // the findings that `types import` would fix
	Runs     []watch.Entry   `json:"runs"`
}

// groupEntry is a group of findings of one code and severity.
type groupEntry struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Title    string `json:"title"`
	Count    int    `json:"count"`
}

type fileEntry struct {
	Path     string `json:"path"`
	Language string `json:"language"`
	Title    string `json:"title"`
	Role     string `json:"role"`
	Errors   int    `json:"errors"`
	Warnings int    `json:"warnings"`
	Infos    int    `json:"infos"`
	Runs     bool   `json:"runs"` // the file can be run by itself
}

func (s *Server) runView(*http.Request) (any, error) {
	full, err := filepath.Abs(s.root)
	if err != nil {
		return nil, err
	}
	out := runAnswer{
		Root: s.root, Name: filepath.Base(full), Full: full, ReadOnly: s.opt.ReadOnly,
		Parts: []suite.Part{}, Files: []fileEntry{}, Groups: []groupEntry{}, Runs: s.runs.Entries(),
	}
	o := s.open()
	var found diag.List
	configs := s.files(o.workspace, &found)
	checked := workspace.Leaves(configs)
	if o.run != nil {
		out.IsRun, out.Parts = true, append(out.Parts, suite.Summary(o.run)...)
		if o.run.Starts() != nil {
			out.Starts = s.root
		}
		found = append(found, suite.Found(o.run, s.opt.Host)...)
		checked = slices.DeleteFunc(checked, func(c *lang.Config) bool { return suite.ConfigOf(o.run, c.Document.File.Path()) != nil })
	}
	for _, c := range checked {
		found = append(found, c.Found()...)
	}
	if o.run != nil {
		checked = append(checked, o.run.Files()...)
	}
	found = o.workspace.Review(found, checked...)
	for _, c := range configs {
		out.Files = append(out.Files, entryOf(c, found))
	}
	for _, g := range render.Groups(found) {
		out.Groups = append(out.Groups, groupEntry{g.Code.ID, g.Severity.String(), g.Code.Title, g.Count})
	}
	out.Many, out.Settled = len(found) > render.Many, suite.Settled(found)
	out.Check, err = checkReport(configs, found)
	return out, err
}

// maxFiles is the maximum number of files that the page lists.
const maxFiles = 2000

// files returns the files of the folder in one of the languages. An unreadable file
// becomes a finding.
func (s *Server) files(w *workspace.Workspace, found *diag.List) []*lang.Config {
	paths, err := w.Walk(s.root)
	if err != nil {
		return nil
	}
	var list []*lang.Config
	for _, path := range paths[:min(len(paths), maxFiles)] {
		c, err := w.Config(path)
		if err != nil {
			found.Add(workspace.Unreadable(path, err))
			continue
		}
		list = append(list, c)
	}
	return list
}

func entryOf(c *lang.Config, found diag.List) fileEntry {
	l, path := c.Document.Language, c.Document.File.Path()
	e := fileEntry{Path: path, Language: l.Name, Title: l.Title, Role: string(l.Role), Runs: runsAlone(c)}
	for _, d := range found {
		if d.Span.File == nil || d.Span.File.Path() != path {
			continue
		}
		switch d.Severity {
		case diag.Error:
			e.Errors++
		case diag.Warning:
			e.Warnings++
		default:
			e.Infos++
		}
	}
	return e
}

// runsAlone reports whether a file can be run by itself: a pipeline or a plan.
func runsAlone(c *lang.Config) bool {
	switch filepath.Ext(c.Document.File.Path()) {
	case ".pipe", ".psdl":
		return c.Document.Language.Role == suite.Flow || c.Document.Language.Role == suite.Launch
	}
	return false
}
