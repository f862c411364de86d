package lsp

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
)

// prepareRename returns the name that would change, or an error that says why it cannot be renamed.
func (s *session) prepareRename(_ *lang.Config, at source.Span, _ *protocol.PositionParams) (*protocol.PrepareRename, error) {
	uses, err := s.renamable(at)
	if err != nil {
		return nil, err
	}
	for _, f := range uses {
		if x := placeOf(f.Span); x.path == at.File.Path() && x.start <= at.Start && at.Start <= x.end {
			return &protocol.PrepareRename{Range: s.rangeOf(at.File.Span(x.start, x.end)), Placeholder: f.Span.Text()}, nil
		}
	}
	return nil, errNothing
}

// renamable returns the places that a rename would change. It returns at least one place, or an
// error.
func (s *session) renamable(at source.Span) ([]found, error) {
	uses := s.uses(at.File.Path(), at.Start)
	if len(uses) == 0 {
		return nil, errors.New("there is nothing here to rename")
	}
	name := ""
	for _, f := range uses {
		if placeOf(f.Span).path == at.File.Path() && f.Span.Start <= at.Start && at.Start <= f.Span.End {
			name = f.Span.Text()
		}
	}
	for _, f := range uses {
		if f.Fixed {
			return nil, fmt.Errorf("`%s` is a name of the language or of the program and cannot be renamed", f.Span.Text())
		}
		if path := placeOf(f.Span).path; !s.ours(path) {
			return nil, fmt.Errorf("`%s` is also used in `%s`, which is outside of the open folders", name, path)
		}
		if f.Span.Text() != name {
			return nil, fmt.Errorf("`%s` is written as `%s` at %s, so it cannot be renamed automatically", name, f.Span.Text(), f.Span)
		}
	}
	return uses, nil
}

// ours reports whether a file may be changed: it is open, or in an open folder.
func (s *session) ours(path string) bool {
	return s.docs[path] != nil || slices.ContainsFunc(s.folders, func(dir string) bool {
		return strings.HasPrefix(path, filepath.Clean(dir)+string(filepath.Separator))
	})
}

// rename renames a thing at all of its places. It refuses a new name that
// would add an error.
func (s *session) rename(_ *lang.Config, at source.Span, p *protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	uses, err := s.renamable(at)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSpace(p.NewName)
	if name == "" || strings.ContainsAny(name, "\r\n") {
		return nil, fmt.Errorf("`%s` is not a name: expected one line that is not empty", p.NewName)
	}
	if uses[0].Span.Text() == name {
		return &protocol.WorkspaceEdit{}, nil
	}
	var edits []source.Edit
	configs := map[*lang.Config]bool{}
	for _, f := range uses {
		edits = append(edits, source.Edit{Span: f.Span, Text: name})
		configs[f.config] = true
	}
	for c := range configs {
		if err := s.allowed(c, edits); err != nil {
			return nil, err
		}
	}
	return s.workspaceEdit(edits), nil
}

// allowed refuses edits that add an error to a configuration.
func (s *session) allowed(c *lang.Config, edits []source.Edit) error {
	var mine []source.Edit
	for _, f := range c.Files() {
		for _, e := range edits {
			if placeOf(e.Span).path == filepath.Clean(f.Path()) {
				mine = append(mine, source.Edit{Span: f.Span(e.Span.Start, e.Span.End), Text: e.Text})
			}
		}
	}
	changes, err := source.Changes(mine)
	if err != nil {
		return err
	}
	before, after := c.Diagnostics(), c.With(changes).Diagnostics()
	if after.Count(diag.Error) <= before.Count(diag.Error) {
		return nil
	}
	known := map[string]bool{}
	for _, d := range before {
		known[d.Message] = true
	}
	for _, d := range after {
		if d.Severity == diag.Error && !known[d.Message] {
			return fmt.Errorf("it would be an error: %s", d.Message)
		}
	}
	return errors.New("it would add an error")
}
