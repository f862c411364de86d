package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
)

// Alive is how a node that is ready is found to be well. The zero value asks nothing. A node that is not well so
// many times in a row has failed.
type Alive struct {
	Probe    Ready          // over HTTP, TCP or by a command
	Line     *regexp.Regexp // or: a line of its output must match in each interval
	Every    time.Duration  // between two questions; 0: ten seconds
	Within   time.Duration  // for an answer; 0: five seconds
	Failures int            // in a row; 0: three
}

const (
	defaultEvery    = 10 * time.Second
	defaultAnswer   = 5 * time.Second
	defaultFailures = 3
)

// ParseAlive reads `http:PORT/PATH`, `tcp:PORT`, `exec:COMMAND` or `log:REGEXP`.
func ParseAlive(s string) (Alive, error) {
	kind, arg, _ := strings.Cut(s, ":")
	switch kind {
	case "http", "tcp", "exec":
		r, err := ParseReady(s)
		return Alive{Probe: r}, err
	case "log":
		r, err := ParseReady("line:" + arg)
		return Alive{Line: r.Line}, err
	}
	return Alive{}, fmt.Errorf("`%s` is no way to see that a program is well: expected `http:PORT/PATH`, `tcp:PORT`, `exec:COMMAND` or `log:REGEXP`", s)
}

// asks reports whether there is anything to ask.
func (a *Alive) asks() bool { return a.Line != nil || a.Probe.Probe != ProbeDefault }

func (a *Alive) String() string {
	if a.Line != nil {
		return "log:" + a.Line.String()
	}
	return a.Probe.String()
}

// aliveKeys are the settings of health.
func aliveKeys() []Key {
	within := func(to func(*Settings) *time.Duration) func(*Settings, string, Value) error {
		return text(func(s *Settings, text string) (err error) { *to(s), err = ParseWithin(text); return err })
	}
	return []Key{
		{
			Name: "alive", Takes: "`http:PORT/PATH`, `tcp:PORT`, `exec:COMMAND`, `log:REGEXP`",
			Doc:   "how it is seen that it is well, once it is ready; if it is not, it is ended and has failed, so that `restart` decides",
			Words: []string{"http:", "tcp:", "exec:", "log:"},
			set: text(func(s *Settings, text string) error {
				a, err := ParseAlive(text)
				s.Alive.Probe, s.Alive.Line = a.Probe, a.Line
				return err
			}),
		},
		{
			Name: "alive-every", Takes: "a duration, by default `10s`", Doc: "the time between two looks",
			set: within(func(s *Settings) *time.Duration { return &s.Alive.Every }),
		},
		{
			Name: "alive-failures", Takes: "a number, by default 3", Doc: "how many looks in a row must fail",
			set: text(func(s *Settings, text string) (err error) {
				s.Alive.Failures, err = number(text, "number of failures", maxCopies)
				return err
			}),
		},
		{
			Name: "alive-within", Takes: "a duration, by default `5s`", Doc: "how long an answer may take",
			set: within(func(s *Settings) *time.Duration { return &s.Alive.Within }),
		},
	}
}

// merge takes over what is set.
func (a *Alive) merge(s Alive) {
	if s.asks() {
		a.Probe, a.Line = s.Probe, s.Line
	}
	a.Every, a.Within, a.Failures = cmp.Or(s.Every, a.Every), cmp.Or(s.Within, a.Within), cmp.Or(s.Failures, a.Failures)
}

// get asks over HTTP; an answer that is no success is an error.
func get(ctx context.Context, url string) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(q)
	if err != nil {
		return err
	}
	answer.Body.Close()
	if answer.StatusCode >= 300 {
		return errors.New(answer.Status)
	}
	return nil
}

// reach asks a node over the network, as r says.
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

// url is what a readiness over HTTP asks for.
func (r Ready) url(n *Node) string {
	host, path, _ := strings.Cut(r.Address, "/")
	if !strings.Contains(host, ":") {
		host = net.JoinHostPort(n.Address, host)
	}
	return "http://" + host + "/" + path
}

// watchHealth looks after a job that is ready, again and again.
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
			s.watchHealth(j) // it cannot answer
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

func (a *Alive) within() time.Duration { return cmp.Or(a.Within, defaultAnswer) }

// askHealth asks over the network, outside the loop.
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

// seen notes whether a job was found to be well.
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
