package lsp

import (
	"context"
	"io"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// Options configure the server.
type Options struct {
	Version   string
	Workspace *workspace.Workspace
	Host      suite.Host
	Log       io.Writer // for internal errors; nil: they are dropped
}

// Server serves one client: it has the session, and communicates with the client.
type Server struct {
	*session
	options Options
	conn    *jsonrpc2.Conn
	queue   *queue
	state   state

	scan      []string        // files of the workspace still to read
	scanned   int             // number of files read
	progress  bool            // the client sees the progress of the scan
	outdated  map[string]bool // files whose findings must be pushed
	published map[string]bool // files that have findings at the client
	reports   map[string]report
}

// state is the phase of the server's life.
type state uint8

const (
	fresh state = iota
	running
	shutDown
)

// report is the last answer to a client about a document.
type report struct {
	id    string
	items []protocol.Diagnostic
}

// pulls reports whether the client requests findings itself.
func (s *Server) pulls() bool { return s.client.TextDocument.Diagnostic != nil }

// ask sends a request to the client, and ignores the answer.
func (s *Server) ask(method string, params any) {
	_, _ = s.conn.DispatchCall(context.Background(), method, params)
}
