package flow

import (
	"sync"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Requests from other goroutines to a process. Each is one bit of proc.ctl.
const (
	askAbort uint32 = 1 << iota
	askPause
	askStop // end gracefully; only sources get this request
	askEnd  // end, because no required output has a consumer left
	askTask
	askChange // follow the pending change of settings; cleared when the process has changed
)

// readerLeft notes that the consumer of an edge has ended. A process ends when none of its required
// outputs has a consumer left.
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

// control carries out the requests of other goroutines. It reports whether the process must end.
func (p *proc) control() bool {
	for {
		ctl := p.ctl.Load()
		switch {
		case ctl&askAbort != 0:
			panic(unwound{})
		case ctl&askTask != 0:
			p.ctl.And(^askTask)
			p.runTasks()
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

// A task is a function that a process runs for another goroutine between two of its steps.
type task struct {
	do     func() error
	result chan error
}

// A mailbox keeps tasks until the process is between two steps.
type mailbox struct {
	mu     sync.Mutex
	list   []task
	closed bool // set when the process has ended
}

// send hands the process a function to run. The result is ErrEnded if the process ends first.
func (p *proc) send(do func() error) <-chan error {
	result := make(chan error, 1)
	p.mail.mu.Lock()
	closed := p.mail.closed
	if !closed {
		p.mail.list = append(p.mail.list, task{do, result})
		p.ctl.Or(askTask)
	}
	p.mail.mu.Unlock()
	if closed {
		result <- ErrEnded
	} else {
		p.run.poke(p)
	}
	return result
}

// runTasks runs the waiting functions, in the goroutine of the process.
func (p *proc) runTasks() {
	p.mail.mu.Lock()
	list := p.mail.list
	p.mail.list = nil
	p.mail.mu.Unlock()
	for _, e := range list {
		e.result <- guarded(e.do)
	}
}

// close closes the mailbox of a process that has ended.
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
