// Package broker passes messages between the sites of a run. It speaks NATS's client
// protocol as far as the client library nats.go uses it. A broker serves one run; it has
// no clusters, files or accounts.
//
//	 client a                    broker                     client b
//	PUB x 2\r\nhi\r\n ─▶ reader a ─▶ audience of x ─▶ queue of b ─▶ writer b ─▶ MSG x 1 2\r\nhi\r\n
//	                      queue of a ◀─ PONG, +OK, -ERR
//
// A connection begins with an unencrypted INFO. Then come TLS, and CONNECT with the key of
// the run. Until the key is verified, a connection has one goroutine, little memory and
// little time. Then it has a reader, which carries out what the client sends, and a
// writer, which sends what waits in the client's queue.
//
// A reader never waits for another client. It puts a message into the queues of all
// subscribers of its subject, and wakes their writers when it has nothing more to read,
// so that many small messages are sent together. A client is dropped if too much waits
// for it, if it stops reading, or if it does not answer pings.
//
// To understand the code, read subjects.go, then queue.go, client.go, message.go and this file.
package broker

import (
	"crypto/tls"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options configure a broker.
type Options struct {
	Host       string      // address to listen on
	TLS        *tls.Config // with the broker's certificate
	Key        string      // public part of the nkey that clients must have
	MaxPayload int         // maximum size of a message in bytes, with its header

	limits limits
}

// limits restrict the resources that clients can use. Tests use smaller values.
type limits struct {
	strangers     int           // connections that have not yet shown the key; further ones are not accepted until one of them is done
	clients       int           // connections that have shown the key
	subscriptions int           // subscriptions per client
	admission     time.Duration // time in which a client must show the key
	waiting       int           // bytes in the queue of a client
	stall         time.Duration // time for which a client may stop reading
	closing       time.Duration // time to send the rest of the queue when a connection ends
	ping          time.Duration // interval of pings
	pings         int32         // number of unanswered pings after which a client is dropped
}

var usual = limits{
	strangers: 256, clients: 8192, subscriptions: 1024, admission: 10 * time.Second, waiting: 64 << 20,
	stall: 10 * time.Second, closing: time.Second, ping: 2 * time.Minute, pings: 2,
}

// A Broker accepts clients until it is closed.
type Broker struct {
	options   Options
	listener  net.Listener
	table     table
	strangers chan struct{} // has a token for each connection that has not shown the key
	running   sync.WaitGroup

	mu      sync.Mutex
	clients map[*client]bool // the value is true if the client has shown the key
	known   int              // number of clients that have shown the key
	closed  bool
	dropped []string
}

// Listen starts a broker on a port that the system chooses.
func Listen(o Options) (*Broker, error) {
	if o.limits == (limits{}) {
		o.limits = usual
	}
	l, err := net.Listen("tcp", net.JoinHostPort(o.Host, "0"))
	if err != nil {
		return nil, err
	}
	b := &Broker{options: o, listener: l, strangers: make(chan struct{}, o.limits.strangers), clients: map[*client]bool{}}
	b.running.Go(b.accept)
	return b, nil
}

// Port returns the port on which the broker listens.
func (b *Broker) Port() int { return b.listener.Addr().(*net.TCPAddr).Port }

// Left returns the number of connections and of their subscriptions.
func (b *Broker) Left() (clients, subscriptions int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.clients), b.table.size()
}

// maxDropped is the number of dropped clients that Dropped remembers.
const maxDropped = 100

// Dropped lists the last clients that were dropped because they were slow, with the reasons.
func (b *Broker) Dropped() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.dropped)
}

// Close closes the broker. For a short time, clients still get the messages in their queues.
func (b *Broker) Close() {
	b.listener.Close()
	b.mu.Lock()
	b.closed = true
	for c, known := range b.clients {
		if known {
			c.finish("")
		} else {
			c.raw.Close()
		}
	}
	b.mu.Unlock()
	b.running.Wait()
}

func (b *Broker) accept() {
	for {
		b.strangers <- struct{}{}
		conn, err := b.listener.Accept()
		if err == nil {
			b.running.Go(func() { b.serve(conn) })
			continue
		}
		<-b.strangers
		b.mu.Lock()
		closed := b.closed
		b.mu.Unlock()
		if closed {
			return
		}
		time.Sleep(10 * time.Millisecond) // the system has no room for connections at the moment
	}
}

// serve handles a connection from beginning to end.
func (b *Broker) serve(raw net.Conn) {
	c := newClient(b, raw)
	defer b.remove(c)
	defer raw.Close()
	b.mu.Lock()
	b.clients[c] = false
	closed := b.closed
	b.mu.Unlock()
	err := net.ErrClosed
	if !closed {
		err = c.admit()
	}
	<-b.strangers
	if err == nil {
		c.live()
	}
}

// welcome counts a client that has shown the key. It returns an error if there are too many.
func (b *Broker) welcome(c *client) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return net.ErrClosed
	case b.known >= b.options.limits.clients:
		return refusal("maximum connections exceeded")
	}
	b.known++
	b.clients[c] = true
	return nil
}

func (b *Broker) remove(c *client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.clients[c] {
		b.known--
	}
	delete(b.clients, c)
	if strings.HasPrefix(c.why, slow) {
		b.dropped = append(b.dropped, c.hello.Name+": "+c.why)
		b.dropped = b.dropped[max(0, len(b.dropped)-maxDropped):]
	}
}
