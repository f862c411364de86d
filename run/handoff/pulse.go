package handoff

import (
	"io"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
)

// A bell is a counter in shared memory at which one process can sleep until another one increments it ("rings
// the bell"). For the program, this costs less than half as much as sending a byte through a socket.
type bell struct{ rung atomic.Uint32 }

func (b *bell) ring() {
	b.rung.Add(1)
	b.wake()
}

// A pulse lets the two sides of a handoff wake each other. A side rings the other's bell to tell it that the
// slots have changed. The end of the socket means that the other side is gone.
type pulse struct {
	conn   *net.UnixConn
	ours   *bell
	theirs *bell
	beat   chan struct{}
	gone   chan struct{}
	deaf   chan struct{} // closed when this side no longer listens to its bell
	closed atomic.Bool
	once   sync.Once
}

func newPulse(conn *net.UnixConn, ours, theirs *bell) *pulse {
	p := &pulse{conn: conn, ours: ours, theirs: theirs, beat: make(chan struct{}, 1), gone: make(chan struct{}), deaf: make(chan struct{})}
	go p.watch()
	go p.listen()
	return p
}

// watch waits until the other side closes the socket.
func (p *pulse) watch() {
	defer close(p.gone)
	_, _ = io.Copy(io.Discard, p.conn) // after the greeting, the socket carries no data: only its end matters
}

// listen waits for rings of this side's bell and passes them on to the channel `beat`.
func (p *pulse) listen() {
	defer close(p.deaf)
	for heard := uint32(0); !p.closed.Load(); {
		p.ours.sleep(heard)
		heard = p.ours.rung.Load() // read the counter before sending: a ring after this is noticed in the next round
		select {
		case p.beat <- struct{}{}:
		default:
		}
		runtime.Gosched() // let the goroutine that receives from beat run first: the futex call below blocks this processor for a while
	}
}

// await waits until the other side rings.
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
