package control

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func listen(t *testing.T, path string, h Handler) *Server {
	t.Helper()
	s, err := Listen(path, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func echo(_ context.Context, r Request) (any, error) {
	switch r.Verb {
	case "fail":
		return nil, errors.New("it failed")
	case "nothing":
		return nil, nil
	}
	return r, nil
}

func TestCall(t *testing.T) {
	for _, dir := range []string{"s", strings.Repeat("long/", 40)} {
		folder := filepath.Join(t.TempDir(), dir)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, "socket")
		listen(t, path, echo)
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		var got Request
		want := Request{Verb: "signal", Node: "p#2", Signal: "HUP"}
		if err := Call(ctx, path, want, &got); err != nil || got != want {
			t.Errorf("%+v, %v", got, err)
		}
		if err := Call(ctx, path, Request{Verb: "fail"}, &got); err == nil || err.Error() != "it failed" {
			t.Errorf("%v", err)
		}
		if err := Call(ctx, path, Request{Verb: "nothing"}, nil); err != nil {
			t.Errorf("%v", err)
		}
	}
}

func TestNobody(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	if err := Call(context.Background(), path, Request{}, nil); !errors.Is(err, ErrNobody) {
		t.Errorf("no socket: %v", err)
	}
	listen(t, path, echo).Close()
	if err := Call(context.Background(), path, Request{}, nil); !errors.Is(err, ErrNobody) {
		t.Errorf("a dead socket: %v", err)
	}
	if _, err := Listen(filepath.Join(path, "below"), echo); err == nil {
		t.Error("a socket below a file")
	}
}

func TestBadRequests(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	listen(t, path, echo)
	for _, text := range []string{"\n", "{}", "nonsense\n", strings.Repeat("x", 2*maxRequest)} {
		c, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(10 * time.Second))
		c.Write([]byte(text))
		c.(*net.UnixConn).CloseWrite()
		var answer reply
		if err := json.NewDecoder(c).Decode(&answer); err == nil && answer.Error != "the request is not one line of JSON" {
			t.Errorf("%.20q: %+v", text, answer)
		}
		c.Close()
	}
}

// Close waits for answers that are on their way, not for callers that never ask.
func TestClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	entered, leave := make(chan struct{}), make(chan struct{})
	s := listen(t, path, func(context.Context, Request) (any, error) {
		close(entered)
		<-leave
		return "done", nil
	})
	silent, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	answer := make(chan error, 1)
	var got string
	go func() { answer <- Call(context.Background(), path, Request{}, &got) }()
	<-entered
	time.AfterFunc(50*time.Millisecond, func() { close(leave) })
	began := time.Now()
	s.Close()
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("closing took %s", took)
	}
	if err := <-answer; err != nil || got != "done" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestCallGivesUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	leave := make(chan struct{})
	listen(t, path, func(context.Context, Request) (any, error) { <-leave; return nil, nil })
	defer close(leave)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := Call(ctx, path, Request{}, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}
