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

// ErrLost means that the program ended without closing the handoff.
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
	mu     sync.Mutex // held while the shared memory is in use
	shut   bool
	closed chan struct{}
}

// maxGreeting is how long a program may take to send its Hello.
const maxGreeting = 10 * time.Second

// Take reads the Hello of the program at the other end of a socket. The Taker closes the socket when
// it is closed.
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
	_ = WriteFrame(&frame, frameFail, []byte(reason)) // cannot fail: frame is a buffer in memory
	t.conn.SetDeadline(time.Now().Add(maxGreeting))
	_ = send(t.conn, frame.Bytes(), nil) // fails if the program is gone
}

// Accept tells the program which data the pipeline wants. The program waits for this answer, so it
// sees all knobs that were set before.
func (t *Taker) Accept(wants []string) error {
	text, err := json.Marshal(reply{protocol, wants})
	if err != nil {
		return err
	}
	var frame bytes.Buffer
	_ = WriteFrame(&frame, frameReady, text) // cannot fail: frame is a buffer in memory
	if err := send(t.conn, frame.Bytes(), nil); err != nil {
		return Torn(err)
	}
	t.pulse = newPulse(t.conn, t.data.bell(takerBellAt), t.data.bell(giverBellAt))
	t.data.wake = t.send
	return nil
}

// use calls f if the memory is still mapped, and keeps it mapped meanwhile. Otherwise it returns
// false.
func (t *Taker) use(f func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.shut {
		f()
	}
	return !t.shut
}

// Ready reports whether Next would return without waiting for the program: there is a step, or the
// program has ended.
func (t *Taker) Ready() bool {
	ready := t.isGone()
	return !t.use(func() { ready = ready || t.data.any() }) || ready
}

// Wait waits until Ready returns true or ctx ends.
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

// Next calls visit for the data of the next step. The items' Bytes point into the shared memory and
// are valid until visit returns. If there is no step, Next returns nil without calling visit. After
// the last step it returns io.EOF, or ErrLost if the program ended without closing the handoff.
func (t *Taker) Next(visit func(Item)) error {
	gone := t.isGone() // ask before looking at the slots: once the program is gone, it adds no steps
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

// Set sends new values of knobs to the program. items must contain every knob that has been set so
// far, because the program may read only the newest list.
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

// Pending reports whether the program has not seen the values of the last Set yet.
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
