package launch

import (
	"cmp"
	"fmt"
	"net"
	"regexp"
	"strings"
	"time"
)

// Alive says how the health of a ready node is checked. The zero value checks nothing. A node has failed after Failures failed checks in a row.
type Alive struct {
	Probe    Ready          // over HTTP, TCP or by a command
	Line     *regexp.Regexp // or: a line of its output must match in each interval
	Every    time.Duration  // between two checks; 0: ten seconds
	Within   time.Duration  // time limit for an answer; 0: five seconds
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
	return Alive{}, fmt.Errorf("`%s` is not a health check: expected `http:PORT/PATH`, `tcp:PORT`, `exec:COMMAND` or `log:REGEXP`", s)
}

// asks reports whether there is a health check.
func (a *Alive) asks() bool { return a.Line != nil || a.Probe.Probe != ProbeDefault }

func (a *Alive) String() string {
	if a.Line != nil {
		return "log:" + a.Line.String()
	}
	return a.Probe.String()
}

// aliveKeys returns the settings for health checks.
func aliveKeys() []Key {
	within := func(to func(*Settings) *time.Duration) func(*Settings, string, Value) error {
		return text(func(s *Settings, text string) (err error) { *to(s), err = ParseWithin(text); return err })
	}
	return []Key{
		{
			Name: "alive", Takes: "`http:PORT/PATH`, `tcp:PORT`, `exec:COMMAND`, `log:REGEXP`",
			Doc:   "the health check of the program once it is ready; a program that fails the check is stopped and counts as failed, and `restart` decides whether it starts again",
			Words: []string{"http:", "tcp:", "exec:", "log:"},
			set: text(func(s *Settings, text string) error {
				a, err := ParseAlive(text)
				s.Alive.Probe, s.Alive.Line = a.Probe, a.Line
				return err
			}),
		},
		{
			Name: "alive-every", Takes: "a duration, by default `10s`", Doc: "the time between two checks",
			set: within(func(s *Settings) *time.Duration { return &s.Alive.Every }),
		},
		{
			Name: "alive-failures", Takes: "a number, by default 3", Doc: "how many checks must fail in a row",
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

// merge copies the fields that are set in s.
func (a *Alive) merge(s Alive) {
	if s.asks() {
		a.Probe, a.Line = s.Probe, s.Line
	}
	a.Every, a.Within, a.Failures = cmp.Or(s.Every, a.Every), cmp.Or(s.Within, a.Within), cmp.Or(s.Failures, a.Failures)
}

// url returns the URL that a readiness probe over HTTP requests.
func (r Ready) url(n *Node) string {
	host, path, _ := strings.Cut(r.Address, "/")
	if !strings.Contains(host, ":") {
		host = net.JoinHostPort(n.Address, host)
	}
	return "http://" + host + "/" + path
}

func (a *Alive) within() time.Duration { return cmp.Or(a.Within, defaultAnswer) }
