package child

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// programKeys are the keys of every process whose work a program does.
func programKeys() []pipe.Key {
	return []pipe.Key{
		{Name: "dir", Kind: pipe.String, Doc: "Folder to run in. The variable PENTODE_OUT names the folder for results; with PENTODE_FENCED=1 results may not be written anywhere else; PENTODE_SEAL is the text with which results may name their run."},
		{Name: "env", Kind: pipe.Any, Doc: "env:NAME = value sets a variable."},
		{Name: "timeout", Kind: pipe.Double, Default: "0", Doc: "Seconds the program may take for an answer; 0 means unlimited."},
		{Name: "grace", Kind: pipe.Double, Default: "5", Doc: "Seconds the program may take to end after its input ended."},
	}
}

// A program is a child process that a process of the pipeline started.
type program struct {
	name    string
	cmd     *exec.Cmd
	timeout time.Duration // how long an answer may take; 0: unlimited
	grace   time.Duration // how long the program may take to end
	errs    *lineLog
	printed *lineLog      // logs its standard output; nil: the standard output has data
	ended   chan struct{} // closed when the program has ended
	exit    error
}

// self is the command name that stands for the running Pentode program, for example in launch
// plans.
const self = "pentode"

// newProgram prepares the start of a program. It reads the keys that every such process has.
func newProgram(s *scope, argv []string) (*program, error) {
	p := &program{name: argv[0]}
	var err error
	if p.timeout, err = seconds(s, "timeout"); err != nil {
		return nil, err
	}
	if p.grace, err = seconds(s, "grace"); err != nil {
		return nil, err
	}
	path := argv[0]
	if own := s.Program(); path == self && own != "" {
		path = own
	}
	p.cmd = exec.CommandContext(s.Context(), path, argv[1:]...)
	p.cmd.Args[0] = argv[0]
	p.cmd.Dir = s.Path(s.Value("dir"))
	if p.cmd.Dir == "" {
		p.cmd.Dir = s.Path(".")
	}
	p.cmd.Env = os.Environ()
	if out := s.Results(); out.Dir != "" && out.Dir != s.Path(".") {
		dir, err := filepath.Abs(out.Dir)
		if err != nil {
			return nil, err
		}
		p.cmd.Env = append(p.cmd.Env, "PENTODE_OUT="+dir)
		if out.Fenced {
			p.cmd.Env = append(p.cmd.Env, "PENTODE_FENCED=1")
		}
	}
	if m := s.Results().Seal; m != nil {
		p.cmd.Env = append(p.cmd.Env, seal.Variable+"="+string(m.Text()))
	}
	for key, value := range s.settings() {
		if name, ok := strings.CutPrefix(key, "env:"); ok {
			p.cmd.Env = append(p.cmd.Env, name+"="+value)
		}
	}
	p.errs = &lineLog{log: s.Log(), stream: "stderr"}
	p.cmd.Stderr = p.errs
	p.cmd.WaitDelay = time.Second // a grandchild may keep our pipes open
	ownGroup(p.cmd)
	return p, nil
}

func seconds(s *scope, key string) (time.Duration, error) {
	n := s.Float(key)
	if !(n >= 0) || n > 1e6 {
		return 0, s.Errorf(key, "key `%s` is %v, but must be a number of seconds", key, n)
	}
	return time.Duration(n * float64(time.Second)), nil
}

// printsToLog sends the program's standard output to the log.
func (p *program) printsToLog(s *scope) {
	p.printed = &lineLog{log: s.Log(), stream: "stdout"}
	p.cmd.Stdout = p.printed
}

func (p *program) start() error {
	if err := p.cmd.Start(); err != nil {
		return startReason(err)
	}
	p.ended = make(chan struct{})
	go func() {
		// The program has ended even if a grandchild keeps a pipe open.
		if err := p.cmd.Wait(); !errors.Is(err, exec.ErrWaitDelay) {
			p.exit = err
		}
		close(p.ended)
	}()
	return nil
}

func startReason(err error) error {
	var e *exec.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return problem.Reason(err)
}

// hasEnded reports whether the program has ended.
func (p *program) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// awaitEnd waits for the end of the program. late is true if the program was still running after
// its grace time.
func (p *program) awaitEnd(s pipe.Step) (late bool) {
	s.Await(func(ctx context.Context) {
		select {
		case <-p.ended:
		case <-ctx.Done():
		case <-time.After(p.grace):
			late = true
		}
	})
	return late
}

// ending returns an error that describes how the program ended. when is appended to "ended".
func (p *program) ending(when string) error {
	what := "ended"
	if p.exit != nil {
		what = "ended with " + p.exit.Error()
	}
	if last := p.errs.last(); last != "" {
		return fmt.Errorf("the program `%s` %s%s; its last output was `%s`", p.name, what, when, last)
	}
	return fmt.Errorf("the program `%s` %s%s", p.name, what, when)
}

// await runs talk, which exchanges data with the program. If talk takes too long, await kills
// the program and late is true.
func (p *program) await(s pipe.Step, talk func() error) (late bool, err error) {
	var killed atomic.Bool
	s.AwaitProgram(func(context.Context) {
		if p.timeout > 0 {
			defer time.AfterFunc(p.timeout, func() {
				killed.Store(true)
				kill(p.cmd)
			}).Stop()
		}
		err = talk()
	})
	return killed.Load(), err
}

func (p *program) tooLate() error {
	return fmt.Errorf("the program `%s` did not answer within %v", p.name, p.timeout)
}

// close makes sure that the program and its children have ended.
func (p *program) close() {
	if p.ended == nil {
		return
	}
	kill(p.cmd)
	<-p.ended
	p.errs.flush()
	if p.printed != nil {
		p.printed.flush()
	}
}
