package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// stage is a simulated host without processes: each command behaves as its script says, and time is the fake time of the test.
type stage struct {
	mu      sync.Mutex
	pid     int
	scripts map[string]script // by program
	log     []string          // starts and signals with their time
	began   time.Time
	dial    func(address string) error
}

// script describes the behaviour of a fake process.
type script struct {
	says   string        // its first output
	after  time.Duration // when it says it
	lives  time.Duration // how long it lives; 0: until it is asked to end
	code   int
	deaf   bool          // reacts only to KILL
	held   bool          // another process keeps its output open
	leaves time.Duration // how much longer its children live
	broken error
}

type actor struct {
	stage  *stage
	name   string
	pid    int
	script script
	out    *io.PipeReader
	end    chan Exit
	once   sync.Once
	ended  time.Time
	mute   *io.PipeWriter
}

func newStage(scripts map[string]script) *stage {
	return &stage{scripts: scripts, began: time.Now()}
}

func (s *stage) host() Host {
	return Host{
		Name:    func() string { return "here" },
		IsLocal: func(string) bool { return true },
		Find:    func(program, _ string) error { return s.scripts[program].broken },
		Start:   s.start,
		Dial:    func(_ context.Context, address string) error { return s.dial(address) },
		Adopt:   func(string) (func(), error) { return func() {}, nil },
		Usage:   func(int) (state.Usage, bool) { return state.Usage{}, false },
		Strays:  func(string, string) []Proc { return nil },
	}
}

func (s *stage) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprintf("%s ", time.Since(s.began).Round(time.Millisecond))+fmt.Sprintf(format, args...))
}

func (s *stage) start(c Command) (Proc, error) {
	name := strings.Join(c.Argv, " ")
	script := s.scripts[c.Argv[0]]
	s.note("start %s", name)
	if script.broken != nil {
		return nil, script.broken
	}
	s.mu.Lock()
	s.pid++
	a := &actor{stage: s, name: name, pid: s.pid, script: script, end: make(chan Exit, 1)}
	s.mu.Unlock()
	a.out, a.mute = io.Pipe()
	time.AfterFunc(script.after, func() { io.WriteString(a.mute, script.says) })
	if script.lives > 0 {
		time.AfterFunc(script.lives, func() { a.exit(Exit{Code: script.code}) })
	}
	return a, nil
}

func (a *actor) exit(e Exit) {
	a.once.Do(func() {
		a.ended = time.Now()
		a.end <- e
		if !a.script.held {
			a.mute.Close()
		}
	})
}

func (a *actor) Pid() int                       { return a.pid }
func (a *actor) Output() (io.Reader, io.Reader) { return a.out, strings.NewReader("") }
func (a *actor) Wait() Exit                     { return <-a.end }
func (a *actor) Alive() bool                    { return time.Since(a.ended) < a.script.leaves }

// Drain ends reading: everything written to the fake pipe has been read.
func (a *actor) Drain() { a.mute.Close() }

func (a *actor) Close() {
	if a.script.held {
		a.stage.note("close %s", a.name)
	}
	a.out.Close()
}

func (a *actor) Signal(sig syscall.Signal) error {
	a.stage.note("%s to %s", SignalName(sig), a.name)
	if sig == syscall.SIGKILL || sig == syscall.SIGTERM && !a.script.deaf {
		a.exit(Exit{Signal: sig})
	}
	return nil
}

// pass waits for a duration of fake time.
func pass(d time.Duration) { time.Sleep(d) }

// play runs a plan on a simulated host, calls meddle during the run, and returns the result.
func play(t *testing.T, s *stage, d Decls, o Options, r RunOptions, meddle func(*Supervisor)) Result {
	t.Helper()
	o.Host, r.Host = s.host(), s.host()
	p, problems := NewPlan(d, o)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	sup, err := Start(t.Context(), p, r)
	if err != nil {
		t.Fatal(err)
	}
	if meddle != nil {
		meddle(sup)
	}
	return sup.Wait()
}

func one(daemon, process string) Decls {
	return Decls{
		Daemons:   []Daemon{{Name: "d", Command: daemon, Host: "localhost"}},
		Processes: []Process{{Name: "p", Command: process, Host: "localhost", Daemon: daemon}},
	}
}

