package remote

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Limits of the data in flight. Every NATS server, including the one in package broker, drops a
// client for which more than 64 MiB wait. The original NATS server counts a write until all of it
// has been written, even if the site has already received it and as much again. And the last
// message of an edge may exceed the limit by half. So up to 2 × 1.5 × siteBytes may wait for a
// site.
const (
	openWindow = 4096     // number of data in flight on an edge of unlimited capacity
	edgeBytes  = 8 << 20  // number of bytes in flight on an edge
	siteBytes  = 20 << 20 // number of bytes in flight on all edges to a site
)

// A link has the ends of all edges that connect a site with other sites.
type link struct {
	nc        *nats.Conn
	prefix    string
	site      string
	senders   map[int]*sender
	receivers map[int]*receiver
}

// connect connects to the server that a ticket names.
func connect(t *Ticket, name string, limit time.Duration, more ...nats.Option) (*nats.Conn, error) {
	options, err := t.options()
	if err != nil {
		return nil, err
	}
	const wait = 100 * time.Millisecond
	options = append(options, nats.Name(name), nats.Timeout(limit), nats.ReconnectWait(wait), nats.ReconnectJitter(wait/10, wait/10),
		nats.MaxReconnects(int(limit/wait)), nats.ReconnectBufSize(-1), nats.NoEcho(),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})) // lost messages are sent again, so the default handler, which prints an error, is not needed
	nc, err := nats.Connect(t.URL, append(options, more...)...)
	if err != nil {
		return nil, fmt.Errorf("the server `%s` cannot be reached: %w", t.URL, err)
	}
	return nc, nil
}

func prefix(run string) string { return "pentode." + run + "." }

// newLink makes this site's end of every edge that connects it with another site.
func newLink(nc *nats.Conn, run string, plan *pipe.Plan, site string) *link {
	l := &link{nc: nc, prefix: prefix(run), site: site, senders: map[int]*sender{}, receivers: map[int]*receiver{}}
	into := map[string]int{} // number of edges from each other site
	for i := range plan.Edges {
		if e := &plan.Edges[i]; plan.Crosses(e) {
			into[plan.Nodes[e.ToNode].Site()]++
		}
	}
	for i := range plan.Edges {
		e := &plan.Edges[i]
		if !plan.Crosses(e) {
			continue
		}
		from, to := plan.Nodes[e.FromNode].Site(), plan.Nodes[e.ToNode].Site()
		w := window{data: e.Capacity, bytes: max(64<<10, min(edgeBytes, siteBytes/into[to]))}
		if w.data == 0 {
			w.data = openWindow
		}
		limit := min(int(nc.MaxPayload()), messageBytes, w.bytes/2)
		if from == site {
			l.senders[i] = &sender{send: l.publish("data", to, i), window: w, limit: limit, compress: e.Compress}
		}
		if to == site {
			l.receivers[i] = &receiver{send: l.publish("ack", from, i), window: w, limit: limit}
		}
	}
	return l
}

// begin subscribes to the data of the edges.
func (l *link) begin() error {
	err := l.listen("data", func(edge int, buf []byte) {
		if r := l.receivers[edge]; r != nil {
			r.arrived(buf)
		}
	})
	if err == nil {
		err = l.listen("ack", func(edge int, buf []byte) {
			if s := l.senders[edge]; s != nil {
				s.acked(buf)
			}
		})
	}
	return err
}

// publish returns a function that sends messages for an edge. It ignores errors, because messages
// that were not received are sent again later.
func (l *link) publish(what, site string, edge int) func([]byte) {
	subject := l.prefix + what + "." + site + "." + strconv.Itoa(edge)
	return func(buf []byte) { _ = l.nc.Publish(subject, buf) }
}

func (l *link) listen(what string, got func(edge int, buf []byte)) error {
	before := l.prefix + what + "." + l.site + "."
	sub, err := l.nc.Subscribe(before+"*", func(m *nats.Msg) {
		if edge, err := strconv.Atoi(strings.TrimPrefix(m.Subject, before)); err == nil {
			got(edge, m.Data)
		}
	})
	if err != nil {
		return err
	}
	return sub.SetPendingLimits(-1, -1) // no limit is needed here: the windows of the edges limit the waiting data
}

// part returns the part of the plan that the site runs.
func (l *link) part(site string) *pipe.Part {
	return &pipe.Part{
		Site:    site,
		Send:    func(edge int) pipe.Process { return l.senders[edge] },
		Receive: func(edge int) pipe.Process { return l.receivers[edge] },
	}
}

func (l *link) keepAlive() {
	for _, s := range l.senders {
		s.keepAlive()
	}
}

// settled reports whether the receivers have taken all data that were sent.
func (l *link) settled() bool {
	for _, s := range l.senders {
		if !s.settled() {
			return false
		}
	}
	return true
}

func (l *link) report() []EdgeReport {
	list := make([]EdgeReport, 0, len(l.senders)+len(l.receivers))
	for i, s := range l.senders {
		list = append(list, s.report(i))
	}
	for i, r := range l.receivers {
		list = append(list, r.report(i))
	}
	return list
}
