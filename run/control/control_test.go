package control

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
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

func TestMain(m *testing.M) { golden.Main(m) }

type node struct {
	Node string `json:"node"`
}

// methods are echo, fail, count and others.
var methods = Methods{
	"echo": Answer(func(_ context.Context, n node) (node, error) { return n, nil }),
	"none": Answer(func(context.Context, node) (any, error) { return nil, nil }),
	"fail": Answer(func(context.Context, node) (any, error) { return nil, errors.New("it failed") }),
	"refuse": Answer(func(_ context.Context, n node) (any, error) {
		return nil, &problem.Problem{Kind: "unknown-node", Message: "there is no node `" + n.Node + "`", Suggestion: "solver"}
	}),
	"count": Stream(func(_ context.Context, n int, send func(int) error) error {
		for i := range n {
			if err := send(i); err != nil {
				return err
			}
		}
		return nil
	}),
	"long": Answer(func(_ context.Context, n int) (string, error) { return strings.Repeat("x", n), nil }),
}

func serve(t *testing.T, path string, m Methods) *Server {
	t.Helper()
	s, err := Listen(path, m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestCall(t *testing.T) {
	ctx := t.Context()
	for _, dir := range []string{"s", strings.Repeat("long/", 40)} {
		folder := filepath.Join(t.TempDir(), dir)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, "socket")
		serve(t, path, methods)
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
		var got node
		if err := Call(ctx, path, "echo", node{"p#2"}, &got); err != nil || got.Node != "p#2" {
			t.Errorf("%+v, %v", got, err)
		}
		if err := Call(ctx, path, "none", nil, nil); err != nil {
			t.Errorf("%v", err)
		}
		var long string
		if err := Call(ctx, path, "long", 3<<20, &long); err != nil || len(long) != 3<<20 {
			t.Errorf("%d bytes, %v", len(long), err)
		}
	}
}

// TestRefusals checks that a refusal arrives with its kind and a readable message.
func TestRefusals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	serve(t, path, methods)
	for _, c := range []struct {
		method string
		params any
		kind   problem.Kind
		text   string
	}{
		{"fail", nil, Failed, "it failed"},
		{"refuse", node{"slover"}, "unknown-node", "there is no node `slover`: did you mean `solver`?"},
		{"cuont", nil, UnknownMethod, "there is no method `cuont`: did you mean `count`?"},
		{"echo", []int{1}, BadRequest, "the parameters do not fit the method"},
		{"count", "many", BadRequest, "the parameters do not fit the method"},
		{"echo", strings.Repeat("x", maxRequest), TooLong, "the message is too long"},
	} {
		err := Call(t.Context(), path, c.method, c.params, nil)
		var p *problem.Problem
		if !errors.As(err, &p) || p.Kind != c.kind || err.Error() != c.text {
			t.Errorf("%s: %v", c.method, err)
		}
	}
}

// TestLongAnswer checks that an answer that is too long is refused and no part of it is sent.
func TestLongAnswer(t *testing.T) {
	need.Slow(t)
	path := filepath.Join(t.TempDir(), "socket")
	serve(t, path, methods)
	err := Call(t.Context(), path, "long", maxAnswer, nil)
	if p := (*problem.Problem)(nil); !errors.As(err, &p) || p.Kind != TooLong || err.Error() != "the message is too long" {
		t.Errorf("%v", err)
	}
}

func TestStream(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	serve(t, path, methods)
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() {
			next := 0
			err := Follow(t.Context(), path, "count", 500, func(i int) error {
				if i != next {
					return fmt.Errorf("%d after %d", i, next-1)
				}
				next++
				return nil
			})
			if err != nil || next != 500 {
				t.Errorf("%d answers, %v", next, err)
			}
		})
	}
	callers.Wait()
	if err := Follow(t.Context(), path, "count", 1, func(string) error { return nil }); err == nil || !strings.Contains(err.Error(), "cannot unmarshal number") {
		t.Errorf("numbers for texts: %v", err)
	}
	enough := errors.New("enough")
	if err := Follow(t.Context(), path, "count", 1<<20, func(int) error { return enough }); err != enough {
		t.Errorf("%v", err)
	}
}

func TestNoServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	if err := Call(t.Context(), path, "echo", nil, nil); !errors.Is(err, ErrNoServer) {
		t.Errorf("no socket: %v", err)
	}
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	left.Close()
	if err := Call(t.Context(), path, "echo", nil, nil); !errors.Is(err, ErrNoServer) {
		t.Errorf("a socket that was left: %v", err)
	}
	serve(t, path, methods) // replaces it
	if _, err := Listen(path, methods); err == nil || err.Error() != "another program listens on `"+path+"`" {
		t.Errorf("a second server: %v", err)
	}
}

// TestNoPlaceForSocket checks that a socket that cannot be made or reached gives an error with the
// reason, without names of system calls, however long its path is.
func TestNoPlaceForSocket(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, listen, call string }{
		{file, "`PATH` exists and is not a socket: choose another place", "no server answers"},
		{file + "/socket", "the place of the socket `PATH` cannot be read: not a directory", "the socket `PATH` cannot be reached: not a directory"},
		{dir + "/none/socket", "the socket `PATH` cannot be created: no such file or directory", "no server answers"},
		{dir + strings.Repeat("/none", 40) + "/socket", "the socket `PATH` cannot be created: no such file or directory", "no server answers"},
	} {
		if _, err := Listen(c.path, methods); err == nil || err.Error() != strings.ReplaceAll(c.listen, "PATH", c.path) {
			t.Errorf("Listen: %v", err)
		}
		if err := Call(t.Context(), c.path, "echo", nil, nil); err == nil || err.Error() != strings.ReplaceAll(c.call, "PATH", c.path) {
			t.Errorf("Call: %v", err)
		}
	}
}

// TestPrivate checks that a private folder is made for its owner alone, and that a folder that
// others can write to is refused.
func TestPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "pentode")
	if err := Private(dir); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	for _, mode := range []os.FileMode{0o700, 0o755, 0o711} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if err := Private(dir); err != nil {
			t.Errorf("%v: %v", mode, err)
		}
	}
	for _, mode := range []os.FileMode{0o720, 0o702} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if err := Private(dir); err == nil || !strings.Contains(err.Error(), "other users can write to") {
			t.Errorf("%v: %v", mode, err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Private(filepath.Join(file, "pentode")); err == nil || !strings.Contains(err.Error(), "cannot be created: not a directory") {
		t.Errorf("below a file: %v", err)
	}
}

// TestBadParameters checks that parameters that are not JSON are never sent.
func TestBadParameters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	serve(t, path, methods)
	if err := Call(t.Context(), path, "echo", func() {}, nil); err == nil || !strings.Contains(err.Error(), "unsupported type") {
		t.Errorf("%v", err)
	}
}

// TestBadAnswer checks that an answer that cannot become JSON is a refusal, and that an answer of
// the wrong type is the caller's error.
func TestBadAnswer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	serve(t, path, Methods{
		"odd":  Answer(func(context.Context, any) (any, error) { return func() {}, nil }),
		"text": Answer(func(context.Context, any) (string, error) { return "many", nil }),
		"part": Stream(func(_ context.Context, _ any, send func(any) error) error {
			if err := send(1); err != nil {
				return err
			}
			return send(func() {})
		}),
	})
	var p *problem.Problem
	if err := Call(t.Context(), path, "odd", nil, nil); !errors.As(err, &p) || p.Kind != Failed || !strings.Contains(err.Error(), "unsupported type") {
		t.Errorf("%v", err)
	}
	var n int
	if err := Call(t.Context(), path, "text", nil, &n); err == nil || !strings.Contains(err.Error(), "cannot unmarshal string") {
		t.Errorf("%v", err)
	}
	got := 0
	err := Follow(t.Context(), path, "part", nil, func(int) error { got++; return nil })
	if !errors.As(err, &p) || p.Kind != Failed || got != 1 {
		t.Errorf("%d answers, %v", got, err)
	}
}

