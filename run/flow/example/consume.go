package example

import (
	"strconv"

	"github.com/pentode-dev/pentode/run/flow"
)

func printNumberType() *flow.Type {
	return &flow.Type{
		Name: "print_number",
		New:  func() flow.Process { return &printNumber{} },
		Doc:  "Writes each number on a line of its own.",
		In:   []flow.Port{{Name: "number", Type: integer, Flags: flow.Required, Doc: "Number to write."}},
		Keys: []flow.Key{{Name: "output", Kind: flow.String, Writes: true, Required: true, Doc: "File to write; it is emptied first."}},
	}
}

func takeNumberType() *flow.Type {
	return &flow.Type{
		Name: "take_number",
		New:  func() flow.Process { return &take{port: "number"} },
		Doc:  "Takes numbers and does nothing with them.",
		In:   []flow.Port{{Name: "number", Type: integer, Flags: flow.Required, Doc: "Number to take."}},
	}
}

func takeStringType() *flow.Type {
	return &flow.Type{
		Name: "take_string",
		New:  func() flow.Process { return &take{port: "string"} },
		Doc:  "Takes strings and does nothing with them.",
		In:   []flow.Port{{Name: "string", Type: text, Flags: flow.Required, Doc: "String to take."}},
	}
}

func testProcSeqType() *flow.Type {
	return &flow.Type{
		Name: "test_proc_seq",
		New:  func() flow.Process { return &sequence{} },
		Doc:  "Takes numbers and logs each part of its own life, to show the order of calls.",
		In:   []flow.Port{{Name: "number", Type: integer, Flags: flow.Required, Doc: "Number to take."}},
	}
}

type printNumber struct {
	flow.ResultFile
	in   *flow.In
	line []byte
}

func (p *printNumber) Setup(s *flow.Setup) (err error) {
	p.in = s.In("number")
	p.ResultFile, err = s.ResultFile("output")
	return err
}

func (p *printNumber) Step(flow.Step) error {
	p.line = append(strconv.AppendInt(p.line[:0], p.in.Take().Int(), 10), '\n')
	_, err := p.Out.Write(p.line)
	return p.Wrote(err)
}

// take consumes one port.
type take struct {
	port string
	in   *flow.In
}

func (t *take) Setup(s *flow.Setup) error {
	t.in = s.In(t.port)
	return nil
}

func (t *take) Step(flow.Step) error {
	t.in.Take()
	return nil
}

// sequence logs its calls.
type sequence struct{ in *flow.In }

func (q *sequence) Setup(s *flow.Setup) error {
	q.in = s.In("number")
	s.Log().Info("setup")
	return nil
}

func (q *sequence) Reconfigure(s *flow.Setup) error {
	s.Log().Info("reconfigure")
	return nil
}

func (q *sequence) Step(s flow.Step) error {
	q.in.Take()
	s.Log().Info("step", "number", s.Number())
	return nil
}

func (q *sequence) Flush(s flow.Step) error {
	s.Log().Info("flush")
	return nil
}

func (q *sequence) Finalize(s flow.Step) error {
	s.Log().Info("finalize")
	return nil
}
