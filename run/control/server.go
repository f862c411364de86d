package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
)

const (
	// patience is how long a caller may take to send its request, and how long to read each
	// answer.
	patience = 5 * time.Second
	// lastPatience is how long, when the server closes, all callers together may take to read
	// their last answers.
	lastPatience = time.Second
)

// Method answers one call: it reads the parameters and sends answers until it returns.
// Answer and Stream make a Method from a typed function.
type Method func(ctx context.Context, params json.RawMessage, send func(value any, done bool) error) error

// Methods are the methods of a server by name.
type Methods map[string]Method

// Answer makes a method with one answer.
func Answer[P, R any](f func(context.Context, P) (R, error)) Method {
	return func(ctx context.Context, params json.RawMessage, send func(any, bool) error) error {
		p, err := decode[P](params)
		if err != nil {
			return err
		}
		r, err := f(ctx, p)
		if err != nil {
			return err
		}
		return send(r, true)
	}
}

// Stream makes a method with any number of answers: f sends them until it returns. It
// should return when ctx ends or send fails, because the caller is gone.
func Stream[P, R any](f func(ctx context.Context, p P, send func(R) error) error) Method {
	return func(ctx context.Context, params json.RawMessage, send func(any, bool) error) error {
		p, err := decode[P](params)
		if err != nil {
			return err
		}
		if err := f(ctx, p, func(r R) error { return send(r, false) }); err != nil {
			return err
		}
		return send(nil, true)
	}
}

func decode[P any](params json.RawMessage) (P, error) {
	var p P
	if len(params) > 0 && json.Unmarshal(params, &p) != nil {
		return p, &problem.Problem{Kind: BadRequest, Message: "the parameters do not fit the method"}
	}
	return p, nil
}

// Server answers calls at one socket.
type Server struct {
	path     string
	listener *net.UnixListener
	methods  Methods
	admit    func(*net.UnixConn) error
	cancel   context.CancelFunc
	calls    sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]bool // true if the request of the connection has been read
	end   time.Time         // the deadline for writing the last answers; zero until Close is called
}

// Listen opens a socket and answers calls until Close.
func Listen(path string, methods Methods) (*Server, error) {
	return listen(path, methods, SameUser)
}

func listen(path string, methods Methods, admit func(*net.UnixConn) error) (*Server, error) {
	l, err := OpenSocket(path)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{path: path, listener: l, methods: methods, admit: admit, cancel: cancel, conns: map[net.Conn]bool{}}
	s.calls.Go(func() { s.accept(ctx) })
	return s, nil
}

func (s *Server) accept(ctx context.Context) {
	for {
		c, err := s.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(10 * time.Millisecond) // this process has too many open files: wait until one is closed
			continue
		}
		s.calls.Go(func() { s.serve(ctx, c, s.admit(c)) })
	}
}

// Close ends all streams, waits until the requests already received are answered, and removes
// the socket.
func (s *Server) Close() {
	s.listener.Close()
	s.mu.Lock()
	s.end = time.Now().Add(lastPatience)
	for c, called := range s.conns {
		if called {
			c.SetWriteDeadline(s.end)
		} else {
			c.Close()
		}
	}
	s.mu.Unlock()
	s.cancel()
	s.calls.Wait()
	_ = os.Remove(s.path) // it may be gone already
}

// serve answers the one call of a connection. If refused is not nil, the caller is not
// admitted and refused is the answer.
func (s *Server) serve(ctx context.Context, c net.Conn, refused error) {
	defer c.Close()
	if !s.note(c, false) {
		return
	}
	defer func() {
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	send := func(a answer) error {
		c.SetWriteDeadline(s.writeDeadline())
		err := writeFrame(c, maxAnswer, a)
		if tooLong := (*problem.Problem)(nil); err != nil && !errors.As(err, &tooLong) {
			c.Close() // an answer may have been written only in part, so no other can follow
		}
		return err
	}
	var r request
	err := refused
	if err == nil {
		r, err = s.request(c)
	}
	if err == nil {
		s.calls.Go(func() {
			_, _ = io.Copy(io.Discard, c) // returns when the caller or serve closes the connection
			cancel()
		})
		err = s.call(ctx, r, send)
	}
	if err != nil {
		_ = send(answer{Error: refusalOf(err)}) // fails if the caller is gone
	}
}

// request reads the request of a caller.
func (s *Server) request(c net.Conn) (request, error) {
	var r request
	c.SetReadDeadline(time.Now().Add(patience))
	if err := readFrame(bufio.NewReader(c), maxRequest, &r); err != nil {
		return r, err
	}
	c.SetReadDeadline(time.Time{})
	s.note(c, true)
	return r, nil
}

// note records a connection, so that Close can end it; called means that its request has been
// read. note returns false if the server is already closed.
func (s *Server) note(c net.Conn, called bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end.IsZero() {
		s.conns[c] = called
	}
	return s.end.IsZero()
}

func (s *Server) call(ctx context.Context, r request, send func(answer) error) error {
	method := s.methods[r.Method]
	if method == nil {
		p := &problem.Problem{Kind: UnknownMethod, Message: "there is no method `" + problem.Clip(r.Method, problem.Short) + "`"}
		p.Suggestion, _ = problem.Nearest(r.Method, slices.Sorted(maps.Keys(s.methods)))
		return p
	}
	return method(ctx, r.Params, func(value any, done bool) error {
		a := answer{Done: done}
		if value != nil {
			text, err := json.Marshal(value)
			if err != nil {
				return err
			}
			a.Value = text
		}
		return send(a)
	})
}

// writeDeadline returns the time by which a caller must have read the next answer.
func (s *Server) writeDeadline() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.end.IsZero() {
		return s.end
	}
	return time.Now().Add(patience)
}
