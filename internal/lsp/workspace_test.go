package lsp_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
)

// folder returns a temporary folder with all links in its path resolved.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

const unread = "config idle\n  entry = 1\n\nprocess a\n  :: numbers\n\nprocess s\n  :: sink\n\nconnect from a.number to s.sink\n"

// TestPulledOrPushed: findings are pushed to a client that does not request them, and never to one
// that does.
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
			t.Errorf("%s: the findings of %d files were pushed, want %v", capabilities, n, (n > 0))
		}
	}
}

// TestUnchanged: findings are not sent again to a client that has the newest ones.
func TestUnchanged(t *testing.T) {
	c := start(t, folder(t), everything)
	c.open("a.pipe", unread)
	p := protocol.DiagnosticParams{DocumentParams: protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: c.uri("a.pipe")}}}
	var first, second protocol.DiagnosticReport
	c.call("textDocument/diagnostic", p, &first)
	p.PreviousResultID = first.ResultID
	c.call("textDocument/diagnostic", p, &second)
	if first.Kind != "full" || second.Kind != "unchanged" {
		t.Errorf("%s, then %s; want first.Kind = %q and second.Kind = %q", first.Kind, second.Kind, "full", "unchanged")
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// TestProjectIsWatched: a changed project file takes effect at once.
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

// TestProjectUnsaved: the server uses the unsaved text of a project file that is open in the
// editor.
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

// TestLanguageOfTheClient: the language that the client reports is used if name and content do not
// identify it.
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

// TestFolders: several folders form one workspace; files outside of them are read but not changed.
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
		t.Errorf("in one folder: %s; want %q in got and no %q in got", got, "first", "second")
	}
	var event protocol.FoldersParams
	event.Event.Added = []protocol.WorkspaceFolder{at("two")}
	c.notify("workspace/didChangeWorkspaceFolders", event)
	if got := names(); !strings.Contains(got, "first") || !strings.Contains(got, "second") {
		t.Errorf("in two folders: %s; want %q in got and %q in got", got, "first", "second")
	}
	process := protocol.RenameParams{PositionParams: protocol.PositionParams{
		DocumentParams: protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: c.uri("one/a.pipe")}}, Position: protocol.Position{Line: 2, Character: 9}}, NewName: "foremost"}
	if err := c.ask("textDocument/rename", process, nil); err != nil {
		t.Errorf("a rename in a folder: %v", err)
	}
	event.Event.Added, event.Event.Removed = nil, []protocol.WorkspaceFolder{at("one")}
	c.notify("workspace/didChangeWorkspaceFolders", event)
	if err := c.ask("textDocument/rename", process, nil); err == nil || !strings.Contains(err.Error(), "outside of the open folders") {
		t.Errorf("a rename in a folder that was taken away: %v", err)
	}
	rename := protocol.RenameParams{PositionParams: protocol.PositionParams{
		DocumentParams: protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: c.uri("one/a.pipe")}}, Position: protocol.Position{Line: 4, Character: 23}}, NewName: "lines"}
	if err := c.ask("textDocument/rename", rename, nil); code(err) != requestFailed || !strings.Contains(err.Error(), "outside of the open folders") {
		t.Errorf("a rename that changes a file outside: %v", err)
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// TestHintsCanBeSwitchedOff: each kind of hint can be switched off separately, at the start or
// later.
func TestHintsCanBeSwitchedOff(t *testing.T) {
	c := start(t, folder(t), everything)
	c.open("a.pipe", "config plate\n  rows = 3\n\nprocess a\n  :: numbers\n  end = $CONFIG{plate:rows}\n\nprocess s\n  :: sink\n\nconnect from a.number to s.sink\n")
	labels := func() string {
		var list []protocol.InlayHint
		c.call("textDocument/inlayHint", protocol.RangeParams{DocumentParams: protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: c.uri("a.pipe")}}, Range: protocol.Range{End: protocol.Position{Line: 99}}}, &list)
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

// TestWorkspaceDiagnostics: a request for the findings of the workspace returns those of every
// file, open or not.
func TestWorkspaceDiagnostics(t *testing.T) {
	dir := folder(t)
	write(t, dir, "closed.pipe", "process a\n  :: nombers\n")
	write(t, dir, "sub/good.pipe", "process a\n  :: numbers\n\nprocess s\n  :: sink\n\nconnect from a.number to s.sink\n")
	write(t, dir, "opened.pipe", "process a\n  :: numbers\n")
	c := start(t, dir, everything)
	c.open("opened.pipe", "process a\n  :: nombers\n")
	for range 2 {
		var all protocol.WorkspaceDiagnosticReport
		c.call("workspace/diagnostic", struct{}{}, &all)
		got := map[string]string{}
		for _, item := range all.Items {
			text := item.Kind
			if item.Version != nil {
				text += fmt.Sprintf(", version %d", *item.Version)
			}
			for _, d := range item.Items {
				text += ", " + d.Code
			}
			got[item.URI] = text
		}
		want := map[string]string{
			c.uri("closed.pipe"):   "full, sprokit/unknown-type",
			c.uri("sub/good.pipe"): "full",
			c.uri("opened.pipe"):   "full, version 1, sprokit/unknown-type",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// TestRefresh: a client that requests findings is told when the findings of files that are not open
// have changed.
func TestRefresh(t *testing.T) {
	dir := folder(t)
	write(t, dir, "closed.pipe", unread)
	c := start(t, dir, `{"workspace": {"diagnostics": {"refreshSupport": true}}, "textDocument": {"diagnostic": {}}}`)
	c.notify("workspace/didChangeWatchedFiles", protocol.WatchedFilesParams{Changes: []protocol.FileEvent{{URI: c.uri("closed.pipe"), Type: 2}}})
	c.hears("workspace/diagnostic/refresh", func(list []json.RawMessage) bool { return len(list) == 1 })
	c.open("open.pipe", unread) // the client asks again for the findings of this file by itself
	c.change("open.pipe", nil, "process a\n")
	if err := c.stop(); err != nil {
		t.Error(err)
	}
	if n := len(c.heard["workspace/diagnostic/refresh"]); n != 1 {
		t.Errorf("it is told %d times, want 1", n)
	}
	if len(c.published) > 0 {
		t.Errorf("%v was pushed to a client that asks, want at most 0", c.published)
	}
}

// TestSaved: saving a document checks it again, together with the files that it includes.
func TestSaved(t *testing.T) {
	dir := folder(t)
	write(t, dir, "plate.conf", "config plate\n  rows = 3\n")
	const text = "include plate.conf\n\nprocess a\n  :: numbers\n  end = $CONFIG{plate:rows}\n\nprocess s\n  :: sink\n\nconnect from a.number to s.sink\n"
	c := start(t, dir, pushed)
	c.open("a.pipe", text)
	c.told("a.pipe", func(list []protocol.Diagnostic) bool { return len(list) == 0 })
	write(t, dir, "plate.conf", "config plate\n  columns = 3\n")
	c.notify("textDocument/didSave", protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: c.uri("plate.conf")}})
	c.told("a.pipe", func(list []protocol.Diagnostic) bool { return len(list) > 0 })
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// TestWatched: a client that can watch files is asked to watch the files of all languages and
// project files.
func TestWatched(t *testing.T) {
	c := start(t, folder(t), `{"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}}`)
	c.hears("client/registerCapability", func(list []json.RawMessage) bool {
		if len(list) == 0 {
			return false
		}
		for _, want := range []string{`"workspace/didChangeWatchedFiles"`, `"**/*.pipe"`, `"**/pentode.toml"`} {
			if !strings.Contains(string(list[0]), want) {
				t.Errorf("no %s in %s", want, list[0])
			}
		}
		return true
	})
	if err := c.stop(); err != nil {
		t.Error(err)
	}
	silent := start(t, folder(t), pushed)
	if err := silent.stop(); err != nil {
		t.Error(err)
	}
	if len(silent.heard) > 0 {
		t.Errorf("a client that cannot was asked %s", silent.heard)
	}
}

// TestProgress: a client that supports progress is told how much of a large workspace has been
// read; for a small workspace it is not.
func TestProgress(t *testing.T) {
	const shows = `{"window": {"workDoneProgress": true}}`
	for files, want := range map[int]string{
		100: "",
		120: `begin "Pentode reads the workspace" 0%, report "50 files" 41%, report "100 files" 83%, end "" 0%`,
	} {
		dir := folder(t)
		for i := range files {
			write(t, dir, fmt.Sprintf("%d.pipe", i), "process a\n  :: numbers\n")
		}
		c := start(t, dir, shows)
		var all protocol.WorkspaceDiagnosticReport
		c.call("workspace/diagnostic", struct{}{}, &all) // reads the files that have not been read yet
		if len(all.Items) != files {
			t.Errorf("%d of %d files are known, want %v", len(all.Items), files, files)
		}
		steps := func(list []json.RawMessage) string {
			var told []string
			for _, raw := range list {
				var p struct {
					Token string
					Value protocol.Progress
				}
				if err := json.Unmarshal(raw, &p); err != nil || p.Token == "" {
					t.Errorf("%s: %v", raw, err)
				}
				told = append(told, fmt.Sprintf("%s %q %d%%", p.Value.Kind, p.Value.Title+p.Value.Message, p.Value.Percentage))
			}
			return strings.Join(told, ", ")
		}
		c.hears("$/progress", func(list []json.RawMessage) bool { return len(list) == strings.Count(want, "%") })
		if err := c.stop(); err != nil {
			t.Error(err)
		}
		if got := steps(c.heard["$/progress"]); got != want {
			t.Errorf("%d files: %s, want %s", files, got, want)
		}
		if created := len(c.heard["window/workDoneProgress/create"]); created != min(len(want), 1) {
			t.Errorf("%d files: the client was asked %d times to show progress, want %v", files, created, min(len(want), 1))
		}
	}
}

// TestPlainSnippets: a client that does not support snippets gets plain text.
func TestPlainSnippets(t *testing.T) {
	for capabilities, want := range map[string]string{everything: "end = $0", `{}`: "end = "} {
		c := start(t, folder(t), capabilities)
		c.open("a.pipe", "process a\n  :: numbers\n  en\n")
		var list protocol.CompletionList
		c.call("textDocument/completion", protocol.PositionParams{DocumentParams: protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: c.uri("a.pipe")}}, Position: protocol.Position{Line: 2, Character: 4}}, &list)
		found := false
		for _, item := range list.Items {
			if item.Label != "end" {
				continue
			}
			found = true
			if format := strings.Count(want, "$") * 2; item.TextEdit.NewText != want || item.InsertTextFormat != format {
				t.Errorf("%s: %q in format %d, want %q in %d", capabilities, item.TextEdit.NewText, item.InsertTextFormat, want, format)
			}
		}
		if !found {
			t.Errorf("`end` is not offered: %+v", list.Items)
		}
		if err := c.stop(); err != nil {
			t.Error(err)
		}
	}
}
