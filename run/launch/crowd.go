package launch

import "syscall"

// crowd is several processes taken as one: what a daemon left behind when it
// went to the background.
type crowd struct {
	Proc
	rest []Proc
}

func newCrowd(procs []Proc) *crowd { return &crowd{procs[0], procs[1:]} }

func (c *crowd) Wait() Exit {
	e := c.Proc.Wait()
	for _, p := range c.rest {
		p.Wait()
	}
	return e
}

func (c *crowd) Signal(sig syscall.Signal) error {
	err := c.Proc.Signal(sig)
	for _, p := range c.rest {
		if e := p.Signal(sig); err == nil {
			err = e
		}
	}
	return err
}

func (c *crowd) Alive() bool {
	alive := c.Proc.Alive()
	for _, p := range c.rest {
		alive = p.Alive() || alive
	}
	return alive
}

func (c *crowd) Close() {
	c.Proc.Close()
	for _, p := range c.rest {
		p.Close()
	}
}
