//go:build linux

package collect

import (
	"encoding/binary"
	"slices"

	"github.com/pentode-dev/pentode/run/trace/layout"
)

// launch is a kernel, by the hash of its symbol, and the addresses on the stack of its
// launch, the innermost first; unused entries are 0.
type launch struct {
	symbol uint64
	stack  [layout.SiteFrames]uint64
}

// maxSites is the number of launches to remember. Programs have far fewer, unless they generate code at run time.
const maxSites = 1 << 16

// keep stores a kernel launch until the next record, which belongs to it.
func (t *thread) keep(symbol uint64, payload []byte) {
	t.launch.symbol, t.stacked = symbol, true
	for i := range t.launch.stack {
		t.launch.stack[i] = binary.LittleEndian.Uint64(payload[8*i:])
	}
}

// site returns the place from which a thread launched a kernel, or 0 if it is unknown.
func (c *Collector) site(t *thread) uint64 {
	stack := t.launch.stack[:]
	if end := slices.Index(stack, 0); end >= 0 {
		stack = stack[:end]
	}
	if !t.stacked || len(stack) == 0 {
		return 0
	}
	at, known := c.sites[t.launch]
	if !known {
		if len(c.sites) >= maxSites {
			clear(c.sites)
		}
		at = stack[0]
		if c.launched != nil {
			at = c.launched(slices.Clone(stack), c.names[t.launch.symbol])
		}
		c.sites[t.launch] = at
	}
	c.regions[at] = true
	return at
}
