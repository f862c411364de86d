package flow

import "github.com/pentode-dev/pentode/run/flow/pipe"

// What other goroutines ask a process for, as bits of ctl.
const (
	askAbort uint32 = 1 << iota
	askPause
	askStop // only sources
	askEnd  // no consumer of its required outputs is left
	askErrand
	askChange // as long as the change under way has not come; it lets the process step
)

// readerLeft notes that the consumer of an edge has left. A process ends when
// no consumer of its required outputs is left.
func (p *proc) readerLeft(e *edge) {
	if p.node.Out[e.plan.FromPort].Flags&pipe.Required == 0 {
		return
	}
	if p.readers.Add(-1) == 0 {
		p.ask(askEnd)
	}
}

// ask sets a bit that the process sees before its next step.
func (p *proc) ask(bit uint32) {
	p.ctl.Or(bit)
	p.run.wake(p)
}

// control does what the process is asked for; true when it must end.
func (p *proc) control() bool {
	for {
		ctl := p.ctl.Load()
		switch {
		case ctl&askAbort != 0:
			panic(unwound{})
		case ctl&askErrand != 0:
			p.ctl.And(^askErrand)
			p.runErrands()
		case ctl&askStop != 0:
			p.run.cut.Store(true)
			return true
		case ctl&askEnd != 0:
			return true
		case ctl&askPause != 0:
			p.park(true, false)
		case ctl&askChange != 0:
			if p.follow() {
				return false
			}
		default:
			return false
		}
	}
}
