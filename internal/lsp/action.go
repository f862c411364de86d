package lsp

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace/project"
)

// The kinds of actions.
const (
	quickFix = "quickfix"
	fixAll   = "source.fixAll.pentode"
	rewrite  = "refactor.rewrite"
	inline   = "refactor.inline"
	extract  = "refactor.extract"
)

var actionKinds = []string{quickFix, fixAll, rewrite, inline, extract}

// codeAction returns the actions for a range.
func (s *session) codeAction(c *lang.Config, p *protocol.CodeActionParams) ([]protocol.CodeAction, error) {
	piece := s.spanOf(c.Document.File, p.Range)
	list := s.fixes(c, piece)
	if wants(p.Context.Only, fixAll) {
		list = append(list, s.fixAll(c)...)
	}
	list = append(list, s.macroActions(c, piece)...)
	list = append(list, s.settingActions(c, piece)...)
	list = append(list, s.styles(c)...)
	return slices.DeleteFunc(list, func(a protocol.CodeAction) bool { return !wants(p.Context.Only, a.Kind) }), nil
}

// wants reports whether a client asks for a kind, by its name or a prefix of it.
func wants(only []string, kind string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(o string) bool { return kind == o || strings.HasPrefix(kind, o+".") })
}

// fixes returns the fixes of the findings in a range.
func (s *session) fixes(c *lang.Config, piece source.Span) []protocol.CodeAction {
	list := []protocol.CodeAction{}
	for _, d := range s.findings(c.Document.File.Path()) {
		if d.Span.Start > piece.End || d.Span.End < piece.Start {
			continue
		}
		of := []protocol.Diagnostic{s.toDiagnostic(d)}
		for _, fix := range d.Fixes {
			list = append(list, protocol.CodeAction{Title: sentence(fix.Message), Kind: quickFix, Diagnostics: of, IsPreferred: fix.Safe, Edit: s.workspaceEdit(fix.Edits)})
		}
		list = append(list, s.ignores(c, d, of)...)
		list = append(list, protocol.CodeAction{Title: "Explain " + d.Code.ID, Kind: quickFix, Diagnostics: of,
			Command: &protocol.Command{Title: "Explain " + d.Code.ID, Command: commandExplain, Arguments: []any{d.Code.ID}}})
	}
	return list
}

