package lang_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/all"
)

// Every language has the same functions to parse, resolve and read a file.
func Example() {
	languages := all.Languages(all.Options{})
	for _, f := range []*source.File{
		source.NewFile("solve.psdl", "tunable_constant \"maxEval\" 3;\n"),
		source.NewFile("count.pipe", "process count :: numbers\n  end = 6\n"),
	} {
		language := lang.Detect(languages, f)
		config := language.Parse(f).Resolve(load.NewEnv())
		for e := range config.Values() {
			if !e.Implicit {
				fmt.Println(language.Name, e.Key, e.Value, "from", e.Decided().Span)
			}
		}
	}
	// Output:
	// paradyn tunable_constant.maxEval 3 from solve.psdl:1:28
	// sprokit count:end 6 from count.pipe:2:3
}
