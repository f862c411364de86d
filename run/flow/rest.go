package flow

// How a process waits for another site. Such a wait is neither work nor the end of
// all work: whether a run of several sites stands still is decided by who
// sees all of them.

// A Handle lets goroutines outside the pipeline reach a process.
type Handle struct{ p *proc }

// Handle is that of the process.
func (s *Setup) Handle() Handle { return Handle{s.p} }

// Wake ends the process's Rest, or its next one.
func (h Handle) Wake() { h.p.run.poke(h.p) }

// End ends the process as if no consumer were left.
func (h Handle) End() {
	h.p.ctl.Or(askEnd)
	h.p.run.poke(h.p)
}

// Fail ends the run with an error of the process.
func (h Handle) Fail(err error) {
	n := h.p.node
	h.p.run.fail(&StepError{Process: n.Name, Type: n.Type.Name, Step: h.p.stepsPub.Load(), Span: n.Span, During: "step", Err: err})
}

func (s *step) Rest() {
	p := s.p
	p.rests = true
	p.park(true, false)
	p.rests = false
	p.mustGoOn()
}

// A Standstill is what a run waits for in which no process can go on by
// itself.
type Standstill struct {
	Full    uint64   `json:"full,omitempty"`    // capacity of the smallest edge whose producer waits for room; 0: there is none
	Waiting []string `json:"waiting,omitempty"` // who waits for whom
}

// Standstill is what the run waits for, if it stands still.
func (r *Run) Standstill() (s Standstill, still bool) {
	if !r.Still() {
		return s, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.smallestFull(); e != nil {
		s.Full = e.limit
	}
	s.Waiting = r.waiting()
	return s, r.Still()
}

// Still reports whether every process waits for another one or rests. It costs
// next to nothing.
func (r *Run) Still() bool {
	resting := r.resting.Load()
	return r.active.Load() == resting && r.live.Load() > 0
}

// Grow gives the smallest edge whose producer waits for room twice the
// capacity, if the run still stands still.
func (r *Run) Grow() bool {
	r.mu.Lock()
	e := r.smallestFull()
	if e == nil || !r.Still() {
		r.mu.Unlock()
		return false
	}
	r.active.Add(1) // as long as the producer is woken
	r.grow(e)
	r.mu.Unlock()
	e.waitHead.Store(0)
	r.wake(e.from)
	r.drop()
	return true
}