func sentence(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// fixAll returns an action that makes all safe fixes of a document, as `check --fix` does.
func (s *session) fixAll(c *lang.Config) []protocol.CodeAction {
	safe := slices.ContainsFunc(c.Diagnostics(), func(d *diag.Diagnostic) bool {
		return slices.ContainsFunc(d.Fixes, func(f diag.Fix) bool { return f.Safe })
	})
	if !safe {
		return nil
	}
	draft := s.Draft()
	fixed, err := draft.Fix(c)
	if err != nil || fixed.Made == 0 {
		return nil
	}
	return []protocol.CodeAction{{Title: fmt.Sprintf("Apply all safe fixes (%d)", fixed.Made), Kind: fixAll, Edit: s.workspaceEdit(whole(draft.Changes()))}}
}

// macroActions returns actions that replace a macro by its value, or a value by a new macro.
func (s *session) macroActions(c *lang.Config, piece source.Span) []protocol.CodeAction {
	f := c.Document.File
	if edits := c.Extract(f, piece.Start); len(edits) > 0 && s.allowed(c, edits) == nil {
		return []protocol.CodeAction{{Title: "Extract the value into a macro", Kind: extract, Edit: s.workspaceEdit(edits)}}
	}
	if edits := c.Inline(f, piece.Start); len(edits) > 0 && s.allowed(c, edits) == nil {
		return []protocol.CodeAction{{Title: "Replace `" + edits[0].Span.Text() + "` by its value", Kind: inline, Edit: s.workspaceEdit(edits)}}
	}
	for _, o := range s.at(c, f.Path(), piece.Start) {
		if o.Key == "" || o.Symbol != "" || o.Kind == lang.Macro {
			continue
		}
		if value, ok := s.becomes(c, o.Occurrence); ok {
			return []protocol.CodeAction{{Title: "Write the value `" + value + "` here", Kind: inline,
				Edit: s.workspaceEdit([]source.Edit{{Span: f.Span(o.Span.Start, o.Span.End), Text: value}})}}
		}
	}
	return nil
}

// settingActions returns actions for a setting that another file overrides: to change it in that file or
// here.
func (s *session) settingActions(c *lang.Config, piece source.Span) []protocol.CodeAction {
	path := filepath.Clean(c.Document.File.Path())
	for _, config := range s.contexts(path) {
		for _, o := range s.at(config, path, piece.Start) {
			e, ok := s.entry(config, o.Key)
			if ok && o.Key != "" && o.Symbol == "" {
				return s.decidedElsewhere(config, o, &e)
			}
		}
	}
	return nil
}

// decidedElsewhere returns actions for a setting whose value comes from another place: to write this value
// there, or to write the value from there here.
func (s *session) decidedElsewhere(c *lang.Config, o found, e *origin.Entry) []protocol.CodeAction {
	decided := e.Decided().Span
	if decided.IsZero() || placeOf(decided).path == placeOf(o.Span).path && s.rangeOf(decided).Start.Line == s.rangeOf(o.Span).Start.Line {
		return nil
	}
	var written string
	for _, step := range e.Steps {
		if !step.Span.IsZero() && placeOf(step.Span).path == placeOf(o.Span).path && s.rangeOf(step.Span).Start.Line == s.rangeOf(o.Span).Start.Line {
			written = step.Text
		}
	}
	if written == "" || written == e.Value {
		return nil
	}
	var list []protocol.CodeAction
	if o.Span.Text() == written {
		list = append(list, protocol.CodeAction{Title: fmt.Sprintf("Write `%s` here, the value from %s", e.Value, short(decided)), Kind: rewrite,
			Edit: s.workspaceEdit([]source.Edit{{Span: o.Span, Text: e.Value}})})
	}
	edited, err := c.Edit(lang.Assignment{Key: e.Key, Value: written})
	if err != nil {
		return list
	}
	return append(list, protocol.CodeAction{Title: fmt.Sprintf("Set `%s` at %s, which decides it", written, short(decided)), Kind: rewrite, Edit: s.workspaceEdit(whole(edited.Changes))})
}

// whole converts changed files to edits that replace the whole texts.
func whole(changes []source.Change) (edits []source.Edit) {
	for _, c := range changes {
		edits = append(edits, source.Edit{Span: c.File.Span(0, c.File.Len()), Text: c.Text})
	}
	return edits
}

// styles returns actions that rewrite a document in another style of its language.
func (s *session) styles(c *lang.Config) []protocol.CodeAction {
	l := c.Document.Language
	var list []protocol.CodeAction
	for _, format := range l.Formats() {
		if !l.IsStyle(format) || c.Diagnostics().HasErrors() {
			continue
		}
		var b strings.Builder
		lost, err := c.Convert(format, &b)
		f := c.Document.File
		if err != nil || lost.HasErrors() || b.String() == f.Text() || !sameMeaning(c, b.String()) {
			continue
		}
		list = append(list, protocol.CodeAction{Title: "Rewrite in " + format, Kind: rewrite,
			Edit: s.workspaceEdit([]source.Edit{{Span: f.Span(0, f.Len()), Text: b.String()}})})
	}
	return list
}

// sameMeaning reports whether a document would have no additional errors with another text.
func sameMeaning(c *lang.Config, text string) bool {
	return !c.With([]source.Change{{File: c.Document.File, Text: text}}).Diagnostics().HasErrors()
}

// ignores returns actions that silence a finding: by a comment above its line, or by
// its code in the project file.
func (s *session) ignores(c *lang.Config, d *diag.Diagnostic, of []protocol.Diagnostic) []protocol.CodeAction {
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

// ignored matches the beginning of the list of ignored codes in a project file.
var ignored = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^ignore[ \t]*=[ \t]*\[`) })

// ignoreInProject adds a code to the project file, or creates one in the open folder;
// nil if the client cannot create files.
func (s *session) ignoreInProject(path, code string) *protocol.WorkspaceEdit {
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
