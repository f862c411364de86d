// Package control is the door to a running supervisor: a private unix socket.
//
// A second terminal asks for the status of a run or tells it to stop; one
// request, one reply, each a line of JSON. The socket lies in a folder that
// only its owner can enter, is itself readable by nobody else, and the server
// asks the kernel who is calling before it reads a byte.
//
//	Call ──{"verb":"stop"}──▶ socket ──▶ Server ──▶ handle
//	     ◀──{"result":…}─────────────────────────────┘
package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Request asks for something. An empty Node means the whole run.
type Request struct {
	Verb   string `json:"verb"`
	Node   string `json:"node,omitempty"`
	Signal string `json:"signal,omitempty"`
}

type reply struct {
	Error  string          `json:"error,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

const (
	maxRequest   = 64 << 10
	readPatience = 5 * time.Second
)

// Handler answers a request with a value that JSON can hold.
type Handler func(context.Context, Request) (any, error)

// Server answers at one socket.
type Server struct {
	listener *net.UnixListener
	handle   Handler
	cancel   context.CancelFunc
	calls    sync.WaitGroup
	mu       sync.Mutex
	waiting  map[net.Conn]bool // whose request has not been read yet
	closed   bool              // nobody else may begin to wait
}

// Listen opens the socket and answers until Close.
func Listen(path string, handle Handler) (*Server, error) {
	var l *net.UnixListener
	err := ShortPath(path, func(path string) (err error) {
		l, err = net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open the socket `%s`: %w", path, err)
	}
	l.SetUnlinkOnClose(false) // it may know the socket by a path that is gone
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("make the socket private: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{listener: l, handle: handle, cancel: cancel, waiting: map[net.Conn]bool{}}
	s.calls.Go(func() {
		for {
			c, err := l.AcceptUnix()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				time.Sleep(10 * time.Millisecond) // out of files: somebody will close one
				continue
			}
			s.calls.Go(func() { s.serve(ctx, c) })
		}
	})
	return s, nil
}

// Close answers what has been asked, then closes.
func (s *Server) Close() {
	s.listener.Close()
	s.cancel()
	s.mu.Lock()
	s.closed = true
	for c := range s.waiting {
		c.Close()
	}
	s.mu.Unlock()
	s.calls.Wait()
}

func (s *Server) serve(ctx context.Context, c *net.UnixConn) {
	defer c.Close()
	s.mu.Lock()
	closed := s.closed
	s.waiting[c] = !closed
	s.mu.Unlock()
	if closed {
		return
	}
	var answer reply
	req, err := read(c)
	s.mu.Lock()
	delete(s.waiting, c)
	s.mu.Unlock()
	if err == nil {
		var result any
		if result, err = s.handle(ctx, req); err == nil {
			answer.Result, err = json.Marshal(result)
		}
	}
	if err != nil {
		answer = reply{Error: err.Error()}
	}
	c.SetWriteDeadline(time.Now().Add(readPatience))
	_ = json.NewEncoder(c).Encode(answer) // who has gone needs no answer
}

func read(c *net.UnixConn) (Request, error) {
	var r Request
	if err := sameUser(c); err != nil {
		return r, err
	}
	c.SetReadDeadline(time.Now().Add(readPatience))
	line, err := bufio.NewReaderSize(c, maxRequest).ReadSlice('\n')
	if err != nil {
		return r, errors.New("the request is not one line of JSON")
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return r, errors.New("the request is not one line of JSON")
	}
	return r, nil
}

// ErrNobody means that no supervisor answers at the socket.
var ErrNobody = errors.New("no supervisor answers")

// Call sends one request and reads the reply into result, which may be nil.
func Call(ctx context.Context, path string, r Request, result any) error {
	var c net.Conn
	err := ShortPath(path, func(path string) (err error) {
		c, err = (&net.Dialer{}).DialContext(ctx, "unix", path)
		return err
	})
	if errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ECONNREFUSED) {
		return ErrNobody
	}
	if err != nil {
		return fmt.Errorf("call the supervisor: %w", err)
	}
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	if err := json.NewEncoder(c).Encode(r); err != nil {
		return ErrNobody
	}
	var answer reply
	if err := json.NewDecoder(c).Decode(&answer); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("the supervisor has not answered: %w", ctx.Err())
		}
		return ErrNobody
	}
	if answer.Error != "" {
		return errors.New(answer.Error)
	}
	if result == nil || answer.Result == nil {
		return nil
	}
	return json.Unmarshal(answer.Result, result)
}

// ShortPath calls f with a path that fits into a socket address, which holds 107
// bytes: a long one goes through a descriptor of its folder.
func ShortPath(path string, f func(string) error) error {
	if len(path) < 100 {
		return f(path)
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return f(filepath.Join("/proc/self/fd", strconv.Itoa(int(dir.Fd())), filepath.Base(path)))
}
