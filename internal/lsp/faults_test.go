package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/sourcegraph/jsonrpc2"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/lsp"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/workspace"
)

func TestMain(m *testing.M) { golden.Main(m) }

// pushed are the capabilities of a client that does not request findings.
const pushed = `{}`

// Error codes of the protocol that editors know.
const (
	notInitialized   = -32002
	contentModified  = -32801
	requestCancelled = -32800
	requestFailed    = -32803
)

// code returns the code of an error answer.
func code(err error) int64 {
	var e *jsonrpc2.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// TestOrder: requests outside of their phase, before initialize or after shutdown, are refused.
func TestOrder(t *testing.T) {
	c := connect(t, t.TempDir())
	if err := c.ask("textDocument/hover", protocol.PositionParams{}, nil); code(err) != notInitialized {
		t.Errorf("before initialize: %v", err)
	}
	c.call("initialize", map[string]any{}, nil)
	if err := c.ask("initialize", map[string]any{}, nil); code(err) != jsonrpc2.CodeInvalidRequest {
		t.Errorf("initialize again: %v", err)
	}
	if err := c.ask("textDocument/makeCoffee", nil, nil); code(err) != jsonrpc2.CodeMethodNotFound {
		t.Errorf("an unknown method: %v", err)
	}
	if err := c.ask("textDocument/hover", []int{1}, nil); code(err) != jsonrpc2.CodeInvalidParams {
		t.Errorf("other parameters: %v", err)
	}
	c.notify("$/unknown", nil)
	c.call("shutdown", nil, nil)
	if err := c.ask("textDocument/hover", protocol.PositionParams{}, nil); code(err) != jsonrpc2.CodeInvalidRequest {
		t.Errorf("after shutdown: %v", err)
	}
	c.notify("exit", nil)
	if err := <-c.end; err != nil {
		t.Error(err)
	}
}

// TestNoGoodbye: if the client disconnects without shutdown, the server ends with an error.
func TestNoGoodbye(t *testing.T) {
	c := start(t, t.TempDir(), pushed)
	c.conn.Close()
	select {
	case err := <-c.end:
		if !errors.Is(err, lsp.ErrNoShutdown) {
			t.Errorf("%v", err)
		}
	case <-time.After(golden.Patience):
		t.Fatal("the server lives on")
	}
}

// TestPlaces: a position outside of the text counts as the nearest valid position.
func TestPlaces(t *testing.T) {
	c := start(t, t.TempDir(), everything)
	c.open("a.pipe", "process a\n  :: numbers\n")
	for _, at := range []protocol.Position{{Line: -3, Character: 1}, {Line: 99, Character: 0}, {Line: 0, Character: 9999}, {Line: 0, Character: -1}} {
		p := protocol.PositionParams{DocumentParams: protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: c.uri("a.pipe")}}, Position: at}
		for _, method := range []string{"hover", "completion", "definition", "documentHighlight", "prepareCallHierarchy"} {
			c.call("textDocument/"+method, p, nil)
		}
	}
	r := &protocol.Range{Start: protocol.Position{Line: 50, Character: 3}, End: protocol.Position{Line: 2, Character: 1}}
	c.change("a.pipe", r, "# end\n")
	if got := c.text("a.pipe"); got != "process a\n  :: numbers\n# end\n" {
		t.Errorf("%q, want %q", got, "process a\n  :: numbers\n# end\n")
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// text returns the server's copy of a document.
func (c *client) text(name string) string {
	c.t.Helper()
	var answer struct{ Text string }
	c.call("workspace/executeCommand", map[string]any{"command": "pentode.text", "arguments": []string{c.uri(name)}}, &answer)
	return answer.Text
}

// TestSurrogates: an edit between the two UTF-16 units of a character applies after the character.
func TestSurrogates(t *testing.T) {
	c := start(t, t.TempDir(), everything)
	c.open("a.pipe", "# 𝄞x\n")
	at := protocol.Position{Line: 0, Character: 3}
	c.change("a.pipe", &protocol.Range{Start: at, End: at}, "y")
	if got := c.text("a.pipe"); got != "# 𝄞yx\n" {
		t.Errorf("%q, want %q", got, "# 𝄞yx\n")
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// TestUTF8: client and server can agree to count positions in bytes.
func TestUTF8(t *testing.T) {
	c := start(t, t.TempDir(), `{"general": {"positionEncodings": ["utf-8", "utf-16"]}}`)
	c.open("a.pipe", "# é𝄞x\n")
	at := protocol.Position{Line: 0, Character: 8}
	c.change("a.pipe", &protocol.Range{Start: at, End: at}, "y")
	if got := c.text("a.pipe"); got != "# é𝄞yx\n" {
		t.Errorf("%q, want %q", got, "# é𝄞yx\n")
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// TestLargeAndBinary: a document that is too large or binary has one finding, and requests about it
// are answered.
func TestLargeAndBinary(t *testing.T) {
	lines := 2_000 // lines of 500 bytes
	findings := map[string]string{"binary.pipe": "file/nul-byte", "large.pipe": "sprokit/no-processes"}
	c := start(t, t.TempDir(), everything)
	if need.FullSize() {
		lines = 100_000
		findings["dense.pipe"] = "file/too-large"
		c.open("dense.pipe", strings.Repeat("a=b\n", 2_200_000))
	}
	c.open("binary.pipe", "process\x00a\n")
	c.open("large.pipe", strings.Repeat("#"+strings.Repeat("x", 500)+"\n", lines))
	for name, want := range findings {
		var r protocol.DiagnosticReport
		c.call("textDocument/diagnostic", protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: c.uri(name)}}, &r)
		if len(r.Items) != 1 || r.Items[0].Code != want {
			t.Errorf("%s: %v, want len(r.Items) = 1 and r.Items[0].Code = %v", name, r.Items, want)
		}
		c.call("textDocument/hover", protocol.PositionParams{DocumentParams: protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: c.uri(name)}}}, nil)
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// TestFilesOfTheDisk: the server notices when files are created, changed and deleted on disk.
func TestFilesOfTheDisk(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := start(t, dir, pushed)
	c.open("a.pipe", "include part.conf\nprocess a\n  :: numbers\n  end = $CONFIG{n:end}\nprocess s\n  :: sink\nconnect from a.number to s.sink\n")
	has := func(id string) func([]protocol.Diagnostic) bool {
		return func(list []protocol.Diagnostic) bool { return len(list) > 0 && list[0].Code == id }
	}
	c.told("a.pipe", has("sprokit/include-missing"))
	write(t, dir, "part.conf", "config n\n  end = many\n")
	event := func(kind int) {
		c.notify("workspace/didChangeWatchedFiles", protocol.WatchedFilesParams{Changes: []protocol.FileEvent{{URI: c.uri("part.conf"), Type: kind}}})
	}
	event(1)
	c.told("a.pipe", has("sprokit/bad-value"))
	c.open("part.conf", "config n\n  end = 7\n") // not saved
	c.told("a.pipe", func(list []protocol.Diagnostic) bool { return len(list) == 0 })
	c.notify("textDocument/didClose", protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: c.uri("part.conf")}})
	c.told("a.pipe", has("sprokit/bad-value"))
	if err := os.Remove(filepath.Join(dir, "part.conf")); err != nil {
		t.Fatal(err)
	}
	event(3)
	c.told("a.pipe", has("sprokit/include-missing"))
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// TestCancelled: a cancelled request, and a request about a text that has changed since, return the
// matching error codes.
func TestCancelled(t *testing.T) {
	c := start(t, t.TempDir(), everything)
	c.open("a.pipe", strings.Repeat("# comment\n", 300_000)) // keeps the server busy
	p := protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: c.uri("a.pipe")}}
	ctx := context.Background()
	first, err := c.conn.DispatchCall(ctx, "textDocument/semanticTokens/full", p, jsonrpc2.PickID(jsonrpc2.ID{Num: 900}))
	if err != nil {
		t.Fatal(err)
	}
	second, err := c.conn.DispatchCall(ctx, "workspace/symbol", protocol.WorkspaceSymbolParams{}, jsonrpc2.PickID(jsonrpc2.ID{Num: 901}))
	if err != nil {
		t.Fatal(err)
	}
	c.notify("$/cancelRequest", protocol.CancelParams{ID: json.RawMessage("901")})
	c.change("a.pipe", nil, "# new\n")
	if err := second.Wait(ctx, nil); code(err) != requestCancelled {
		t.Errorf("a cancelled request: %v", err)
	}
	if err := first.Wait(ctx, nil); code(err) != contentModified {
		t.Errorf("a request about an older text: %v", err)
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// TestRandomEdits: after many random edits, the server's text equals the client's, and the findings
// equal those of a new check.
func TestRandomEdits(t *testing.T) {
	edits := 10_000
	if testing.Short() {
		edits = 500
	}
	for name, seed := range map[string]string{
		"a.pipe":     "config c\n  n = 3\n\nprocess a\n  :: numbers\n  end = $CONFIG{c:n}\n\nprocess s\n  :: sink\n\nconnect from a.number\n        to   s.sink\n",
		"a.pinsight": "[OpenMP.default]\n  omp_work = on\n\n[Lexgion(solve)] : OpenMP.default\n  tracing_rate = 3\n",
		"a.yml":      "metadata:\n  n: int\ndata:\n  d: {type: array, subtype: double, size: $n}\n",
		"a.coilcfg":  "[Target]\nPU = CPU\nArchitecture = x86\nMode = 64\nFeatures = AVX2\n",
		"a.psdl":     "daemon { command \"d\"; host \"localhost\"; }\nprocess { command \"p\"; host \"localhost\"; daemon \"d\"; }\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			randomEdits(t, name, seed, edits/5)
		})
	}
}