// TestCallTooLate checks that a caller with an ended context sends nothing and gets the reason.
func TestCallTooLate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	serve(t, path, methods)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Call(ctx, path, "echo", nil, nil); !errors.Is(err, context.Canceled) || err.Error() != "the server has not answered" {
		t.Errorf("%v", err)
	}
	// The error must not depend on when the deadline passes.
	for limit := range 200 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(limit)*time.Microsecond)
		err := Call(ctx, path, "echo", nil, nil)
		cancel()
		if err != nil && (!errors.Is(err, context.DeadlineExceeded) || err.Error() != "the server has not answered") {
			t.Fatalf("after %d µs: %v", limit, err)
		}
	}
}

// TestReadFrameEnds distinguishes the end of a stream, a truncated frame, and an error of the connection.
func TestReadFrameEnds(t *testing.T) {
	reset := errors.New("connection reset")
	for _, c := range []struct {
		name string
		from io.Reader
		want error
	}{
		{"nothing", strings.NewReader(""), io.EOF},
		{"a cut frame", strings.NewReader("{}"), malformed()},
		{"a reset", iotest.ErrReader(reset), reset},
		{"a reset in a frame", io.MultiReader(strings.NewReader("{"), iotest.ErrReader(reset)), reset},
	} {
		if err := readFrame(bufio.NewReader(c.from), 64, new(request)); err == nil || err.Error() != c.want.Error() {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	if err := writeFrame(io.Discard, 64, func() {}); err == nil || !strings.Contains(err.Error(), "unsupported type") {
		t.Errorf("%v", err)
	}
}

// TestServerDies checks that a server that is killed during a stream is not mistaken for the end of
// the stream.
func TestServerDies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	l, err := OpenSocket(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		bufio.NewReader(c).ReadSlice('\n')
		io.WriteString(c, "{\"value\":1}\n{\"val")
		c.Close()
	}()
	got := 0
	if err := Follow(t.Context(), path, "count", 2, func(int) error { got++; return nil }); !errors.Is(err, ErrNoServer) || got != 1 {
		t.Errorf("%d answers, %v", got, err)
	}
}

func TestMalformedFrames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	serve(t, path, methods)
	for text, kind := range map[string]problem.Kind{
		"\n":                              BadRequest,
		"{}":                              BadRequest, // truncated
		"nonsense\n":                      BadRequest,
		"[]\n":                            BadRequest,
		"{\"method\":1}\n":                BadRequest,
		"{\"method\":\"echo\"\x00}\n":     BadRequest,
		"{}\n":                            UnknownMethod,
		strings.Repeat("x", 2*maxRequest): TooLong,
	} {
		c, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(golden.Patience))
		c.Write([]byte(text))
		c.(*net.UnixConn).CloseWrite()
		var a answer
		if err := json.NewDecoder(c).Decode(&a); err != nil || a.Error == nil || a.Error.Kind != kind {
			t.Errorf("%.20q: %+v, %v", text, a.Error, err)
		}
		c.Close()
	}
}

func TestPeer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	s, err := listen(path, methods, func(*net.UnixConn) error {
		return &problem.Problem{Kind: OtherUser, Message: "this program belongs to another user"}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = Call(t.Context(), path, "echo", nil, nil)
	if p := (*problem.Problem)(nil); !errors.As(err, &p) || p.Kind != OtherUser {
		t.Errorf("%v", err)
	}
}

// TestClose checks that Close waits for answers in progress, but not for callers that send no request.
func TestClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	entered, leave := make(chan struct{}), make(chan struct{})
	s := serve(t, path, Methods{"wait": Answer(func(context.Context, any) (string, error) {
		close(entered)
		<-leave
		return "done", nil
	})})
	silent, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	answered := make(chan error, 1)
	var got string
	go func() { answered <- Call(context.Background(), path, "wait", nil, &got) }()
	<-entered
	awaitConns(t, s, 2)
	closed := make(chan struct{})
	go func() { s.Close(); close(closed) }()
	if text, _ := io.ReadAll(silent); len(text) > 0 {
		t.Errorf("a caller that never asked gets %s", text)
	}
	close(leave)
	<-closed
	if err := <-answered; err != nil || got != "done" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket is left: %v", err)
	}
}

