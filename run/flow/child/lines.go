package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// lines exchanges JSON objects with a program over its standard streams, one per line.
type lines struct {
	*program
	stdin  io.WriteCloser
	stdout *os.File
	codec  *jsonCodec
	asks   chan struct{} // only for a program without inputs: has a token for each record to request
	ins    []*flow.In
	outs   []*flow.Out
}

// maxAsks limits how many requests a program without inputs may leave unread. A program that leaves
// so many unread probably reads none.
const maxAsks = 1 << 12

func newLines(s *scope, p *program) (talker, error) {
	c := &lines{program: p, ins: s.ports.Ins(), outs: s.ports.Outs()}
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// Make our own pipe: Wait would close the pipe of exec.Cmd, even if it still has an answer.
	stdout, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Stdout = theirs
	if len(c.outs) == 0 { // no answers are expected, so its output goes to the log
		p.printsToLog(s)
	}
	err = p.start()
	theirs.Close()
	if err != nil {
		stdout.Close()
		return nil, fmt.Errorf("the program `%s` cannot be started: %w", p.name, err)
	}
	c.stdin, c.stdout, c.codec = stdin, stdout, newCodec(stdin, stdout)
	if len(c.ins) == 0 && len(c.outs) > 0 {
		c.asks = make(chan struct{}, maxAsks)
		go func() {
			for range c.asks {
				if c.codec.write(nil, nil) != nil {
					return // writing failed because the program does not read or has ended; its answers are still read
				}
			}
		}()
	}
	return c, nil
}

// ask sends the inputs of a step. A program without inputs need not read its requests, so for such
// a program ask does not wait until they are read.
func (c *lines) ask(names []string, data []flow.Datum) error {
	if c.asks == nil {
		return c.codec.write(names, data)
	}
	select {
	case c.asks <- struct{}{}:
	default:
	}
	return nil
}

// Step sends one record and, if an output is connected, waits for the answer.
func (c *lines) Step(s pipe.Step) error {
	names, data := make([]string, len(c.ins)), make([]flow.Datum, len(c.ins))
	for i, in := range c.ins {
		names[i], data[i] = in.Name(), in.Take()
	}
	var answer map[string]flow.Datum
	late, err := c.await(s, func() error {
		err := c.ask(names, data)
		if err == nil && len(c.outs) > 0 {
			answer, err = c.codec.read()
		}
		return err
	})
	var wrong *recordError
	switch {
	case err == nil:
	case errors.As(err, &wrong):
		return err
	case late:
		return c.tooLate()
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

// complete returns an error if an answer both lacks a connected port and has a member that is no
// port: the name is probably misspelt. It accepts an answer with only one of the two.
func (c *lines) complete(answer map[string]flow.Datum) error {
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
	return fmt.Errorf("the program's answer has no member `%s`, but has `%s`, which is not a connected port; use null for no value",
		missing, strings.Join(slices.Sorted(maps.Keys(left)), "`, `"))
}

// gone returns the reason why there was no answer. A program without inputs may end at any time,
// which completes the process.
func (c *lines) gone(s pipe.Step, err error) error {
	c.stdin.Close()
	c.awaitEnd(s)
	if !c.hasEnded() {
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("the program `%s` closed its standard output without an answer", c.name)
		}
		return fmt.Errorf("the program `%s` does not answer: %w", c.name, problem.Reason(err))
	}
	if c.exit == nil && len(c.ins) == 0 {
		s.Complete()
		return nil
	}
	return c.ending(" before its input did")
}

// Flush does nothing: the protocol cannot tell the program about a flush.
func (c *lines) Flush(pipe.Step) error { return nil }

// Finalize closes the program's standard input and waits until the program ends. A program without
// inputs does not notice that its outputs have no consumer left, so it is terminated.
func (c *lines) Finalize(s pipe.Step) error {
	c.stdin.Close()
	if len(c.ins) == 0 {
		c.stdout.Close()
		terminate(c.cmd)
	}
	late := c.awaitEnd(s)
	switch {
	case len(c.ins) == 0:
	case late:
		return fmt.Errorf("the program `%s` did not end within %v after its input", c.name, c.grace)
	case c.hasEnded() && c.exit != nil:
		return c.ending("")
	case c.hasEnded():
		c.unasked(s)
	}
	return nil
}

// unasked warns if the program has written more answers than were requested: its answers may then
// belong to the wrong requests.
func (c *lines) unasked(s pipe.Step) {
	if len(c.outs) == 0 {
		return
	}
	more := false
	s.Await(func(context.Context) {
		c.stdout.SetReadDeadline(time.Now().Add(patience)) // a grandchild may keep the pipe open for ever
		_, err := c.codec.read()
		var wrong *recordError
		more = err == nil || errors.As(err, &wrong)
	})
	if more {
		s.Log().Warn("the program wrote more answers than were requested")
	}
}

// patience is how long to wait for an answer that the program has probably written already.
const patience = 50 * time.Millisecond

// Close makes sure that the program and its children have ended.
func (c *lines) Close() error {
	c.close()
	c.stdin.Close()
	if c.asks != nil {
		close(c.asks)
	}
	c.stdout.Close()
	return nil
}
