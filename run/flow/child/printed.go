package child

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// The output ports of a program that prints text.
const (
	numbersPort = "numbers"
	textPort    = "text"
)

// printer is a process whose data are the lines that a program prints. A line of numbers becomes an
// array, any other line a text.
type printer struct {
	*program
	stdout        *os.File
	lines         *bufio.Reader
	numbers, text *flow.Out // nil if the port is not connected
}

func newPrinter(s *scope, p *program) (talker, error) {
	c := &printer{program: p}
	if ins := s.ports.Ins(); len(ins) > 0 {
		return nil, fmt.Errorf("a program with `format = text` reads nothing, but `%s` is connected to an input `%s`", p.name, ins[0].Name())
	}
	for _, out := range s.ports.Outs() {
		switch out.Name() {
		case numbersPort:
			c.numbers = out
		case textPort:
			c.text = out
		default:
			return nil, fmt.Errorf("a program with `format = text` has the outputs `%s` and `%s`, but no `%s`", numbersPort, textPort, out.Name())
		}
	}
	stdout, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Stdout = theirs
	p.printed = &lineLog{log: s.Log(), stream: "stdout"}
	err = p.start()
	theirs.Close()
	if err != nil {
		stdout.Close()
		return nil, fmt.Errorf("the program `%s` cannot be started: %w", p.name, err)
	}
	c.stdout, c.lines = stdout, bufio.NewReaderSize(stdout, 1<<16)
	return c, nil
}

// Step pushes the next line for which a port is connected. Other lines go to the log.
func (c *printer) Step(s pipe.Step) error {
	for {
		var line []byte
		late, err := c.await(s, func() (err error) {
			line, err = readLine(c.lines, "line")
			return err
		})
		var wrong *recordError
		switch {
		case errors.As(err, &wrong):
			return err
		case late:
			return c.tooLate()
		case err != nil:
			return c.over(s, err)
		}
		if c.give(line) {
			return nil
		}
		_, _ = c.printed.Write(append(line, '\n'))
	}
}

// give pushes a line to its port. The other port gets an empty datum, so that both ports have one
// datum per step. give returns false if the line's port is not connected.
func (c *printer) give(line []byte) bool {
	numbers, text := flow.OfEmpty(), flow.OfEmpty()
	row := numbersOf(line)
	switch {
	case row != nil && c.numbers != nil:
		numbers = flow.Of(arrayOf(row))
	case c.text != nil:
		text = flow.OfText(string(bytes.TrimRight(line, blanks)))
	default:
		return false
	}
	if c.numbers != nil {
		c.numbers.Push(numbers)
	}
	if c.text != nil {
		c.text.Push(text)
	}
	return true
}

// numbersOf converts a line of numbers to a JSON list. Blanks, commas and semicolons separate the
// numbers. It returns nil if the line is empty or contains anything else.
func numbersOf(line []byte) []byte {
	words := bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' || r == ';' || r == '\r' || r == '\n' })
	if len(words) == 0 {
		return nil
	}
	row := []byte{'['}
	for i, word := range words {
		v, err := strconv.ParseFloat(string(word), 64)
		if err != nil || v-v != 0 { // out of range, or infinite or NaN
			return nil
		}
		if i > 0 {
			row = append(row, ',')
		}
		row = strconv.AppendFloat(row, v, 'e', -1, 64)
	}
	return append(row, ']')
}

// over completes the process when its program has ended, or returns the program's error.
func (c *printer) over(s pipe.Step, err error) error {
	c.awaitEnd(s)
	switch {
	case !c.hasEnded() && errors.Is(err, io.EOF):
		return fmt.Errorf("the program `%s` closed its standard output but is still running", c.name)
	case !c.hasEnded():
		return fmt.Errorf("the output of the program `%s` cannot be read: %w", c.name, problem.Reason(err))
	case c.exit != nil:
		return c.ending("")
	}
	s.Complete()
	return nil
}

// Flush does nothing: the program gets no input.
func (c *printer) Flush(pipe.Step) error { return nil }

// Finalize terminates a program whose output is no longer needed.
func (c *printer) Finalize(s pipe.Step) error {
	c.stdout.Close()
	terminate(c.cmd)
	c.awaitEnd(s)
	return nil
}

// Close makes sure that the program and its children have ended.
func (c *printer) Close() error {
	c.close()
	c.stdout.Close()
	return nil
}
