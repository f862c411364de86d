package remote

import "github.com/pentode-dev/pentode/run/flow"

// The coordinator must detect that no site can continue. A report is already old when it arrives,
// so one check is not enough. When all sites stand still and both ends of every edge agree, the
// coordinator begins a new wave. If every site answers the wave with the same figures, nothing has
// happened between the two checks, and nothing will.

// quiet is the result of the first of the two checks.
type quiet struct {
	wave    uint64 // number of the wave that it began; 0: there was no first check
	figures uint64
}

// standstill checks whether no site can continue, and then enlarges an edge or ends the run. The
// caller holds mu.
func (c *Coordinator) standstill() {
	figures, still := c.figures()
	if !still {
		c.quiet = quiet{}
		return
	}
	if c.quiet.wave == 0 || c.quiet.figures != figures {
		c.order.Wave++
		c.quiet = quiet{c.order.Wave, figures}
		c.tell()
		return
	}
	for _, m := range c.sites {
		if m.Wave < c.quiet.wave && m.Phase != Ended {
			return // this site has not answered the wave yet
		}
	}
	c.quiet = quiet{}
	if r := c.order.Revision; r != nil && c.order.Loose < r.Step {
		c.order.Loose = r.Step // first assume that the sites only wait for markers, and let processes pass them
		c.tell()
		return
	}
	var least *member
	var waiting []string
	for _, site := range c.options.Sites {
		m := c.sites[site]
		if m.Phase != Running {
			continue
		}
		waiting = append(waiting, m.Waiting...)
		if m.Full > 0 && (least == nil || m.Full < least.Full) {
			least = m
		}
	}
	if least == nil {
		c.end(&Failure{"", (&flow.DeadlockError{Waiting: waiting}).Error()})
		return
	}
	c.order.Grow = least.Site
	c.order.Growth++
	c.tell()
}

// figures returns the sum of the counts of all edges between sites. still is true if every site
// stands still and no message is in flight; otherwise the sum has no meaning.
func (c *Coordinator) figures() (sum uint64, still bool) {
	if c.order.Pause {
		return 0, false
	}
	other := map[int]EdgeReport{}
	for _, site := range c.options.Sites {
		m := c.sites[site]
		switch {
		case m.Phase == Ended:
		case m.Phase != Running || !m.Still || c.order.Grow == site && m.Grown < c.order.Growth, m.Loosened < c.order.Loose:
			return 0, false
		default:
			still = true
		}
		for _, e := range m.Edges {
			if o, ok := other[e.Edge]; ok && (o.Messages != e.Messages || o.Taken != e.Taken || o.Done != e.Done) {
				return 0, false
			}
			other[e.Edge] = e
		}
		sum += figuresOf(m.Edges)
	}
	return sum, still
}

// figuresOf returns the sum of the counts of these edges. It is never 0 and never decreases.
func figuresOf(edges []EdgeReport) uint64 {
	sum := uint64(1)
	for _, e := range edges {
		if sum += e.Messages + e.Taken; e.Done {
			sum++
		}
	}
	return sum
}