func TestSupervisorOnStage(t *testing.T) {
	failing := Restart{When: RestartOnFailure, Limit: 3}
	for _, c := range []struct {
		name    string
		scripts map[string]script
		in      Decls
		o       Options
		r       RunOptions
		dial    func(string) error
		meddle  func(*Supervisor)
		code    int
		failed  string
		want    []string
		tells   []string // the events, if given
	}{
		{
			name:    "the line makes a daemon ready at once",
			scripts: map[string]script{"dmn": {says: "hello\nPARADYND 12\n"}, "prc": {lives: time.Second}},
			in:      one("dmn", "prc"),
			want:    []string{"0s start dmn", "0s start prc", "1s TERM to dmn"},
		},
		{
			name:    "a silent daemon is ready after a second",
			scripts: map[string]script{"prc": {lives: time.Second}},
			in:      one("dmn", "prc"),
			want:    []string{"0s start dmn", "1s start prc", "2s TERM to dmn"},
			tells: []string{
				"started: daemon `d` started on here as process 1",
				"ready: daemon `d` is ready",
				"started: process `p` started on here as process 2",
				"ended: process `p` ended with code 0",
				"stopping: the run ends: everything has ended",
				"ended: daemon `d` ended: the run has ended",
				"over: the run is over",
			},
		},
		{
			name:    "the shortest life is enough where it is asked for",
			scripts: map[string]script{"prc": {lives: time.Second}},
			in:      one("dmn", "prc"),
			o:       Options{Ready: mustReady(t, "alive:1ns")},
			want:    []string{"0s start dmn", "0s start prc", "1s TERM to dmn"},
		},
		{
			name:    "output that stays open is no longer waited for after a second",
			scripts: map[string]script{"prc": {lives: time.Second, held: true}},
			in:      one("dmn", "prc"),
			want:    []string{"0s start dmn", "1s start prc", "2s TERM to dmn", "3.02s close prc"},
		},
		{
			name:    "a line that never comes is waited for thirty seconds",
			scripts: map[string]script{"dmn": {says: "PARADYND 12\n"}},
			in:      one("dmn", "prc"),
			o:       Options{Ready: mustReady(t, "line:^up$")},
			code:    124, failed: "d",
			want: []string{"0s start dmn", "30s TERM to dmn"},
			tells: []string{
				"started: daemon `d` started on here as process 1",
				"failed: daemon `d` failed: not ready in 30s: expected line:^up$",
				"stopping: the run ends: daemon `d` failed",
				"skipped: process `p` is not started: the run has ended",
				"ended: daemon `d` ended: not ready in 30s: expected line:^up$",
				"over: the run is over",
			},
		},
		{
			name:    "a port is asked until it answers",
			scripts: map[string]script{"prc": {lives: time.Second}},
			in:      one("dmn", "prc"),
			o:       Options{Ready: mustReady(t, "tcp:4711")},
			dial: func() func(string) error {
				n := 0
				return func(address string) error {
					if n++; address != "here:4711" || n < 5 {
						return errors.New("refused")
					}
					return nil
				}
			}(),
			want: []string{"0s start dmn", "200ms start prc", "1.2s TERM to dmn"},
		},
		{
			name:    "a command is run until it succeeds",
			scripts: map[string]script{"ask": {lives: time.Second}, "prc": {lives: time.Second}},
			in:      one("dmn", "prc"),
			o:       Options{Ready: mustReady(t, "exec:ask it")},
			want:    []string{"0s start dmn", "0s start ask it", "1s start prc", "2s TERM to dmn"},
		},
		{
			name:    "a command that cannot be run makes nothing ready",
			scripts: map[string]script{"ask": {broken: &StartError{127, "program `ask` was not found"}}},
			in:      one("dmn", "prc"),
			o:       Options{Ready: mustReady(t, "exec:ask")},
			code:    1, failed: "d",
			want: []string{"0s start dmn", "0s start ask", "0s TERM to dmn"},
			tells: []string{
				"started: daemon `d` started on here as process 1",
				"failed: daemon `d` failed: its readiness check cannot run: program `ask` was not found",
				"stopping: the run ends: daemon `d` failed",
				"skipped: process `p` is not started: the run has ended",
				"ended: daemon `d` ended: its readiness check cannot run: program `ask` was not found",
				"over: the run is over",
			},
		},
		{
			name:    "a failure is started again with growing pauses, then given up",
			scripts: map[string]script{"prc": {lives: time.Second, code: 9}},
			in:      one("dmn", "prc"),
			o:       Options{Ready: Ready{Probe: ProbeNone}, Restart: failing},
			code:    9, failed: "p",
			want: []string{"0s start dmn", "0s start prc", "2s start prc", "5s start prc", "10s start prc", "11s TERM to dmn"},
		},
		{
			name:    "a daemon that is started again takes its processes along",
			scripts: map[string]script{"dmn": {lives: 5 * time.Second, code: 1}, "prc": {lives: 8 * time.Second}},
			in:      one("dmn", "prc"),
			o:       Options{Restart: Restart{When: RestartOnFailure, Limit: 1}},
			code:    1, failed: "d",
			want: []string{"0s start dmn", "1s start prc", "5s TERM to prc", "6s start dmn", "7s start prc", "11s TERM to prc"},
			tells: []string{
				"started: daemon `d` started on here as process 1",
				"ready: daemon `d` is ready",
				"started: process `p` started on here as process 2",
				"ended: daemon `d` ended with code 1 while other programs need it (again)",
				"restarting: daemon `d` is started again in 1s",
				"ended: process `p` ended: its daemon `d` has ended (again)",
				"started: daemon `d` started on here as process 3",
				"ready: daemon `d` is ready",
				"started: process `p` started on here as process 4",
				"failed: daemon `d` ended with code 1 while other programs need it",
				"stopping: the run ends: daemon `d` failed",
				"ended: process `p` ended: the run has ended",
				"over: the run is over",
			},
		},
		{
			name:    "the deaf are killed, processes before daemons",
			scripts: map[string]script{"dmn": {deaf: true}, "prc": {deaf: true}},
			in:      one("dmn", "prc"),
			o:       Options{Ready: Ready{Probe: ProbeNone}},
			r:       RunOptions{Grace: 3 * time.Second},
			meddle:  func(s *Supervisor) { pass(time.Second); s.Stop(130) },
			code:    130,
			want:    []string{"0s start dmn", "0s start prc", "1s TERM to prc", "4s KILL to prc", "4s TERM to dmn", "7s KILL to dmn"},
			tells: []string{
				"started: daemon `d` started on here as process 1",
				"ready: daemon `d` is ready",
				"started: process `p` started on here as process 2",
				"stopping: the run ends: it was asked to stop",
				"killing: process `p` has not ended in 3s and is killed",
				"ended: process `p` ended: the run has ended",
				"killing: daemon `d` has not ended in 3s and is killed",
				"ended: daemon `d` ended: the run has ended",
				"over: the run is over",
			},
		},
		{
			name:    "a kill waits for nothing",
			scripts: map[string]script{"dmn": {deaf: true}, "prc": {deaf: true}},
			in:      one("dmn", "prc"),
			o:       Options{Ready: Ready{Probe: ProbeNone}},
			meddle: func(s *Supervisor) {
				pass(time.Second)
				s.Stop(130)
				pass(time.Second)
				s.Kill()
			},
			code: 130,
			want: []string{"0s start dmn", "0s start prc", "1s TERM to prc", "2s KILL to dmn", "2s KILL to prc"},
		},
		{
			name:    "a daemon that ends while it is needed is a failure even with code 0",
			scripts: map[string]script{"dmn": {lives: 2 * time.Second}},
			in:      one("dmn", "prc"),
			code:    1, failed: "d",
			want: []string{"0s start dmn", "1s start prc", "2s TERM to prc"},
			tells: []string{
				"started: daemon `d` started on here as process 1",
				"ready: daemon `d` is ready",
				"started: process `p` started on here as process 2",
				"failed: daemon `d` ended with code 0 while other programs need it",
				"stopping: the run ends: daemon `d` failed",
				"ended: process `p` ended: the run has ended",
				"over: the run is over",
			},
		},
		{
			name:    "a daemon that ends before its processes start is a failure too",
			scripts: map[string]script{"dmn": {lives: 500 * time.Millisecond}},
			in:      one("dmn", "prc"),
			code:    1, failed: "d",
			want: []string{"0s start dmn"},
		},
		{
			name:    "restarts on request: of what runs, of what waits, of what has ended with its daemon",
			scripts: map[string]script{},
			in:      Decls{Processes: append(one("dmn", "prc").Processes, Process{Command: "oth", Host: "localhost"})},
			o:       Options{Ready: Ready{Probe: ProbeNone}},
			meddle: func(s *Supervisor) {
				pass(time.Second)
				s.Restart("p")
				pass(time.Second)
				s.StopNode("dmn@here")
				pass(time.Second)
				s.Restart("p")
				pass(time.Second)
				s.StopNode("p")
				pass(time.Second)
				s.StopNode("oth")
			},
			want: []string{"0s start dmn", "0s start oth", "0s start prc", "1s TERM to prc", "1s start prc", "2s TERM to prc", "2s TERM to dmn",
				"3s start dmn", "3s start prc", "4s TERM to prc", "5s TERM to oth", "5s TERM to dmn"},
		},
		{
			name:    "a restart on request is one",
			scripts: map[string]script{"prc": {lives: 3 * time.Second}},
			in:      one("dmn", "prc"),
			o:       Options{Ready: Ready{Probe: ProbeNone}},
			meddle:  func(s *Supervisor) { pass(time.Second); s.Restart("p") },
			want:    []string{"0s start dmn", "0s start prc", "1s TERM to prc", "1s start prc", "4s TERM to dmn"},
		},
		{
			name:    "a stop of one node during its pause, and a restart out of it",
			scripts: map[string]script{"prc": {lives: time.Second, code: 1}},
			in:      one("dmn", "prc"),
			o:       Options{Ready: Ready{Probe: ProbeNone}, Restart: Restart{When: RestartAlways, Pause: time.Minute, MaxPause: time.Minute}},
			meddle: func(s *Supervisor) {
				pass(3 * time.Second)
				s.Restart("p")
				pass(3 * time.Second)
				s.StopNode("p")
			},
			want: []string{"0s start dmn", "0s start prc", "3s start prc", "6s TERM to dmn"},
			tells: []string{
				"started: daemon `d` started on here as process 1",
				"ready: daemon `d` is ready",
				"started: process `p` started on here as process 2",
				"ended: process `p` ended with code 1 (again)",
				"restarting: process `p` is started again in 1m0s",
				"started: process `p` started on here as process 3",
				"ended: process `p` ended with code 1 (again)",
				"restarting: process `p` is started again in 1m0s",
				"skipped: process `p` is not started again: it was stopped on request",
				"stopping: the run ends: everything has ended",
				"ended: daemon `d` ended: the run has ended",
				"over: the run is over",
			},
		},
		{
			name:    "without processes daemons are the run",
			scripts: map[string]script{"dmn": {lives: 2 * time.Second}},
			in:      Decls{Daemons: []Daemon{{Command: "dmn", Host: "localhost"}}},
			want:    []string{"0s start dmn"},
		},
		{
			name:    "a visualisation that was asked for keeps the run open, one that was not is not started",
			scripts: map[string]script{"prc": {lives: time.Second}, "vis": {lives: 5 * time.Second}},
			in: Decls{
				Processes: one("dmn", "prc").Processes,
				Visis:     []Visi{{Name: "v", Command: "vis"}, {Name: "w", Command: "other"}},
			},
			o:    Options{Visis: []string{"v"}, Ready: Ready{Probe: ProbeNone}},
			want: []string{"0s start dmn", "0s start prc", "0s start vis", "5s TERM to dmn"},
		},
		{
			name:    "a view that the page has is no failure where its program is not installed",
			scripts: map[string]script{"prc": {lives: 2 * time.Second}, "rthist": {broken: &StartError{127, "program `rthist` was not found"}}},
			in:      Decls{Processes: one("dmn", "prc").Processes, Visis: []Visi{{Name: "v", Command: "rthist"}}},
			o:       Options{Visis: []string{"v"}, Ready: Ready{Probe: ProbeNone}},
			want:    []string{"0s start dmn", "0s start prc", "0s start rthist", "2s TERM to dmn"},
			tells: []string{
				"started: daemon `dmn@here` started on here as process 1",
				"ready: daemon `dmn@here` is ready",
				"started: process `p` started on here as process 2",
				"skipped: visi `v` is not started: program `rthist` is not installed: `pentode serve` shows its view in its place",
				"ended: process `p` ended with code 0",
				"stopping: the run ends: everything has ended",
				"ended: daemon `dmn@here` ended: the run has ended",
				"over: the run is over",
			},
		},
		{
			name:    "a view that may not be executed is a failure",
			scripts: map[string]script{"prc": {}, "rthist": {broken: &StartError{126, "program `rthist` is not executable"}}},
			in:      Decls{Processes: one("dmn", "prc").Processes, Visis: []Visi{{Name: "v", Command: "rthist"}}},
			o:       Options{Visis: []string{"v"}, Ready: Ready{Probe: ProbeNone}},
			code:    126, failed: "v",
			want: []string{"0s start dmn", "0s start prc", "0s start rthist", "0s TERM to prc", "0s TERM to dmn"},
		},
		{
			name:    "keep going ends only what depends on the failure",
			scripts: map[string]script{"bad": {lives: 2 * time.Second, code: 3}, "prc": {lives: 5 * time.Second}},
			in: Decls{
				Daemons: []Daemon{{Command: "bad", Host: "localhost"}, {Command: "dmn", Host: "localhost"}},
				Processes: []Process{
					{Command: "prc", Args: []string{"1"}, Host: "localhost", Daemon: "bad"}, {Command: "prc", Args: []string{"2"}, Host: "localhost", Daemon: "dmn"},
				},
			},
			o:    Options{Ready: Ready{Probe: ProbeNone}},
			r:    RunOptions{KeepGoing: true},
			code: 3, failed: "bad@here",
			want: []string{"0s start bad", "0s start dmn", "0s start prc 1", "0s start prc 2", "2s TERM to prc 1", "5s TERM to dmn"},
		},
		{
			name:    "keep going past a daemon that never starts",
			scripts: map[string]script{"bad": {broken: &StartError{127, "program `bad` was not found"}}, "prc": {lives: time.Second}},
			in: Decls{
				Daemons: []Daemon{{Command: "bad", Host: "localhost"}, {Command: "dmn", Host: "localhost"}},
				Processes: []Process{
					{Command: "prc", Args: []string{"1"}, Host: "localhost", Daemon: "bad"}, {Command: "prc", Args: []string{"2"}, Host: "localhost", Daemon: "dmn"},
				},
			},
			r:    RunOptions{KeepGoing: true},
			code: 127, failed: "bad@here",
			want: []string{"0s start bad", "0s start dmn", "1s start prc 2", "2s TERM to dmn"},
			tells: []string{
				"failed: daemon `bad@here` did not start: program `bad` was not found",
				"skipped: process `prc` is not started: its daemon `bad@here` has ended",
				"started: daemon `dmn@here` started on here as process 1",
				"ready: daemon `dmn@here` is ready",
				"started: process `prc#2` started on here as process 2",
				"ended: process `prc#2` ended with code 0",
				"stopping: the run ends: everything has ended",
				"ended: daemon `dmn@here` ended: the run has ended",
				"over: the run is over",
			},
		},
		{
			name:    "stopping the only process ends the run without failure",
			scripts: map[string]script{},
			in:      one("dmn", "prc"),
			o:       Options{Ready: Ready{Probe: ProbeNone}},
			meddle:  func(s *Supervisor) { pass(time.Second); s.StopNode("d") },
			want:    []string{"0s start dmn", "0s start prc", "1s TERM to prc", "1s TERM to dmn"},
			tells: []string{
				"started: daemon `d` started on here as process 1",
				"ready: daemon `d` is ready",
				"started: process `p` started on here as process 2",
				"ended: process `p` ended: its daemon `d` is stopped",
				"stopping: the run ends: everything has ended",
				"ended: daemon `d` ended: it was stopped on request",
				"over: the run is over",
			},
		},
		{
			name:    "a process that pauses when its daemon ends waits for the daemon, not for its own pause",
			scripts: map[string]script{"dmn": {lives: 3 * time.Second, code: 1}, "prc": {lives: time.Second, code: 9}},
			in:      one("dmn", "prc"),
			o:       Options{Ready: Ready{Probe: ProbeNone}, Restart: Restart{When: RestartOnFailure, Limit: 1, Pause: 10 * time.Second, MaxPause: 10 * time.Second}},
			code:    1, failed: "d",
			want: []string{"0s start dmn", "0s start prc", "13s start dmn", "13s start prc"},
		},
		{
			name:    "a stop during a pause before a restart",
			scripts: map[string]script{"prc": {lives: time.Second, code: 1}},
			in:      one("dmn", "prc"),
			o:       Options{Ready: Ready{Probe: ProbeNone}, Restart: Restart{When: RestartAlways, Pause: time.Minute, MaxPause: time.Minute}},
			meddle:  func(s *Supervisor) { pass(10 * time.Second); s.Stop(0) },
			want:    []string{"0s start dmn", "0s start prc", "10s TERM to dmn"},
			tells: []string{
				"started: daemon `d` started on here as process 1",
				"ready: daemon `d` is ready",
				"started: process `p` started on here as process 2",
				"ended: process `p` ended with code 1 (again)",
				"restarting: process `p` is started again in 1m0s",
				"stopping: the run ends: it was asked to stop",
				"ended: daemon `d` ended: the run has ended",
				"over: the run is over",
			},
		},
		{
			name:    "a command that fails is asked again",
			scripts: map[string]script{"no": {lives: 100 * time.Millisecond, code: 1}},
			in:      one("dmn", "prc"),
			o:       Options{Ready: Ready{Probe: ProbeExec, Command: []string{"no"}, Timeout: time.Second}},
			code:    124, failed: "d",
			want: []string{"0s start dmn", "0s start no", "350ms start no", "700ms start no", "1s TERM to dmn"},
		},
		{
			name: "a command that does not answer is killed",
			in:   one("dmn", "prc"),
			o:    Options{Ready: Ready{Probe: ProbeExec, Command: []string{"ask"}, Timeout: time.Second}},
			code: 124, failed: "d",
			want: []string{"0s start dmn", "0s start ask", "1s KILL to ask", "1s TERM to dmn"},
		},
		{
			name:    "a port of another machine",
			scripts: map[string]script{"prc": {lives: time.Second}},
			in:      one("dmn", "prc"),
			o:       Options{Ready: mustReady(t, "tcp:far:4711")},
			dial: func(address string) error {
				if address != "far:4711" {
					return errors.New("refused")
				}
				return nil
			},
			want: []string{"0s start dmn", "0s start prc", "1s TERM to dmn"},
		},
		{
			name:    "pauses grow after short lives",
			scripts: map[string]script{"prc": {lives: 29 * time.Second, code: 9}},
			in:      one("dmn", "prc"),
			o:       Options{Ready: Ready{Probe: ProbeNone}, Restart: Restart{When: RestartOnFailure, Limit: 2}},
			code:    9, failed: "p",
			want: []string{"0s start dmn", "0s start prc", "30s start prc", "1m1s start prc", "1m30s TERM to dmn"},
			tells: []string{
				"started: daemon `d` started on here as process 1",
				"ready: daemon `d` is ready",
				"started: process `p` started on here as process 2",
				"ended: process `p` ended with code 9 (again)",
				"restarting: process `p` is started again in 1s",
				"started: process `p` started on here as process 3",
				"ended: process `p` ended with code 9 (again)",
				"restarting: process `p` is started again in 2s",
				"started: process `p` started on here as process 4",
				"failed: process `p` ended with code 9",
				"stopping: the run ends: process `p` failed",
				"ended: daemon `d` ended: the run has ended",
				"over: the run is over",
			},
		},
		{
			name:    "pauses begin anew after a long life",
			scripts: map[string]script{"prc": {lives: 30 * time.Second, code: 9}},
			in:      one("dmn", "prc"),
			o:       Options{Ready: Ready{Probe: ProbeNone}, Restart: Restart{When: RestartOnFailure, Limit: 2}},
			code:    9, failed: "p",
			want: []string{"0s start dmn", "0s start prc", "31s start prc", "1m2s start prc", "1m32s TERM to dmn"},
		},
		{
			name:    "a stop waits for the children of a process",
			scripts: map[string]script{"prc": {leaves: 2 * time.Second}},
			in:      one("dmn", "prc"),
			o:       Options{Ready: Ready{Probe: ProbeNone}},
			meddle:  func(s *Supervisor) { pass(time.Second); s.Stop(0) },
			want:    []string{"0s start dmn", "0s start prc", "1s TERM to prc", "3s TERM to dmn"},
		},
		{
			name:    "children that never go are killed, and then not waited for",
			scripts: map[string]script{"prc": {leaves: time.Hour}},
			in:      one("dmn", "prc"),
			o:       Options{Ready: Ready{Probe: ProbeNone}},
			r:       RunOptions{Grace: 3 * time.Second},
			meddle:  func(s *Supervisor) { pass(time.Second); s.Stop(0) },
			want:    []string{"0s start dmn", "0s start prc", "1s TERM to prc", "4s KILL to prc", "5s TERM to dmn"},
		},
		{
			name:    "a process whose children live on has ended",
			scripts: map[string]script{"prc": {lives: time.Second, leaves: time.Hour}},
			in:      one("dmn", "prc"),
			o:       Options{Ready: Ready{Probe: ProbeNone}},
			want:    []string{"0s start dmn", "0s start prc", "1s TERM to dmn"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(c.scripts)
				s.dial = c.dial
				var events []string
				c.r.Report = func(e state.Event) {
					line := string(e.What) + ": " + e.Text
					if e.Again {
						line += " (again)"
					}
					events = append(events, line)
				}
				result := play(t, s, c.in, c.o, c.r, c.meddle)
				if !slices.Equal(s.log, c.want) || result.Code != c.code || result.Failed != c.failed {
					t.Errorf("code %d of %q, want %d of %q\ngot  %q\nwant %q\n%s",
						result.Code, result.Failed, c.code, c.failed, s.log, c.want, strings.Join(events, "\n"))
				}
				if diff := cmp.Diff(c.tells, events); c.tells != nil && diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestContextEnds: the end of the context stops a run in order.
func TestContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(map[string]script{"dmn": {}, "prc": {}})
		host := s.host()
		p, problems := NewPlan(one("dmn", "prc"), Options{Host: host, Ready: Ready{Probe: ProbeNone}})
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(t.Context())
		sup, err := Start(ctx, p, RunOptions{Host: host})
		if err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		end()
		result := sup.Wait()
		want := []string{"0s start dmn", "0s start prc", "1s TERM to prc", "1s TERM to dmn"}
		if result.Code != 130 || !slices.Equal(s.log, want) {
			t.Errorf("code %d and %q, want code 130 and %q", result.Code, s.log, want)
		}
	})
}

// undying is a process that no signal can end.
type undying struct{ *actor }

func (u undying) Signal(sig syscall.Signal) error {
	u.stage.note("%s to %s", SignalName(sig), u.name)
	return nil
}

// Processes that left their group are asked to end, killed after two grace periods, and given up if they cannot be killed.
func TestStrays(t *testing.T) {
	for _, c := range []struct {
		name   string
		script script
		stays  bool
		want   []string // the first signals
		tells  string   // the second to last event
		over   time.Duration
	}{
		{"that hears", script{}, false, []string{"1s TERM to stray", "1s CONT to stray"}, "the run ends: everything has ended", 1040 * time.Millisecond},
		{"that is deaf", script{deaf: true}, false, []string{"1s TERM to stray", "1s CONT to stray", "3.04s KILL to stray", "3.04s CONT to stray"}, "the run ends: everything has ended", 3080 * time.Millisecond},
		{"that stays", script{}, true, []string{"1s TERM to stray", "1s CONT to stray", "3.04s KILL to stray", "3.04s CONT to stray", "3.06s KILL to stray"}, "1 processes of the run do not end; the first is process 1", 13020 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(map[string]script{"prc": {lives: time.Second}, "stray": c.script})
				host := s.host()
				proc, err := s.start(Command{Argv: []string{"stray"}})
				if err != nil {
					t.Fatal(err)
				}
				stray := proc.(*actor)
				s.log = nil
				host.Strays = func(_, node string) []Proc {
					switch {
					case node == "" && c.stays:
						return []Proc{undying{stray}}
					case node == "" && stray.ended.IsZero():
						return []Proc{stray}
					}
					return nil
				}
				p, problems := NewPlan(Decls{Processes: []Process{{Name: "p", Command: "prc", Host: "localhost"}}}, Options{Host: host})
				if err := problems.Err(); err != nil {
					t.Fatal(err)
				}
				var events []string
				sup, err := Start(t.Context(), p, RunOptions{Host: host, Grace: time.Second, Report: func(e state.Event) { events = append(events, e.Text) }})
				if err != nil {
					t.Fatal(err)
				}
				result := sup.Wait()
				if got := s.log[1:]; len(got) < len(c.want) || !slices.Equal(got[:len(c.want)], c.want) || len(got) > len(c.want) && !c.stays {
					t.Errorf("got %q, want %q", got, c.want)
				}
				if got := events[len(events)-2]; result.Code != 0 || got != c.tells {
					t.Errorf("code %d; %s, want %s", result.Code, got, c.tells)
				}
				if result.Took != c.over {
					t.Errorf("the run took %s, want %s", result.Took, c.over)
				}
			})
		})
	}
}

