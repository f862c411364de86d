package example

import (
	"strconv"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func printNumberType() *pipe.Type {
	return &pipe.Type{
		Name: "print_number",
		New:  func() pipe.Process { return &printNumber{} },
		Doc:  "Writes each number on its own line.",
		In:   []pipe.Port{{Name: "number", Type: integer, Flags: pipe.Required, Doc: "Number to write."}},
		Keys: []pipe.Key{{Name: "output", Kind: pipe.String, Writes: true, Required: true, Doc: "File to write; it is emptied first."}},
	}
}

func takeNumberType() *pipe.Type {
	return &pipe.Type{
		Name: "take_number",
		New:  func() pipe.Process { return &take{port: "number"} },
		Doc:  "Takes numbers and discards them.",
		In:   []pipe.Port{{Name: "number", Type: integer, Flags: pipe.Required, Doc: "Number to take."}},
	}
}

func takeStringType() *pipe.Type {
	return &pipe.Type{
		Name: "take_string",
		New:  func() pipe.Process { return &take{port: "string"} },
		Doc:  "Takes strings and discards them.",
		In:   []pipe.Port{{Name: "string", Type: text, Flags: pipe.Required, Doc: "String to take."}},
	}
}

func testProcSeqType() *pipe.Type {
	return &pipe.Type{
		Name: "test_proc_seq",
		New:  func() pipe.Process { return &sequence{} },
		Doc:  "Takes numbers and logs every call it gets, to show their order.",
		In:   []pipe.Port{{Name: "number", Type: integer, Flags: pipe.Required, Doc: "Number to take."}},
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

func (p *printNumber) Step(pipe.Step) error {
	p.line = append(strconv.AppendInt(p.line[:0], p.in.Take().Int(), 10), '\n')
	_, err := p.Out.Write(p.line)
	return p.Wrote(err)
}

// take takes data from one port and discards them.
type take struct {
	port string
	in   *flow.In
}

func (t *take) Setup(s *flow.Setup) error {
	t.in = s.In(t.port)
	return nil
}

func (t *take) Step(pipe.Step) error {
	t.in.Take()
	return nil
}

// sequence logs the name of each of its methods that is called.
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

func (q *sequence) Step(s pipe.Step) error {
	q.in.Take()
	s.Log().Info("step", "number", s.Number())
	return nil
}

func (q *sequence) Flush(s pipe.Step) error {
	s.Log().Info("flush")
	return nil
}

func (q *sequence) Finalize(s pipe.Step) error {
	s.Log().Info("finalize")
	return nil
}
