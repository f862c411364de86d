package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// opened holds the files of one request.
type opened struct {
	server    *Server
	workspace *workspace.Workspace
	run       *suite.Run // nil if the folder is not a run
}

// open reads the folder for a request, because files may have changed since the
// last one.
func (s *Server) open() *opened { return s.openWith(s.fence) }

// openWith reads the folder with another opener.
func (s *Server) openWith(files source.Opener) *opened {
	env := *s.opt.Workspace.Env
	env.Opener = files
	w := s.opt.Workspace.With(&env)
	o := &opened{server: s, workspace: w}
	if w.Force == nil && suite.IsRunFolder(s.root) {
		if run, err := suite.Open(w, s.root); err == nil {
			o.run = run
		}
	}
	return o
}

// config resolves a file; a file of the run is resolved as part of the run.
func (o *opened) config(path string) (*lang.Config, error) {
	if o.run != nil {
		if c := suite.ConfigOf(o.run, path); c != nil {
			return c, nil
		}
	}
	c, err := o.workspace.Config(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return c, nil
}

// findings returns the findings of one file: as a part of the run, else by itself.
func (o *opened) findings(c *lang.Config) diag.List {
	if o.run == nil || suite.ConfigOf(o.run, c.Document.File.Path()) != c {
		return o.workspace.Review(c.Found(), c)
	}
	files := c.Files()
	return slices.DeleteFunc(suite.Diagnostics(o.run, o.server.opt.Host), func(d *diag.Diagnostic) bool {
		return !slices.ContainsFunc(files, func(f *source.File) bool {
			return d.Span.File != nil && filepath.Clean(f.Path()) == filepath.Clean(d.Span.File.Path())
		})
	})
}

// unreadable returns the error for a file that cannot be opened.
func unreadable(path string, err error) error {
	var unknown *workspace.UnknownLanguage
	if errors.As(err, &unknown) {
		return errors.New("the language of `" + path + "` is unknown")
	}
	return guard.NotFound(source.Explain(path, err))
}

// brokenFile returns the error for a view of a file that has errors.
func brokenFile(path string, found diag.List) error {
	i := slices.IndexFunc(found, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error })
	return fmt.Errorf("`%s` has errors; the first is: %s", path, found[i].Message)
}

// targets finds targets in the folder of a request.
func (o *opened) targets() suite.Targets {
	return suite.Targets{
		Workspace: o.workspace,
		Host:      o.server.opt.Host.Detected,
		Open: func(path string) (*lang.Document, error) {
			if !o.server.fence.Inside(path) {
				return nil, nil // it may be the name of a preset
			}
			d, err := o.workspace.OpenNamed(path)
			if err != nil {
				return nil, unreadable(path, err)
			}
			return d, nil
		},
	}
}

// checkReport returns the findings as the command line prints them.
func checkReport(configs []*lang.Config, found diag.List) (json.RawMessage, error) {
	r := &render.Report{Diagnostics: found}
	for _, c := range configs {
		r.Files = append(r.Files, render.File{Path: c.Document.File.Path(), Language: c.Document.Language.Name})
	}
	var b bytes.Buffer
	err := render.JSON(&b, r)
	return b.Bytes(), err
}

// finding is a finding in an answer.
type finding struct {
	Code     string   `json:"code"`
	Severity string   `json:"severity"`
	Message  string   `json:"message"`
	Help     []string `json:"help"`
	Path     string   `json:"path"`
	Line     int      `json:"line"`
}

func findingOf(d *diag.Diagnostic) finding {
	f := finding{Code: d.Code.ID, Severity: d.Severity.String(), Message: d.Message, Help: append([]string{}, d.Help...)}
	if !d.Span.IsZero() {
		f.Path, f.Line = d.Span.File.Path(), d.Span.Position().Line
	}
	return f
}