// Usage is known only for live processes of this machine: not for ended ones, and not for the local process that represents one on another machine.
func TestUsage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(map[string]script{"short": {lives: time.Second}, "long": {lives: 5 * time.Second}, "ssh": {lives: 5 * time.Second}})
		host := s.host()
		host.IsLocal = func(name string) bool { return name != "far" }
		host.Usage = func(pid int) (state.Usage, bool) { return state.Usage{MemoryKB: int64(1000 * pid)}, true }
		p, problems := NewPlan(Decls{Processes: []Process{
			{Name: "short", Command: "short", Host: "localhost"}, {Name: "long", Command: "long", Host: "localhost"}, {Name: "far", Command: "long", Host: "far"},
		}}, Options{Host: host})
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		sup, err := Start(t.Context(), p, RunOptions{Host: host})
		if err != nil {
			t.Fatal(err)
		}
		usage := func(nodes []Status) map[string]bool {
			has := map[string]bool{}
			for _, n := range nodes {
				if n.Kind == KindProcess {
					has[n.ID] = n.Usage != nil && n.Usage.MemoryKB == int64(1000*n.Pid)
				}
			}
			return has
		}
		pass(500 * time.Millisecond)
		if diff := cmp.Diff(map[string]bool{"short": true, "long": true, "far": false}, usage(sup.Status())); diff != "" {
			t.Errorf("%v; want nothing", diff)
		}
		pass(3 * time.Second)
		if diff := cmp.Diff(map[string]bool{"short": false, "long": true, "far": false}, usage(sup.Status())); diff != "" {
			t.Errorf("%v; want nothing", diff)
		}
		if diff := cmp.Diff(map[string]bool{"short": false, "long": false, "far": false}, usage(sup.Wait().Nodes)); diff != "" {
			t.Errorf("%v; want nothing", diff)
		}
	})
}

