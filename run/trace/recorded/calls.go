package recorded

import (
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// calls are the places of a recorded list, the outermost first. One of which nothing is known is
// called by its address.
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

// Calls are what led to an event, the outermost first, where that is recorded.
func (e *Event) Calls() []*Region { return e.Thread.calls }

// Caller is what a call is called in a stack: the function that it is in, else where that is.
func (r *Region) Caller() string {
	switch {
	case r.Function != "":
		return r.Function
	case r.Region != "":
		return r.Region
	}
	return r.Address
}

// via are the calls behind those that the thread was in already when the frame around it
// began. A region that was begun and ended by a function of its own has those before it in
// common; where the outermost calls are missing, as many as there are.
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
