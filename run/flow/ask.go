package flow

import (
	"sync"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

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

// An errand is something that a process does for another goroutine between two
// of its steps.
type errand struct {
	do     func() error
	result chan error
}

// A mailbox holds errands until the process is between two steps.
type mailbox struct {
	mu     sync.Mutex
	list   []errand
	closed bool // the process has ended
}

// send asks a process for something. The result is ErrEnded where it ends
// before.
func (p *proc) send(do func() error) <-chan error {
	result := make(chan error, 1)
	p.mail.mu.Lock()
	closed := p.mail.closed
	if !closed {
		p.mail.list = append(p.mail.list, errand{do, result})
		p.ctl.Or(askErrand)
	}
	p.mail.mu.Unlock()
	if closed {
		result <- ErrEnded
	} else {
		p.run.poke(p)
	}
	return result
}

// runErrands runs in the process itself.
func (p *proc) runErrands() {
	p.mail.mu.Lock()
	list := p.mail.list
	p.mail.list = nil
	p.mail.mu.Unlock()
	for _, e := range list {
		e.result <- guarded(e.do)
	}
}

// close ends the mailbox with its process.
func (m *mailbox) close() {
	m.mu.Lock()
	m.closed = true
	list := m.list
	m.list = nil
	m.mu.Unlock()
	for _, e := range list {
		e.result <- ErrEnded
	}
}
