package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
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
			{Name: "dir", Kind: flow.String, Doc: "Folder to run in."},
			{Name: "env", Kind: flow.Any, Doc: "env:NAME = value sets a variable."},
			{Name: "grace", Kind: flow.Double, Default: "5", Doc: "Seconds the program may take to end after its input ended."},
		},
		New: func() flow.Process { return &child{} },
	}
}

// A child is a running program.
type child struct {
	name  string
	cmd   *exec.Cmd
	stdin io.WriteCloser
	codec codec
	grace time.Duration
	ins   []*flow.In
	outs  []*flow.Out
	errs  *errorLog
	ended chan struct{} // closed when the program has ended
	exit  error
}

// A codec writes and reads records. read gives io.EOF when there is none.
type codec interface {
	write(names []string, data []flow.Datum) error
	read() (map[string]flow.Datum, error)
}

func (c *child) Setup(s *flow.Setup) error {
	argv, err := split(s.Value("command"))
	if err != nil || len(argv) == 0 {
		return s.Errorf("command", "key `command` names no program: %v", err)
	}
	seconds := s.Float("grace")
	if !(seconds >= 0) || seconds > 1e6 {
		return s.Errorf("grace", "key `grace` is %v, but must be a number of seconds", seconds)
	}
	c.name, c.grace = argv[0], time.Duration(seconds*float64(time.Second))
	c.ins, c.outs = s.Ins(), s.Outs()
	c.cmd = exec.CommandContext(s.Context(), argv[0], argv[1:]...)
	c.cmd.Dir = s.Path(s.Value("dir"))
	if c.cmd.Dir == "" {
		c.cmd.Dir = s.Path(".")
	}
	c.cmd.Env = os.Environ()
	for key, set := range s.Config() {
		if name, ok := strings.CutPrefix(key, "env:"); ok {
			c.cmd.Env = append(c.cmd.Env, name+"="+set.Value)
		}
	}
	c.errs = &errorLog{log: s.Log()}
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
	if len(c.outs) == 0 { // nobody reads answers: what it says is for people
		c.cmd.Stdout = &errorLog{log: s.Log()}
	}
	err = c.cmd.Start()
	theirs.Close()
	if err != nil {
		stdout.Close()
		c.cmd = nil
		return s.Errorf("command", "the program `%s` cannot be started: %w", argv[0], startReason(err))
	}
	c.stdin = stdin
	c.ended = make(chan struct{})
	go func() {
		c.exit = c.cmd.Wait()
		close(c.ended)
	}()
	c.codec = newCodec(s.Value("format"), stdin, stdout)
	return nil
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
	s.Await(func(context.Context) {
		if err = c.codec.write(names, data); err == nil && len(c.outs) > 0 {
			answer, err = c.codec.read()
		}
	})
	var wrong *recordError
	switch {
	case err == nil:
	case errors.As(err, &wrong):
		return err
	default:
		return c.gone(s, err)
	}
	for _, out := range c.outs {
		out.Push(answer[out.Name()])
	}
	return nil
}

// gone says why there was no answer. A program without inputs may end when it
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

// Finalize closes the program's input and waits for its end.
func (c *child) Finalize(s *flow.Step) error {
	c.stdin.Close()
	late := false
	s.Await(func(ctx context.Context) {
		select {
		case <-c.ended:
		case <-ctx.Done():
		case <-time.After(c.grace):
			late = true
		}
	})
	if late {
		return fmt.Errorf("the program `%s` did not end within %v after its input", c.name, c.grace)
	}
	select {
	case <-c.ended:
		if c.exit != nil && len(c.ins) > 0 {
			return c.ending("")
		}
	default:
	}
	return nil
}

// Close makes sure that the program and what it started are gone.
func (c *child) Close() error {
	if c.cmd == nil {
		return nil
	}
	kill(c.cmd)
	<-c.ended
	c.errs.flush()
	if cl, ok := c.codec.(io.Closer); ok {
		cl.Close()
	}
	return nil
}
