//go:build linux

package collect

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/pentode-dev/pentode/run/trace/layout"
)

// Run starts the program, collects while it runs, and returns its exit code. A
// program that a signal ended has 128 and the signal's number.
func Run(o Options, p Program) (int, *Collector, error) {
	for _, part := range preloaded(p.Library) {
		if _, err := os.Stat(part); err != nil {
			return 0, nil, fmt.Errorf("the tracer `%s` cannot be loaded into a program: LD_PRELOAD is split at blanks and colons, and `%s` is no file", p.Library, part)
		}
	}
	s, err := NewSession(o)
	if err != nil {
		return 0, nil, err
	}
	defer s.Close()
	c, err := NewCollector(s, p.Dir, p.Host)
	if err != nil {
		return 0, nil, err
	}
	c.every = p.Flush
	cmd := exec.Command(p.Args[0], p.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.In, p.Out, p.Err
	cmd.Env = Environment(os.Environ(), p.Library, s.Path)
	interrupts := make(chan os.Signal, 4)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(interrupts)
	// A limit on the size of files is an error of the write, not the end of the collector.
	limited := make(chan os.Signal, 1)
	signal.Notify(limited, syscall.SIGXFSZ)
	defer signal.Stop(limited)
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	if p.Started != nil {
		defer p.Started(s)()
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	err = c.follow(&p, ended, interrupts, cmd.Process)
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		return 0, c, err
	}
	code := cmd.ProcessState.ExitCode()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		code = 128 + int(status.Signal())
	}
	for p.Others && c.Processes() > 0 { // the other ranks of this node
		c.turn(&p)
	}
	return code, c, c.Close()
}

// follow empties rings until the program ends.
func (c *Collector) follow(p *Program, ended <-chan error, interrupts <-chan os.Signal, program *os.Process) error {
	var limit <-chan time.Time
	if p.Limit > 0 {
		limit = time.After(p.Limit)
	}
	for {
		select {
		case err := <-ended:
			return err
		case s := <-interrupts:
			// A terminal sends its interrupt to the program too; other signals it has not seen.
			if s != os.Interrupt {
				_ = program.Signal(s)
			}
		case <-limit:
			if err := c.session.guard(c.session.stop); err != nil {
				c.fail(err)
			}
		default:
		}
		c.turn(p)
	}
}

// turn empties the rings once, and waits a little where there was nothing.
func (c *Collector) turn(p *Program) {
	busy := c.Drain()
	if err := c.session.guard(func() {
		c.session.modules(p)
		c.attend(p)
	}); err != nil {
		c.fail(err)
	}
	if !busy {
		time.Sleep(time.Millisecond)
	}
}

// stop lets the programs go on untraced.
func (s *Session) stop() {
	s.half(sessionClosed).Store(1)
	for i := range layout.MaxProcesses {
		s.half(processAt(i) + processPaused).Store(0)
		s.word(processAt(i) + processGeneration).Add(1)
	}
}
