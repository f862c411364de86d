package broker

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// chunkBytes is what TLS makes one record of.
const chunkBytes = 16 << 10

// A chunk holds bytes that wait for one client, or a part of a large message
// that waits for several.
type chunk struct {
	bytes  []byte
	owners atomic.Int32
}

var chunks = sync.Pool{New: func() any { return &chunk{bytes: make([]byte, 0, chunkBytes)} }}

// newChunk returns an empty chunk with one owner.
func newChunk() *chunk {
	k := chunks.Get().(*chunk)
	k.bytes = k.bytes[:0]
	k.owners.Store(1)
	return k
}

// release is called by each owner once.
func (k *chunk) release() {
	if k.owners.Add(-1) == 0 {
		chunks.Put(k)
	}
}

func releaseAll(list []*chunk) {
	for _, k := range list {
		k.release()
	}
	clear(list)
}

// A queue is what waits for a client.
type queue struct {
	wake chan struct{} // holds one token when there is something for the writer

	mu      sync.Mutex
	waiting []*chunk
	open    *chunk    // the last of them, where bytes may be added to it
	size    int       // bytes that wait or are being written
	awake   bool      // the writer looks again, or the one who put bytes into the empty queue wakes it
	over    bool      // the client gets no more than what waits
	until   time.Time // when over: for how long
	why     string    // the connection ended, if not by the client
}

// slow is how the reasons for dropping a slow client begin.
const slow = "Slow Consumer"

// add copies bytes into the queue; mu is held, and fits has said yes.
func (q *queue) add(parts ...[]byte) {
	for _, p := range parts {
		q.size += len(p)
		for len(p) > 0 {
			if q.open == nil || len(q.open.bytes) == chunkBytes {
				q.open = newChunk()
				q.waiting = append(q.waiting, q.open)
			}
			n := min(len(p), chunkBytes-len(q.open.bytes))
			q.open.bytes = append(q.open.bytes, p[:n]...)
			p = p[n:]
		}
	}
}

// share adds chunks that others have too; mu is held, and fits has said yes.
func (q *queue) share(list []*chunk) {
	for _, k := range list {
		k.owners.Add(1)
		q.size += len(k.bytes)
	}
	q.waiting = append(q.waiting, list...)
	q.open = nil
}

// take hands over what waits, and whether it is the last. It lends the queue a list.
func (q *queue) take(empty []*chunk) (list []*chunk, over bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	list, q.waiting, q.open = q.waiting, empty, nil
	q.awake = len(list) > 0
	return list, q.over
}

// discard forgets what waits; mu is held.
func (q *queue) discard() {
	releaseAll(q.waiting)
	q.waiting, q.open, q.over = nil, nil, true
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// fits reports whether so many bytes more may wait. Where they may not, the client
// is dropped; mu is held.
func (c *client) fits(n int) bool {
	if c.size+n <= c.limits.waiting {
		return true
	}
	c.why = slow + ": more waits for it than it may"
	c.discard()
	c.raw.Close()
	return false
}

// finish ends a connection when what waits is written, and soon. An error for the client
// is the last that it gets.
func (c *client) finish(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return
	}
	if text != "" {
		c.why = text
		c.add([]byte("-ERR '" + text + "'\r\n"))
	}
	c.over, c.until = true, time.Now().Add(c.limits.farewell)
	_ = c.raw.SetWriteDeadline(c.until) // also of what is just being written; it may be closed
	c.signal()
}

// write sends what waits until the connection ends, and closes it.
func (c *client) write() {
	defer c.raw.Close()
	tick := time.NewTicker(c.limits.ping)
	defer tick.Stop()
	var list []*chunk
	for {
		over := false
		if list, over = c.take(list[:0]); len(list) > 0 {
			if !c.send(list) {
				return
			}
			continue
		}
		if over {
			return
		}
		select {
		case <-c.wake:
		case <-tick.C:
			c.ping()
		}
	}
}

// send writes chunks, and reports whether the client has taken them.
func (c *client) send(list []*chunk) bool {
	defer releaseAll(list)
	for i, k := range list {
		c.mu.Lock()
		if i > 0 {
			c.size -= len(list[i-1].bytes)
		}
		until := c.until
		if until.IsZero() {
			until = time.Now().Add(c.limits.stall)
		}
		_ = c.raw.SetWriteDeadline(until) // a closed one fails below
		c.mu.Unlock()
		if _, err := c.conn.Write(k.bytes); err != nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			if !c.over && errors.Is(err, os.ErrDeadlineExceeded) {
				c.why = slow + ": it takes nothing"
			}
			c.discard()
			return false
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size -= len(list[len(list)-1].bytes)
	return true
}

// ping asks a client that has said nothing since the last time, or ends its connection where it has
// not answered.
func (c *client) ping() {
	if c.silent.Add(1) > c.limits.pings+1 {
		c.finish("Stale Connection")
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over && c.fits(len("PING\r\n")) {
		c.add([]byte("PING\r\n"))
	}
}
