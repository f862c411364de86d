package sprokit_test

import (
	"context"
	"fmt"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/sprokit"
)

func ExampleRead() {
	file := source.NewFile("count.pipe", `
config _scheduler
  type = sync

process count :: numbers
  start = 3
  end   = 6

process show :: text_write
  file_name = -

connect from count.number
        to   show.text
`)
	model, err := sprokit.Read(file, load.NewEnv())
	if err != nil {
		fmt.Println(err)
		return
	}
	end, _ := model.Lookup("count:end")
	fmt.Println("end is", end.Value, "by", end.Span())

	pipeline, options, err := model.Pipeline()
	if err != nil {
		fmt.Println(err)
		return
	}
	if problems := pipeline.Check(); len(problems) > 0 {
		fmt.Println(problems)
		return
	}
	if err := pipeline.Run(context.Background(), options); err != nil {
		fmt.Println(err)
	}
	// Output:
	// end is 6 by count.pipe:7:3
	// 3
	// 4
	// 5
}