// slowWriter takes a minute for each write.
type slowWriter struct{ strings.Builder }

func (w *slowWriter) Write(p []byte) (int, error) {
	pass(time.Minute)
	return w.Builder.Write(p)
}

// A run is over when the last line has been written, however late.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out slowWriter
		play(t, newStage(map[string]script{"prc": {lives: time.Second, says: "a line\n"}}), one("dmn", "prc"), Options{Ready: Ready{Probe: ProbeNone}}, RunOptions{Output: &out}, nil)
		if got := out.String(); got != "p | a line\n" {
			t.Errorf("it got %q, want %q", got, "p | a line\n")
		}
	})
}

// A host that ssh cannot reach is distinguished from a program that ends with the same code.
func TestHostNotReached(t *testing.T) {
	for _, c := range []struct {
		name   string
		script script
		remote int
		note   string
	}{
		{"not reached", script{lives: time.Second, code: 255}, 0, "ssh ends with code 255 when it cannot reach its host"},
		{"reached", script{says: "PENTODE-r1 4711\n", lives: time.Second, code: 255}, 4711, ""},
		{"another code", script{lives: time.Second, code: 254}, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := newStage(map[string]script{"ssh": c.script}).host()
				host.IsLocal = func(string) bool { return false }
				p, problems := NewPlan(Decls{Processes: []Process{{Name: "p", Command: "prc", Host: "far"}}}, Options{Host: host, Run: "r1"})
				if err := problems.Err(); err != nil {
					t.Fatal(err)
				}
				sup, err := Start(t.Context(), p, RunOptions{Host: host})
				if err != nil {
					t.Fatal(err)
				}
				result := sup.Wait()
				if n := result.Nodes[0]; result.Code != c.script.code || n.Remote != c.remote || n.Note != c.note {
					t.Errorf("code %d, process %d there, %q; want result.Code = %v, n.Remote = %v and n.Note = %v", result.Code, n.Remote, n.Note, c.script.code, c.remote, c.note)
				}
			})
		})
	}
}

