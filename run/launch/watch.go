package launch

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strings"

	"github.com/pentode-dev/pentode/run/launch/state"
)

// reach checks a node over the network in the way that r says.
func (s *Supervisor) reach(ctx context.Context, j *job, r Ready) bool {
	if r.Probe == ProbeHTTP {
		return s.opt.Host.Get(ctx, r.url(j.Node)) == nil
	}
	address := r.Address
	if !strings.Contains(address, ":") {
		address = net.JoinHostPort(j.Address, address)
	}
	return s.opt.Host.Dial(ctx, address) == nil
}

// watchHealth checks the health of a ready job repeatedly.
func (s *Supervisor) watchHealth(j *job) {
	if !j.Alive.asks() {
		return
	}
	if j.Alive.Line != nil {
		j.heard = false
		for _, st := range j.streams {
			st.want.Store(j.Alive.Line)
		}
	}
	j.health = s.later(j, cmp.Or(j.Alive.Every, defaultEvery), func() {
		switch {
		case j.state != Running:
		case j.paused:
			s.watchHealth(j) // it cannot answer while it is paused
		case j.Alive.Line != nil:
			s.seen(j, j.heard)
		case j.Alive.Probe.Probe == ProbeExec:
			j.cancel = s.runBeside(j, Command{Argv: j.Alive.Probe.Command, Env: j.Env}, j.Alive.within(), func(exit Exit, err error) {
				j.cancel = nil
				s.seen(j, err == nil && !exit.Failed())
			})
		default:
			s.askHealth(j)
		}
	})
}

// askHealth checks the job's health over the network, outside the loop.
func (s *Supervisor) askHealth(j *job) {
	ctx, cancel := context.WithTimeout(context.Background(), j.Alive.within())
	j.cancel = cancel
	life := j.life
	s.tending.Go(func() {
		well := s.reach(ctx, j, j.Alive.Probe)
		cancel()
		s.post(func() {
			if j.life == life && j.state == Running {
				j.cancel = nil
				s.seen(j, well)
			}
		})
	})
}

// seen records the result of a health check.
func (s *Supervisor) seen(j *job, well bool) {
	if j.state != Running {
		return
	}
	limit := cmp.Or(j.Alive.Failures, defaultFailures)
	if well {
		j.sick = 0
		s.watchHealth(j)
		return
	}
	j.sick++
	s.tell(j, state.Unwell, fmt.Sprintf("%s `%s` is not well (%d of %d): expected %s", j.Kind, j.ID, j.sick, limit, &j.Alive))
	if j.sick < limit {
		s.watchHealth(j)
		return
	}
	s.condemn(j, 1, fmt.Sprintf("it was not well %d times in a row: expected %s", limit, &j.Alive))
}
