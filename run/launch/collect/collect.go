// Package collect gathers the progress of the processes of a run.
//
// A daemon of the launch plan listens on a socket in the run's folder; every process sends it its progress as lines of JSON. A process does not wait
// for the daemon and does not fail without it: progress is only information for people.
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

	"github.com/pentode-dev/pentode/run/control"
)

// Progress is the progress of a process.
type Progress struct {
	Rank  int    `json:"rank"`
	Name  string `json:"name"`
	Done  uint64 `json:"done"`  // steps of all its parts so far
	State string `json:"state"` // running, paused, stopping, finished, stopped, failed
}

// SocketName is the name of the socket in the folder of a run.
const SocketName = "collect"

// maxLine limits how much of a client's input the server keeps.
const maxLine = 64 << 10

// Server listens for progress.
type Server struct {
	path     string
	listener *net.UnixListener
	out      io.Writer
	admit    func(*net.UnixConn) error

	mu    sync.Mutex
	last  map[int]Progress
	conns map[net.Conn]bool
	end   time.Time // when listening ends, once that is known
	wg    sync.WaitGroup
}

// Listen starts a server on a socket that only this user can reach. It writes each change of progress as a line to out.
func Listen(path string, out io.Writer) (*Server, error) { return listen(path, out, control.SameUser) }

func listen(path string, out io.Writer, admit func(*net.UnixConn) error) (*Server, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("the folder of the socket `%s` cannot be created: %w", path, err)
	}
	l, err := control.OpenSocket(path)
	if err != nil {
		return nil, err
	}
	s := &Server{path: path, listener: l, out: out, admit: admit, last: map[int]Progress{}, conns: map[net.Conn]bool{}}
	s.wg.Go(s.accept)
	return s, nil
}

func (s *Server) accept() {
	for {
		c, err := s.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) || errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		if err != nil {
			time.Sleep(10 * time.Millisecond) // too many open files: wait until one is closed
			continue
		}
		if s.admit(c) != nil { // a process of another user may not report progress here
			c.Close()
			continue
		}
		s.mu.Lock()
		s.conns[c] = true
		_ = c.SetReadDeadline(s.end)
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
	_ = lines.Err() // a client that sends too long a line is ignored from then on
}

// Summary returns the last progress of every process, by rank.
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

// drainTime is how long Close continues to read: a process reports how it ended and exits, and then the run ends its daemons.
const drainTime = 100 * time.Millisecond

// Close reads what has already been sent, and stops listening.
func (s *Server) Close() error {
	end := time.Now().Add(drainTime)
	s.mu.Lock()
	s.end = end
	for c := range s.conns {
		_ = c.SetReadDeadline(end)
	}
	s.mu.Unlock()
	_ = s.listener.SetDeadline(end)
	s.wg.Wait()
	return errors.Join(s.listener.Close(), os.Remove(s.path))
}

// Client reports the progress of one process. The nil Client does nothing.
type Client struct{ conn net.Conn }

// Dial connects to the server of a run, or returns nil if there is none.
func Dial(ctx context.Context, path string) *Client {
	c, err := control.Dial(ctx, path)
	if err != nil {
		return nil
	}
	return &Client{c}
}

// Report sends progress. A process keeps working if the server has gone.
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
