package flow

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Errors of calls that make no sense at the moment.
var (
	ErrEnded     = errors.New("the run has ended")
	ErrStopping  = errors.New("the run is being stopped")
	ErrPaused    = errors.New("the run is paused already")
	ErrNotPaused = errors.New("the run is not paused")
)

func (r *Run) hasEnded() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// Pause lets every process finish the step it is in and begins no other.
func (r *Run) Pause() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.hasEnded():
		return ErrEnded
	case r.stopping:
		return ErrStopping
	case r.paused:
		return ErrPaused
	}
	r.paused = true
	for _, p := range r.procs {
		p.ctl.Or(askPause)
	}
	return nil
}

// Resume lets a paused run go on.
func (r *Run) Resume() error {
	r.mu.Lock()
	switch {
	case r.hasEnded():
		r.mu.Unlock()
		return ErrEnded
	case !r.paused:
		r.mu.Unlock()
		return ErrNotPaused
	}
	r.unpause()
	r.mu.Unlock()
	r.pokeAll()
	return nil
}

// unpause is called with mu held, so that Pause and Resume do not mix.
func (r *Run) unpause() {
	r.paused = false
	for _, p := range r.procs {
		p.ctl.And(^askPause)
	}
}

// Stop ends the run in good order: sources complete, what is under way is
// worked off, every process finalizes. A paused run goes on for that. Wait
// then gives ErrStopped, or nil when the end had come anyway.
func (r *Run) Stop() {
	r.mu.Lock()
	if r.hasEnded() {
		r.mu.Unlock()
		return
	}
	r.stopping = true
	r.unpause()
	for _, p := range r.procs {
		if p.source {
			p.ctl.Or(askStop)
			p.cancel()
		}
	}
	r.mu.Unlock()
	r.pokeAll()
}

// Abort ends the run at once: data under way are lost, nothing is finalized,
// steps that have begun are left where they wait. Wait then gives ErrStopped.
func (r *Run) Abort() { r.cancel(ErrStopped) }

// abort is what the end of the run's context does.
func (r *Run) abort() {
	for _, p := range r.procs {
		p.ctl.Or(askAbort)
	}
	r.pokeAll()
}

// A change is new values for the keys of one process.
type change struct {
	config Config
	result chan error
}

// A mailbox holds changes until the process is between two steps.
type mailbox struct {
	mu     sync.Mutex
	list   []change
	closed bool
}

func (m *mailbox) put(c change) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	m.list = append(m.list, c)
	return true
}

func (m *mailbox) take() []change {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.list
	m.list = nil
	return list
}

func (m *mailbox) close() {
	m.mu.Lock()
	m.closed = true
	list := m.list
	m.list = nil
	m.mu.Unlock()
	for _, c := range list {
		c.result <- ErrEnded
	}
}

// Reconfigure gives tunable keys of a process new values while it runs. They
// take effect together, between two steps. It gives back what the process
// says to them; a process that is paused in the middle of a step gets them
// after Resume. A process that refuses keeps its old values and runs on.
func (r *Run) Reconfigure(process string, values map[string]string) error {
	i := slices.IndexFunc(r.procs, func(p *proc) bool { return p.node.Name == process })
	if i < 0 {
		var names []string
		for _, p := range r.procs {
			names = append(names, p.node.Name)
		}
		return fmt.Errorf("there is no process `%s`: %s", process, didYouMean(process, names, "there are"))
	}
	p := r.procs[i]
	config := Config{}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		s, err := p.tuned(key, values[key])
		if err != nil {
			return err
		}
		config[key] = s
	}
	c := change{config, make(chan error, 1)}
	if !p.mail.put(c) {
		return ErrEnded
	}
	r.mu.Lock()
	paused := r.paused
	r.mu.Unlock()
	p.ctl.Or(askReconfigure)
	r.poke(p)
	if paused && p.parkedIn.Load() {
		return nil
	}
	return <-c.result
}

// tuned checks one new value.
func (p *proc) tuned(key, value string) (Setting, error) {
	p.mail.mu.Lock()
	old := p.node.Config[key]
	p.mail.mu.Unlock()
	decl, known := p.node.Type.KeyFor(key)
	switch {
	case old.ReadOnly:
		return old, fmt.Errorf("key `%s` of process `%s` is read-only", key, p.node.Name)
	case !known && !old.Tunable:
		return old, fmt.Errorf("process type `%s` has no key `%s`: %s", p.node.Type.Name, key, didYouMean(key, keyNames(p.node.Type), "it has"))
	case !(known && decl.Tunable) && !old.Tunable:
		return old, fmt.Errorf("key `%s` of process `%s` cannot change while it runs: it is not tunable", key, p.node.Name)
	}
	if known {
		if expected := decl.reject(value); expected != "" {
			return old, fmt.Errorf("`%s` does not fit key `%s` of process `%s`: expected %s", value, key, p.node.Name, expected)
		}
	}
	old.Value = value
	return old, nil
}

// reconfigure does what the mail says; it runs in the process itself.
func (p *proc) reconfigure() {
	for _, c := range p.mail.take() {
		before := p.node.Config
		after := maps.Clone(before)
		if after == nil {
			after = Config{}
		}
		maps.Copy(after, c.config)
		p.configure(after)
		var err error
		if rc, ok := p.impl.(Reconfigurer); ok {
			err = guarded(func() error { return rc.Reconfigure(&Setup{p}) })
		}
		if err != nil {
			p.configure(before)
		}
		c.result <- err
	}
}

// configure changes the configuration. Only the process itself does that, so
// it may read without the lock.
func (p *proc) configure(c Config) {
	p.mail.mu.Lock()
	p.node.Config = c
	p.mail.mu.Unlock()
}

func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("it panicked: %v", v)
		}
	}()
	return f()
}
