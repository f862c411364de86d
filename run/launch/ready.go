package launch

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Probe is a way to find out whether a daemon is ready.
type Probe int

const (
	// ProbeDefault waits for the line `PARADYND <pid>` or until the daemon has lived for one second, whichever comes first.
	ProbeDefault Probe = iota
	ProbeLine          // a line of its output matches
	ProbeTCP           // a TCP port accepts a connection
	ProbeHTTP          // an HTTP request succeeds
	ProbeExec          // a command ends with code 0
	ProbeAlive         // it has lived for a while
	ProbeNone          // it is ready as soon as it is started
)

// Ready says when a node counts as ready. The zero value is ProbeDefault.
type Ready struct {
	Probe   Probe
	Line    *regexp.Regexp // ProbeLine
	Address string         // ProbeTCP: `port` on the node's host, or `host:port`; ProbeHTTP: followed by a path
	Command []string       // ProbeExec: run on this machine
	Alive   time.Duration  // ProbeAlive
	Timeout time.Duration  // for line, port and command; 0: 30 seconds
}

const (
	defaultReadyTimeout = 30 * time.Second
	defaultAlive        = time.Second
)

var paradyndLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^PARADYND \d+`) })

// ParseReady reads `line:REGEXP`, `tcp:PORT`, `tcp:HOST:PORT`, `http:PORT/PATH`, `http:HOST:PORT/PATH`, `exec:COMMAND`, `alive`, `alive:DURATION`,
// `none` or the empty string.
func ParseReady(s string) (Ready, error) {
	kind, arg, _ := strings.Cut(s, ":")
	switch kind {
	case "":
		return Ready{}, nil
	case "none":
		return Ready{Probe: ProbeNone}, nil
	case "line":
		re, err := regexp.Compile(arg)
		if err != nil {
			return Ready{}, fmt.Errorf("`%s` is not a regular expression: %s", arg, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
		return Ready{Probe: ProbeLine, Line: re}, nil
	case "tcp", "http":
		place, probe := arg, ProbeTCP
		if kind == "http" {
			probe = ProbeHTTP
			place, _, _ = strings.Cut(arg, "/")
		}
		port := place[strings.LastIndexByte(place, ':')+1:]
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return Ready{}, fmt.Errorf("`%s` is not a TCP port: expected a number from 1 to 65535", port)
		}
		return Ready{Probe: probe, Address: arg}, nil
	case "exec":
		words, err := splitCommand(arg)
		if err != nil {
			return Ready{}, err
		}
		return Ready{Probe: ProbeExec, Command: words}, nil
	case "alive":
		if arg == "" {
			return Ready{Probe: ProbeAlive, Alive: defaultAlive}, nil
		}
		d, err := time.ParseDuration(arg)
		if err != nil || d <= 0 {
			return Ready{}, fmt.Errorf("`%s` is not a duration: expected something like `2s` or `500ms`", arg)
		}
		return Ready{Probe: ProbeAlive, Alive: d}, nil
	}
	return Ready{}, fmt.Errorf("readiness `%s` is not known: expected `line:REGEXP`, `tcp:PORT`, `http:PORT/PATH`, `exec:COMMAND`, `alive:DURATION` or `none`", s)
}

// ParseWithin reads how long a node may take to be ready, such as `2m`.
func ParseWithin(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("`%s` is not a duration: expected something like `2m` or `90s`", s)
	}
	return d, nil
}

// String returns the form that ParseReady reads; for the default, a description.
func (r Ready) String() string {
	switch r.Probe {
	case ProbeLine:
		return "line:" + r.Line.String()
	case ProbeTCP:
		return "tcp:" + r.Address
	case ProbeHTTP:
		return "http:" + r.Address
	case ProbeExec:
		return "exec:" + QuoteAll(r.Command)
	case ProbeAlive:
		return "alive:" + r.alive().String()
	case ProbeNone:
		return "none"
	}
	return "line:" + paradyndLine().String() + " or alive:" + defaultAlive.String()
}

// pattern returns the regular expression of the line that makes the node ready, or nil.
func (r Ready) pattern() *regexp.Regexp {
	switch r.Probe {
	case ProbeDefault:
		return paradyndLine()
	case ProbeLine:
		return r.Line
	}
	return nil
}

// alive returns how long a node must live to become ready by that alone; 0: never.
func (r Ready) alive() time.Duration {
	switch {
	case r.Probe == ProbeDefault, r.Probe == ProbeAlive && r.Alive == 0:
		return defaultAlive
	case r.Probe == ProbeAlive:
		return r.Alive
	}
	return 0
}

func (r Ready) timeout() time.Duration {
	if r.Timeout > 0 {
		return r.Timeout
	}
	return defaultReadyTimeout
}
