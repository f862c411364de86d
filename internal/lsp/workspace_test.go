package lsp_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
)

// folder is a temporary folder by the one name that it has.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

const unread = "config idle\n  entry = 1\n\nprocess a\n  :: numbers\n\nprocess s\n  :: sink\n\nconnect from a.number to s.sink\n"

// TestPulledOrPushed: findings are pushed to a client that does not ask for
// them, and never to one that does.
func TestPulledOrPushed(t *testing.T) {
	for _, capabilities := range []string{pushed, everything} {
		c := start(t, folder(t), capabilities)
		c.open("a.pipe", unread)
		if capabilities == pushed {
			c.told("a.pipe", func(list []protocol.Diagnostic) bool { return len(list) > 0 })
		} else {
			c.call("textDocument/diagnostic", protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: c.uri("a.pipe")}}, nil)
		}
		if err := c.stop(); err != nil {
			t.Error(err)
		}
		if n := len(c.published); (capabilities == pushed) != (n > 0) {
			t.Errorf("%s: the findings of %d files were pushed", capabilities, n)
		}
	}
}

// TestUnchanged: a client that has the newest findings is not sent them again.
func TestUnchanged(t *testing.T) {
	c := start(t, folder(t), everything)
	c.open("a.pipe", unread)
	p := protocol.DiagnosticParams{TextDocument: protocol.TextDocument{URI: c.uri("a.pipe")}}
	var first, second protocol.DiagnosticReport
	c.call("textDocument/diagnostic", p, &first)
	p.PreviousResultID = first.ResultID
	c.call("textDocument/diagnostic", p, &second)
	if first.Kind != "full" || second.Kind != "unchanged" {
		t.Errorf("%s, then %s", first.Kind, second.Kind)
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// TestProjectIsWatched: a project file that changes decides anew.
func TestProjectIsWatched(t *testing.T) {
	dir := folder(t)
	c := start(t, dir, pushed)
	c.open("a.pipe", unread)
	some := func(list []protocol.Diagnostic) bool { return len(list) > 0 }
	none := func(list []protocol.Diagnostic) bool { return len(list) == 0 }
	event := func(kind int) {
		c.notify("workspace/didChangeWatchedFiles", protocol.WatchedFilesParams{Changes: []protocol.FileEvent{{URI: c.uri("pentode.toml"), Type: kind}}})
	}
	c.told("a.pipe", some)
	write(t, dir, "pentode.toml", "ignore = [\"sprokit/*\"]\n")
	event(1)
	c.told("a.pipe", none)
	write(t, dir, "pentode.toml", "ignore = []\n")
	event(2)
	c.told("a.pipe", some)
	write(t, dir, "pentode.toml", "ignroe = []\n")
	event(2)
	c.told("pentode.toml", some)
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// TestProjectUnsaved: a project file counts as the editor shows it.
func TestProjectUnsaved(t *testing.T) {
	dir := folder(t)
	c := start(t, dir, pushed)
	some := func(list []protocol.Diagnostic) bool { return len(list) > 0 }
	none := func(list []protocol.Diagnostic) bool { return len(list) == 0 }
	c.open("sub/a.pipe", unread)
	c.told("sub/a.pipe", some)
	c.open("pentode.toml", "ignore = [\"sprokit/*\"]\n")
	c.told("sub/a.pipe", none)
	c.change("pentode.toml", nil, "ignroe = []\n")
	c.told("pentode.toml", some)
	c.told("sub/a.pipe", some)
	c.change("pentode.toml", nil, "ignore = [\"sprokit/*\"]\n")
	c.told("pentode.toml", none)
	c.told("sub/a.pipe", none)
	c.notify("textDocument/didClose", protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: c.uri("pentode.toml")}})
	c.told("sub/a.pipe", some)
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// TestLanguageOfTheClient: what the client calls a file counts where its name and
// content do not decide.
func TestLanguageOfTheClient(t *testing.T) {
	c := start(t, folder(t), pushed)
	for name, x := range map[string]struct{ language, text, code string }{
		"a.psdl": {"coil", "daemon { comand \"x\"; }\n", "paradyn/"},
		"a.yml":  {"pdi", "data: 7\n", "pdi/"},
	} {
		c.notify("textDocument/didOpen", protocol.DidOpenParams{TextDocument: protocol.TextDocumentItem{URI: c.uri(name), LanguageID: x.language, Version: 1, Text: x.text}})
		c.versions[name] = 1
		c.told(name, func(list []protocol.Diagnostic) bool { return len(list) > 0 && strings.HasPrefix(list[0].Code, x.code) })
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// TestFolders: several folders are one workspace, and what lies outside of
// them is read but not changed.
func TestFolders(t *testing.T) {
	dir := folder(t)
	write(t, dir, "one/a.pipe", "include ../outside/c.conf\n\nprocess first\n  :: numbers\n  end = $CONFIG{plate:rows}\n")
	write(t, dir, "two/b.pipe", "process second\n  :: numbers\n")
	write(t, dir, "outside/c.conf", "config plate\n  rows = 3\n")
	c := connect(t, dir)
	at := func(name string) protocol.WorkspaceFolder {
		return protocol.WorkspaceFolder{URI: c.uri(name), Name: name}
	}
	c.call("initialize", map[string]any{"workspaceFolders": []protocol.WorkspaceFolder{at("one")}, "capabilities": json.RawMessage(everything)}, nil)
	c.notify("initialized", struct{}{})
	names := func() string {
		var list []protocol.WorkspaceSymbol
		c.call("workspace/symbol", protocol.WorkspaceSymbolParams{Query: "s"}, &list)
		var found []string
		for _, s := range list {
			found = append(found, s.Name)
		}
		return strings.Join(found, " ")
	}
	if got := names(); !strings.Contains(got, "first") || strings.Contains(got, "second") {
		t.Errorf("in one folder: %s", got)
	}
	var event protocol.FoldersParams
	event.Event.Added = []protocol.WorkspaceFolder{at("two")}
	c.notify("workspace/didChangeWorkspaceFolders", event)
	if got := names(); !strings.Contains(got, "first") || !strings.Contains(got, "second") {
		t.Errorf("in two folders: %s", got)
	}
	rename := protocol.RenameParams{PositionParams: protocol.PositionParams{
		TextDocument: protocol.TextDocument{URI: c.uri("one/a.pipe")}, Position: protocol.Position{Line: 4, Character: 23}}, NewName: "lines"}
	if err := c.ask("textDocument/rename", rename, nil); err == nil || !strings.Contains(err.Error(), "outside the folders") {
		t.Errorf("a rename that changes a file outside: %v", err)
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// TestHintsCanBeSwitchedOff: each kind by itself, at the start or later.
func TestHintsCanBeSwitchedOff(t *testing.T) {
	c := start(t, folder(t), everything)
	c.open("a.pipe", "config plate\n  rows = 3\n\nprocess a\n  :: numbers\n  end = $CONFIG{plate:rows}\n\nprocess s\n  :: sink\n\nconnect from a.number to s.sink\n")
	labels := func() string {
		var list []protocol.InlayHint
		c.call("textDocument/inlayHint", protocol.RangeParams{TextDocument: protocol.TextDocument{URI: c.uri("a.pipe")}, Range: protocol.Range{End: protocol.Position{Line: 99}}}, &list)
		var all []string
		for _, h := range list {
			all = append(all, h.Label)
		}
		return strings.Join(all, ", ")
	}
	for settings, want := range map[string]string{
		`{"pentode": {"hints": {}}}`:                                  "= 3, holds 40",
		`{"pentode": {"hints": {"value": false}}}`:                    "holds 40",
		`{"pentode": {"hints": {"value": true, "capacity": false}}}`:  "= 3",
		`{"pentode": {"hints": {"capacity": false, "value": false}}}`: "",
	} {
		c.notify("workspace/didChangeConfiguration", protocol.ConfigurationParams{Settings: json.RawMessage(settings)})
		if got := labels(); got != want {
			t.Errorf("%s: %q, want %q", settings, got, want)
		}
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}
