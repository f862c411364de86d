package runs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pentode-dev/pentode/runs"
)

// A folder with one pipeline is run. If its files have errors, nothing is started, and the findings say what is wrong and where.
func Example() {
	const pipeline = `
process count :: %s
  start = 3
  end = 6
process show :: text_write
  file_name = -
connect from count.number to show.text
`
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for _, kind := range []string{"number", "numbers"} {
		text := fmt.Sprintf(pipeline, kind)
		if err := os.WriteFile(filepath.Join(dir, "count.pipe"), []byte(text), 0o600); err != nil {
			panic(err)
		}
		w := runs.NewWorkspace()
		folder, err := runs.OpenFolder(w, dir)
		if err != nil {
			panic(err)
		}
		begun := false // the lines of the pipeline may come before the event
		result, err := runs.Folder(context.Background(), folder, runs.Options{
			Workspace: w, Out: os.Stdout, Results: filepath.Join(dir, "out"),
			Events: func(e runs.Event) {
				if _, ok := e.(runs.Began); ok {
					begun = true
				}
			},
		})
		for _, d := range result.Findings {
			fmt.Printf("line %d: %s: %s\n", d.Span.Position().Line, d.Severity, d.Message)
		}
		var refused *runs.Refusal
		switch {
		case errors.As(err, &refused):
			fmt.Println("nothing is started")
		case err != nil:
			panic(err)
		default:
			fmt.Println("begun:", begun)
			fmt.Println(result.Stats.State)
		}
	}
	// Output:
	// line 2: error: process `count` has the unknown type `number`
	// nothing is started
	// 3
	// 4
	// 5
	// begun: true
	// finished
}
