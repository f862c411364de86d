//go:build linux

package collect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pentode-dev/pentode/run/trace/layout"
)

// Run starts the program, collects while it runs, and returns its exit code: if a signal ended the program, 128 plus the
// number of the signal. When the context ends, the program gets SIGTERM, and Run returns after the program has ended.
func Run(ctx context.Context, o Options, p Program) (int, *Collector, error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	for _, part := range preloaded(p.Library) {
		if _, err := os.Stat(part); err != nil {
			return 0, nil, fmt.Errorf("the tracer `%s` cannot be loaded into a program: LD_PRELOAD is split at blanks and colons, and `%s` is not a file", p.Library, part)
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
	c.every, c.launched = p.Flush, p.Launched
	if p.Spent != nil {
		c.spending = &spending{begun: time.Now()}
	}
	cmd := exec.Command(p.Args[0], p.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.In, p.Out, p.Err
	cmd.Env = Environment(os.Environ(), p.Library, s.Path)
	interrupts := make(chan os.Signal, 4)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(interrupts)
	// When a file reaches the size limit, the write must return an error; the signal must not end the collector.
	limited := make(chan os.Signal, 1)
	signal.Notify(limited, syscall.SIGXFSZ)
	defer signal.Stop(limited)
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	if p.Alone {
		closeInherited()
	}
	if p.Started != nil {
		defer p.Started(s)()
	}
	defer c.beat(200*time.Millisecond, time.Minute)()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	err = c.follow(ctx, &p, ended, interrupts, cmd.Process)
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

// closeInherited closes the files with which this process was started, except its standard files. Files that it opened itself
// are marked to be closed in its children, so they can be distinguished.
func closeInherited() {
	open, _ := os.ReadDir("/proc/self/fd") // without it everything stays open
	for _, e := range open {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= 2 {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd)
		}
	}
}

// follow drains rings until the program ends.
func (c *Collector) follow(ctx context.Context, p *Program, ended <-chan error, interrupts <-chan os.Signal, program *os.Process) error {
	var limit <-chan time.Time
	if p.Limit > 0 {
		limit = time.After(p.Limit)
	}
	over := ctx.Done()
	for {
		select {
		case err := <-ended:
			return err
		case s := <-interrupts:
			// A terminal sends its interrupt to the program too; other signals must be forwarded.
			if s != os.Interrupt {
				_ = program.Signal(s)
			}
		case <-over:
			over = nil
			_ = program.Signal(syscall.SIGTERM) // it may have ended
		case <-limit:
			if err := c.session.guard(c.session.stop); err != nil {
				c.fail(err)
			}
		default:
		}
		c.turn(p)
	}
}

// beat keeps the heartbeat running while a turn waits for a disk, the start of a script or the names of a large program:
// after two seconds without a heartbeat the agent assumes that the collector is dead, and would end a pause. A turn that
// takes longer than the limit counts as hanging.
func (c *Collector) beat(every, limit time.Duration) (stop func()) {
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticks := time.NewTicker(every)
		defer ticks.Stop()
		turn, begun := c.turns.Load(), time.Now()
		for {
			select {
			case <-over:
				return
			case <-ticks.C:
			}
			if now := c.turns.Load(); now != turn {
				turn, begun = now, time.Now()
			} else if time.Since(begun) < limit {
				_ = c.session.guard(func() { c.session.word(sessionHeartbeat).Add(1) }) // if memory was cut off, the turn reports it
			}
		}
	}()
	return func() {
		close(over)
		<-done
	}
}

// turn drains the rings once, and then waits a little unless one of them fills up: on a machine whose processors are all
// busy, the collector takes its time from the program.
func (c *Collector) turn(p *Program) {
	c.turns.Add(1)
	c.Drain()
	c.answer()
	if err := c.session.guard(func() {
		c.session.modules(p)
		c.serveRequests(p)
		c.pickCollector()
		c.alternate(p, time.Duration(time.Now().UnixNano()))
		c.reportSpent(p)
	}); err != nil {
		c.fail(err)
	}
	if !c.filling {
		time.Sleep(c.idleTime(p, time.Duration(time.Now().UnixNano())))
	}
}

// idleTime returns how long rings can be left alone: as long as even a thread that only records needs to fill one, at one byte in
// half a nanosecond, but at most until the next stretch begins.
func (c *Collector) idleTime(p *Program, now time.Duration) time.Duration {
	pause := min(max(time.Duration(c.session.bytes)/2, time.Millisecond), 10*time.Millisecond)
	if p.Gap > 0 {
		pause = min(pause, untilNext(now, p.Gap, p.GapEvery))
	}
	return pause
}

// stop ends tracing; the programs continue untraced.
func (s *Session) stop() {
	s.half(sessionClosed).Store(1)
	for i := range layout.MaxProcesses {
		s.half(processAt(i) + processPaused).Store(0)
		s.word(processAt(i) + processGeneration).Add(1)
	}
}
