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

// TestLastWordsAreHeard: what a process said before it ended counts, however
// soon the server is told to end.
func TestLastWordsAreHeard(t *testing.T) {
	for range 20 {
		path := filepath.Join(t.TempDir(), SocketName)
		s, err := Listen(path, &locked{})
		if err != nil {
			t.Fatal(err)
		}
		const clients = 8
		for rank := range clients {
			c := Dial(t.Context(), path)
			c.Report(Progress{Rank: rank, Name: "p", State: "running"})
			c.Report(Progress{Rank: rank, Name: "p", State: "finished"})
			c.Close()
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		heard := s.Summary()
		if len(heard) != clients {
			t.Fatalf("%d of %d were heard", len(heard), clients)
		}
		for _, p := range heard {
			if p.State != "finished" {
				t.Fatalf("the last that was heard of rank %d is %s", p.Rank, p.State)
			}
		}
	}
}
