package handoff

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// ErrLost is the error of a program that ended without notice.
var ErrLost = errors.New("the program ended without PDI_finalize")

// A Taker is the pipeline's side of a handoff.
type Taker struct {
	*pulse
	Hello Hello

	conn   *net.UnixConn
	data   taker
	knobs  giver
	down   *Memory
	up     *Memory
	mu     sync.Mutex // held while the memory is in use
	shut   bool
	closed chan struct{}
}

// maxGreeting is the time that a program may take to send its Hello.
const maxGreeting = 10 * time.Second

// Take receives the Hello of the program on the other side of a socket. The Taker owns the socket.
func Take(conn *net.UnixConn) (_ *Taker, err error) {
	t := &Taker{conn: conn, closed: make(chan struct{})}
	var fds []int
	defer func() {
		if err != nil {
			closeAll(fds)
			conn.Close()
			t.release()
		}
	}()
	conn.SetDeadline(time.Now().Add(maxGreeting))
	var head [5]byte
	if fds, err = receive(conn, head[:], 2); err != nil {
		return nil, err
	}
	kind, text, err := ReadFrame(io.MultiReader(bytes.NewReader(head[:]), conn), maxHello)
	if err != nil {
		return nil, err
	}
	if kind == frameNoProgram {
		return nil, ErrNobody
	}
	conn.SetDeadline(time.Time{})
	h := &t.Hello
	if json.Unmarshal(text, h) != nil || kind != frameHello || h.Protocol != protocol || len(fds) != 2 {
		return nil, errors.New("the library of the program and the pipeline are from different versions of Pentode")
	}
	t.data = taker{slots: h.down()}
	t.knobs = giver{slots: h.up(), policy: Latest, wake: func() {}}
	for i, s := range []*slots{&t.data.slots, &t.knobs.slots} {
		if err := s.check(); err != nil {
			return nil, err
		}
		m, err := OpenMemory(fds[0], s.bytes())
		fds = fds[1:]
		if err != nil {
			return nil, err
		}
		s.memory = m.Bytes
		if i == 0 {
			t.down = m
		} else {
			t.up = m
		}
	}
	return t, nil
}

// Refuse tells the program why the pipeline does not accept its data.
func (t *Taker) Refuse(reason string) {
	var frame bytes.Buffer
	_ = WriteFrame(&frame, frameFail, []byte(reason)) // writes to memory
	t.conn.SetDeadline(time.Now().Add(maxGreeting))
	_ = send(t.conn, frame.Bytes(), nil) // the program may be gone
}

// Accept tells the program which data the pipeline wants. Knobs that were set before are visible to
// the program when it continues.
func (t *Taker) Accept(wants []string) error {
	text, err := json.Marshal(reply{protocol, wants})
	if err != nil {
		return err
	}
	var frame bytes.Buffer
	_ = WriteFrame(&frame, frameReady, text) // writes to memory
	if err := send(t.conn, frame.Bytes(), nil); err != nil {
		return Torn(err)
	}
	t.pulse = newPulse(t.conn, t.data.bell(takerBellAt), t.data.bell(giverBellAt))
	t.data.wake = t.send
	return nil
}

// use calls f while the memory is mapped. It returns false if the memory is gone.
func (t *Taker) use(f func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.shut {
		f()
	}
	return !t.shut
}

// Ready reports whether Next would return something: a step, or the end.
func (t *Taker) Ready() bool {
	ready := t.isGone()
	return !t.use(func() { ready = ready || t.data.any() }) || ready
}

// Wait waits until Ready.
func (t *Taker) Wait(ctx context.Context) {
	for !t.Ready() && ctx.Err() == nil {
		come := false
		there := t.use(func() {
			t.data.word(sleepingAt).Store(1)
			come = t.data.any()
		})
		if !there || come {
			return
		}
		select {
		case <-t.beat:
		case <-t.gone:
		case <-t.closed:
		case <-ctx.Done():
		}
	}
}

// Next visits the data of the next step. Bytes refer to the shared memory and are valid until visit
// returns. If there is no step, Next returns nil, or, if the program has ended, io.EOF, or ErrLost if
// it ended without notice.
func (t *Taker) Next(visit func(Item)) error {
	gone := t.isGone() // before looking at the slots: no steps follow
	var err error
	ended := false
	t.use(func() {
		slot := t.data.take()
		if slot == nil {
			ended, err = gone, ErrLost
			if t.data.word(endedAt).Load() != 0 {
				err = io.EOF
			}
			return
		}
		err = readStep(slot, len(t.Hello.Data), visit)
		t.data.free()
	})
	if errors.Is(err, ErrLost) && !ended || errors.Is(err, io.EOF) && !ended {
		return nil
	}
	return err
}

// Set sends the program new values of its knobs: all values that it should have.
func (t *Taker) Set(items []Item) error {
	err := ErrGone
	t.use(func() {
		var slot []byte
		if slot, err = t.knobs.begin(); slot != nil {
			writeStep(slot, items)
			t.knobs.commit()
		}
	})
	return err
}

// Pending reports whether the program has not yet seen the last values set.
func (t *Taker) Pending() (pending bool) {
	t.use(func() { pending = (&taker{slots: t.knobs.slots}).any() })
	return pending
}

// Close ends the handoff.
func (t *Taker) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shut {
		return
	}
	t.shut = true
	close(t.closed)
	if t.pulse != nil {
		t.close()
	} else {
		t.conn.Close()
	}
	t.release()
}

func (t *Taker) release() {
	for _, m := range []*Memory{t.down, t.up} {
		if m != nil {
			m.Close()
		}
	}
}
