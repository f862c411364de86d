package flow

import "github.com/pentode-dev/pentode/run/flow/pipe"

func (s *step) Another() bool {
	p := s.p
	if _, ok := p.worker.(*watched); ok || p.ctl.Load() != 0 || p.heart != nil || p.trace != nil || len(p.need) == 0 || p.level != pipe.CheckValid {
		return false
	}
	var first Stamp
	for i, in := range p.need {
		e := in.edge
		if in.freq != 1 || !e.has(1) {
			return false
		}
		en := e.peek(0)
		if en.datum.kind != DataKind || i > 0 && en.stamp != first {
			return false
		}
		first = en.stamp
	}
	for _, in := range p.ins { // those that are not required
		if in.edge != nil && !in.edge.has(1) {
			return false
		}
	}
	return true
}

func (s *step) Count() {
	s.p.steps++
	s.p.stepsPub.Store(s.p.steps)
}
