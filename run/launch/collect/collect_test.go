package collect

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/control"
)

func TestMain(m *testing.M) { golden.Main(m) }

func TestProgressArrives(t *testing.T) {
	var out golden.Buffer
	path := filepath.Join(t.TempDir(), "run", SocketName)
	s, err := Listen(path, &out)
	if err != nil {
		t.Fatal(err)
	}
	for rank := range 3 {
		c := Dial(context.Background(), path)
		if c == nil {
			t.Fatal("no server listens")
		}
		c.Report(Progress{Rank: rank, Name: "part", Done: 5, State: "running"})
		c.Report(Progress{Rank: rank, Name: "part", Done: 5, State: "running"})
		c.Report(Progress{Rank: rank, Name: "part", Done: 9, State: "finished"})
		c.Close()
	}
	junk, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	junk.Write([]byte("not JSON\n" + strings.Repeat("x", 2*maxLine)))
	junk.Close()
	golden.Until(t, "six lines are heard", func() bool { return strings.Count(out.String(), "\n") >= 6 }, &out)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	list := s.Summary()
	if len(list) != 3 || list[2] != (Progress{2, "part", 9, "finished"}) {
		t.Errorf("summary %+v, want len(list) = 3 and list[2] = %v", list, (Progress{2, "part", 9, "finished"}))
	}
	if n := strings.Count(out.String(), "5 steps, running"); n != 3 {
		t.Errorf("what did not change was reported again:\n%s", out.String())
	}
}

// Only the user of the run can report progress.
func TestOthersAreNotHeard(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	var out strings.Builder
	asked := make(chan bool, 1)
	s, err := listen(path, &out, func(c *net.UnixConn) error {
		asked <- true
		if err := control.SameUser(c); err != nil {
			t.Errorf("the user of this test is refused: %v", err)
		}
		return errors.New("another user")
	})
	if err != nil {
		t.Fatal(err)
	}
	c := Dial(t.Context(), path)
	if c == nil {
		t.Fatal("nobody listens")
	}
	c.Report(Progress{Name: "a", State: "running"})
	<-asked
	c.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if len(s.Summary()) != 0 || out.Len() > 0 {
		t.Errorf("progress of another user: %v, %q; want len(s.Summary()) = 0 and out.Len() at most 0", s.Summary(), out.String())
	}
}

func TestNoServer(t *testing.T) {
	c := Dial(context.Background(), filepath.Join(t.TempDir(), "none"))
	c.Report(Progress{})
	c.Close()
	if c != nil {
		t.Error("a client without a server")
	}
}

// Progress that was sent before the end is read, even from the last clients.
func TestCloseReadsWhatWasSent(t *testing.T) {
	var out golden.Buffer
	path := filepath.Join(t.TempDir(), SocketName)
	s, err := Listen(path, &out)
	if err != nil {
		t.Fatal(err)
	}
	alive := Dial(context.Background(), path)
	defer alive.Close()
	const clients = 30
	for rank := range clients {
		c := Dial(context.Background(), path)
		c.Report(Progress{Rank: rank, Name: "part", State: "finished"})
		c.Close()
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if n := len(s.Summary()); n != clients {
		t.Errorf("%d of %d were heard, want %v", n, clients, clients)
	}
}

// A new socket replaces an old socket, but nothing else.
func TestListenInTheWay(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, strings.Repeat("long", 30), SocketName) // longer than an address may be
	s, err := Listen(path, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(path, io.Discard); err == nil || !strings.Contains(err.Error(), "another program listens") {
		t.Errorf("a second one: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket is left: %v", err)
	}
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "left"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	left.Close()
	if s, err = Listen(filepath.Join(dir, "left"), io.Discard); err != nil {
		t.Fatal(err)
	}
	s.Close()
	file := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(file, io.Discard); err == nil || !strings.Contains(err.Error(), "is not a socket") {
		t.Errorf("a file in the way: %v", err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "mine" {
		t.Errorf("the file is gone: %q, %v", text, err)
	}
}
