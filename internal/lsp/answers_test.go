package lsp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
)

const countingPipe = `config local
  rows = 4
process first
  :: numbers
  start = $CONFIG{local:rows}
process second
  :: numbers
  start = $CONFIG{local:rows}
process third
  :: numbers
  start = $CONFIG{local:rows}
process last
  :: sink
connect from first.number
        to   last.sink
`

// TestAnnounced: the server announces exactly the requests that it can answer.
func TestAnnounced(t *testing.T) {
	c := connect(t, t.TempDir())
	var result protocol.InitializeResult
	c.call("initialize", map[string]any{"capabilities": map[string]any{"textDocument": map[string]any{"diagnostic": map[string]any{}}}}, &result)
	for _, name := range []string{
		"hover", "completion", "definition", "declaration", "typeDefinition", "references", "documentHighlight", "rename", "documentSymbol",
		"workspaceSymbol", "foldingRange", "selectionRange", "documentLink", "semanticTokens", "inlayHint", "codeAction", "codeLens",
		"documentFormatting", "documentRangeFormatting", "documentOnTypeFormatting", "callHierarchy", "executeCommand", "diagnostic",
	} {
		if can := result.Capabilities[name+"Provider"]; can == nil || can == false {
			t.Errorf("%s is answered, but not announced", name)
		}
	}
	for path, want := range map[string]any{
		"textDocumentSync.openClose": true, "textDocumentSync.change": 2.0, "textDocumentSync.save": true, "renameProvider.prepareProvider": true,
		"semanticTokensProvider.full.delta": true, "semanticTokensProvider.range": true,
		"workspace.workspaceFolders.supported": true, "workspace.workspaceFolders.changeNotifications": true,
		"diagnosticProvider.interFileDependencies": true, "diagnosticProvider.workspaceDiagnostics": true,
	} {
		var at any = result.Capabilities
		for key := range strings.SplitSeq(path, ".") {
			table, _ := at.(map[string]any)
			at = table[key]
		}
		if at != want {
			t.Errorf("%s is %v, want %v", path, at, want)
		}
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// TestColoursAfterEdits: after an edit, the server sends only the changed colour tokens. Applied to the previous
// tokens, they give the tokens of the new text, and no more of them are sent than needed.
func TestColoursAfterEdits(t *testing.T) {
	c := start(t, t.TempDir(), everything)
	c.open("a.pipe", countingPipe)
	document := protocol.TextDocument{URI: c.uri("a.pipe")}
	var before protocol.SemanticTokens
	c.call("textDocument/semanticTokens/full", protocol.DocumentParams{TextDocument: document}, &before)
	for _, edit := range []struct {
		name string
		line int
		text string
	}{
		{"in the middle", 5, "process more\n  :: numbers\n"},
		{"at the end", 17, "process more_yet\n  :: numbers\n"},
		{"at the beginning", 0, "# a comment\n"},
		{"nothing that has a colour", 6, "\n"},
	} {
		at := protocol.Position{Line: edit.line}
		c.change("a.pipe", &protocol.Range{Start: at, End: at}, edit.text)
		var delta protocol.SemanticDelta
		c.call("textDocument/semanticTokens/full/delta", protocol.SemanticDeltaParams{DocumentParams: protocol.DocumentParams{TextDocument: document}, PreviousResultID: before.ResultID}, &delta)
		var now protocol.SemanticTokens
		c.call("textDocument/semanticTokens/full", protocol.DocumentParams{TextDocument: document}, &now)
		patched := slices.Clone(before.Data)
		for _, e := range delta.Edits {
			if len(e.Data) > 30 {
				t.Errorf("%s: %d numbers were sent, want at most 30", edit.name, len(e.Data))
			}
			if e.Start+e.DeleteCount > len(patched) {
				t.Fatalf("%s: %d numbers from %d on are gone, but there were %d", edit.name, e.DeleteCount, e.Start, len(patched))
			}
			patched = slices.Replace(patched, e.Start, e.Start+e.DeleteCount, e.Data...)
		}
		if len(delta.Edits) != 1 || !slices.Equal(patched, now.Data) {
			t.Errorf("%s: %d edits make\n%v\nwant\n%v", edit.name, len(delta.Edits), patched, now.Data)
		}
		before = now
	}
	// If the server no longer knows the previous answer, it sends all tokens.
	var all protocol.SemanticTokens
	c.call("textDocument/semanticTokens/full/delta", protocol.SemanticDeltaParams{DocumentParams: protocol.DocumentParams{TextDocument: document}, PreviousResultID: "unknown"}, &all)
	if !slices.Equal(all.Data, before.Data) {
		t.Errorf("have %v, want %v", all.Data, before.Data)
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// TestHintsOfARange: a request for a range returns only the hints on its lines.
func TestHintsOfARange(t *testing.T) {
	c := start(t, t.TempDir(), everything)
	c.open("a.pipe", countingPipe)
	hints := func(from, to int) string {
		var list []protocol.InlayHint
		c.call("textDocument/inlayHint", protocol.RangeParams{DocumentParams: protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: c.uri("a.pipe")}},
			Range: protocol.Range{Start: protocol.Position{Line: from}, End: protocol.Position{Line: to}}}, &list)
		var lines []string
		for _, h := range list {
			lines = append(lines, fmt.Sprint(h.Position.Line, h.Label))
		}
		return strings.Join(lines, ", ")
	}
	for _, r := range []struct {
		from, to int
		want     string
	}{
		{0, 20, "4= 4, 7= 4, 10= 4, 14holds 40"}, {0, 4, ""}, {0, 5, "4= 4"}, {5, 8, "7= 4"}, {8, 12, "10= 4"}, {11, 20, "14holds 40"}, {15, 20, ""},
	} {
		if have := hints(r.from, r.to); have != r.want {
			t.Errorf("lines %d to %d have %q, want %q", r.from, r.to, have, r.want)
		}
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// TestFormatTypedLine: typing a line break formats the line that it ends, also the first one, and no other line.
func TestFormatTypedLine(t *testing.T) {
	c := start(t, t.TempDir(), everything)
	c.open("a.pipe", "process   a\n  ::   numbers\n")
	for line, want := range []string{"", "0", "1", "", ""} {
		var edits []protocol.TextEdit
		c.call("textDocument/onTypeFormatting", protocol.OnTypeParams{
			PositionParams: protocol.PositionParams{DocumentParams: protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: c.uri("a.pipe")}}, Position: protocol.Position{Line: line}}, Ch: "\n",
		}, &edits)
		var lines []string
		for _, e := range edits {
			lines = append(lines, fmt.Sprint(e.Range.Start.Line))
		}
		if have := strings.Join(lines, " "); have != want {
			t.Errorf("after a line break before line %d, the lines %q change, want %q", line, have, want)
		}
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// TestColours: declarations are marked as such, including the command of a daemon. A comment of several lines has one
// token for each line, without the line break.
func TestColours(t *testing.T) {
	const text = "process { name \"a\"; command \"sh\"; host \"n1\"; daemon \"d\"; }\ndaemon { name \"d\"; command \"sh\"; host \"n1\"; }\n/* one\r\n   two */\n"
	c := start(t, folder(t), `{}`)
	c.open("a.psdl", text)
	var full protocol.SemanticTokens
	c.call("textDocument/semanticTokens/full", protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: c.uri("a.psdl")}}, &full)
	lines := strings.Split(text, "\n")
	var have []string
	line, column := 0, 0
	for d := full.Data; len(d) >= 5; d = d[5:] {
		if d[0] > 0 {
			column = 0
		}
		line, column = line+int(d[0]), column+int(d[1])
		word := lines[line][column : column+int(d[2])]
		if line > 1 || d[4] != 0 {
			have = append(have, fmt.Sprintf("%d:%d %q %d", line+1, column+1, word, d[4]))
		}
	}
	want := []string{`1:17 "a" 1`, `2:16 "d" 1`, `2:29 "sh" 1`, `3:1 "/* one" 0`, `4:1 "   two */" 0`}
	if !slices.Equal(have, want) {
		t.Errorf("have %q\nwant %q", have, want)
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// TestFindingsAskedAgain: if a client asks again, the server answers that nothing has changed, or sends all current
// findings.
func TestFindingsAskedAgain(t *testing.T) {
	c := start(t, folder(t), `{"textDocument": {"diagnostic": {}}}`)
	ask := func(previous string) (r protocol.DiagnosticReport) {
		c.call("textDocument/diagnostic", protocol.DiagnosticParams{DocumentParams: protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: c.uri("a.pipe")}}, PreviousResultID: previous}, &r)
		return r
	}
	c.open("a.pipe", "process a\n  :: orphan\n")
	clean := ask("")
	if clean.Kind != "full" || len(clean.Items) != 0 {
		t.Errorf("at first: %+v, want clean.Kind = %q and len(clean.Items) = 0", clean, "full")
	}
	if r := ask(clean.ResultID); r.Kind != "unchanged" || r.ResultID != clean.ResultID {
		t.Errorf("nothing has changed: %+v", r)
	}
	c.change("a.pipe", nil, "process a\n")
	wrong := ask(clean.ResultID)
	if wrong.Kind != "full" || len(wrong.Items) == 0 || wrong.ResultID == clean.ResultID {
		t.Errorf("after a change: %+v", wrong)
	}
	if r := ask(wrong.ResultID); r.Kind != "unchanged" {
		t.Errorf("nothing has changed since: %+v", r)
	}
	if r := ask(clean.ResultID); r.Kind != "full" || len(r.Items) == 0 {
		t.Errorf("of a client that knows an older answer: %+v, want r.Kind = %q and len(r.Items) other than 0", r, "full")
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}
