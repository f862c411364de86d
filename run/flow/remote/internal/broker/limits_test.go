package broker

import (
	"bytes"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
)

// TestSlowConsumer: a client is dropped if it reads nothing, or too slowly, so that too much waits for it. Publishers and
// other subscribers are not affected.
func TestSlowConsumer(t *testing.T) {
	const size = 50_000
	message := "PUB x 50000\r\n" + strings.Repeat("m", size) + "\r\n"
	for want, change := range map[string]func(*limits){
		"sleepy: Slow Consumer: too much data waits for it": func(l *limits) { l.waiting = 1 << 20 },
		"sleepy: Slow Consumer: it does not read":           func(l *limits) { l.stall = time.Second },
	} {
		p := start(t, change)
		from, other, sleepy := p.dial(t, ""), p.dial(t, ""), p.dial(t, `,"name":"sleepy"`)
		for _, k := range []*talk{other, sleepy} {
			k.send("SUB x 1\r\n")
			k.answers()
		}
		sent := 0
		golden.Until(t, "the slow client is dropped", func() bool {
			if sent < 64<<20 { // the queue is limited, but the system's sockets also hold some data
				from.send(message)
				from.answers()
				sent += size
				for range 2 {
					other.line()
				}
			}
			return len(p.Dropped()) > 0
		})
		if got := p.Dropped(); !slices.Equal(got, []string{want}) {
			t.Errorf("dropped: %q, want %q", got, want)
		}
		from.send("PUB x 2\r\nhi\r\n")
		from.answers()
		if got := strings.Join(other.answers(), "|"); got != "MSG x 1 2|hi" {
			t.Errorf("another client gets %q, want a message", got)
		}
		if clients, subscriptions := p.Left(); clients != 2 || subscriptions != 1 {
			t.Errorf("%d clients with %d subscriptions are left, want 2 and 1", clients, subscriptions)
		}
	}
}

// TestRoom: waiting data count until they are written, and no longer.
func TestRoom(t *testing.T) {
	p := start(t, func(l *limits) { l.waiting = 300_000 })
	k := p.dial(t, "")
	k.send("SUB x 1\r\n")
	message := "PUB x 100000\r\n" + strings.Repeat("m", 100_000) + "\r\n"
	for i := range 30 {
		k.send(message)
		if got := k.answers(); len(got) != 2 {
			t.Fatalf("message %d: %q, want it back", i, got)
		}
	}
}

// TestManyClients: no more clients than the limit are admitted, and others wait for a place among the connections
// without a key.
func TestManyClients(t *testing.T) {
	p := start(t, func(l *limits) { l.clients, l.strangers = 2, 1 })
	a, b := p.dial(t, ""), p.dial(t, "")
	for _, k := range []*talk{a, b} {
		if got := k.answers(); got != nil {
			t.Fatalf("the first clients get %q, want nothing", got)
		}
	}
	if got := p.dial(t, "").answers(); got[0] != "-ERR 'maximum connections exceeded'" {
		t.Errorf("one more gets %q, want that there are too many", got)
	}
	a.raw.Close()
	golden.Until(t, "a client is gone", func() bool { n, _ := p.Left(); return n == 1 })
	stranger := p.meet(t)
	waits, err := net.Dial("tcp", p.address)
	if err != nil {
		t.Fatal(err)
	}
	defer waits.Close()
	_ = waits.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if n, err := waits.Read(make([]byte, 1)); n > 0 {
		t.Errorf("a second stranger gets an answer (%v), want it to wait", err)
	}
	stranger.raw.Close()
	_ = waits.SetReadDeadline(time.Now().Add(golden.Patience))
	if _, err := waits.Read(make([]byte, 1)); err != nil {
		t.Errorf("after the first stranger has gone, the second gets %v, want INFO", err)
	}
}

// TestClose: a broker that is closed gives each client what waits for it, and then ends all connections and
// goroutines.
func TestClose(t *testing.T) {
	p := start(t, nil)
	from, to := p.dial(t, ""), p.dial(t, "")
	to.send("SUB x 1\r\n")
	to.answers()
	p.meet(t)
	p.meet(t).secure()
	from.send(strings.Repeat("PUB x 2\r\nhi\r\n", 1000))
	from.answers()
	p.Close()
	for i := range 1000 {
		if got := to.line() + "|" + to.line(); got != "MSG x 1 2|hi" {
			t.Fatalf("line %d: %q, want a message", i, got)
		}
	}
	if got := to.line(); got != "closed" {
		t.Errorf("after all messages comes %q, want the end", got)
	}
	golden.NothingRuns(t)
}

// TestListenFails: listening on an address of another machine is an error.
func TestListenFails(t *testing.T) {
	if _, err := Listen(Options{Host: "192.0.2.1"}); err == nil {
		t.Error("a broker listens on an address of no machine")
	}
}

// A recording is a connection that gives a broker some bytes to read and accepts everything written.
type recording struct {
	net.Conn
	io.Reader
}

func (r *recording) Read(buf []byte) (int, error)     { return r.Reader.Read(buf) }
func (*recording) Write(buf []byte) (int, error)      { return len(buf), nil }
func (*recording) Close() error                       { return nil }
func (*recording) SetWriteDeadline(_ time.Time) error { return nil }

// FuzzBroker: whatever a client sends, the broker continues, and nothing of the client is left.
func FuzzBroker(f *testing.F) {
	for _, b := range behaviours {
		var text strings.Builder
		for _, step := range b.script {
			text.WriteString(step[2:] + "\r\n")
		}
		if text.Len() < 1000 {
			f.Add([]byte(text.String()), byte(255))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, flags byte) {
		l := usual
		l.waiting, l.subscriptions = 1<<16, 4
		b := &Broker{options: Options{MaxPayload: 1 << 17, limits: l}, clients: map[*client]bool{}}
		listener := newClient(b, &recording{})
		listener.subscriptions["9"] = &subscription{client: listener, subject: ">", id: "9"}
		b.table.add(listener.subscriptions["9"])
		c := newClient(b, &recording{Reader: bytes.NewReader(text)})
		c.hello = hello{Verbose: flags&1 > 0, Pedantic: flags&2 > 0, Echo: flags&4 > 0, Headers: flags&8 > 0, NoResponders: flags&16 > 0}
		c.in = newReader(c)
		c.live()
		if n := b.table.size(); n > 1 {
			t.Fatalf("%d subscriptions are left, want at most that of the one who listens", n)
		}
		if listener.size > l.waiting {
			t.Fatalf("%d bytes wait, want at most %d", listener.size, l.waiting)
		}
	})
}
