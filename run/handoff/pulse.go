package handoff

import (
	"net"
	"sync"
	"syscall"
)

// A pulse is the socket between the two sides once they have met: a byte means that the
// other side should look again, its end that the other side is gone.
type pulse struct {
	conn *net.UnixConn
	raw  syscall.RawConn
	beat chan struct{}
	gone chan struct{}
	once sync.Once
}

func newPulse(conn *net.UnixConn) *pulse {
	p := &pulse{conn: conn, beat: make(chan struct{}, 1), gone: make(chan struct{})}
	p.raw, _ = conn.SyscallConn() // it fails where conn is nil alone
	go p.listen()
	return p
}

func (p *pulse) listen() {
	defer close(p.gone)
	var buf [64]byte
	for {
		if _, err := p.conn.Read(buf[:]); err != nil {
			return
		}
		select {
		case p.beat <- struct{}{}:
		default:
		}
	}
}

// await waits for a byte.
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

// send wakes the other side. It never waits: where the socket is full, bytes are on their way.
func (p *pulse) send() { _ = p.raw.Control(nudge) } // who is gone need not be woken

// close ends the socket; the other side sees it.
func (p *pulse) close() {
	p.once.Do(func() { p.conn.Close() })
	<-p.gone
}
