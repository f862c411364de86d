package broker

import (
	"crypto/tls"
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
)

// BenchmarkBroker moves messages from one client to one and to eight others, with nats.go at both
// ends and two batches in flight.
func BenchmarkBroker(b *testing.B) {
	p := start(b, nil)
	for _, c := range crowds {
		b.Run(c.name(), func(b *testing.B) {
			crowd := c.gather(b, p)
			b.SetBytes(int64(c.size * c.batch * c.listeners))
			for b.Loop() {
				crowd.move(b)
			}
		})
	}
}

// A crowd is one client that sends, and others that listen.
type crowd struct {
	size, batch, listeners int

	from    *nats.Conn
	payload []byte
	taken   []chan struct{} // a token of each listener for each batch
}

var crowds = []crowd{
	{size: 16, batch: 1024, listeners: 1},
	{size: 16 << 10, batch: 32, listeners: 1},
	{size: 1 << 20, batch: 2, listeners: 1},
	{size: 16, batch: 256, listeners: 8},
	{size: 16 << 10, batch: 8, listeners: 8},
	{size: 1 << 20, batch: 1, listeners: 8},
}

const subject = "pentode.run.data.site.0"

func (c *crowd) name() string { return fmt.Sprintf("size=%d/listeners=%d", c.size, c.listeners) }

// gather connects a crowd.
func (c crowd) gather(b testing.TB, p *place) *crowd {
	for i := range c.listeners {
		taken := make(chan struct{}, 8)
		taken <- struct{}{}
		taken <- struct{}{}
		c.taken = append(c.taken, taken)
		n, to := 0, p.library(b)
		sub, err := to.Subscribe(subject, func(*nats.Msg) {
			if n++; n%c.batch == 0 {
				taken <- struct{}{}
			}
		})
		if err == nil {
			err = errors.Join(sub.SetPendingLimits(-1, -1), to.Flush())
		}
		if err != nil {
			b.Fatalf("listener %d: %v", i, err)
		}
	}
	c.from, c.payload = p.library(b), make([]byte, c.size)
	return &c
}

// move sends a batch once each listener has taken the batch before the previous one.
func (c *crowd) move(b testing.TB) {
	for _, taken := range c.taken {
		<-taken
	}
	for range c.batch {
		if err := c.from.Publish(subject, c.payload); err != nil {
			b.Fatal(err)
		}
	}
}

// library connects with nats.go.
func (p *place) library(b testing.TB) *nats.Conn {
	public, err := p.key.PublicKey()
	if err != nil {
		b.Fatal(err)
	}
	nc, err := nats.Connect("tls://"+p.address, nats.Secure(&tls.Config{InsecureSkipVerify: true}), nats.Nkey(public, p.key.Sign), nats.NoEcho())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(nc.Close)
	return nc
}
