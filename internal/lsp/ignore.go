package lsp

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace/project"
)

// ignores are the ways not to be shown a finding: a comment above its line, or
// its code in the project file.
func (s *Server) ignores(c *lang.Config, d *diag.Diagnostic, of []protocol.Diagnostic) []protocol.CodeAction {
	list := []protocol.CodeAction{{
		Title: "Ignore " + d.Code.ID + " here", Kind: quickFix, Diagnostics: of,
		Edit: s.workspaceEdit([]source.Edit{ignoreHere(c.Document.Language, d)}),
	}}
	if edit := s.ignoreInProject(c.Document.File.Path(), d.Code.ID); edit != nil {
		list = append(list, protocol.CodeAction{Title: "Ignore " + d.Code.ID + " in the project", Kind: quickFix, Diagnostics: of, Edit: edit})
	}
	return list
}

// ignoreHere writes a comment above the line of a finding, indented like it.
func ignoreHere(l *lang.Language, d *diag.Diagnostic) source.Edit {
	f := d.Span.File
	start := f.LineStart(d.Span.Position().Line)
	line := f.Text()[start:]
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	return source.Edit{Span: f.Span(start, start), Text: indent + l.CommentSign + " pentode: ignore " + d.Code.ID + "\n"}
}

// ignored is where the list of ignored codes begins in a project file.
var ignored = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^ignore[ \t]*=[ \t]*\[`) })

// ignoreInProject adds a code to the project file, or makes one in the folder
// that is open; nil where the client cannot make files.
func (s *Server) ignoreInProject(path, code string) *protocol.WorkspaceEdit {
	entry := `"` + code + `"`
	if f := s.workspace.Project(path).File; f != nil {
		edit := source.Edit{Span: f.Span(0, 0), Text: "ignore = [" + entry + "]\n"}
		if at := ignored().FindStringIndex(f.Text()); at != nil {
			edit = source.Edit{Span: f.Span(at[1], at[1]), Text: entry + ", "}
			if strings.HasPrefix(strings.TrimLeft(f.Text()[at[1]:], " \t\r\n"), "]") {
				edit.Text = entry
			}
		}
		return s.workspaceEdit([]source.Edit{edit})
	}
	i := slices.IndexFunc(s.folders, func(dir string) bool { return strings.HasPrefix(path, filepath.Clean(dir)+string(filepath.Separator)) })
	if i < 0 || !slices.Contains(s.client.Workspace.WorkspaceEdit.ResourceOperations, "create") {
		return nil
	}
	uri := s.uri(filepath.Join(s.folders[i], project.FileName))
	change := protocol.DocumentEdit{Edits: []protocol.TextEdit{{NewText: "ignore = [" + entry + "]\n"}}}
	change.TextDocument.URI = uri
	return &protocol.WorkspaceEdit{DocumentChanges: []any{protocol.CreateFile{Kind: "create", URI: uri}, change}}
}
