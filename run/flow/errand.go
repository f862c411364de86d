package flow

import "sync"

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
