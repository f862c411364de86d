package launch

import "syscall"

// background is the processes that a daemon left behind when it went to the
// background, taken as one.
type background struct {
	Proc
	rest []Proc
}

func newBackground(procs []Proc) *background { return &background{procs[0], procs[1:]} }

func (b *background) Wait() Exit {
	e := b.Proc.Wait()
	for _, p := range b.rest {
		p.Wait()
	}
	return e
}

func (b *background) Signal(sig syscall.Signal) error {
	err := b.Proc.Signal(sig)
	for _, p := range b.rest {
		if e := p.Signal(sig); err == nil {
			err = e
		}
	}
	return err
}

func (b *background) Alive() bool {
	alive := b.Proc.Alive()
	for _, p := range b.rest {
		alive = p.Alive() || alive
	}
	return alive
}

func (b *background) Drain() {
	b.Proc.Drain()
	for _, p := range b.rest {
		p.Drain()
	}
}

func (b *background) Close() {
	b.Proc.Close()
	for _, p := range b.rest {
		p.Close()
	}
}
