package handoff

import (
	"io"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
)

// A bell is a word in shared memory that counts how often it was rung; the kernel wakes the process that sleeps
// at it. This costs the program less than half as much as sending a byte through a socket.
type bell struct{ rung atomic.Uint32 }

func (b *bell) ring() {
	b.rung.Add(1)
	b.wake()
}

// A pulse connects the two sides of a handoff. Ringing a bell tells the other side to look at the slots again;
// the end of the socket means that the other side is gone.
type pulse struct {
	conn   *net.UnixConn
	ours   *bell
	theirs *bell
	beat   chan struct{}
	gone   chan struct{}
	deaf   chan struct{} // closed when our bell is not used any more
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
	_, _ = io.Copy(io.Discard, p.conn) // no more data is sent on it
}

// listen passes rings of our bell on to the beat channel.
func (p *pulse) listen() {
	defer close(p.deaf)
	for heard := uint32(0); !p.closed.Load(); {
		p.ours.sleep(heard)
		heard = p.ours.rung.Load() // before the beat: a later ring is noticed next time
		select {
		case p.beat <- struct{}{}:
		default:
		}
		runtime.Gosched() // first runs the goroutine that waits for the beat: sleeping blocks this processor for a while
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

// close closes the socket, which the other side notices. Afterwards this side no longer uses the memory.
func (p *pulse) close() {
	p.once.Do(func() {
		p.closed.Store(true)
		p.ours.ring()
		p.conn.Close()
	})
	<-p.gone
	<-p.deaf
}
