package broker

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nkeys"
)

// Limits of what a client may send.
const (
	maxLine = 4 << 10 // bytes of a line
	maxID   = 20      // bytes of a subscription's name
)

// A refusal ends a connection. Its text is sent to the client, in the form that nats.go knows.
type refusal string

func (r refusal) Error() string { return string(r) }

// notUnderstood is the answer to everything that no client library sends.
const notUnderstood = refusal("Unknown Protocol Operation")

// A hello is what a client sends with CONNECT.
type hello struct {
	Name         string `json:"name"`
	Key          string `json:"nkey"`
	Signature    string `json:"sig"`
	Verbose      bool   `json:"verbose"`
	Pedantic     bool   `json:"pedantic"`
	Echo         bool   `json:"echo"`
	Headers      bool   `json:"headers"`
	NoResponders bool   `json:"no_responders"`
}

// A client is a connection.
type client struct {
	broker *Broker
	limits *limits
	raw    net.Conn // TCP
	conn   net.Conn // TLS on it
	hello  hello
	silent atomic.Int32 // pings since it last sent anything
	queue
	subscriptions map[string]*subscription // by id; guarded by the queue's mu

	// Used only by the reader.
	in        *bufio.Reader
	words     [][]byte             // words of a line
	line      []byte               // copy of a message's line, because the buffer is reused
	head      []byte               // header of a message for one receiver
	large     []*chunk             // chunks of a message
	touched   []*client            // their writers must be woken
	audiences map[string]*audience // by subject
	version   uint64               // version of the table that audiences come from
}

func newClient(b *Broker, raw net.Conn) *client {
	c := &client{broker: b, limits: &b.options.limits, raw: raw, conn: raw, subscriptions: map[string]*subscription{}}
	c.wake = make(chan struct{}, 1)
	return c
}

// newReader returns a reader with room for a line, or for a small message and its line end.
func newReader(c *client) *bufio.Reader { return bufio.NewReaderSize(c, maxSmall+len(lineEnd)) }

// Read reads from the connection. Since that may take long, it first wakes the writers of clients that
// got messages.
func (c *client) Read(buf []byte) (int, error) {
	c.tell()
	return c.conn.Read(buf)
}

// tell wakes the writers of the clients that got messages.
func (c *client) tell() {
	for _, t := range c.touched {
		t.signal()
	}
	clear(c.touched)
	c.touched = c.touched[:0]
}

// admit takes a connection up to the key of the run. If the client does not show the key, it is sent
// the reason, and admit returns an error.
func (c *client) admit() error {
	_ = c.raw.SetDeadline(time.Now().Add(c.limits.admission)) // if it is closed, the handshake below fails
	nonce := rand.Text()
	info, err := json.Marshal(map[string]any{
		"server_id": "pentode", "version": "0.0.0", "proto": 1, "headers": true, "max_payload": c.broker.options.MaxPayload,
		"auth_required": true, "tls_required": true, "nonce": nonce,
	})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(c.raw, "INFO %s\r\n", info); err != nil {
		return err
	}
	secure := tls.Server(c.raw, c.broker.options.TLS)
	if err := secure.Handshake(); err != nil {
		return err
	}
	c.conn = secure
	c.in = newReader(c)
	if err = c.connect(nonce); err == nil {
		err = c.broker.welcome(c)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = refusal("Authentication Timeout")
	}
	if text := refusal(""); errors.As(err, &text) {
		_ = c.raw.SetWriteDeadline(time.Now().Add(c.limits.closing))
		_, _ = fmt.Fprintf(c.conn, "-ERR '%s'\r\n", text) // the client may be gone
	}
	_ = c.raw.SetDeadline(time.Time{})
	return err
}

// connect reads the first line of a client, which must show the key.
func (c *client) connect(nonce string) error {
	const refused = refusal("Authorization Violation")
	line, err := c.readLine()
	if err != nil {
		return err
	}
	verb, rest := cutVerb(line)
	c.hello = hello{Verbose: true, Pedantic: true, Echo: true}
	if !is(verb, "CONNECT") || json.Unmarshal(rest, &c.hello) != nil || c.hello.Key != c.broker.options.Key {
		return refused
	}
	key, err := nkeys.FromPublicKey(c.hello.Key)
	if err != nil {
		return refused
	}
	signature, err := base64.RawURLEncoding.DecodeString(c.hello.Signature)
	if err != nil || key.Verify([]byte(nonce), signature) != nil {
		return refused
	}
	return nil
}

