package launch

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestParseReady(t *testing.T) {
	for in, want := range map[string]string{
		"":                 `line:^PARADYND \d+ or alive:1s`,
		"line:^up$":        "line:^up$",
		"line:a:b":         "line:a:b",
		"tcp:1":            "tcp:1",
		"tcp:65535":        "tcp:65535",
		"tcp:[::1]:80":     "tcp:[::1]:80",
		"exec:nc -z 'h 1'": "exec:nc -z 'h 1'",
		"alive":            "alive:1s",
		"alive:250ms":      "alive:250ms",
		"none":             "none",
		"line:(":           "error: `(` is not a regular expression: missing closing ): `(`",
		"tcp:0":            "error: `0` is not a TCP port: expected a number from 1 to 65535",
		"tcp:65536":        "error: `65536` is not a TCP port: expected a number from 1 to 65535",
		"tcp:host:http":    "error: `http` is not a TCP port: expected a number from 1 to 65535",
		"exec:":            "error: command `` names no program",
		"alive:0s":         "error: `0s` is not a duration: expected something like `2s` or `500ms`",
		"alive:soon":       "error: `soon` is not a duration: expected something like `2s` or `500ms`",
		"later":            "error: readiness `later` is not known: expected `line:REGEXP`, `tcp:PORT`, `http:PORT/PATH`, `exec:COMMAND`, `alive:DURATION` or `none`",
	} {
		r, err := ParseReady(in)
		got := r.String()
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestParseRestart(t *testing.T) {
	for in, want := range map[string]string{
		"":              "no",
		"no":            "no",
		"always":        "always",
		"on-failure:1":  "on-failure:1",
		"on-failure":    "on-failure",
		"often":         "error: restart policy `often` is not known: expected `no`, `on-failure` or `always`",
		"on-failure:5x": "error: restart limit `5x` is not a number of at least 1",
		"no:3":          "error: restart policy `no:3` has a limit, but never restarts: expected `on-failure:3` or `always:3`",
		"always:0":      "error: restart limit `0` is not a number of at least 1",
	} {
		r, err := ParseRestart(in)
		got := r.String()
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestRestartPause(t *testing.T) {
	var pauses []string
	for n := range 7 {
		pauses = append(pauses, Restart{}.pause(n).String())
	}
	if got := strings.Join(pauses, " "); got != "1s 2s 4s 8s 16s 30s 30s" {
		t.Errorf("pauses: %s; want %q", got, "1s 2s 4s 8s 16s 30s 30s")
	}
	if got := (Restart{Pause: time.Hour, MaxPause: time.Minute}).pause(0); got != time.Minute {
		t.Errorf("a pause beyond the limit: %s; want %v", got, time.Minute)
	}
}

func TestParseSignal(t *testing.T) {
	for in, want := range map[string]syscall.Signal{"TERM": 15, "sigusr1": 10, "9": 9, "SIGWINCH": 28, "": 0, "0": 0, "65": 0, "FOO": 0} {
		got, err := ParseSignal(in)
		if got != want || (err == nil) != (want != 0) {
			t.Errorf("%q: %d, %v; want %d", in, got, err, want)
		}
	}
}

func TestParseLauncher(t *testing.T) {
	for in, want := range map[string]string{
		"local":                  "local",
		"ssh":                    "ssh",
		"":                       "ssh",
		"srun":                   "srun",
		"rsh {host} {argv:q}":    "template rsh '{host}' '{argv:q}'",
		"pvm":                    "error: launcher `pvm` is not known: expected `local`, `ssh`, `srun` or a template such as `rsh {host} {argv:q}`",
		"rsh {hots} {argv}":      "error: `{hots}` is not known in a launch template: expected {host}, {dir}, {dir:q}, {id}, {run}, {argv}, {argv:q}, {env} or {env:q}",
		"rsh {host}":             "error: the launch template `rsh {host}` never says what to run: add `{argv}` or `{argv:q}`",
		"sh -c 'x {argv}' {host": "error: `{argv}` in the template word `x {argv}` expands to several words: write it as a separate word, or use `{argv:q}`",
	} {
		s, err := ParseLauncher(in, nil)
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = s.String()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
