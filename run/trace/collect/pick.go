//go:build linux

package collect

import (
	"time"

	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// turns is the rotation of collecting device times on this node.
type turns struct {
	process int // the process whose turn it is
	since   time.Time
	any     bool // whether any process has the turn
}

// pickCollector selects the process of the node that collects device times, if only one is to do so.
func (c *Collector) pickCollector() {
	policy, epoch := c.session.current()
	d, ok := policy.Catalog().Domain("CUDA")
	if !ok {
		return
	}
	var activity trace.Activity
	var using []int
	for i := range layout.MaxProcesses {
		at := processAt(i)
		if c.session.half(at+processState).Load() == 0 || c.session.half(at+processCuda).Load() == 0 {
			continue
		}
		a := policy.Activity(d)
		if set := c.session.word(at + processActivity).Load(); set != 0 && uint32(set>>layout.ActivityEpochAt) == uint32(epoch) {
			a = activityAfter(policy.WindowEnd(uint32(set)&^layout.ActivityChanged), a)
		}
		if a.Kind > layout.ActivityOn {
			activity, using = a, append(using, i)
		}
	}
	if len(using) == 0 {
		return
	}
	c.node.next(activity, using, c.rankOf, time.Now())
	for _, i := range using {
		picked := uint32(layout.NotPicked)
		if i == c.node.process {
			picked = layout.Picked
		}
		if old := c.session.half(processAt(i) + processPicked).Swap(picked); old != picked && old != 0 {
			c.session.word(processAt(i) + processGeneration).Add(1)
		}
	}
}

// activityAfter returns the device activity in force after a window has ended.
func activityAfter(end *trace.WindowEnd, before trace.Activity) trace.Activity {
	if end != nil && end.Activity["CUDA"].Set {
		return end.Activity["CUDA"]
	}
	return before
}

func (c *Collector) rankOf(process int) uint32 {
	return c.session.half(processAt(process) + processRank).Load()
}

// next selects the process that collects now, among the processes that use CUDA, in rising order.
func (t *turns) next(a trace.Activity, using []int, rank func(int) uint32, now time.Time) {
	after, lives := using[0], false
	for _, i := range using {
		lives = lives || t.any && i == t.process
		if t.any && i > t.process && after <= t.process {
			after = i
		}
	}
	switch {
	case a.Kind == layout.ActivityLeader:
		t.process = using[0]
		for _, i := range using {
			if rank(i) < rank(t.process) {
				t.process = i
			}
		}
	case !lives || a.Kind == layout.ActivityRotate && now.Sub(t.since) >= a.Turn:
		t.process, t.since = after, now
	}
	t.any = true
}

// cuda returns the state of CUDA tracing so far.
func (s *Session) cuda() CUDA {
	seen := s.half(sessionCuda).Load()
	has := func(state int) bool { return seen>>state&1 != 0 }
	return CUDA{has(layout.CudaTraced), has(layout.CudaNoLibrary), has(layout.CudaTaken), has(layout.CudaRefused), has(layout.CudaElsewhere), s.half(sessionVersion).Load()}
}
