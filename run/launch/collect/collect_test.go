package collect

import (
	"bytes"
	"context"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// locked is a buffer for two goroutines.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestProgressArrives(t *testing.T) {
	var out locked
	path := filepath.Join(t.TempDir(), "run", SocketName)
	s, err := Listen(path, &out)
	if err != nil {
		t.Fatal(err)
	}
	for rank := range 3 {
		c := Dial(context.Background(), path)
		if c == nil {
			t.Fatal("nobody listens")
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
	for deadline := time.Now().Add(10 * time.Second); strings.Count(out.String(), "\n") < 6; {
		if time.Now().After(deadline) {
			t.Fatalf("heard only:\n%s", out.String())
		}
		time.Sleep(time.Millisecond)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	list := s.Summary()
	if len(list) != 3 || list[2] != (Progress{2, "part", 9, "finished"}) {
		t.Errorf("summary %+v", list)
	}
	if n := strings.Count(out.String(), "5 steps, running"); n != 3 {
		t.Errorf("what did not change was said again:\n%s", out.String())
	}
}

func TestNobodyListens(t *testing.T) {
	c := Dial(context.Background(), filepath.Join(t.TempDir(), "none"))
	c.Report(Progress{})
	c.Close()
	if c != nil {
		t.Error("a client without a server")
	}
}

// TestLastWordsAreHeard: what a process said before the server was told to
// close is heard, however short the time between.
func TestLastWordsAreHeard(t *testing.T) {
	for range 10 {
		var out locked
		path := filepath.Join(t.TempDir(), SocketName)
		s, err := Listen(path, &out)
		if err != nil {
			t.Fatal(err)
		}
		const ranks = 8
		for rank := range ranks {
			c := Dial(context.Background(), path)
			c.Report(Progress{Rank: rank, Name: "part", Done: 9, State: "finished"})
			c.Close()
		}
		silent := Dial(context.Background(), path) // goes on, and says nothing
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		silent.Close()
		if n := len(s.Summary()); n != ranks {
			t.Fatalf("%d of %d processes were heard", n, ranks)
		}
	}
}
