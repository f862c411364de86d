package broker

import (
	"io"
	"math/rand/v2"
	"strconv"
)

const (
	maxSmall     = 16 << 10 // bytes up to which a message is copied for each receiver
	maxAudiences = 256      // audiences that a reader keeps
)

// A message is what a client publishes.
type message struct {
	subject, reply []byte
	header, size   int // bytes of the header; bytes of header and data
	small          []byte
	large          []*chunk // instead of small: the header, then the data
	data           int      // index in large of the first chunk with data
}

// publish carries out PUB and HPUB.
func (c *client) publish(rest []byte, header bool) error {
	c.line = append(c.line[:0], rest...)
	f := c.split(c.line)
	sizes := 1
	if header {
		sizes = 2
	}
	if len(f) < sizes+1 || len(f) > sizes+2 {
		return notUnderstood
	}
	m := message{subject: f[0], size: number(f[len(f)-1])}
	if len(f) == sizes+2 {
		m.reply = f[1]
	}
	if header {
		m.header = number(f[len(f)-2])
	}
	switch {
	case m.header < 0 || m.size < m.header || header && !c.hello.Headers:
		return notUnderstood
	case m.size > c.broker.options.MaxPayload:
		return refusal("Maximum Payload Violation")
	}
	if err := c.readPayload(&m); err != nil {
		return err
	}
	if c.hello.Pedantic && !(isSubject(string(m.subject)) && isLiteral(string(m.subject))) {
		c.reply("-ERR 'Invalid Publish Subject'\r\n")
	}
	c.ok()
	c.deliver(&m)
	releaseAll(c.large)
	c.large = c.large[:0]
	_, err := c.in.Discard(len(m.small))
	return err
}

// readPayload reads the payload after the line of a message. A small payload stays in the buffer.
func (c *client) readPayload(m *message) (err error) {
	var end []byte
	if m.size <= maxSmall {
		if m.small, err = c.in.Peek(m.size + 2); err != nil {
			return err
		}
		end = m.small[m.size:]
	} else {
		if err = c.readChunks(m.header); err == nil {
			m.data = len(c.large)
			err = c.readChunks(m.size - m.header)
		}
		if err != nil {
			return err
		}
		m.large = c.large
		if end, err = c.in.Peek(2); err != nil {
			return err
		}
		_, _ = c.in.Discard(2) // they are already buffered
	}
	if string(end) != "\r\n" {
		return notUnderstood
	}
	return nil
}

func (c *client) readChunks(n int) error {
	for n > 0 {
		k := newChunk()
		c.large = append(c.large, k)
		k.bytes = k.bytes[:min(n, chunkBytes)]
		if _, err := io.ReadFull(c.in, k.bytes); err != nil {
			return err
		}
		n -= len(k.bytes)
	}
	return nil
}

// deliver gives a message to all subscribers.
func (c *client) deliver(m *message) {
	a := c.audience(m.subject)
	given := false
	for _, s := range a.each {
		given = c.give(s, m) || given
	}
	for _, g := range a.groups {
		first := rand.IntN(len(g))
		for i := range g {
			if c.give(g[(first+i)%len(g)], m) {
				given = true
				break
			}
		}
	}
	if !given && len(m.reply) > 0 && c.hello.NoResponders {
		c.alone(m)
	}
}

// audience returns the subscribers of a subject. As in NATS, a client that publishes to * reaches only
// subscriptions of *.
func (c *client) audience(subject []byte) *audience {
	t := &c.broker.table
	v := t.version.Load()
	if a := c.audiences[string(subject)]; a != nil && v == c.version {
		return a
	}
	if c.audiences == nil || v != c.version || len(c.audiences) == maxAudiences {
		c.version, c.audiences = v, map[string]*audience{}
	}
	name := string(subject)
	a := t.find(name)
	c.audiences[name] = a
	return a
}

// give puts a message into the queue of a subscriber, and reports whether the subscriber takes it.
func (c *client) give(s *subscription, m *message) bool {
	to := s.client
	if to == c && !c.hello.Echo {
		return false
	}
	header, skipped, first := m.header, 0, 0
	if header > 0 && !to.hello.Headers { // it gets only the data
		header, skipped, first = 0, header, m.data
	}
	c.head = appendHead(c.head[:0], m, s.id, header, m.size-skipped)
	to.mu.Lock()
	if s.gone || to.over || !to.fits(len(c.head)+m.size-skipped+2) {
		to.mu.Unlock()
		return false
	}
	if m.large == nil {
		to.add(c.head, m.small[skipped:])
	} else {
		to.add(c.head)
		to.share(m.large[first:])
		to.add(lineEnd)
	}
	c.touch(to)
	s.got++
	if s.gone = s.got == s.most; s.gone {
		delete(to.subscriptions, s.id)
	}
	gone := s.gone
	to.mu.Unlock()
	if gone {
		c.broker.table.remove(s)
	}
	return true
}

var lineEnd = []byte("\r\n")

// appendHead appends the first line of a message.
func appendHead(buf []byte, m *message, id string, header, size int) []byte {
	if header > 0 {
		buf = append(buf, 'H')
	}
	buf = append(append(buf, "MSG "...), m.subject...)
	buf = append(append(buf, ' '), id...)
	if len(m.reply) > 0 {
		buf = append(append(buf, ' '), m.reply...)
	}
	if header > 0 {
		buf = strconv.AppendInt(append(buf, ' '), int64(header), 10)
	}
	buf = strconv.AppendInt(append(buf, ' '), int64(size), 10)
	return append(buf, lineEnd...)
}

// alone tells a client that its request has no subscribers.
func (c *client) alone(m *message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.subscriptions {
		if matches(s.subject, string(m.reply)) {
			header := "NATS/1.0 503\r\nNats-Subject: " + string(m.subject) + "\r\n\r\n"
			m := message{subject: m.reply}
			c.head = appendHead(c.head[:0], &m, s.id, len(header), len(header))
			if !c.over && c.fits(len(c.head)+len(header)+2) {
				c.add(c.head, []byte(header), lineEnd)
				c.touch(c)
			}
			return
		}
	}
}
