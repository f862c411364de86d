package lsp

import (
	"context"
	"io"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// Options is what the server needs.
type Options struct {
	Version   string
	Workspace *workspace.Workspace
	Host      suite.Host
	Log       io.Writer // what goes wrong inside; nil is nowhere
}

// Server serves one client: it has the session, and talks to the client.
type Server struct {
	*session
	options Options
	conn    *jsonrpc2.Conn
	queue   *queue
	state   state

	scan      []string        // files of the workspace that are still to be read
	scanned   int             // those that were
	progress  bool            // the client is shown how far the scan is
	outdated  map[string]bool // files whose findings are to be pushed
	published map[string]bool // files that have findings at the client
	reports   map[string]report
}

// state is where in its life the server is.
type state uint8

const (
	fresh state = iota
	running
	shutDown
)

// report is what a client was told about a document when it asked.
type report struct {
	id    string
	items []protocol.Diagnostic
}

// pulls reports whether the client asks for findings by itself.
func (s *Server) pulls() bool { return s.client.TextDocument.Diagnostic != nil }

// ask sends the client a request whose answer does not matter.
func (s *Server) ask(method string, params any) {
	_, _ = s.conn.DispatchCall(context.Background(), method, params)
}