// TestCallsForgotten checks that a server keeps nothing of ended calls.
func TestCallsForgotten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	s := serve(t, path, methods)
	for range 3 {
		if err := Call(t.Context(), path, "echo", nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	awaitConns(t, s, 0)
}

// awaitConns waits until a server has the given number of connections.
func awaitConns(t *testing.T, s *Server, want int) {
	t.Helper()
	count := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.conns)
	}
	golden.Until(t, fmt.Sprintf("the server has %d connections", want), func() bool { return count() == want })
}

// TestPatience checks that a caller has limited time to send its request and to read an answer,
// while a method has unlimited time.
func TestPatience(t *testing.T) {
	begin := func(t *testing.T, m Methods) net.Conn {
		caller, c := net.Pipe()
		s := &Server{methods: m, conns: map[net.Conn]bool{}}
		s.calls.Go(func() { s.serve(t.Context(), c, nil) })
		t.Cleanup(func() {
			caller.Close()
			s.calls.Wait()
		})
		return caller
	}
	bubble := func(name string, test func(*testing.T)) { t.Run(name, func(t *testing.T) { synctest.Test(t, test) }) }
	bubble("a method that takes long", func(t *testing.T) {
		caller := begin(t, Methods{"wait": Answer(func(ctx context.Context, _ any) (string, error) {
			select {
			case <-ctx.Done():
				return "", ctx.Err()
			case <-time.After(10 * patience):
				return "done", nil
			}
		})})
		io.WriteString(caller, "{\"method\":\"wait\"}\n")
		if got, err := bufio.NewReader(caller).ReadString('\n'); got != "{\"value\":\"done\",\"done\":true}\n" {
			t.Errorf("%q, %v", got, err)
		}
	})
	bubble("a caller that does not ask", func(t *testing.T) {
		caller := begin(t, methods)
		if _, err := io.Copy(io.Discard, caller); err != nil { // until the connection is dropped
			t.Error(err)
		}
	})
	bubble("a caller that does not read", func(t *testing.T) {
		failed := make(chan error, 1)
		caller := begin(t, Methods{"count": Stream(func(_ context.Context, _ any, send func(int) error) error {
			err := send(1)
			failed <- err
			return err
		})})
		io.WriteString(caller, "{\"method\":\"count\"}\n")
		if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%v", err)
		}
		if text, err := io.ReadAll(caller); len(text) > 0 || err != nil { // half an answer may have been written
			t.Errorf("it gets %q, %v", text, err)
		}
	})
}

func TestCallGivesUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	left := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	serve(t, path, Methods{"wait": Answer(func(ctx context.Context, _ any) (any, error) {
		cancel()
		<-ctx.Done() // the caller's connection is closed
		close(left)
		return nil, nil
	})})
	if err := Call(ctx, path, "wait", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	select {
	case <-left:
	case <-time.After(golden.Patience):
		t.Error("the method goes on without its caller")
	}
}

// TestSlowSubscriber checks that a subscriber that does not read loses values, and that neither
// Publish nor Close waits for it.
func TestSlowSubscriber(t *testing.T) {
	need.Slow(t)
	path := filepath.Join(t.TempDir(), "socket")
	var feed Feed[string]
	type update struct {
		Text string
		Lost int
	}
	following := make(chan struct{})
	s := serve(t, path, Methods{"follow": Stream(func(ctx context.Context, _ any, send func(update) error) error {
		close(following)
		return feed.Follow(ctx, func(v string, lost int) error { return send(update{v, lost}) })
	})})
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "{\"method\":\"follow\"}\n")
	<-following
	text := strings.Repeat("x", 64<<10)
	for range 2000 { // far more than fit into a socket
		feed.Publish(text)
	}
	feed.Close()
	s.Close()
}