func randomEdits(t *testing.T, name, seed string, edits int) {
	dir := t.TempDir()
	c := start(t, dir, everything)
	c.open(name, seed)
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"x", " ", "\n", "\r\n", "\r", "é", "𝄞", "=", "$", "{", "}", "\"", "process ", "[", "]", ":", "# ", "0", "\t", ""}
	units := utf16.Encode([]rune(seed))
	for i := range edits {
		from := r.IntN(len(units) + 1)
		to := min(len(units), from+r.IntN(4))
		for _, at := range []*int{&from, &to} { // not inside a character
			if *at < len(units) && utf16.IsSurrogate(rune(units[*at])) && *at > 0 && units[*at] >= 0xdc00 {
				*at--
			}
		}
		piece := pieces[r.IntN(len(pieces))]
		if len(units) > 3*len(seed) {
			piece = ""
		}
		span := protocol.Range{Start: position(units, from), End: position(units, max(from, to))}
		if at := offset(units, span.Start); at != from { // inside a line break of two characters
			continue
		}
		if at := offset(units, span.End); at != max(from, to) {
			continue
		}
		c.change(name, &span, piece)
		next := append([]uint16{}, units[:from]...)
		next = append(next, utf16.Encode([]rune(piece))...)
		units = append(next, units[max(from, to):]...)
		if i%100 == 99 || i == edits-1 {
			want := string(utf16.Decode(units))
			if got := c.text(name); got != want {
				t.Fatalf("after %d edits the texts differ:\n%s", i+1, cmp.Diff(want, got))
			}
			sameFindings(t, c, name, want)
		}
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// sameFindings compares the server's findings with those of a new check of the text.
func sameFindings(t *testing.T, c *client, name, text string) {
	t.Helper()
	var report protocol.DiagnosticReport
	c.call("textDocument/diagnostic", protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: c.uri(name)}}, &report)
	path := filepath.Join(c.dir, name)
	env := &load.Env{Opener: source.Map{path: text}, Dir: c.dir, Lookup: func(string) (string, bool) { return "", false }}
	config, err := workspace.New(languagesOf(t), env).Config(path)
	var want, got []string
	if err == nil {
		for _, d := range config.Diagnostics() {
			want = append(want, d.Code.ID+" "+d.Message)
		}
	}
	for _, d := range report.Items {
		got = append(got, d.Code+" "+d.Message)
	}
	same := len(want) == len(got)
	for i := 0; same && i < len(want); i++ {
		same = strings.HasPrefix(got[i], want[i]) // the server's message also has notes and help
	}
	if !same {
		t.Fatalf("other findings than a fresh check (-want +got):\n%s", cmp.Diff(want, got))
	}
}

// position converts an offset to a position as editors count it.
func position(units []uint16, at int) protocol.Position {
	p := protocol.Position{}
	for i := 0; i < at; i++ {
		if units[i] == '\n' || units[i] == '\r' && (i+1 >= len(units) || units[i+1] != '\n') {
			p.Line++
			p.Character = 0
			continue
		}
		p.Character++
	}
	return p
}

// offset is the inverse of position; the end of a line lies before its line break.
func offset(units []uint16, p protocol.Position) int {
	line, at := 0, 0
	for line < p.Line && at < len(units) {
		if units[at] == '\n' || units[at] == '\r' && (at+1 >= len(units) || units[at+1] != '\n') {
			line++
		}
		at++
	}
	for c := 0; c < p.Character && at < len(units) && units[at] != '\n' && units[at] != '\r'; c++ {
		at++
	}
	return at
}
