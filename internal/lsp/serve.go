package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
)

// Serve serves a client until it exits or disconnects. It returns an error if the client
// did not shut down properly (ErrNoShutdown), or if messages cannot be parsed or written.
func Serve(ctx context.Context, in io.ReadCloser, out io.Writer, o Options) error {
	s := &Server{
		session: &session{
			Session: o.Workspace.Session(), workspace: o.Workspace, host: o.Host,
			docs: map[string]*document{}, lines: map[*source.File]*lines{}, indexes: map[*lang.Config]*index{}, runs: map[string]*runFindings{}, colours: map[string]colours{},
		},
		options: o, queue: newQueue(),
		outdated: map[string]bool{}, published: map[string]bool{}, reports: map[string]report{},
	}
	if s.options.Log == nil {
		s.options.Log = io.Discard
	}
	quiet := jsonrpc2.SetLogger(silent{})
	worked := make(chan struct{})
	ended := func(reading bool, why error) {
		switch {
		case errors.Is(why, io.EOF) || ctx.Err() != nil:
			s.queue.close()
		case reading:
			s.queue.fail(fmt.Errorf("the messages of the client cannot be parsed: %w", why))
		default:
			s.queue.fail(fmt.Errorf("answers cannot be written: %w", why))
		}
		if reading {
			<-worked // waits until the queued messages are answered, because returning closes the connection
		}
	}
	s.conn = jsonrpc2.NewConn(ctx, newStream(in, out, ended), handler{s}, quiet)
	stop := context.AfterFunc(ctx, func() { s.conn.Close() })
	defer stop()
	gone := make(chan struct{})
	go func() {
		<-s.conn.DisconnectNotify()
		s.queue.close()
		close(gone)
	}()
	err := s.work()
	close(worked)
	s.conn.Close()
	<-gone
	return err
}

// silent drops the log output of the transport.
type silent struct{}

func (silent) Printf(string, ...any) {}

// handler puts messages into the queue.
type handler struct{ *Server }

// Handle is called for one message after the other.
func (h handler) Handle(ctx context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) {
	var raw json.RawMessage
	if r.Params != nil {
		raw = *r.Params
	}
	if r.Method == "$/cancelRequest" && r.Notif {
		var p protocol.CancelParams
		var id jsonrpc2.ID
		if json.Unmarshal(raw, &p) == nil && json.Unmarshal(p.ID, &id) == nil {
			h.queue.cancel(id)
		}
		return
	}
	var about protocol.DocumentParams
	if r.Method != didOpenMethod { // its text may be large
		_ = json.Unmarshal(raw, &about) // most messages name a document
	}
	h.queue.put(ctx, r, about.TextDocument.URI, r.Method == didChangeMethod)
}

// errExit ends the work because the client asked for it.
var errExit = errors.New("exit")

// ErrNoShutdown means that the client disconnected without a shutdown request.
var ErrNoShutdown = errors.New("the client ended without `shutdown`")

// work handles messages until the end.
func (s *Server) work() error {
	var patience time.Duration // 0 while the server has own work to do
	for {
		j, closed := s.queue.next(patience)
		switch {
		case closed:
			return s.end()
		case j == nil && patience == pause:
			s.prepare()
			patience = -1
			continue
		case j == nil:
			if !s.idle() {
				patience = pause
			}
			continue
		}
		err := s.handle(j)
		s.queue.done(j)
		if errors.Is(err, errExit) {
			return s.end()
		}
		patience = 0
	}
}

// end returns the error for the way in which the messages ended.
func (s *Server) end() error {
	if why := s.queue.failure(); why != nil {
		return why
	}
	if s.state != shutDown {
		return ErrNoShutdown
	}
	return nil
}

// pause is how long the user must pause before the server prepares tables for the next
// request, so that a key stroke need not wait for it.
const pause = 200 * time.Millisecond

// handle answers one message.
func (s *Server) handle(j *job) error {
	r := j.request
	result, err := s.call(j)
	if errors.Is(err, errExit) {
		return err
	}
	if r.Notif {
		if err != nil && code(err) != jsonrpc2.CodeMethodNotFound { // clients may send notifications that the server does not handle
			fmt.Fprintf(s.options.Log, "%s: %v\n", r.Method, err)
		}
		return nil
	}
	switch {
	case j.ctx.Err() != nil:
		err = &jsonrpc2.Error{Code: protocol.RequestCancelled, Message: "the request was cancelled"}
	case (err == nil || errors.Is(err, errNothing)) && s.queue.stale(j):
		err = modified
	case errors.Is(err, errNothing):
		result, err = nil, nil
	}
	if err != nil {
		var known *jsonrpc2.Error
		if !errors.As(err, &known) {
			known = &jsonrpc2.Error{Code: protocol.RequestFailed, Message: err.Error()}
		}
		_ = s.conn.ReplyWithError(j.ctx, r.ID, known) // if the client is gone, the queue ends
		return nil
	}
	_ = s.conn.Reply(j.ctx, r.ID, result)
	return nil
}

// code returns the code of a protocol error, or 0.
func code(err error) int64 {
	var known *jsonrpc2.Error
	if errors.As(err, &known) {
		return known.Code
	}
	return 0
}

var modified = &jsonrpc2.Error{Code: protocol.ContentModified, Message: "the text has changed in the meantime"}

// call runs the method of a message, if the state of the server allows it.
func (s *Server) call(j *job) (result any, err error) {
	r := j.request
	m, known := methods[r.Method]
	switch {
	case r.Method == "exit":
		return nil, errExit
	case j.ctx.Err() != nil:
		return nil, j.ctx.Err()
	case !known:
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "there is no method `" + r.Method + "`"}
	case s.state == fresh && r.Method != "initialize":
		return nil, &jsonrpc2.Error{Code: protocol.ServerNotInitialized, Message: "`initialize` must come first"}
	case s.state == running && r.Method == "initialize":
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "`initialize` may come only once"}
	case s.state == shutDown:
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "only `exit` may follow `shutdown`"}
	case !r.Notif && s.queue.stale(j):
		return nil, modified
	}
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(s.options.Log, "%s: %v\n%s", r.Method, p, debug.Stack())
			err = &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: "`" + r.Method + "` failed; this is a bug in Pentode"}
		}
	}()
	return m(s, j.ctx, r.Params)
}

// idle does a small piece of the server's own work, and reports whether there is
// more: findings of open documents first, then reading the workspace, then the findings
// of its other files.
func (s *Server) idle() bool {
	if s.state != running {
		return false
	}
	for path := range s.outdated {
		if s.docs[path] != nil {
			s.push(path)
			return true
		}
	}
	if len(s.scan) > 0 {
		s.readNext()
		return true
	}
	for _, path := range slices.Sorted(maps.Keys(s.outdated)) {
		s.push(path)
		return true
	}
	return false
}

// prepare makes the tables of open documents before they are needed.
func (s *Server) prepare() {
	for path := range s.docs {
		if c, err := s.workspace.Config(path); err == nil && s.state == running {
			s.index(c)
		}
	}
}
