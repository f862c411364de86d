package lsp_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/lsp"
	"github.com/pentode-dev/pentode/workspace"
)

// frame returns a message with its header.
func frame(text string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text) }

// request returns a message with the id 5, and notice a message without an id.
func request(method, params string) string {
	return frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":5,"method":%q,"params":%s}`, method, params))
}

func notice(method, params string) string {
	return frame(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// document returns parameters that begin with a document.
func document(rest string) string { return `{"textDocument":{"uri":"file:///d/a.pipe"` + rest + `}` }

var opened = notice("textDocument/didOpen", document(`,"version":5,"text":"process a\\n  :: numbers\\n"}`))

// abuses are messages that clients must not send, with the expected answer, log and final error.
// After all of them, except those that break the stream, the server continues.
var abuses = []struct{ name, in, out, log, end string }{
	{"no JSON", frame("{oops"), `{"error":{"code":-32700,"message":"the message is not JSON"},"id":null`, "", ""},
	{"an empty message", frame(""), `"code":-32700`, "", ""},
	{"nesting without end", frame(strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000)), `"code":-32700`, "", ""},
	{"a number", frame("1"), `"code":-32600`, "", ""},
	{"null", frame("null"), `"code":-32600`, "", ""},
	{"an array", frame("[1, 2]"), `"code":-32600`, "", ""},
	{"a batch", frame(`[{"jsonrpc":"2.0","id":5,"method":"shutdown"}]`), `"code":-32600`, "", ""},
	{"an empty object", frame("{}"), `"code":-32600`, "", ""},
	{"an id that is true", frame(`{"jsonrpc":"2.0","id":true,"method":"shutdown"}`), `"code":-32600`, "", ""},
	{"an id with a fraction", frame(`{"jsonrpc":"2.0","id":1.5,"method":"shutdown"}`), `"code":-32600`, "", ""},
	{"an id that is a list", frame(`{"jsonrpc":"2.0","id":[1],"method":"shutdown"}`), `"code":-32600`, "", ""},
	{"a method that is a number", frame(`{"jsonrpc":"2.0","id":5,"method":7}`), `"code":-32600`, "", ""},
	{"an answer that was asked for by no request", frame(`{"jsonrpc":"2.0","id":12345,"result":{}}`), "", "", ""},
	{"invalid UTF-8", frame("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"\xff\"}"), `{"id":5,"error":{"code":-32601`, "", ""},
	{"initialize twice", request("initialize", "{}"), `{"id":5,"error":{"code":-32600`, "", ""},
	{"parameters of another type", request("textDocument/hover", `"x"`), `{"id":5,"error":{"code":-32602`, "", ""},
	{"null parameters", request("textDocument/hover", "null"), `{"id":5,"result":null`, "", ""},
	{"a line beyond all numbers", request("textDocument/hover", document(`},"position":{"line":1e40,"character":0}`)), `{"id":5,"error":{"code":-32602`, "", ""},
	{"a place beyond the text", opened + request("textDocument/hover", document(`},"position":{"line":99,"character":99}`)), `{"id":5,"result":null`, "", ""},
	{"a reversed range", opened + request("textDocument/semanticTokens/range", document(`},"range":{"start":{"line":9,"character":0},"end":{"line":0,"character":0}}`)), `{"id":5,"result":`, "", ""},
	{"cancelling an unknown request", notice("$/cancelRequest", `{"id":555}`), "", "", ""},
	{"cancelling nothing", notice("$/cancelRequest", "null"), "", "", ""},
	{"cancelling as a request", request("$/cancelRequest", `{"id":555}`), `{"id":5,"error":{"code":-32601`, "", ""},
	{"a change of a closed document", notice("textDocument/didChange", document(`,"version":2},"contentChanges":[{"text":"x"}]`)), "", "textDocument/didChange: `file:///d/a.pipe` is not open: the change is ignored\n", ""},
	{"a notice with other parameters", notice("textDocument/didOpen", "[1]"), "", "textDocument/didOpen: ", ""},
	{"a version that goes back", opened + notice("textDocument/didChange", document(`,"version":1},"contentChanges":[{"text":"x"}]`)) + request("textDocument/foldingRange", document("}")), `{"id":5,"result":`, "", ""},
	{"changes that are null", opened + notice("textDocument/didChange", document(`,"version":6},"contentChanges":null`)), "", "", ""},
	{"a document without a name", notice("textDocument/didOpen", `{"textDocument":{"text":"x"}}`) + request("textDocument/hover", `{"textDocument":{"uri":""}}`), `{"id":5,"result":null`, "", ""},
	{"a name that is no URI", notice("textDocument/didOpen", `{"textDocument":{"uri":"file://%zz","text":"process a"}}`) + request("textDocument/hover", `{"textDocument":{"uri":"file://%zz"}}`), `{"id":5,`, "", ""},
	{"a large message", request("textDocument/hover", `{"x":"`+strings.Repeat("x", 2<<20)+`"}`), `{"id":5,"result":null`, "", ""},

	{"no length", "Length: 3\r\n\r\nabc", "", "", "the messages of the client cannot be parsed: a message has no Content-Length"},
	{"a length that is none", "Content-Length: many\r\n\r\n", "", "", "the messages of the client cannot be parsed: `many` is not the length of a message: expected a number up to 536870912"},
	{"a negative length", "Content-Length: -1\r\n\r\n", "", "", "the messages of the client cannot be parsed: `-1` is not the length of a message: expected a number up to 536870912"},
	{"a huge length", "Content-Length: 99999999999999\r\n\r\n", "", "", "the messages of the client cannot be parsed: `99999999999999` is not the length of a message: expected a number up to 536870912"},
	{"a header without end", strings.Repeat("x", 200_000), "", "", "the messages of the client cannot be parsed: the header of a message does not end"},
	{"headers without end", strings.Repeat("a: b\r\n", 20_000), "", "", "the messages of the client cannot be parsed: the header of a message does not end"},
	{"a message that stops", "Content-Length: 1000\r\n\r\n{", "", "", "the messages of the client cannot be parsed: a message of 1000 bytes ended after "},
	{"exit without shutdown", frame(`{"jsonrpc":"2.0","method":"exit"}`), "", "", "the client ended without `shutdown`"},
}

// serve runs a server on an input, and returns its answers, its log and its error.
func serve(t testing.TB, in string) (out, log string, err error) {
	t.Helper()
	var answers, said strings.Builder
	w := workspace.New(languagesOf(t), &load.Env{Opener: source.Disk{}})
	err = lsp.Serve(context.Background(), io.NopCloser(strings.NewReader(in)), &answers, lsp.Options{Workspace: w, Log: &said})
	return answers.String(), said.String(), err
}

// TestAbuse: the server answers every abuse of the protocol and continues, or, if the stream cannot
// be parsed any further, ends with an error that says why.
func TestAbuse(t *testing.T) {
	for _, x := range abuses {
		t.Run(x.name, func(t *testing.T) {
			out, log, err := serve(t, frame(`{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}`)+x.in+
				frame(`{"jsonrpc":"2.0","id":8,"method":"shutdown"}`)+frame(`{"jsonrpc":"2.0","method":"exit"}`))
			end := ""
			if err != nil {
				end = err.Error()
			}
			if !strings.HasPrefix(end, x.end) || (end == "") != (x.end == "") {
				t.Errorf("it ended with %q, want %q", end, x.end)
			}
			if !strings.HasPrefix(log, x.log) || (log == "") != (x.log == "") {
				t.Errorf("it logged %q, want %q", log, x.log)
			}
			if !strings.Contains(out, `"id":7`) || !strings.Contains(out, x.out) || strings.Contains(out, `"id":8`) != (x.end == "") {
				t.Errorf("it answered %.500s, want %q in out, %q in out and strings.Contains(out, `\"id\":8`) = %v", out, `"id":7`, x.out, (x.end == ""))
			}
		})
	}
}

// FuzzFrames: whatever a client sends, the server ends normally or with an error; it never crashes.
func FuzzFrames(f *testing.F) {
	for _, x := range abuses {
		if len(x.in) < 1000 {
			f.Add(x.in)
		}
	}
	f.Fuzz(func(t *testing.T, in string) {
		out, log, err := serve(t, in)
		if strings.Contains(log, "goroutine") || strings.Contains(out, "this is a bug in Pentode") {
			t.Fatalf("%s\n%s\nwant no %q in log and no %q in out", out, log, "goroutine", "this is a bug in Pentode")
		}
		if err == nil && !strings.Contains(in, "shutdown") {
			t.Fatal("it ended as if the client had said so")
		}
	})
}
