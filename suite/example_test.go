package suite_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// A run folder is checked as a whole: here the pipeline feeds a datum that the tree does not declare.
func ExampleCheck() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		"heat.pipe": "process count :: numbers\nprocess share :: expose\n  spec = heat.yml\nconnect from count.number to share.step\n",
		"heat.yml":  "metadata: {stpe: int}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			fmt.Println(err)
			return
		}
	}
	types := catalog.Standard()
	if err := types.Add(suite.ExposeType(nil)); err != nil {
		fmt.Println(err)
		return
	}
	w := workspace.New(all.Languages(all.Options{Sprokit: sprokit.Options{Types: types}}), load.NewEnv())
	run, err := suite.Open(w, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range suite.Check(run, suite.Host{}) {
		fmt.Println(d.Code.ID, d.Message)
	}
	// Output:
	// suite/no-such-datum port `step` feeds nothing: the tree has no data or metadata with this name
}