// live carries out what the client sends until one side ends the connection.
func (c *client) live() {
	var writing sync.WaitGroup
	writing.Go(c.write)
	c.ok()
	err := c.read()
	c.tell()
	if text := refusal(""); errors.As(err, &text) {
		c.finish(string(text))
	}
	c.mu.Lock()
	if c.until.IsZero() { // the client is not there to take what waits
		c.discard()
	}
	for _, s := range c.subscriptions {
		s.gone = true
	}
	c.mu.Unlock()
	c.signal()
	writing.Wait()
	for _, s := range c.subscriptions { // the client is out of all tables, so no messages can be added
		c.broker.table.remove(s)
	}
}

func (c *client) read() error {
	for {
		line, err := c.readLine()
		if err != nil {
			return err
		}
		c.silent.Store(0)
		verb, rest := cutVerb(line)
		switch {
		case is(verb, "PUB"):
			err = c.publish(rest, false)
		case is(verb, "HPUB"):
			err = c.publish(rest, true)
		case is(verb, "PING"):
			c.reply("PONG\r\n")
		case is(verb, "PONG"):
		case is(verb, "SUB"):
			err = c.subscribe(rest)
		case is(verb, "UNSUB"):
			err = c.unsubscribe(rest)
		default:
			err = notUnderstood
		}
		if err != nil {
			return err
		}
	}
}

// readLine returns the next line without its end. It is valid until the next read.
func (c *client) readLine() ([]byte, error) {
	line, err := c.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) || len(line) > maxLine {
		return nil, refusal("maximum control line exceeded")
	}
	return bytes.TrimRight(line, "\r\n"), err
}

// split cuts a line into words. They are valid until the next line.
func (c *client) split(line []byte) [][]byte {
	c.words = c.words[:0]
	for {
		line = bytes.TrimLeft(line, " \t")
		if len(line) == 0 {
			return c.words
		}
		word, rest := cutVerb(line)
		c.words = append(c.words, word)
		line = rest
	}
}

func cutVerb(line []byte) (verb, rest []byte) {
	if i := bytes.IndexAny(line, " \t"); i >= 0 {
		return line[:i], line[i:]
	}
	return line, nil
}

func is(verb []byte, name string) bool {
	return len(verb) == len(name) && bytes.EqualFold(verb, []byte(name))
}

// number parses a size that a client sends; it returns -1 if it is not a number.
func number(text []byte) int {
	n, err := strconv.ParseUint(string(text), 10, 31)
	if err != nil {
		return -1
	}
	return int(n)
}

// reply puts an answer into the client's own queue.
func (c *client) reply(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over && c.fits(len(text)) {
		c.add([]byte(text))
		c.touch(c)
	}
}

// ok confirms to a client in verbose mode that a line was carried out.
func (c *client) ok() {
	if c.hello.Verbose {
		c.reply("+OK\r\n")
	}
}

// touch notes that the writer of a client must be woken; that client's mu is locked.
func (c *client) touch(to *client) {
	if !to.awake {
		to.awake = true
		c.touched = append(c.touched, to)
	}
}

func (c *client) subscribe(rest []byte) error {
	f := c.split(rest)
	if n := len(f); n < 2 || n > 3 || len(f[n-1]) > maxID {
		return notUnderstood
	}
	s := &subscription{client: c, subject: string(f[0]), id: string(f[len(f)-1])}
	if len(f) == 3 {
		s.group = string(f[1])
	}
	c.mu.Lock()
	again, n := c.subscriptions[s.id] != nil, len(c.subscriptions)
	fine := isSubject(s.subject) && n < c.limits.subscriptions
	if fine && !again {
		c.subscriptions[s.id] = s
	}
	c.mu.Unlock()
	switch {
	case fine && !again:
		c.broker.table.add(s)
		c.ok()
	case fine:
		c.ok()
	case n >= c.limits.subscriptions:
		c.reply("-ERR 'maximum subscriptions exceeded'\r\n")
	default:
		c.reply("-ERR 'Invalid Subject'\r\n")
	}
	return nil
}

func (c *client) unsubscribe(rest []byte) error {
	f := c.split(rest)
	most := 0
	if len(f) == 2 {
		most = number(f[1])
	}
	if len(f) < 1 || len(f) > 2 || most < 0 {
		return notUnderstood
	}
	c.mu.Lock()
	s := c.subscriptions[string(f[0])]
	if s != nil {
		s.most = most
		if s.gone = most <= s.got; s.gone {
			delete(c.subscriptions, s.id)
		}
	}
	gone := s != nil && s.gone
	c.mu.Unlock()
	if gone {
		c.broker.table.remove(s)
	}
	c.ok()
	return nil
}
