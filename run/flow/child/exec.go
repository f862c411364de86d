package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pentode-dev/pentode/run/flow"
)

func execType() *flow.Type {
	return &flow.Type{
		Name: "exec",
		Doc:  "Runs a program that answers each step's inputs with its outputs; its ports are those that are connected.",
		In:   []flow.Port{{Name: "<any>", Type: flow.AnyType, Flags: flow.Required, Doc: "A member of the record the program reads."}},
		Out:  []flow.Port{{Name: "<any>", Type: flow.AnyType, Flags: flow.Required, Doc: "A member of the record the program writes."}},
		Keys: []flow.Key{
			{Name: "command", Kind: flow.String, Required: true, Doc: "The program and its arguments, split at blanks; quotes hold an argument together."},
			{Name: "format", Kind: flow.String, Default: "json", Choices: []string{"json", "binary"}, Doc: "One JSON object on a line, or records with a length before each part."},
			{Name: "dir", Kind: flow.String, Doc: "Folder to run in. Where results go is in the variable PENTODE_OUT."},
			{Name: "env", Kind: flow.Any, Doc: "env:NAME = value sets a variable."},
			{Name: "timeout", Kind: flow.Double, Default: "0", Doc: "Seconds the program may take for an answer; 0 means any time."},
			{Name: "grace", Kind: flow.Double, Default: "5", Doc: "Seconds the program may take to end after its input ended."},
		},
		New: func() flow.Process { return &child{} },
	}
}

// A child is a running program.
type child struct {
	name    string
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	stdout  *os.File
	codec   codec
	timeout time.Duration
	grace   time.Duration
	ins     []*flow.In
	outs    []*flow.Out
	errs    *lineLog
	printed *lineLog      // what a program without outputs writes to its standard output
	ended   chan struct{} // closed when the program has ended
	exit    error
}

// A codec writes and reads records. read gives io.EOF when there is none.
type codec interface {
	write(names []string, data []flow.Datum) error
	read() (map[string]flow.Datum, error)
}

func (c *child) Setup(s *flow.Setup) error {
	argv, err := split(s.Value("command"))
	if err != nil {
		return s.Errorf("command", "key `command` names no program: %v", err)
	}
	if c.timeout, err = seconds(s, "timeout"); err != nil {
		return err
	}
	if c.grace, err = seconds(s, "grace"); err != nil {
		return err
	}
	c.name, c.ins, c.outs = argv[0], s.Ins(), s.Outs()
	c.cmd = exec.CommandContext(s.Context(), argv[0], argv[1:]...)
	c.cmd.Dir = s.Path(s.Value("dir"))
	if c.cmd.Dir == "" {
		c.cmd.Dir = s.Path(".")
	}
	c.cmd.Env = os.Environ()
	if out := s.OutPath("."); out != s.Path(".") {
		if out, err = filepath.Abs(out); err != nil {
			return err
		}
		c.cmd.Env = append(c.cmd.Env, "PENTODE_OUT="+out)
	}
	for key, set := range s.Config() {
		if name, ok := strings.CutPrefix(key, "env:"); ok {
			c.cmd.Env = append(c.cmd.Env, name+"="+set.Value)
		}
	}
	c.errs = &lineLog{log: s.Log(), stream: "stderr"}
	c.cmd.Stderr = c.errs
	c.cmd.WaitDelay = time.Second // for a grandchild that holds our pipes
	ownGroup(c.cmd)
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		return err
	}
	// A pipe of our own: Wait must not close it while an answer is in it.
	stdout, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	c.cmd.Stdout = theirs
	if len(c.outs) == 0 { // there are no answers: what it writes is for people
		c.printed = &lineLog{log: s.Log(), stream: "stdout"}
		c.cmd.Stdout = c.printed
	}
	err = c.cmd.Start()
	theirs.Close()
	if err != nil {
		stdout.Close()
		return s.Errorf("command", "the program `%s` cannot be started: %w", argv[0], startReason(err))
	}
	c.stdin, c.stdout = stdin, stdout
	c.ended = make(chan struct{})
	go func() {
		// A grandchild that still holds a pipe does not delay the program's end.
		if err := c.cmd.Wait(); !errors.Is(err, exec.ErrWaitDelay) {
			c.exit = err
		}
		close(c.ended)
	}()
	c.codec = newCodec(s.Value("format"), stdin, stdout)
	return nil
}

func seconds(s *flow.Setup, key string) (time.Duration, error) {
	n := s.Float(key)
	if !(n >= 0) || n > 1e6 {
		return 0, s.Errorf(key, "key `%s` is %v, but must be a number of seconds", key, n)
	}
	return time.Duration(n * float64(time.Second)), nil
}

