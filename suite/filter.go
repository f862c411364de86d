package suite

import (
	"fmt"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/recording"
	"github.com/pentode-dev/pentode/run/trace"
)

// FlowDomain is the domain of pipelines in trace configurations.
const FlowDomain = "Flow"

// Filter returns a filter that decides by a trace policy which events of a pipeline are
// recorded: the name of a process is a region, its index and thread are units. units are
// the ids of the whole program, such as `MPI.rank`; it ignores units that the catalogue
// does not have.
func Filter(policy *trace.Policy, units map[string]uint32) (recording.Filter, error) {
	c := policy.Catalog()
	d, ok := c.Domain(FlowDomain)
	if !ok {
		return nil, fmt.Errorf("the catalogue of the trace configuration has no domain `%s`", FlowDomain)
	}
	f := &filter{engine: trace.NewEngine(policy), domain: d, events: map[pipe.Event]trace.EventID{}, ids: map[trace.KindID]uint32{}}
	for name, id := range units {
		domain, kind, _ := strings.Cut(name, ".")
		if d, ok := c.Domain(domain); ok {
			if k, ok := c.Kind(d, kind); ok {
				f.ids[k] = id
			}
		}
	}
	for _, e := range pipe.Events() {
		if f.events[e], ok = c.Event(d, e.String()); !ok {
			return nil, fmt.Errorf("domain `%s` of the trace configuration has no event `%s`", FlowDomain, e)
		}
	}
	if f.process, ok = c.Kind(d, "process"); !ok {
		return nil, fmt.Errorf("domain `%s` of the trace configuration has no unit `process`", FlowDomain)
	}
	if f.thread, ok = c.Kind(d, "thread"); !ok {
		return nil, fmt.Errorf("domain `%s` of the trace configuration has no unit `thread`", FlowDomain)
	}
	return f, nil
}

type filter struct {
	engine          *trace.Engine
	domain          trace.DomainID
	events          map[pipe.Event]trace.EventID
	process, thread trace.KindID

	ids map[trace.KindID]uint32

	mu sync.Mutex // for registering a region; decisions take no lock
}

// Region registers a process.
func (f *filter) Region(r recording.Region) recording.RegionFilter {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := &regionFilter{unit: f.engine.Unit()}
	for k, id := range f.ids {
		out.unit.SetID(k, id)
	}
	out.unit.SetID(f.process, uint32(r.Index))
	out.unit.SetID(f.thread, uint32(r.Thread))
	for e, id := range f.events {
		// Every event counts its own executions.
		region, err := f.engine.Region(trace.Region{Domain: f.domain, Name: r.Process, Part: e.String()})
		if err != nil {
			return nothingTraced{}
		}
		out.regions[e], out.ids[e] = region, id
	}
	return out
}

// regionFilter decides about the events of one process; the engine calls it from one goroutine at a time.
type regionFilter struct {
	unit    *trace.Unit
	regions [16]trace.RegionID
	ids     [16]trace.EventID
}

// Traced counts an execution of the event and decides about it.
func (f *regionFilter) Traced(e pipe.Event) bool {
	r := f.regions[e]
	f.unit.Begin(r)
	traced := f.unit.Decide(r, f.ids[e])
	f.unit.End(r)
	return traced
}

// nothingTraced is for processes after the largest number of regions.
type nothingTraced struct{}

func (nothingTraced) Traced(pipe.Event) bool { return false }
