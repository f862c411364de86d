package recorded

import (
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// calls returns the places of a recorded list, the outermost first. A place of which nothing is
// known is named by its address.
func (p *part) calls(list []ctf.Value) []*Region {
	calls := make([]*Region, len(list))
	for i, v := range list {
		r := p.regions.At(v.Number)
		if r == nil {
			r = &Region{Address: fmt.Sprintf("%#x", v.Number)}
		}
		calls[len(list)-1-i] = r
	}
	return calls
}

// Calls returns the calls that led to an event, the outermost first, if they are recorded.
func (e *Event) Calls() []*Region { return e.Thread.calls }

// Caller returns the name of a call in a stack: its function, or else its place.
func (r *Region) Caller() string {
	switch {
	case r.Function != "":
		return r.Function
	case r.Region != "":
		return r.Region
	}
	return r.Address
}

// via returns the calls after the calls that the thread was already in when the enclosing frame began. If a region was begun
// and ended by separate functions, the calls before these functions are the common ones. If the outermost calls are missing,
// it compares as many as there are.
func (t *Thread) via(calls []*Region) []*Region {
	if len(calls) == 0 {
		return nil
	}
	var around []*Region
	for i := len(t.stack) - 1; i >= 0 && around == nil; i-- {
		around = t.stack[i].Calls
	}
	same := func(a, b *Region) bool { return a.Caller() == b.Caller() && a.Module == b.Module }
	common := 0
	for common < min(len(around), len(calls)) && same(around[common], calls[common]) {
		common++
	}
	for from := 1; common == 0 && from < len(around); from++ {
		if n := len(around) - from; n <= len(calls) && slices.EqualFunc(around[from:], calls[:n], same) {
			common = n
		}
	}
	return calls[common:]
}
