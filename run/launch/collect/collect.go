// Package collect gathers the progress of the processes of a run.
//
// A daemon of the launch plan listens on a socket in the run's folder; every
// process tells it, one JSON line at a time, how far it is. A process does not wait for
// the daemon and does not fail without it: progress is for people.
//
//	process ──Report──▶ Client ──socket──▶ Server ──▶ one line for each change
package collect

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"time"
)

// Progress is how far a process is.
type Progress struct {
	Rank  int    `json:"rank"`
	Name  string `json:"name"`
	Done  uint64 `json:"done"`  // steps of all its parts so far
	State string `json:"state"` // running, finished, failed, interrupted
}

// SocketName is the socket's name in the folder of a run.
const SocketName = "collect"

// grace is how long a server that ends listens to what was said already.
const grace = 100 * time.Millisecond

// maxLine bounds what a client can make the server keep.
const maxLine = 64 << 10

// Server listens for progress.
type Server struct {
	listener net.Listener
	out      io.Writer

	mu    sync.Mutex
	last  map[int]Progress
	conns map[net.Conn]bool
	until time.Time // when it stops listening, once that is known
	wg    sync.WaitGroup
}

// Listen starts a server on a socket that only this user can reach. What it
// hears goes to out, a line each.
func Listen(path string, out io.Writer) (*Server, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("the folder of the socket `%s` cannot be made: %w", path, err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("an old socket `%s` is in the way: %w", path, err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("nobody can be heard on `%s`: %w", path, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, err
	}
	s := &Server{listener: l, out: out, last: map[int]Progress{}, conns: map[net.Conn]bool{}}
	s.wg.Go(s.accept)
	return s, nil
}

func (s *Server) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.conns[c] = true
		_ = c.SetReadDeadline(s.until) // the zero time is none
		s.mu.Unlock()
		s.wg.Go(func() { s.serve(c) })
	}
}

func (s *Server) serve(c net.Conn) {
	defer func() {
		c.Close()
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
	}()
	lines := bufio.NewScanner(c)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var p Progress
		if json.Unmarshal(lines.Bytes(), &p) != nil {
			continue
		}
		s.mu.Lock()
		changed := s.last[p.Rank] != p
		s.last[p.Rank] = p
		if changed {
			fmt.Fprintf(s.out, "%s (rank %d): %d steps, %s\n", p.Name, p.Rank, p.Done, p.State)
		}
		s.mu.Unlock()
	}
}

// Summary is the last that was heard of every process, by rank.
func (s *Server) Summary() []Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Progress
	for _, p := range s.last {
		list = append(list, p)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Rank < list[j].Rank })
	return list
}

// Close stops listening. What processes said before they ended is still
// heard; one that goes on talking is cut off.
func (s *Server) Close() error {
	s.mu.Lock()
	s.until = time.Now().Add(grace)
	for c := range s.conns {
		_ = c.SetReadDeadline(s.until)
	}
	s.mu.Unlock()
	if l, ok := s.listener.(*net.UnixListener); ok {
		_ = l.SetDeadline(s.until)
	}
	s.wg.Wait()
	return s.listener.Close()
}

// Client tells a server about one process. The nil Client tells nobody.
type Client struct{ conn net.Conn }

// Dial connects to the server of a run, or returns nil where there is none.
func Dial(ctx context.Context, path string) *Client {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil
	}
	return &Client{c}
}

// Report sends progress. A server that has gone is no reason to stop working.
func (c *Client) Report(p Progress) {
	if c == nil {
		return
	}
	line, err := json.Marshal(p)
	if err != nil {
		return
	}
	_ = c.conn.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = c.conn.Write(append(line, '\n'))
}

// Close ends the connection.
func (c *Client) Close() {
	if c != nil {
		c.conn.Close()
	}
}
