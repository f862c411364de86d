package cli_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/pentode-dev/pentode/cli"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A user-defined process type, as in any Go program that embeds the engine.
var double = &pipe.Type{
	Name: "double",
	Doc:  "Doubles each number.",
	In:   []pipe.Port{{Name: "number", Type: "integer", Flags: pipe.Required, Doc: "Number to double."}},
	Out:  []pipe.Port{{Name: "number", Type: "integer", Flags: pipe.Required, Doc: "Twice the number."}},
	New:  func() pipe.Process { return &doubler{} },
}

type doubler struct {
	in  *flow.In
	out *flow.Out
}

func (d *doubler) Setup(s *flow.Setup) error {
	d.in, d.out = s.In("number"), s.Out("number")
	return nil
}

func (d *doubler) Step(pipe.Step) error {
	d.out.Push(flow.OfInt(2 * d.in.Take().Int()))
	return nil
}

// The main function of a program with its own process types is
//
//	os.Exit(cli.Main(cli.Options{Types: []*pipe.Type{double}}))
//
// and has all verbs. Here are two of them on a pipeline that uses the type.
func Example() {
	const pipeline = `
process count :: numbers
  start = 3
  end = 6
process twice :: double
process show :: text_write
  file_name = -
connect from count.number to twice.number
connect from twice.number to show.text
`
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "twice.pipe")
	if err := os.WriteFile(path, []byte(pipeline), 0o600); err != nil {
		panic(err)
	}
	own := cli.Options{Types: []*pipe.Type{double}}
	for _, args := range [][]string{{"check", path}, {"run", path}} {
		code := cli.Run(own, args, os.Stdin, os.Stdout, os.Stderr)
		fmt.Println(args[0], "ends with", code)
	}
	// Output:
	// check ends with 0
	// 6
	// 8
	// 10
	// run ends with 0
}
