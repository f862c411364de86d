package lsp_test

import (
	"context"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/lsp"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
	"github.com/pentode-dev/pentode/workspace/project"
)

// client is a simulated editor: it opens documents, sends requests, and keeps the messages of the
// server.
type client struct {
	t    testing.TB
	dir  string
	conn *jsonrpc2.Conn
	end  chan error

	mu        sync.Mutex
	published map[string]protocol.PublishParams
	heard     map[string][]json.RawMessage // other messages, by method
	news      chan struct{}                // receives a value when findings were published or a message came
	versions  map[string]int
}

// start starts a server for a folder, with a client whose capabilities are given as JSON.
func start(t testing.TB, dir, capabilities string) *client {
	t.Helper()
	c := connect(t, dir)
	params := map[string]any{"rootUri": c.uri(""), "capabilities": json.RawMessage(capabilities)}
	c.call("initialize", params, nil)
	c.notify("initialized", struct{}{})
	return c
}

// connect starts a server and connects a client, without `initialize`.
func connect(t testing.TB, dir string) *client {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	env := &load.Env{Opener: source.Disk{}, Dir: dir, Lookup: func(string) (string, bool) { return "", false }}
	w := workspace.New(languagesOf(t), env)
	w.Projects = &project.Finder{Opener: source.Disk{}, Names: namesOf(w.Languages)}
	c := &client{t: t, dir: dir, end: make(chan error, 1), published: map[string]protocol.PublishParams{}, heard: map[string][]json.RawMessage{}, news: make(chan struct{}, 1), versions: map[string]int{}}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		err := lsp.Serve(ctx, toServer, fromServer, lsp.Options{Workspace: w, Log: logTo{t}})
		fromServer.Close()
		c.end <- err
	}()
	pipe := struct {
		io.Reader
		io.Writer
		io.Closer
	}{toClient, fromClient, fromClient}
	stream := jsonrpc2.NewBufferedStream(pipe, jsonrpc2.VSCodeObjectCodec{})
	c.conn = jsonrpc2.NewConn(ctx, stream, jsonrpc2.HandlerWithError(c.hear), jsonrpc2.SetLogger(quiet{}))
	t.Cleanup(func() {
		cancel()
		c.conn.Close()
		toClient.Close()
	})
	return c
}

// languagesOf returns the languages with the options of the command line, on a host with a fixed
// name.
func languagesOf(t testing.TB) []*lang.Language {
	types := catalog.Standard()
	if err := types.Add(suite.ExposeType(nil)); err != nil {
		t.Fatal(err)
	}
	return all.Languages(all.Options{Paradyn: paradyn.Options{Hostname: func() string { return "here" }}, Sprokit: sprokit.Options{Types: types}})
}

// namesOf returns the names that a project file may use.
func namesOf(languages []*lang.Language) project.Names {
	var n project.Names
	for _, l := range languages {
		n.Languages = append(n.Languages, l.Name)
		for _, c := range l.Codes {
			n.Codes = append(n.Codes, c.ID)
		}
	}
	return n
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

// logTo fails a test if the server logs an internal error.
type logTo struct{ t testing.TB }

func (l logTo) Write(p []byte) (int, error) {
	l.t.Errorf("the server: %s", p)
	return len(p), nil
}

// hear handles a message that the server sends by itself.
func (c *client) hear(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
	if r.Method == "textDocument/publishDiagnostics" {
		var p protocol.PublishParams
		if err := json.Unmarshal(*r.Params, &p); err != nil {
			return nil, err
		}
		c.mu.Lock()
		c.published[p.URI] = p
		c.mu.Unlock()
	} else {
		var params json.RawMessage
		if r.Params != nil {
			params = *r.Params
		}
		c.mu.Lock()
		c.heard[r.Method] = append(c.heard[r.Method], params)
		c.mu.Unlock()
	}
	select {
	case c.news <- struct{}{}:
	default:
	}
	return nil, nil
}

// hears waits until the messages of a method satisfy good.
func (c *client) hears(method string, good func([]json.RawMessage) bool) {
	c.t.Helper()
	deadline := time.After(golden.Patience)
	for {
		c.mu.Lock()
		list := slices.Clone(c.heard[method])
		c.mu.Unlock()
		if good(list) {
			return
		}
		select {
		case <-c.news:
		case <-deadline:
			c.t.Fatalf("`%s` did not come; there are %s", method, list)
		}
	}
}

func (c *client) uri(name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.Join(c.dir, name)}).String()
}

// ask sends a request and returns its error.
func (c *client) ask(method string, params, result any) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	return c.conn.Call(ctx, method, params, result)
}

func (c *client) call(method string, params, result any) {
	c.t.Helper()
	if err := c.ask(method, params, result); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

func (c *client) notify(method string, params any) {
	c.t.Helper()
	if err := c.conn.Notify(context.Background(), method, params); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

func (c *client) open(name, text string) {
	c.t.Helper()
	c.notify("textDocument/didOpen", protocol.DidOpenParams{TextDocument: protocol.TextDocumentItem{URI: c.uri(name), Version: 1, Text: text}})
	c.versions[name] = 1
}

// change replaces a range, or the whole text if r is nil.
func (c *client) change(name string, r *protocol.Range, text string) {
	c.t.Helper()
	c.versions[name]++
	c.notify("textDocument/didChange", protocol.DidChangeParams{
		TextDocument:   protocol.VersionedTextDocument{URI: c.uri(name), Version: c.versions[name]},
		ContentChanges: []protocol.ContentChange{{Range: r, Text: text}},
	})
}

// told waits until the findings of a document, at its newest version, satisfy good.
func (c *client) told(name string, good func([]protocol.Diagnostic) bool) []protocol.Diagnostic {
	c.t.Helper()
	deadline := time.After(golden.Patience)
	for {
		c.mu.Lock()
		p, ok := c.published[c.uri(name)]
		c.mu.Unlock()
		if ok && (p.Version == nil || *p.Version == c.versions[name]) && good(p.Diagnostics) {
			return p.Diagnostics
		}
		select {
		case <-c.news:
		case <-deadline:
			c.t.Fatalf("the findings of %s did not come; the last are %v", name, p.Diagnostics)
		}
	}
}

// stop shuts the server down and waits for its end.
func (c *client) stop() error {
	c.t.Helper()
	c.call("shutdown", nil, nil)
	c.notify("exit", nil)
	select {
	case err := <-c.end:
		return err
	case <-time.After(golden.Patience):
		c.t.Fatal("the server did not end")
		return nil
	}
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