func TestFeed(t *testing.T) {
	var feed Feed[int]
	feed.Publish(-1) // without subscribers
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first, release := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	var got, lost int
	go func() {
		ended <- feed.Follow(ctx, func(v, n int) error {
			if v == 0 {
				close(first)
				<-release
			}
			got, lost = got+1, lost+n
			return nil
		})
	}()
	for subscribed := false; !subscribed; {
		feed.mu.Lock()
		subscribed = len(feed.subs) == 1
		feed.mu.Unlock()
	}
	feed.Publish(0)
	<-first
	const more = feedBuffer + 10
	for i := range more {
		feed.Publish(i + 1)
	}
	close(release)
	feed.Close()
	if err := <-ended; err != nil || got != 1+feedBuffer || lost != 10 {
		t.Errorf("%d values, %d lost, %v", got, lost, err)
	}
	feed.Close()
	if err := feed.Follow(ctx, func(int, int) error { return nil }); err != nil {
		t.Errorf("a closed feed: %v", err)
	}
}

// TestFeedForgets checks that a feed keeps nothing of a subscriber that has left.
func TestFeedForgets(t *testing.T) {
	var feed Feed[int]
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		if err := feed.Follow(ctx, func(int, int) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if len(feed.subs) > 0 {
		t.Errorf("%d subscribers are remembered, want at most 0", len(feed.subs))
	}
}

func TestRuntimeDir(t *testing.T) {
	for _, c := range []struct{ runtime, state, home, own, sockets, kept string }{
		{"/run/user/7", "", "/home/u", "", "/run/user/7/pentode", "/home/u/.local/state/pentode"},
		{"/run/user/7", "/state", "/home/u", "", "/run/user/7/pentode", "/state/pentode"},
		{"relative", "relative", "/home/u", "relative", "/home/u/.local/state/pentode", "/home/u/.local/state/pentode"},
		{"", "/state", "", "", "/state/pentode", "/state/pentode"},
		{"", "/state", "/home/u", "/job", "/job", "/job"},
		{"", "", "", "", "", ""},
	} {
		env := map[string]string{"XDG_RUNTIME_DIR": c.runtime, "XDG_STATE_HOME": c.state, "HOME": c.home, "PENTODE_STATE": c.own}
		getenv := func(name string) string { return env[name] }
		if got, err := RuntimeDir(getenv); got != c.sockets || (err == nil) != (c.sockets != "") {
			t.Errorf("%+v: sockets in %q, %v", c, got, err)
		}
		if got, err := StateDir(getenv); got != c.kept || (err == nil) != (c.kept != "") {
			t.Errorf("%+v: state in %q, %v", c, got, err)
		}
	}
}

// FuzzReadFrame checks that reading a frame respects its limit, and that a written frame is read back.
func FuzzReadFrame(f *testing.F) {
	for _, text := range []string{"{}\n", "{\"method\":\"stop\",\"params\":{\"node\":\"p\"}}\n", "\n", "{", "[1,2]\n{}\n", "\"\\ud800\"\n", "{}" + strings.Repeat(" ", 61) + "\n", "{}" + strings.Repeat(" ", 62) + "\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const limit = 64
		r := bufio.NewReaderSize(strings.NewReader(text), 16)
		var got request
		err := readFrame(r, limit, &got)
		if p := (*problem.Problem)(nil); err != nil && err != io.EOF && !errors.As(err, &p) {
			t.Fatalf("%q: %v", text, err)
		}
		line, _, whole := strings.Cut(text, "\n")
		if fits := whole && len(line) < limit && json.Unmarshal([]byte(line), new(request)) == nil; fits != (err == nil) {
			t.Fatalf("%q: %v", text, err)
		}
		if err != nil {
			return
		}
		var b strings.Builder
		if err := writeFrame(&b, 1<<20, got); err != nil {
			t.Fatal(err)
		}
		if exact := b.Len(); writeFrame(io.Discard, exact, got) != nil || writeFrame(io.Discard, exact-1, got) == nil {
			t.Fatalf("%q: the limit of %d bytes does not hold", text, exact)
		}
		var again request
		if err := readFrame(bufio.NewReader(strings.NewReader(b.String())), 1<<20, &again); err != nil || again.Method != got.Method {
			t.Fatalf("%q became %q: %v", text, b.String(), err)
		}
	})
}
