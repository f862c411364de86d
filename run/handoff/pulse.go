package handoff

import (
	"io"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
)

// A bell is a word of the memory that counts how often it was rung; the kernel wakes who sleeps at it. That costs
// the program less than half of what a byte through a socket does.
type bell struct{ rung atomic.Uint32 }

func (b *bell) ring() {
	b.rung.Add(1)
	b.wake()
}

// A pulse joins the two sides once they have met: a bell means that the other side should look again, the end of
// the socket that the other side is gone.
type pulse struct {
	conn   *net.UnixConn
	ours   *bell
	theirs *bell
	beat   chan struct{}
	gone   chan struct{}
	deaf   chan struct{} // our bell is not used any more
	closed atomic.Bool
	once   sync.Once
}

func newPulse(conn *net.UnixConn, ours, theirs *bell) *pulse {
	p := &pulse{conn: conn, ours: ours, theirs: theirs, beat: make(chan struct{}, 1), gone: make(chan struct{}), deaf: make(chan struct{})}
	go p.watch()
	go p.listen()
	return p
}

// watch waits for the end of the socket.
func (p *pulse) watch() {
	defer close(p.gone)
	_, _ = io.Copy(io.Discard, p.conn) // nothing comes any more
}

// listen passes the bell on.
func (p *pulse) listen() {
	defer close(p.deaf)
	for heard := uint32(0); !p.closed.Load(); {
		p.ours.sleep(heard)
		heard = p.ours.rung.Load() // before the beat: what is rung after it is heard next time
		select {
		case p.beat <- struct{}{}:
		default:
		}
		runtime.Gosched() // who waits for the beat goes first: sleeping keeps this processor for a while
	}
}

// await waits for the bell.
func (p *pulse) await() error {
	select {
	case <-p.beat:
		return nil
	case <-p.gone:
		return ErrGone
	}
}

func (p *pulse) isGone() bool {
	select {
	case <-p.gone:
		return true
	default:
		return false
	}
}

// send wakes the other side.
func (p *pulse) send() { p.theirs.ring() }

// close ends the socket; the other side sees it. Then nothing here uses the memory.
func (p *pulse) close() {
	p.once.Do(func() {
		p.closed.Store(true)
		p.ours.ring()
		p.conn.Close()
	})
	<-p.gone
	<-p.deaf
}