func startReason(err error) error {
	var e *exec.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return flow.Reason(err)
}

// Step sends one record and, where outputs are connected, waits for one.
func (c *child) Step(s *flow.Step) error {
	names, data := make([]string, len(c.ins)), make([]flow.Datum, len(c.ins))
	for i, in := range c.ins {
		names[i], data[i] = in.Name(), in.Take()
	}
	var answer map[string]flow.Datum
	var err error
	var late atomic.Bool
	s.Await(func(context.Context) {
		if c.timeout > 0 {
			defer time.AfterFunc(c.timeout, func() {
				late.Store(true)
				kill(c.cmd)
			}).Stop()
		}
		if err = c.codec.write(names, data); err == nil && len(c.outs) > 0 {
			answer, err = c.codec.read()
		}
	})
	var wrong *recordError
	switch {
	case err == nil:
	case errors.As(err, &wrong):
		return err
	case late.Load():
		return fmt.Errorf("the program `%s` did not answer within %v", c.name, c.timeout)
	default:
		return c.gone(s, err)
	}
	if err := c.complete(answer); err != nil {
		return err
	}
	for _, out := range c.outs {
		out.Push(answer[out.Name()])
	}
	return nil
}

// complete refuses an answer that leaves a port out and has a member that no
// port takes: one is the other, misspelt. Either alone is fine.
func (c *child) complete(answer map[string]flow.Datum) error {
	left := maps.Clone(answer)
	missing := ""
	for _, out := range c.outs {
		if _, ok := left[out.Name()]; !ok && missing == "" {
			missing = out.Name()
		}
		delete(left, out.Name())
	}
	if missing == "" || len(left) == 0 {
		return nil
	}
	return fmt.Errorf("the program's answer has no member `%s`, but `%s`, which is no connected port; null stands for no value",
		missing, strings.Join(slices.Sorted(maps.Keys(left)), "`, `"))
}

// gone returns why there was no answer. A program without inputs may end when it
// likes.
func (c *child) gone(s *flow.Step, err error) error {
	c.stdin.Close()
	s.Await(func(ctx context.Context) {
		select {
		case <-c.ended:
		case <-time.After(c.grace):
		case <-ctx.Done():
		}
	})
	select {
	case <-c.ended:
	default:
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("the program `%s` closed its standard output without an answer", c.name)
		}
		return fmt.Errorf("the program `%s` does not answer: %w", c.name, flow.Reason(err))
	}
	if c.exit == nil && len(c.ins) == 0 {
		s.Complete()
		return nil
	}
	return c.ending(" before its input did")
}

func (c *child) ending(when string) error {
	what := "ended"
	if c.exit != nil {
		what = "ended with " + c.exit.Error()
	}
	if last := c.errs.last(); last != "" {
		return fmt.Errorf("the program `%s` %s%s; its last words were `%s`", c.name, what, when, last)
	}
	return fmt.Errorf("the program `%s` %s%s", c.name, what, when)
}

// Finalize closes the program's input and waits for its end. One without
// inputs has no end of its own when its outputs have no consumer left: it is ended.
func (c *child) Finalize(s *flow.Step) error {
	c.stdin.Close()
	if len(c.ins) == 0 {
		c.stdout.Close()
		terminate(c.cmd)
	}
	late := false
	s.Await(func(ctx context.Context) {
		select {
		case <-c.ended:
		case <-ctx.Done():
		case <-time.After(c.grace):
			late = true
		}
	})
	if len(c.ins) == 0 {
		return nil
	}
	if late {
		return fmt.Errorf("the program `%s` did not end within %v after its input", c.name, c.grace)
	}
	select {
	case <-c.ended:
		if c.exit != nil {
			return c.ending("")
		}
		c.unasked(s)
	default:
	}
	return nil
}

// unasked warns of a program that wrote more than it was asked for: unless it
// did so at its end, its answers belong to earlier questions.
func (c *child) unasked(s *flow.Step) {
	if len(c.outs) == 0 {
		return
	}
	more := false
	s.Await(func(context.Context) {
		c.stdout.SetReadDeadline(time.Now().Add(patience)) // a grandchild may hold it open
		_, err := c.codec.read()
		var wrong *recordError
		more = err == nil || errors.As(err, &wrong)
	})
	if more {
		s.Log().Warn("the program wrote more answers than it was asked for")
	}
}

// patience is how long an answer that is already written may take.
const patience = 50 * time.Millisecond

// Close makes sure that the program and what it started are gone.
func (c *child) Close() error {
	if c.ended == nil {
		return nil
	}
	kill(c.cmd)
	<-c.ended
	c.errs.flush()
	if c.printed != nil {
		c.printed.flush()
	}
	c.stdout.Close()
	return nil
}
