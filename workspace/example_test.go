package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/workspace"
)

// A file is opened by its name. Its configuration has values and findings.
func Example() {
	dir, err := os.MkdirTemp("", "workspace")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "count.pipe")
	if err := os.WriteFile(path, []byte("process count :: numbers\n  end = 6\n  strat = 3\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	w := workspace.New(all.Languages(all.Options{}), load.NewEnv())
	config, err := w.Config(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(config.Document.Language.Title)
	for _, d := range config.Diagnostics() {
		fmt.Printf("%s at line %d: %s\n", d.Code.ID, d.Span.Position().Line, d.Message)
	}
	if end, ok := config.Value("count:end"); ok {
		fmt.Println("count:end is", end.Value)
	}
	// Output:
	// sprokit
	// sprokit/missing-required-connection at line 1: output port `number` of process `count` must be connected
	// sprokit/unknown-key at line 3: process type `numbers` has no key `strat`
	// count:end is 6
}
