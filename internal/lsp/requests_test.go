package lsp_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
)

// everything is the capabilities of a client that supports the whole protocol.
const everything = `{"workspace": {"workspaceEdit": {"resourceOperations": ["create"]}}, "textDocument": {"diagnostic": {}, "completion": {"completionItem": {"snippetSupport": true}}}}`

// TestGoldenRequests sends the requests in the archives of testdata. Each archive has files with
// markers such as «1», which are removed before the files are used, requests that refer to the
// markers, and the expected answers.
func TestGoldenRequests(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%v, %v", paths, err)
	}
	answered := map[string]map[string]bool{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		answered[name] = map[string]bool{}
		t.Run(name, func(t *testing.T) { runArchive(t, path, answered[name]) })
	}
	checkTable(t, answered)
}

// marker is a place in a file that requests refer to.
type marker struct {
	file string
	at   protocol.Position
}

func runArchive(t *testing.T, path string, answered map[string]bool) {
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &script{markers: map[string]marker{}, texts: map[string]string{}, answered: answered}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	requests, answers := "", -1
	for i, f := range a.Files {
		switch f.Name {
		case "requests":
			requests = string(f.Data)
		case "answers":
			answers = i
		default:
			s.file(f.Name, string(f.Data))
			write(t, dir, f.Name, s.texts[f.Name])
		}
	}
	s.client = start(t, dir, everything)
	for _, f := range a.Files {
		if text, ok := s.texts[f.Name]; ok {
			s.open(f.Name, text)
		}
	}
	var got strings.Builder
	for line := range strings.Lines(requests) {
		if line = strings.TrimSpace(line); line != "" {
			fmt.Fprintf(&got, "> %s\n%s\n", line, s.request(line))
		}
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if golden.Updating() {
		if answers < 0 {
			a.Files = append(a.Files, txtar.File{Name: "answers"})
			answers = len(a.Files) - 1
		}
		a.Files[answers].Data = []byte(got.String())
		if err := os.WriteFile(path, txtar.Format(a), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if answers < 0 {
		t.Fatal("the archive has no answers; make them with -update")
	}
	if diff := cmp.Diff(string(a.Files[answers].Data), got.String()); diff != "" {
		t.Errorf("other answers (-want +got):\n%s", diff)
	}
}

// script is the state of one archive that is being run.
type script struct {
	*client
	markers  map[string]marker
	texts    map[string]string
	answered map[string]bool // requests that had a non-empty answer
}

// file removes the markers from a text, and remembers their places.
func (s *script) file(name, text string) {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "«")
		b.WriteString(before)
		if !ok {
			break
		}
		id, after, _ := strings.Cut(rest, "»")
		s.markers[id] = marker{name, endOf(b.String())}
		text = after
	}
	s.texts[name] = b.String()
}

// endOf returns the position after a text.
func endOf(text string) protocol.Position {
	line := text[strings.LastIndexByte(text, '\n')+1:]
	return protocol.Position{Line: strings.Count(text, "\n"), Character: len(utf16.Encode([]rune(line)))}
}

// request sends one request, `METHOD MARKER-OR-FILE ARGUMENTS…`, and returns the answer as text.
func (s *script) request(line string) string {
	words := strings.Fields(line)
	name, where, rest := words[0], words[1], words[2:]
	m, ok := s.markers[where]
	if !ok {
		m.file = where
	}
	document := protocol.TextDocument{URI: s.uri(m.file)}
	at := protocol.PositionParams{DocumentParams: protocol.DocumentParams{TextDocument: document}, Position: m.at}
	whole := protocol.RangeParams{DocumentParams: protocol.DocumentParams{TextDocument: document}, Range: protocol.Range{End: protocol.Position{Line: 1 << 20}}}
	ask := func(method string, params any) (json.RawMessage, string) {
		var raw json.RawMessage
		if err := s.ask(method, params, &raw); err != nil {
			return nil, "refused: " + s.relative(err.Error())
		}
		return raw, ""
	}
	get := func(method string, params, into any) string {
		raw, refused := ask(method, params)
		if refused == "" && json.Unmarshal(raw, into) != nil {
			return "an odd answer: " + string(raw)
		}
		if refused == "" && string(raw) != "null" && string(raw) != "[]" && string(raw) != "" {
			s.answered[name] = true
		}
		return refused
	}
	var out []string
	switch name {
	case "diagnostics":
		var r protocol.DiagnosticReport
		if bad := get("textDocument/diagnostic", at, &r); bad != "" {
			return bad
		}
		for _, d := range r.Items {
			out = append(out, fmt.Sprintf("%s %d %s: %s", rangeText(d.Range), d.Severity, d.Code, strings.ReplaceAll(d.Message, "\n", " | ")))
			for _, rel := range d.RelatedInformation {
				out = append(out, "  "+s.place(rel.Location)+" "+rel.Message)
			}
		}
	case "hover":
		var h *protocol.Hover
		if bad := get("textDocument/hover", at, &h); bad != "" {
			return bad
		}
		if h != nil {
			out = append(out, rangeText(*h.Range))
			for part := range strings.SplitSeq(h.Contents.Value, "\n") {
				out = append(out, s.relative(part))
			}
		}
	case "completion":
		var l protocol.CompletionList
		if bad := get("textDocument/completion", at, &l); bad != "" {
			return bad
		}
		slices.SortFunc(l.Items, func(a, b protocol.CompletionItem) int { return strings.Compare(a.SortText, b.SortText) })
		if len(l.Items) == 0 {
			delete(s.answered, name)
		}
		for i, item := range l.Items {
			if i == 12 {
				out = append(out, fmt.Sprintf("… %d in all", len(l.Items)))
				break
			}
			out = append(out, fmt.Sprintf("%s (%d) %q %s", item.Label, item.Kind, item.TextEdit.NewText, rangeText(item.TextEdit.Range)))
		}
	case "definition", "declaration", "typeDefinition", "references":
		var l []protocol.Location
		params := protocol.ReferenceParams{PositionParams: at}
		params.Context.IncludeDeclaration = true
		if bad := get("textDocument/"+name, params, &l); bad != "" {
			return bad
		}
		for _, x := range l {
			out = append(out, s.place(x))
		}
	case "highlight":
		var l []protocol.DocumentHighlight
		if bad := get("textDocument/documentHighlight", at, &l); bad != "" {
			return bad
		}
		for _, x := range l {
			out = append(out, fmt.Sprintf("%s %d", rangeText(x.Range), x.Kind))
		}
	case "rename":
		var e protocol.WorkspaceEdit
		if bad := get("textDocument/rename", protocol.RenameParams{PositionParams: at, NewName: rest[0]}, &e); bad != "" {
			return bad
		}
		out = s.edits(e)
	case "prepareRename":
		var p *protocol.PrepareRename
		if bad := get("textDocument/prepareRename", at, &p); bad != "" {
			return bad
		}
		if p != nil {
			out = append(out, rangeText(p.Range)+" "+p.Placeholder)
		}
	case "symbols":
		var l []protocol.DocumentSymbol
		if bad := get("textDocument/documentSymbol", at, &l); bad != "" {
			return bad
		}
		out = outline(l, "")
	case "workspaceSymbols":
		var l []protocol.WorkspaceSymbol
		if bad := get("workspace/symbol", protocol.WorkspaceSymbolParams{Query: where}, &l); bad != "" {
			return bad
		}
		for _, x := range l {
			out = append(out, x.Name+" "+s.place(x.Location))
		}
	case "folding":
		var l []protocol.FoldingRange
		if bad := get("textDocument/foldingRange", at, &l); bad != "" {
			return bad
		}
		for _, x := range l {
			out = append(out, fmt.Sprintf("%d-%d %s", x.StartLine+1, x.EndLine+1, x.Kind))
		}
	case "selection":
		var l []protocol.SelectionRange
		if bad := get("textDocument/selectionRange", protocol.SelectionParams{DocumentParams: protocol.DocumentParams{TextDocument: document}, Positions: []protocol.Position{m.at}}, &l); bad != "" {
			return bad
		}
		for x := &l[0]; x != nil; x = x.Parent {
			out = append(out, rangeText(x.Range))
		}
	case "links":
		var l []protocol.DocumentLink
		if bad := get("textDocument/documentLink", at, &l); bad != "" {
			return bad
		}
		for _, x := range l {
			out = append(out, rangeText(x.Range)+" "+s.relative(x.Target))
		}
	case "semanticTokens":
		out = s.colours(get, document, whole)
	case "hints":
		var l []protocol.InlayHint
		if bad := get("textDocument/inlayHint", whole, &l); bad != "" {
			return bad
		}
		for _, x := range l {
			out = append(out, fmt.Sprintf("%d:%d %s", x.Position.Line+1, x.Position.Character+1, x.Label))
		}
	case "actions", "extract", "inline":
		var l []protocol.CodeAction
		params := protocol.CodeActionParams{DocumentParams: protocol.DocumentParams{TextDocument: document}, Range: protocol.Range{Start: m.at, End: m.at}}
		if name != "actions" {
			params.Context.Only = []string{"refactor." + name}
		}
		if bad := get("textDocument/codeAction", params, &l); bad != "" {
			return bad
		}
		for _, x := range l {
			out = append(out, x.Kind+": "+s.relative(x.Title))
			if x.Edit != nil && x.Kind != "source.fixAll.pentode" {
				for _, e := range s.edits(*x.Edit) {
					out = append(out, "  "+e)
				}
			}
		}
	case "lenses":
		var l []protocol.CodeLens
		if bad := get("textDocument/codeLens", at, &l); bad != "" {
			return bad
		}
		for _, x := range l {
			out = append(out, rangeText(x.Range)+" "+x.Command.Title)
		}
	case "format", "formatRange", "formatOnType":
		var l []protocol.TextEdit
		method, params := "textDocument/formatting", any(at)
		if name == "formatRange" {
			method, params = "textDocument/rangeFormatting", any(whole)
		} else if name == "formatOnType" {
			method, params = "textDocument/onTypeFormatting", any(protocol.OnTypeParams{PositionParams: at, Ch: "\n"})
		}
		if bad := get(method, params, &l); bad != "" {
			return bad
		}
		for _, x := range l {
			out = append(out, fmt.Sprintf("%s %q", rangeText(x.Range), x.NewText))
		}
	case "calls":
		out = s.calls(get, at)
	case "command":
		out = s.command(get, where, rest)
	default:
		return "there is no such request in this test"
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, "\n")
}

type getter func(method string, params, into any) string

// colours returns the semantic tokens of a document. It checks that requests by range and by delta
// give the same tokens.
func (s *script) colours(get getter, document protocol.TextDocument, whole protocol.RangeParams) []string {
	var full, part protocol.SemanticTokens
	if bad := get("textDocument/semanticTokens/full", protocol.DocumentParams{TextDocument: document}, &full); bad != "" {
		return []string{bad}
	}
	get("textDocument/semanticTokens/range", whole, &part)
	if !slices.Equal(full.Data, part.Data) {
		return []string{"the range has other colours than the whole"}
	}
	var delta protocol.SemanticDelta
	get("textDocument/semanticTokens/full/delta", protocol.SemanticDeltaParams{DocumentParams: protocol.DocumentParams{TextDocument: document}, PreviousResultID: full.ResultID}, &delta)
	if len(delta.Edits) > 0 {
		return []string{"nothing changed, and the delta says otherwise"}
	}
	var text string
	for name := range s.texts {
		if s.uri(name) == document.URI {
			text = s.texts[name]
		}
	}
	lines := strings.Split(text, "\n")
	var out []string
	line, column := 0, 0
	for i := 0; i+4 < len(full.Data); i += 5 {
		d := full.Data[i : i+5]
		if d[0] > 0 {
			column = 0
		}
		line, column = line+int(d[0]), column+int(d[1])
		word := utf16.Encode([]rune(lines[line]))[column : column+int(d[2])]
		out = append(out, fmt.Sprintf("%d:%d %s %d", line+1, column+1, string(utf16.Decode(word)), d[3]))
	}
	return out
}

// calls shows the incoming and outgoing calls of a place.
func (s *script) calls(get getter, at protocol.PositionParams) []string {
	var items []protocol.CallItem
	if bad := get("textDocument/prepareCallHierarchy", at, &items); bad != "" || len(items) == 0 {
		return []string{bad}
	}
	out := []string{items[0].Name}
	var in []protocol.IncomingCall
	var from []protocol.OutgoingCall
	get("callHierarchy/incomingCalls", protocol.CallParams{Item: items[0]}, &in)
	get("callHierarchy/outgoingCalls", protocol.CallParams{Item: items[0]}, &from)
	for _, x := range in {
		out = append(out, "from "+x.From.Name+" "+rangeText(x.FromRanges[0]))
	}
	for _, x := range from {
		out = append(out, "to "+x.To.Name)
	}
	return out
}

func (s *script) command(get getter, name string, arguments []string) []string {
	argument := arguments[0]
	if _, ok := s.texts[argument]; ok {
		argument = s.uri(argument)
	}
	var answer struct {
		SVG   string
		Nodes []struct {
			ID string
			At *protocol.Location
		}
		Text      string
		Arguments []string
	}
	params := map[string]any{"command": name, "arguments": []string{argument}}
	if bad := get("workspace/executeCommand", params, &answer); bad != "" {
		return []string{bad}
	}
	var out []string
	if answer.SVG != "" {
		out = append(out, "a picture")
	}
	for _, node := range answer.Nodes {
		at := "nowhere"
		if node.At != nil {
			at = s.place(*node.At)
		}
		out = append(out, s.relative(node.ID)+" "+at)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(answer.Text), "\n") {
		if line != "" {
			out = append(out, s.relative(line))
		}
	}
	if len(answer.Arguments) > 0 {
		out = append(out, s.relative(strings.Join(answer.Arguments, " ")))
	}
	return out
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func outline(list []protocol.DocumentSymbol, indent string) []string {
	var out []string
	for _, x := range list {
		out = append(out, fmt.Sprintf("%s%s %d %s", indent, x.Name, x.Kind, rangeText(x.Range)))
		out = append(out, outline(x.Children, indent+"  ")...)
	}
	return out
}

// edits shows the changes of files, in order.
func (s *script) edits(e protocol.WorkspaceEdit) []string {
	var out []string
	for _, uri := range slices.Sorted(keys(e.Changes)) {
		for _, x := range e.Changes[uri] {
			out = append(out, fmt.Sprintf("%s:%s %q", s.relative(uri), rangeText(x.Range), x.NewText))
		}
	}
	return out
}

func (s *script) place(l protocol.Location) string {
	return s.relative(l.URI) + ":" + rangeText(l.Range)
}

// relative removes the path of the test's folder from a text.
func (s *script) relative(text string) string {
	text = strings.ReplaceAll(text, (&url.URL{Scheme: "file", Path: s.dir}).String()+"/", "")
	return strings.ReplaceAll(text, s.dir+"/", "")
}

func rangeText(r protocol.Range) string {
	if r.Start.Line == r.End.Line {
		return fmt.Sprintf("%d:%d-%d", r.Start.Line+1, r.Start.Character+1, r.End.Character+1)
	}
	return fmt.Sprintf("%d:%d-%d:%d", r.Start.Line+1, r.Start.Character+1, r.End.Line+1, r.End.Character+1)
}
