package broker

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// chunkBytes is the size of a TLS record.
const chunkBytes = 16 << 10

// A chunk has bytes in the queue of one client, or a part of a large message in the queues of
// several.
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

// release gives up one owner's share of the chunk. Each owner calls it once.
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

// A queue has the bytes that wait to be sent to a client.
type queue struct {
	wake chan struct{} // has a token if the writer must look at the queue

	mu      sync.Mutex
	waiting []*chunk
	open    *chunk    // the last chunk, if more bytes may be added to it; else nil
	size    int       // number of bytes that wait or are being written
	awake   bool      // the writer needs no wake-up: it will look again, or another goroutine is about to wake it
	over    bool      // nothing more may be added
	until   time.Time // if over is set: deadline for sending the rest
	why     string    // reason why the connection ended; empty if the client ended it
}

// slow is the beginning of the reason why a slow client is dropped.
const slow = "Slow Consumer"

// add copies bytes to the end of the queue. The caller holds mu, and fits has returned true; only
// finish adds its short text in any case.
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

// share adds chunks that are also in other queues. The caller holds mu, and fits has
// returned true.
func (q *queue) share(list []*chunk) {
	for _, k := range list {
		k.owners.Add(1)
		q.size += len(k.bytes)
	}
	q.waiting = append(q.waiting, list...)
	q.open = nil
}

// take returns the chunks in the queue, and whether they are the last. The queue continues with the
// list `empty`.
func (q *queue) take(empty []*chunk) (list []*chunk, over bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	list, q.waiting, q.open = q.waiting, empty, nil
	q.awake = len(list) > 0
	return list, q.over
}

// discard empties the queue. The caller holds mu.
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

// fits reports whether n more bytes may be added to the queue. If not, it drops the client. The
// caller holds mu.
func (c *client) fits(n int) bool {
	if c.size+n <= c.limits.waiting {
		return true
	}
	c.why = slow + ": too much data waits for it"
	c.discard()
	c.raw.Close()
	return false
}

// finish ends a connection when the rest of the queue is sent, or after a short time. text is an
// error message for the client, sent last.
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
	c.over, c.until = true, time.Now().Add(c.limits.closing)
	_ = c.raw.SetWriteDeadline(c.until) // also limits the current write; the connection may be closed
	c.signal()
}

// write sends the queue until the connection ends, and then closes the connection.
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
		_ = c.raw.SetWriteDeadline(until) // if it is closed, the write below fails
		c.mu.Unlock()
		if _, err := c.conn.Write(k.bytes); err != nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			if !c.over && errors.Is(err, os.ErrDeadlineExceeded) {
				c.why = slow + ": it does not read"
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

// ping sends a ping to a client that has sent nothing since the last one, or ends its connection if
// it has not answered.
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
