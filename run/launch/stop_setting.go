package launch

import (
	"cmp"
	"strings"
	"syscall"
)

// Stop says how a node is asked to end. The zero value is SIGTERM.
type Stop struct {
	Signal  syscall.Signal
	Command []string // to run on this machine instead of sending a signal
}

// ParseStop reads the name of a signal, or `exec:COMMAND`.
func ParseStop(s string) (Stop, error) {
	if command, ok := strings.CutPrefix(s, "exec:"); ok {
		words, err := splitCommand(command)
		return Stop{Command: words}, err
	}
	sig, err := ParseSignal(s)
	return Stop{Signal: sig}, err
}

func (s Stop) String() string {
	if len(s.Command) > 0 {
		return "exec:" + QuoteAll(s.Command)
	}
	return SignalName(cmp.Or(s.Signal, syscall.SIGTERM))
}

// stopKeys returns the settings for how a program ends.
func stopKeys() []Key {
	return []Key{
		{
			Name: "grace", Takes: "a duration such as `30s`", Doc: "how long it may take to end before it is killed; wins over `--grace`",
			set: text(func(s *Settings, text string) (err error) { s.Grace, err = ParseWithin(text); return err }),
		},
		{
			Name: "stop", Takes: "a signal such as `INT`, or `exec:COMMAND`", Doc: "how it is asked to end, by default `TERM`; a command runs on this machine, with the variables of the program and its process ID in `PENTODE_PID`",
			set: text(func(s *Settings, text string) error {
				stop, err := ParseStop(text)
				s.Stop = &stop
				return err
			}),
		},
	}
}
