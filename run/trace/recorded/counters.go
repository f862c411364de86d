package recorded

import (
	"cmp"
	"slices"
	"strconv"
)

// Counter is a number that changes during a trace: the number of data on an edge of a pipeline.
type Counter struct {
	*Process
	Name   string
	Kind   *Kind   // of the events with its values
	Region *Region // the place of the edge; nil: unknown

	values []value // sorted by time when all have been read
}

// value is the value of a counter from a time on, until its next value.
type value struct {
	at int64
	n  uint32
}

// count takes a value of a counter. Both ends of an edge write values in blocks, so they arrive out of order.
func (l *timeline) count(e *chromeEvent) {
	n, err := strconv.ParseUint(e.Args.Data.String(), 10, 32)
	if err != nil {
		return // an event of another program
	}
	key := edgeKey{e.Pid, e.Name}
	c := l.counted[key]
	if c == nil {
		c = &Counter{Process: l.process(e.Pid), Name: e.Name, Kind: l.kind(e)}
		l.counted[key] = c
		l.counters = append(l.counters, c)
	}
	c.values = append(c.values, value{int64(e.Ts), uint32(n)})
}

// endCounters sorts the values, and finds the places of edges.
func (l *timeline) endCounters(t *Trace) {
	for key, c := range l.counted {
		if e := l.edges[key]; e != nil {
			c.Region = e.Region
		}
		slices.SortStableFunc(c.values, func(a, b value) int { return cmp.Compare(a.at, b.at) })
		t.began(c.values[0].at)
		l.last = max(l.last, c.values[len(c.values)-1].at)
	}
}

// counters passes the values of all counters to the handler. If several have the same time, the last one
// counts; the last value of all lasts until the end of the trace.
func (w *walker) counters(l *timeline) error {
	if w.Value == nil {
		return nil
	}
	for _, c := range l.counters {
		for i, v := range c.values {
			end := max(w.last, l.last)
			if i+1 < len(c.values) {
				if end = c.values[i+1].at; end == v.at {
					continue
				}
			}
			if err := w.Value(c, v.at, end, v.n); err != nil {
				return err
			}
		}
	}
	return nil
}