// A journal that cannot be written does not end the run or make it fail; this is reported once.
func TestJournalOnFullDisk(t *testing.T) {
	need.File(t, "/dev/full")
	d, err := state.Create(filepath.Join(t.TempDir(), "p"), state.Run{ID: "r"})
	if err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(d.Path, "journal.jsonl")
	if err := errors.Join(os.RemoveAll(journal), os.Symlink("/dev/full", journal)); err != nil {
		t.Fatal(err)
	}
	var events []string
	result := play(t, newStage(map[string]script{"prc": {lives: time.Millisecond}}), Decls{Processes: []Process{{Name: "p", Command: "prc", Host: "localhost"}}}, Options{}, RunOptions{State: d, Report: func(e state.Event) { events = append(events, e.Text) }}, nil)
	said := strings.Count(strings.Join(events, "\n"), "the journal of the run can no longer be written")
	if result.Code != 0 || result.Failed != "" || result.Nodes[0].State != Ended || said != 1 {
		t.Errorf("%+v, said %d times; want result.Code = 0, result.Failed = nothing, result.Nodes[0].State = %v and said = 1", result, said, Ended)
	}
}

// A result that cannot be saved is reported as an event, and does not make the run fail.
func TestResultNotKept(t *testing.T) {
	d, err := state.Create(filepath.Join(t.TempDir(), "p"), state.Run{ID: "r"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(d.Path, resultFile, "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	var events []string
	result := play(t, newStage(map[string]script{"prc": {lives: time.Millisecond}}), Decls{Processes: []Process{{Name: "p", Command: "prc", Host: "localhost"}}}, Options{},
		RunOptions{State: d, Report: func(e state.Event) { events = append(events, e.Text) }}, nil)
	if result.Code != 0 || result.Failed != "" || !slices.ContainsFunc(events, func(text string) bool {
		return strings.HasPrefix(text, "the result of the run cannot be saved: ")
	}) {
		t.Errorf("code %d of %q\n%s\nwant code 0, no failure, and that the result cannot be kept", result.Code, result.Failed, strings.Join(events, "\n"))
	}
	if _, err := ReadResult(d); err == nil {
		t.Error("there is a result")
	}
}

func TestStartRefuses(t *testing.T) {
	if _, err := Start(t.Context(), &Plan{}, RunOptions{}); errText(err) != "the plan has no node: there is nothing to start" {
		t.Error(err)
	}
	a := &Node{ID: "a", Starter: Local{}}
	if _, err := Start(t.Context(), &Plan{Nodes: []*Node{a, a}}, RunOptions{}); errText(err) != "two nodes of the plan are called `a`" {
		t.Error(err)
	}
	b := &Node{ID: "b", After: []Edge{{ID: "c"}}, Starter: Local{}}
	if _, err := Start(t.Context(), &Plan{Nodes: []*Node{b}}, RunOptions{}); errText(err) != "node `b` comes after `c`, which is not before it in the plan" {
		t.Error(err)
	}
}

func mustReady(t *testing.T, s string) Ready {
	t.Helper()
	r, err := ParseReady(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
