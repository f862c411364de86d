package handoff

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// A Giver is the program's side of a handoff.
type Giver struct {
	*pulse
	data  giver
	knobs taker
	down  *Memory
	up    *Memory
	hello Hello
	wants []bool
}

// Give offers data to the pipeline at the other end of a socket, and waits until the pipeline has said
// which of the data it wants. The Giver closes the socket when it is closed.
func Give(ctx context.Context, conn *net.UnixConn, h Hello) (_ *Giver, err error) {
	h.Protocol = protocol
	g := &Giver{hello: h, wants: make([]bool, len(h.Data))}
	g.data = giver{slots: h.down(), policy: h.Policy}
	g.knobs = taker{slots: h.up(), wake: func() {}}
	defer func() {
		if err != nil {
			conn.Close()
			g.release()
		}
	}()
	if g.down, err = newSlots(&g.data.slots); err != nil {
		return nil, err
	}
	if g.up, err = newSlots(&g.knobs.slots); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Now()) })
	defer stop()
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	var frame bytes.Buffer
	_ = WriteFrame(&frame, frameHello, text) // cannot fail: frame is a buffer in memory
	if err := SendFiles(conn, frame.Bytes(), g.down.File, g.up.File); err != nil {
		return nil, Torn(err)
	}
	kind, answer, err := ReadFrame(conn, maxHello)
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, err
	}
	if kind == frameFail {
		return nil, &Refusal{string(answer)}
	}
	var r reply
	if json.Unmarshal(answer, &r) != nil || kind != frameReady || r.Protocol != protocol {
		return nil, errors.New("the pipeline and the library of the program are from different versions of Pentode")
	}
	for _, name := range r.Wants {
		for i := range h.Data {
			g.wants[i] = g.wants[i] || h.Data[i] == name
		}
	}
	if !stop() {
		return nil, ctx.Err()
	}
	g.down.HandedOver()
	g.up.HandedOver()
	g.pulse = newPulse(conn, g.data.bell(giverBellAt), g.data.bell(takerBellAt))
	g.data.wake, g.data.wait = g.send, g.await
	return g, nil
}

// newSlots allocates shared memory for slots.
func newSlots(s *slots) (*Memory, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	m, err := NewMemory(s.bytes(), false)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, errors.New("this system lacks the shared memory that is needed here; Linux has it")
	}
	if err != nil {
		return nil, fmt.Errorf("cannot allocate %d bytes of memory to share with the pipeline: %w", s.bytes(), plain(err))
	}
	s.memory = m.Bytes
	return m, nil
}

// plain returns an error without the name of the failed system call.
func plain(err error) error {
	if at := (*os.SyscallError)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}

// Wants reports whether the pipeline uses the i-th datum.
func (g *Giver) Wants(i int) bool { return g.wants[i] }

// A LargeError is the error for a step that has more bytes than the two sides have agreed on.
type LargeError struct {
	Index     int // index of the largest datum in the step
	Size, Max int
}

func (e *LargeError) Error() string {
	return fmt.Sprintf("the data of a step have %d bytes, but at most %d were agreed", e.Size, e.Max)
}

// Give hands over the data of one step. It returns ErrGone if the pipeline has ended, and a
// *LargeError if the step is too large.
func (g *Giver) Give(items []Item) error {
	if g.isGone() {
		return ErrGone
	}
	if n := stepSize(items); n > g.data.size {
		e := &LargeError{Size: n, Max: g.hello.Step}
		largest := 0
		for i := range items {
			if items[i].Size >= largest {
				e.Index, largest = items[i].Index, items[i].Size
			}
		}
		return e
	}
	slot, err := g.data.begin()
	if err != nil || slot == nil {
		return err
	}
	writeStep(slot, items)
	g.data.commit()
	return nil
}

// Steps returns how many steps were handed over, and how many were lost because the pipeline was still
// busy with earlier ones.
func (g *Giver) Steps() (given, lost uint64) {
	return g.data.last - g.data.forgot, g.data.lost + g.data.forgot
}

// Knobs calls visit for each number that the pipeline has set since the last call. Numbers that were
// set together are visited together. A call without any changes costs almost nothing.
func (g *Giver) Knobs(visit func(Item)) error {
	if !g.knobs.any() {
		return nil
	}
	slot := g.knobs.take()
	if slot == nil {
		return nil
	}
	defer g.knobs.free()
	return readStep(slot, len(g.hello.Knobs), visit)
}

// Close tells the pipeline that no more data follows.
func (g *Giver) Close() {
	g.data.word(endedAt).Store(1)
	g.close()
	g.release()
}

func (g *Giver) release() {
	for _, m := range []*Memory{g.down, g.up} {
		if m != nil {
			m.Close()
		}
	}
}
